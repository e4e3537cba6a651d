"""C++ compilers: which one this machine has, and what it is called with.

The first that works is used: the command in ``ACCEL_KERNEL_COMPILER``, or else g++, clang++, or the wheel ``ziglang``.
Trying one takes about 0.1 s, so the answer is kept in the cache folder, by the compiler's file and its time.
"""

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from functools import cache, partial
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from accel.errors import CapabilityError, KernelLaunchError, KernelSyntaxError
from accel.support.system import ELSEWHERE, LINUX, platform_name

from ...common.cache_files import record, recorded
from . import disk_cache
from .interruption import interruptible

__all__ = ["VARIABLE", "Compiler", "find_compiler"]

VARIABLE = "ACCEL_KERNEL_COMPILER"
_INSTALL = "write pip install 'accel-container[cuda-sim]', which brings one"
_TRIAL = "#include <stdint.h>\n#include <math.h>\ntemplate <auto V> int f() { return V; }\nint g() { return f<1>(); }\n"


class Compiler(NamedTuple):
    """A compiler that works.

    Attributes
    ----------
    command : tuple of str
        What its command line begins with.
    kind : str
        ``gcc``, ``clang`` or ``zig``: the one that it takes the options of.
    version : str
        The first line that it says of itself.
    """

    command: tuple[str, ...]
    kind: str
    version: str


def find_compiler() -> Compiler:
    """Return the compiler for kernels; the same one in the whole process, for one value of ``ACCEL_KERNEL_COMPILER``.

    Raises
    ------
    CapabilityError
        If there is none that works; the message has why.
    """
    return _first_that_works(os.environ.get(VARIABLE, ""))


@cache
def _first_that_works(command_line: str) -> Compiler:
    if not LINUX:
        raise CapabilityError(
            f"CUDA and HIP kernels on the simulated device need Linux; found {platform_name()}: {ELSEWHERE}"
        )
    candidates = [tuple(shlex.split(command_line))] if command_line.strip() else list(_candidates())
    reasons = []
    for command in candidates:
        try:
            return _remembered(command)
        except (OSError, KernelSyntaxError, KernelLaunchError) as error:
            reasons.append(f"{shlex.join(command)}: {str(error).strip()[-300:]}")
    what = f"{VARIABLE}={command_line} does not work" if command_line.strip() else "no C++ compiler works here"
    why = "; ".join(reasons) or "there is no g++, clang++ or ziglang"
    raise CapabilityError(
        f"CUDA and HIP kernels on the simulated device need a C++ compiler; {what} ({why}): {_INSTALL}"
    )


def _candidates() -> Iterator[tuple[str, ...]]:
    for name in ("g++", "clang++"):
        path = shutil.which(name)
        if path:
            yield (path,)
    zig = find_spec("ziglang")
    if zig is not None and zig.submodule_search_locations:
        yield (str(Path(zig.submodule_search_locations[0]) / "zig"), "c++")


def _remembered(command: tuple[str, ...]) -> Compiler:
    """Return a compiler as it was found before, if its file is the same; otherwise try it."""
    path = shutil.which(command[0])
    if path is None:
        raise FileNotFoundError(f"there is no command {command[0]}")
    status = Path(path).stat()
    identity = repr((command, os.path.realpath(path), status.st_mtime_ns, status.st_size, _TRIAL))
    file = disk_cache.folder() / f"compiler-{sha256(identity.encode()).hexdigest()[:32]}.json"
    known: Any = recorded(file)
    if known is None:
        compiler = interruptible(partial(_tried, command))
        known = compiler.kind, compiler.version
        record(file, known)
    return Compiler(command, *known)


def _tried(command: tuple[str, ...]) -> Compiler:
    from .compiler_process import run  # what is remembered needs no process

    with TemporaryDirectory(dir=disk_cache.folder()) as folder:
        version = run([*command, "--version"], Path(folder)).strip()
        source = Path(folder, "trial.cpp")
        source.write_text(_TRIAL, encoding="utf-8")
        run([*command, "-std=c++17", "-fPIC", "-c", str(source), "-o", f"{folder}/trial.o"], Path(folder))
    kind = "zig" if _is_zig(command) else "clang" if "clang" in version else "gcc"
    return Compiler(command, kind, version.partition("\n")[0])


def _is_zig(command: tuple[str, ...]) -> bool:
    return any(re.fullmatch(r"(.*/)?(python-)?zig(lang)?", word) for word in command)
