"""`build`: from a source to a shared object of its kernels, which the cache on disk keeps."""

import json
import os
import re
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from accel.errors import KernelLaunchError, KernelSyntaxError

from . import caching, libraries, options as compiler_options
from .compilers import Compiler, find_compiler
from .translation import constants, translated

__all__ = ["Built", "build"]

_HERE = Path(__file__).parent
_HEADERS = _HERE / "include"
_RUNTIME = _HERE / "runtime"
# What compilers say when the system ends them, or gives them no memory.
_ENDED = re.compile(r"Killed|out of memory|virtual memory exhausted|OutOfMemory|bad_alloc|No space left", re.IGNORECASE)


class Built(NamedTuple):
    """The files of a compiled source.

    Attributes
    ----------
    path : Path
        Shared object of the kernels.
    runtime : Path
        Shared object that it needs, which is loaded first.
    """

    path: Path
    runtime: Path


def build(source: str, *, options: Sequence[str] = (), warp: int, checked: bool, kernels: Sequence[str]) -> Built:
    """Compile a source, or find what it was compiled to.

    Parameters
    ----------
    source : str
        CUDA or HIP.
    options : sequence of str
        As for NVRTC; `options.accepted` has which.
    warp : int
        Threads of a warp.
    checked : bool
        The code calls the checks of the runtime.
    kernels : sequence of str
        Names of the kernels, or template expressions such as ``scale<float>``.

    Raises
    ------
    KernelSyntaxError
        If it does not compile; the message has all that the compiler said.
    KernelLaunchError
        If the compiler was ended, or had no memory.
    CapabilityError
        If there is no compiler, or an option or a construct is not simulated.
    """
    compiler = find_compiler()
    flags = (
        *compiler_options.for_kernels(compiler.kind, checked=checked, warp=warp),
        *libraries.flags(source, kind=compiler.kind, warp=warp),
        *compiler_options.accepted(options),
    )
    runtime, unit = _runtime_file(compiler), _unit(source, tuple(kernels), checked=checked)
    key = _digest(unit, flags, runtime.name)
    return _kept(key, runtime) or _made(compiler, flags, unit, key, runtime)


def _unit(source: str, kernels: tuple[str, ...], *, checked: bool) -> str:
    text = translated(source, checked=checked)
    entries = "".join([f"ACCEL_SIM_ENTRY({number}, {kernel})\n" for number, kernel in enumerate(kernels)])
    return (
        f'#include "accel_sim/kernel.h"\n#line 1 "<source>"\n{text}\n#line 1 "<kernels>"\n{entries}'
        f'#include "accel_sim/module.h"\n'
        f"ACCEL_SIM_NAMES(accel_sim_kernels, {_strings(kernels)})\nACCEL_SIM_NAMES(accel_sim_constants, {_strings(constants(source))})\n"
    )


def _strings(texts: Sequence[str]) -> str:
    """Return a literal of texts, each with a zero after it."""
    escaped = [text.replace("\\", r"\\").replace('"', r"\"") for text in texts]
    return " ".join([f'"{text}\\0"' for text in escaped]) or '""'


def _kept(key: str, runtime: Path) -> Built | None:
    """Return what was built before, if the headers that it included are the same."""
    folder = caching.folder()
    try:
        name, headers = json.loads((folder / f"{key}.json").read_text(encoding="utf-8"))
        if any(_content(path) != digest for path, digest in headers.items()):
            return None
        for path in (folder / name, runtime):
            os.utime(path)  # it was used: see caching.drop_oldest
    except (OSError, ValueError, TypeError, AttributeError):
        return None
    return Built(folder / name, runtime)


def _made(compiler: Compiler, flags: tuple[str, ...], unit: str, key: str, runtime: Path) -> Built:
    with caching.only_one(key):
        kept = _kept(key, runtime)  # another process may have made it meanwhile
        if kept is not None:
            return kept
        with TemporaryDirectory(dir=caching.folder()) as made, ThreadPoolExecutor(1) as beside:
            ready = beside.submit(_make_runtime, compiler, runtime)
            headers = _compile(compiler, flags, unit, Path(made))
            ready.result()
            name = f"{_digest(key, *headers.values())}.so"
            whole = Path(made, name)
            _run([*compiler.command, *compiler_options.for_linking(compiler.kind, name), "-o", str(whole),
                  f"{made}/unit.o", str(runtime)])  # fmt: skip
            whole.replace(caching.folder() / name)
            caching.write(caching.folder() / f"{key}.json", json.dumps((name, headers)).encode())
    caching.drop_oldest()
    return Built(caching.folder() / name, runtime)


def _compile(compiler: Compiler, flags: tuple[str, ...], unit: str, made: Path) -> dict[str, str]:
    """Compile a unit to ``unit.o``; return the headers of the user that it included, with their digests."""
    source = made / "unit.cpp"
    source.write_text(unit, encoding="utf-8", errors="surrogateescape")
    _run([*compiler.command, *flags, "-I", str(_HEADERS), "-MMD", "-MF", str(made / "unit.d"), "-c", str(source),
          "-o", str(made / "unit.o")])  # fmt: skip
    rule = (made / "unit.d").read_text(encoding="utf-8", errors="surrogateescape").replace("\\\n", " ")
    names = re.findall(r"(?:\\.|\S)+", rule)[2:]
    paths = [os.path.abspath(re.sub(r"\\(.)", r"\1", name)) for name in names]
    return {path: _content(path) for path in paths if not path.startswith((str(_HEADERS), str(made)))}


def _runtime_file(compiler: Compiler) -> Path:
    """Return where the runtime for a compiler is, or will be."""
    key = _digest(_sources(), *compiler, *compiler_options.for_runtime(compiler.kind))
    return caching.folder() / f"accel_sim_{key}.so"


def _make_runtime(compiler: Compiler, file: Path) -> None:
    with caching.only_one(file.stem):
        if file.exists():
            return
        with TemporaryDirectory(dir=file.parent) as made, ThreadPoolExecutor(os.cpu_count()) as several:
            flags = compiler_options.for_runtime(compiler.kind)
            sources = [_RUNTIME / "runtime.cpp"]  # it includes the others
            objects = [f"{made}/{source.stem}.o" for source in sources]
            commands = [[*compiler.command, *flags, "-I", str(_HEADERS), "-c", str(source), "-o", target]
                        for source, target in zip(sources, objects, strict=True)]  # fmt: skip
            list(several.map(_run, commands))
            link = compiler_options.for_linking(compiler.kind, file.name)
            _run([*compiler.command, *link, "-o", f"{made}/whole.so", *objects])
            Path(made, "whole.so").replace(file)


@cache
def _sources() -> str:
    """Return a digest of the headers, of the runtime, and of what translates sources."""
    files = [
        (path.relative_to(folder), path)
        for folder in (_HEADERS, _RUNTIME)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]
    return _digest(*[f"{name}\0{_content(path)}" for name, path in files])


def _content(path: str | Path) -> str:
    with suppress(OSError):
        return sha256(Path(path).read_bytes()).hexdigest()
    return ""


def _digest(*parts: object) -> str:
    return sha256(repr(parts).encode(errors="surrogateescape")).hexdigest()[:32]


def _run(command: Sequence[str]) -> None:
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, errors="replace", env=caching.environment()
    )
    if done.returncode < 0 or (done.returncode and _ENDED.search(done.stderr)):
        raise KernelLaunchError(
            f"the compiler {command[0]} was ended or had no memory (status {done.returncode}): launch again, with more "
            f"memory free; it said {done.stderr[-300:]!r}"
        )
    if done.returncode:
        raise KernelSyntaxError(done.stderr)
