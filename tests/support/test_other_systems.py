"""What other systems lack is taken away, and what only some have is asked for in one module."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from .other_system import MODULES, NOT_ON_WINDOWS, SIGNALS

PROGRAM = Path(__file__).with_name("other_system.py")
SYSTEM = "accel/support/system.py"
FOR_LINUX = ("accel/commands/grading/", "backends/cuda_on_cpu/")
"""Rooms that refuse other systems at their doors, as the program sees."""
OWNERS = {"ctypes", "os", "platform", "signal", "sys"}
SPECIFIC = {
    *(f"os.{name}" for name in NOT_ON_WINDOWS),
    *("os.kill", "os.name", "platform.machine", "platform.uname", "sys.platform", "sys.getwindowsversion"),
}
FOLDERS = ("/dev/", "/proc/", "/sys/")


def specific(text: str) -> Iterator[str]:
    """Yield what a module uses that only some systems have, or have in other ways."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Attribute(value=ast.Name(id=owner), attr=name) if owner in OWNERS:
                names = [f"{owner}.{name}"]
            case ast.ImportFrom(module=owner, level=0):
                names = [f"{owner}.{each.name}" for each in node.names]
            case ast.Import():
                names = [f"{each.name}." for each in node.names]
            case ast.Call(func=ast.Name(id="CDLL") | ast.Attribute(attr="CDLL"), args=[ast.Constant(value=None), *_]):
                names = ["CDLL(None)"]
            case ast.Constant(value=str(value)) if value.startswith(FOLDERS):
                names = [value]
            case _:
                continue
        yield from filter(is_specific, names)


def is_specific(name: str) -> bool:
    owner, _, attribute = name.partition(".")
    of_signals = owner == "signal" and attribute.startswith(("SIG", "pthread")) and attribute not in SIGNALS
    of_modules = owner in MODULES["win32"]
    elsewhere = name == "CDLL(None)" or name.startswith((*FOLDERS, "os.RTLD_"))
    return name in SPECIFIC or of_signals or of_modules or elsewhere


def test_one_module_asks_for_what_only_some_systems_have(sources):
    used = {path: sorted(set(specific(text))) for path, text in sources.items()}
    assert len(used[SYSTEM]) > 8
    elsewhere = {path: names for path, names in used.items() if names and not path.startswith((SYSTEM, *FOR_LINUX))}
    assert elsewhere == {}


@pytest.mark.parametrize(
    "line",
    [
        "os.fork()",
        "from os import fork",
        "import fcntl",
        "from resource import getrusage",
        "signal.SIGKILL",
        "sys.platform == 'linux'",
        "ctypes.CDLL(None)",
        "CDLL(None, use_errno=True)",
        "open('/proc/self/maps')",
        "os.RTLD_NOW",
    ],
)
def test_a_planted_use_is_found(line):
    assert list(specific(f"def f():\n    {line}"))
    assert not list(specific("os.getpid(); signal.SIGINT; ctypes.CDLL('libm.so.6')"))


@pytest.fixture
def other_system(python, root):
    """Return a function that runs the program, and returns what the commands print."""
    return lambda *words: python(f"import runpy; runpy.run_path({str(PROGRAM)!r})['main'](*{words!r})", root)


@pytest.mark.parametrize(("system", "processor"), [("win32", "ARM64"), ("darwin", "arm64")])
def test_memory_and_arrays_without_what_another_system_lacks(other_system, system, processor):
    other_system(system, processor, "none", "core")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("system", "processor", "compiler"),
    [("win32", "AMD64", "llvmlite"), ("win32", "ARM64", "none"), ("darwin", "x86_64", "llvmlite")],
)
def test_all_that_works_without_what_another_system_lacks(other_system, system, processor, compiler):
    said = other_system(system, processor, compiler, "all")
    assert f"not available on {system} on " in said
    assert "CUDA and HIP kernels on the simulated device; accel grade" in said
    assert ("compiled kernels, fused functions and copies; the size of the host's memory" in said) == (
        system == "win32"
    )
    assert "Nothing is wrong with this installation" in said
