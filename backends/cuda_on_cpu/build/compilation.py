"""`compiled`: the shared object of a source, as the compiler makes it."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ...common.cache_files import put, record
from ..text.options import apart
from . import disk_cache
from .compiler_process import run
from .compilers import Compiler
from .digests import digest, digest_of_file
from .interruption import together
from .linker import link
from .machine_files import HEADERS
from .machine_library import make_runtime
from .precompiled import folder_of, precompile, words_for
from .units import unit_of

__all__ = ["compiled"]


def compiled(
    compiler: Compiler,
    words: tuple[str, ...],
    source: str,
    kernels: Sequence[str],
    key: str,
    runtime: Path,
    *,
    own: tuple[str, ...],
    checked: bool,
    counts: bool,
) -> Path:
    """Compile a source; beside it, the runtime and the headers for the next source, if they are not there.

    `own` are the options of all kernels. Returns the shared object in the cache.
    """
    words, macros = apart(words)
    unit, folder = unit_of(source, kernels, macros, checked=checked, counts=counts), disk_cache.folder()
    first = folder_of(compiler, own, runtime)
    ready = words_for(first)
    with TemporaryDirectory(dir=folder) as scratch:
        work: list[Callable[[], Any]] = [
            partial(_compile, compiler, words, unit, Path(scratch), ready),
            partial(make_runtime, compiler, runtime),
        ]
        if first is not None and not ready:
            work.append(partial(precompile, compiler, own, first))
        headers = together(*work)[0]
        path = folder / f"{digest(key, *headers.values())}.so"
        whole = Path(scratch, path.name)
        link(compiler, whole, [f"{scratch}/unit.o"], runtime)
        put(whole, path)
    disk_cache.keep_source(source, path)
    record(folder / f"{key}.json", (path.name, headers))
    return path


def _compile(
    compiler: Compiler, words: tuple[str, ...], unit: str, scratch: Path, ready: tuple[str, ...]
) -> dict[str, str]:
    """Compile a unit to ``unit.o``; return the headers of the user that it included, with their digests.

    `ready` are the options for the precompiled headers, the last of which is their folder; empty without these.
    """
    file = scratch / "unit.cpp"
    file.write_text(unit, encoding="utf-8", errors="surrogateescape")
    dependencies = ("-MMD", "-MF", str(scratch / "unit.d"))
    words = (*words, "-I", str(HEADERS), *ready, *dependencies)
    run([*compiler.command, *words, "-c", str(file), "-o", f"{scratch}/unit.o"], scratch)
    rule = (scratch / "unit.d").read_text(encoding="utf-8", errors="surrogateescape").replace("\\\n", " ")
    names = re.findall(r"(?:\\.|\S)+", rule)[2:]
    ours = tuple([str(each) for each in (HEADERS, scratch, *ready[1:])])
    paths = [str(Path(re.sub(r"\\(.)", r"\1", name)).absolute()) for name in names]
    return {path: digest_of_file(path) for path in paths if not path.startswith(ours)}
