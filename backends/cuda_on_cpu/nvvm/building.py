"""`build`: from the modules of a kernel to a shared object that the machine runs, which the cache on disk keeps."""

from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

from accel.support import log

from ...common.bounded_folders import used
from ...common.cache_files import is_whole, put
from ..build import disk_cache, flags
from ..build.building import Built
from ..build.compiler_process import run
from ..build.compilers import Compiler, find_compiler
from ..build.digests import digest, digest_of_files
from ..build.interruption import interruptible, together
from ..build.linker import link
from ..build.machine_files import HEADERS, runtime_file
from ..build.machine_library import make_runtime
from ..build.report_reader import refuse_without_reader
from .cuda_text import compiled_text
from .machine_code import compiled, identity
from .modules import Source

__all__ = ["WARP", "build"]

WARP = 32
"""Threads of a warp: all that there are for numba."""

_HERE = Path(__file__).parent
_TEXTS = tuple(sorted(_HERE.glob("*.cpp")))


def build(source: Source, name: str, *, checked: bool, counts: bool = False) -> Built:
    """Compile a kernel, or find what it was compiled to.

    Parameters
    ----------
    source : Source
        The kernel.
    name : str
        What it is called.
    checked : bool
        The code calls the checks of the runtime.
    counts : bool
        The code has counters of its lines; see `counted`.

    Raises
    ------
    KernelSyntaxError
        If LLVM or the linker does not take it.
    KernelLaunchError
        If there is no memory for them.
    CapabilityError
        If llvmlite or the linker is missing, or the checks have no reader of debug information.
    """
    if checked:
        refuse_without_reader()
    compiler = find_compiler()
    runtime = runtime_file(compiler)
    key = digest(source, name, checked, counts, identity(), _sources(), runtime.name)
    path = disk_cache.folder() / f"{key}.so"
    functions = _functions_file(compiler, runtime)
    if not all(map(is_whole, (path, runtime, functions))):
        began = perf_counter()
        with disk_cache.failures_named(), disk_cache.only_one(key):
            interruptible(
                partial(_build, compiler, source, name, path, runtime, functions, checked=checked, counts=counts)
            )
        disk_cache.keep_within_limit()
        log.soon(log.info, "the cache has no %s, compiled from its IR in %.3f s", name, perf_counter() - began)
    for each in (path, runtime, functions):
        used(each)
    return Built(path, runtime, (functions,))


def _build(
    compiler: Compiler,
    source: Source,
    name: str,
    path: Path,
    runtime: Path,
    functions: Path,
    *,
    checked: bool,
    counts: bool,
) -> None:
    make_runtime(compiler, runtime)
    _make_functions(compiler, functions, runtime)
    if is_whole(path):
        return
    with TemporaryDirectory(dir=path.parent) as scratch:
        code, target = Path(scratch, "kernel.o"), Path(scratch, path.name)
        code.write_bytes(compiled(source, name, checked=checked, counts=counts))
        texts = [
            str(compiled_text(compiler, text, source.options, runtime, warp=WARP, checked=checked))
            for text in source.linked
        ]
        link(compiler, target, [str(code), *texts, str(functions)], runtime)
        put(target, path)


def _functions_file(compiler: Compiler, runtime: Path) -> Path:
    key = digest(_sources(), runtime.name, flags.for_kernels(compiler.kind, checked=False, warp=WARP))
    return runtime.with_name(f"accel_nvvm_{key}.so")


def _make_functions(compiler: Compiler, file: Path, runtime: Path) -> None:
    """Compile the functions that kernels call, unless they are there, undamaged."""
    if is_whole(file):
        return
    with disk_cache.only_one(file.stem):
        if is_whole(file):
            return
        with TemporaryDirectory(dir=file.parent) as scratch:
            target = Path(scratch, file.name)
            objects = together(*[partial(_object, compiler, each, Path(scratch)) for each in _TEXTS])
            link(compiler, target, objects, runtime)
            put(target, file)


def _object(compiler: Compiler, source: Path, scratch: Path) -> str:
    """Compile a source in C++; return the file with its code."""
    code = f"{scratch}/{source.stem}.o"
    words = (*flags.for_kernels(compiler.kind, checked=False, warp=WARP), "-I", str(HEADERS))
    run([*compiler.command, *words, "-c", str(source), "-o", code], scratch)
    return code


@cache
def _sources() -> str:
    return digest_of_files([str(each) for each in _HERE.iterdir() if each.is_file()])
