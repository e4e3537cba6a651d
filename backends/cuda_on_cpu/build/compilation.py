"""`compiled`: the shared object of a source, as the compiler makes it."""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from tempfile import TemporaryDirectory

from ..text.options import apart
from . import disk_cache
from .compilers import Compiler
from .digests import digest, digest_of_file
from .linker import link
from .machine_files import HEADERS
from .machine_library import make_runtime
from .precompiled import folder_of, precompile, run_with_headers
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
) -> tuple[str, dict[str, str]]:
    """Compile a source; beside it, the runtime and the headers for the next source, if they are not there.

    `own` are the options of all kernels.

    Returns
    -------
    str, dict
        The name of the shared object in the cache, and the headers of the user with their digests.
    """
    words, macros = apart(words)
    unit, folder = unit_of(source, kernels, macros, checked=checked), disk_cache.folder()
    first = folder_of(compiler, own, runtime)
    with TemporaryDirectory(dir=folder) as scratch, ThreadPoolExecutor(2) as beside:
        beside_it = [beside.submit(copy_context().run, make_runtime, compiler, runtime)]
        if first is not None:
            beside_it.append(beside.submit(copy_context().run, precompile, compiler, own, first))
        headers = _compile(compiler, words, unit, Path(scratch), first)
        for each in beside_it:
            each.result()
        name = f"{digest(key, *headers.values())}.so"
        whole = Path(scratch, name)
        link(compiler, whole, [f"{scratch}/unit.o"], runtime)
        disk_cache.write((folder / name).with_suffix(".cu"), source.encode(errors="surrogateescape"))
        whole.replace(folder / name)
    return name, headers


def _compile(
    compiler: Compiler, words: tuple[str, ...], unit: str, scratch: Path, first: Path | None
) -> dict[str, str]:
    """Compile a unit to ``unit.o``; return the headers of the user that it included, with their digests.

    `first` is the folder of the precompiled headers.
    """
    file = scratch / "unit.cpp"
    file.write_text(unit, encoding="utf-8", errors="surrogateescape")
    dependencies = ("-MMD", "-MF", str(scratch / "unit.d"))
    command = [*compiler.command, *words, "-I", str(HEADERS), *dependencies, "-c", str(file), "-o", f"{scratch}/unit.o"]
    run_with_headers(command, scratch, first)
    rule = (scratch / "unit.d").read_text(encoding="utf-8", errors="surrogateescape").replace("\\\n", " ")
    names = re.findall(r"(?:\\.|\S)+", rule)[2:]
    ours = tuple([str(each) for each in (HEADERS, scratch, first) if each is not None])
    paths = [str(Path(re.sub(r"\\(.)", r"\1", name)).absolute()) for name in names]
    return {path: digest_of_file(path) for path in paths if not path.startswith(ours)}
