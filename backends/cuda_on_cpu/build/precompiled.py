"""The headers of kernels, precompiled: for g++, which takes such a file where it fits, and else reads the headers."""

from pathlib import Path
from tempfile import TemporaryDirectory

from accel.errors import KernelLaunchError, KernelSyntaxError

from ...common.bounded_folders import used
from ...common.cache_files import is_whole, put
from . import disk_cache
from .compiler_process import run
from .compilers import Compiler
from .digests import digest
from .machine_files import HEADERS

__all__ = ["folder_of", "precompile", "words_for"]

_HEADER = "accel_sim/kernel.h"


def folder_of(compiler: Compiler, words: tuple[str, ...], runtime: Path) -> Path | None:
    """Return the folder of the precompiled header, which is there or not; None if the compiler takes none.

    Parameters
    ----------
    compiler : Compiler
        The compiler.
    words : tuple of str
        The options of all kernels; those of a user may make the file unfit, which the compiler sees.
    runtime : Path
        The runtime; its name changes with the headers.
    """
    if compiler.kind != "gcc":
        return None
    return disk_cache.folder() / f"headers_{digest(compiler, words, runtime.name)}"


def precompile(compiler: Compiler, words: tuple[str, ...], folder: Path) -> None:
    """Write the precompiled header; do nothing if that fails, because it only saves time."""
    file = folder / f"{_HEADER}.gch"
    try:
        with TemporaryDirectory(dir=disk_cache.folder()) as scratch:
            whole = Path(scratch, file.name)
            command = [*compiler.command, *words, "-I", str(HEADERS), "-x", "c++-header", str(HEADERS / _HEADER)]
            run([*command, "-o", str(whole)], Path(scratch))
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            put(whole, file)
    except (OSError, KernelLaunchError, KernelSyntaxError):
        return


def words_for(folder: Path | None) -> tuple[str, ...]:
    """Return the options that make g++ use the precompiled header in a folder; none if it is not there, or damaged."""
    if folder is None or not is_whole(folder / f"{_HEADER}.gch"):
        return ()
    used(folder / f"{_HEADER}.gch")
    return "-iquote", str(folder)
