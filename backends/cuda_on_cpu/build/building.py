"""`build`: from a source to a shared object of its kernels, which the cache on disk keeps."""

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from accel.abc.raw_sources import kernel_heads
from accel.errors import KernelSyntaxError
from accel.support import log

from ...common.bounded_folders import used
from ...common.cache_files import is_whole, recorded
from ..text.options import accepted
from . import disk_cache, flags
from .compilers import Compiler, find_compiler
from .digests import digest, digest_of_file
from .interruption import interruptible
from .machine_files import runtime_file
from .report_reader import refuse_without_reader

__all__ = ["Built", "build", "build_with", "kernel_names"]

_OWN_FILE = "<kernels>"
"""How compilers call the part of a unit that lists the kernels."""

_LIBRARIES = re.compile(r"#[ \t]*include[ \t]*[<\"](?:cub|thrust|cuda|nv)/")


class Built(NamedTuple):
    """The files of a compiled source.

    Attributes
    ----------
    path : Path
        Shared object of the kernels; beside it, the source is in a file that ends with ``.cu``.
    runtime : Path
        Shared object that it needs, which is loaded first.
    further : tuple of Path
        Others, which are loaded after it.
    """

    path: Path
    runtime: Path
    further: tuple[Path, ...] = ()


def build(
    source: str,
    *,
    options: Sequence[str] = (),
    warp: int,
    checked: bool,
    counts: bool = False,
    kernels: Sequence[str],
) -> Built:
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
    counts : bool
        The code has counters of its lines; see `text.counted`.
    kernels : sequence of str
        Names of the kernels, or template expressions such as ``scale<float>``.

    Raises
    ------
    KernelSyntaxError
        If it does not compile; the message has all that the compiler said.
    KernelLaunchError
        If the compiler was ended, or had no memory.
    CapabilityError
        If there is no compiler, or an option is not known, or the checks have no reader of debug information.
    """
    if checked:
        refuse_without_reader()
    compiler = find_compiler()
    own = flags.for_kernels(compiler.kind, checked=checked, warp=warp)
    words = (
        *own,
        *_of_libraries(source, compiler, warp),
        *accepted(options),
    )
    runtime = runtime_file(compiler)
    key = digest(source, tuple(kernels), words, runtime.name, *(["counts"] if counts else []))
    result = _cached(key, runtime, source)
    if result is None:
        from .compilation import compiled  # what the cache has needs none of it

        work = partial(
            compiled, compiler, words, source, kernels, key, runtime, own=own, checked=checked, counts=counts
        )
        began = perf_counter()
        with disk_cache.failures_named(), disk_cache.only_one(key):
            # Another process may have built it meanwhile.
            result = _cached(key, runtime, source) or Built(interruptible(work), runtime)
        disk_cache.keep_within_limit()
        names, seconds = ", ".join(kernels), perf_counter() - began
        log.soon(log.info, "the cache has no %s, compiled as CUDA or HIP in %.3f s", names, seconds)
    return result


def kernel_names(source: str, instances: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names of the ``extern "C"`` kernels of a source, and then those of the instances of templates."""
    return tuple(dict.fromkeys((*[name for name, _ in kernel_heads(source)], *instances)))


def build_with(
    kernel: str,
    source: str,
    *,
    instances: Sequence[str] = (),
    options: Sequence[str],
    warp: int,
    checked: bool,
    counts: bool = False,
) -> Built:
    """Compile all kernels of a source together; the given one alone if the preprocessor removes others.

    The parameters and errors are those of `build`; `instances` are expressions of instances of templates.
    """
    names = kernel_names(source, instances)
    together = names if kernel in names else (kernel,)
    try:
        return build(source, options=options, warp=warp, checked=checked, counts=counts, kernels=together)
    except KernelSyntaxError as error:
        if together == (kernel,) or _OWN_FILE not in str(error):
            raise
    return build(source, options=options, warp=warp, checked=checked, counts=counts, kernels=(kernel,))


def _of_libraries(source: str, compiler: Compiler, warp: int) -> tuple[str, ...]:
    if _LIBRARIES.search(source) is None:
        return ()
    from .libraries import flags as flags_of_libraries

    return flags_of_libraries(source, kind=compiler.kind, warp=warp)


def _cached(key: str, runtime: Path, source: str) -> Built | None:
    """Return what was built before, if it is undamaged, and the headers that it included are the same."""
    folder = disk_cache.folder()
    known: Any = recorded(folder / f"{key}.json")
    if known is None:
        return None
    name, headers = known
    path = folder / name
    if any(digest_of_file(header) != content for header, content in headers.items()):
        return None
    if not (is_whole(path) and is_whole(runtime)):
        return None
    disk_cache.keep_source(source, path)
    for each in (path, runtime):
        used(each)
    return Built(path, runtime)
