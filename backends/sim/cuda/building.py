"""`build`: from a source to a shared object of its kernels, which the cache on disk keeps."""

import json
import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from . import caching, flags, libraries
from .compilers import Compiler, find_compiler
from .linking import link
from .options import accepted
from .running import run
from .runtime_library import HEADERS, make_runtime, runtime_file
from .units import unit_of

__all__ = ["Built", "build"]


class Built(NamedTuple):
    """The files of a compiled source.

    Attributes
    ----------
    path : Path
        Shared object of the kernels; beside it, the source is in a file that ends with ``.cu``.
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
        If there is no compiler, or an option is not known.
    """
    compiler = find_compiler()
    words = (
        *flags.for_kernels(compiler.kind, checked=checked, warp=warp),
        *libraries.flags(source, kind=compiler.kind, warp=warp),
        *accepted(options),
    )
    runtime = runtime_file(compiler)
    key = _digest(source, tuple(kernels), words, runtime.name)
    kept = _kept(key, runtime)
    if kept is None:
        unit = unit_of(source, kernels, checked=checked)
        with caching.only_one(key):
            # Another process may have made it meanwhile.
            kept = _kept(key, runtime) or _made(compiler, words, source, unit, key, runtime)
        caching.drop_oldest()
    return kept


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


def _made(compiler: Compiler, words: tuple[str, ...], source: str, unit: str, key: str, runtime: Path) -> Built:
    folder = caching.folder()
    with TemporaryDirectory(dir=folder) as made, ThreadPoolExecutor(1) as beside:
        ready = beside.submit(copy_context().run, make_runtime, compiler, runtime)
        headers = _compile(compiler, words, unit, Path(made))
        ready.result()
        name = f"{_digest(key, *headers.values())}.so"
        whole = Path(made, name)
        link(compiler, whole, [f"{made}/unit.o"], runtime)
        caching.write((folder / name).with_suffix(".cu"), source.encode(errors="surrogateescape"))
        whole.replace(folder / name)
        caching.write(folder / f"{key}.json", json.dumps((name, headers)).encode())
    return Built(folder / name, runtime)


def _compile(compiler: Compiler, words: tuple[str, ...], unit: str, made: Path) -> dict[str, str]:
    """Compile a unit to ``unit.o``; return the headers of the user that it included, with their digests."""
    file = made / "unit.cpp"
    file.write_text(unit, encoding="utf-8", errors="surrogateescape")
    dependencies = ("-MMD", "-MF", str(made / "unit.d"))
    run([*compiler.command, *words, "-I", str(HEADERS), *dependencies, "-c", str(file), "-o", f"{made}/unit.o"], made)
    rule = (made / "unit.d").read_text(encoding="utf-8", errors="surrogateescape").replace("\\\n", " ")
    names = re.findall(r"(?:\\.|\S)+", rule)[2:]
    paths = [str(Path(re.sub(r"\\(.)", r"\1", name)).absolute()) for name in names]
    return {path: _content(path) for path in paths if not path.startswith((str(HEADERS), str(made)))}


def _content(path: str) -> str:
    with suppress(OSError):
        return sha256(Path(path).read_bytes()).hexdigest()
    return ""


def _digest(*parts: object) -> str:
    return sha256(repr(parts).encode(errors="surrogateescape")).hexdigest()[:32]
