"""The headers of kernels, precompiled: for g++, which takes such a file where it fits, and else reads the headers."""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from accel.errors import KernelLaunchError, KernelSyntaxError

from . import disk_cache
from .compiler_process import run
from .compilers import Compiler
from .digests import digest
from .machine_files import HEADERS

__all__ = ["folder_of", "precompile", "run_with_headers"]

_HEADER = "accel_sim/kernel.h"
_DAMAGED = re.compile(r"cannot read (PCH|\S*\.gch)|internal compiler error")
"""What g++ says of a damaged precompiled header."""


def folder_of(compiler: Compiler, words: tuple[str, ...], runtime: Path) -> Path | None:
    """Return the folder to look for headers in first, with the precompiled one or without; None if that does not work.

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
    """Write the precompiled header, unless it is there; do nothing if that fails, because it only saves time."""
    file = folder / f"{_HEADER}.gch"
    try:
        if file.exists():
            os.utime(file)  # it is used: see disk_cache.drop_oldest
            return
        with TemporaryDirectory(dir=disk_cache.folder()) as scratch:
            whole = Path(scratch, file.name)
            command = [*compiler.command, *words, "-I", str(HEADERS), "-x", "c++-header", str(HEADERS / _HEADER)]
            run([*command, "-o", str(whole)], Path(scratch))
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            whole.replace(file)
    except (OSError, KernelLaunchError, KernelSyntaxError):
        return


def run_with_headers(command: Sequence[str], scratch: Path, folder: Path | None) -> None:
    """Run a compiler with a folder of precompiled headers; without it, and without the file, if that is damaged.

    The errors are those of `run`.
    """
    if folder is None:
        run(command, scratch)
        return
    try:
        run([*command, "-iquote", str(folder)], scratch)
    except (KernelLaunchError, KernelSyntaxError) as error:
        if not _DAMAGED.search(str(error)):
            raise
        (folder / f"{_HEADER}.gch").unlink(missing_ok=True)
        run(command, scratch)
