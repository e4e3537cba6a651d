"""`compiled`: the shared object of a source, made by the compiler."""

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path
from tempfile import TemporaryDirectory

from ..text.options import apart
from . import caching
from .compilers import Compiler
from .digests import digest, digest_of_file
from .linking import link
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
    unit, folder = unit_of(source, kernels, macros, checked=checked), caching.folder()
    first = folder_of(compiler, own, runtime)
    with TemporaryDirectory(dir=folder) as made, ThreadPoolExecutor(2) as beside:
        started = [beside.submit(copy_context().run, make_runtime, compiler, runtime)]
        if first is not None:
            started.append(beside.submit(copy_context().run, precompile, compiler, own, first))
        headers = _compile(compiler, words, unit, Path(made), first)
        for each in started:
            each.result()
        name = f"{digest(key, *headers.values())}.so"
        whole = Path(made, name)
        link(compiler, whole, [f"{made}/unit.o"], runtime)
        caching.write((folder / name).with_suffix(".cu"), source.encode(errors="surrogateescape"))
        whole.replace(folder / name)
    return name, headers


def _compile(compiler: Compiler, words: tuple[str, ...], unit: str, made: Path, first: Path | None) -> dict[str, str]:
    """Compile a unit to ``unit.o``; return the headers of the user that it included, with their digests.

    `first` is the folder of the precompiled headers.
    """
    file = made / "unit.cpp"
    file.write_text(unit, encoding="utf-8", errors="surrogateescape")
    dependencies = ("-MMD", "-MF", str(made / "unit.d"))
    command = [*compiler.command, *words, "-I", str(HEADERS), *dependencies, "-c", str(file), "-o", f"{made}/unit.o"]
    run_with_headers(command, made, first)
    rule = (made / "unit.d").read_text(encoding="utf-8", errors="surrogateescape").replace("\\\n", " ")
    names = re.findall(r"(?:\\.|\S)+", rule)[2:]
    ours = tuple([str(each) for each in (HEADERS, made, first) if each is not None])
    paths = [str(Path(re.sub(r"\\(.)", r"\1", name)).absolute()) for name in names]
    return {path: digest_of_file(path) for path in paths if not path.startswith(ours)}
