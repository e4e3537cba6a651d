"""`link`: a shared object of compiled code."""

import ctypes
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from accel.errors import KernelSyntaxError
from accel.support.system import loaded_files

from .compiler_process import run
from .compilers import Compiler

__all__ = ["link"]

_LIBRARIES = ("libc.so.6", "libm.so.6", "libgcc_s.so.1")
# What a file is that has them, or the loader, which has functions for thread-local variables.
_FILE = re.compile(r"/\S*/(?:ld-[\w.-]+\.so[.\d]*|libc\.so\.6|libm\.so\.6|libgcc_s\.so\.1)")
_OF_CPP = re.compile(r"undefined symbol: .*(?:\bstd::|operator (?:new|delete)|__cxa_|__cxxabiv1|__gxx_)")


def link(compiler: Compiler, target: Path, objects: Sequence[str], runtime: Path | None = None) -> None:
    """Link objects to a shared object that others find by its file's name, and that uses what it defines itself.

    Raises
    ------
    KernelSyntaxError
        If something is used that is defined nowhere.
    """
    inputs = [*objects, *([] if runtime is None else [str(runtime)])]
    words = (
        "-shared",
        f"-Wl,-soname,{target.name}",
        "-Wl,--as-needed",
        "-Wl,-z,defs",
        "-Wl,-Bsymbolic",
        "-o",
        str(target),
    )
    command = [*compiler.command, *words, *inputs]
    if compiler.kind == "zig":
        _link_with_zig(command, target.parent)
    else:
        run(command, target.parent)


def _link_with_zig(command: list[str], scratch: Path) -> None:
    """Link with the libraries that this process has.

    Those of zig come as sources, which take a minute to compile. Only programs that use the library of C++ need them.
    """
    try:
        run([*command, "-nostdlib", *_loaded_libraries()], scratch)
    except KernelSyntaxError as error:
        if not _OF_CPP.search(str(error)):
            raise
        run(command, scratch)


@cache
def _loaded_libraries() -> tuple[str, ...]:
    for name in _LIBRARIES:
        with suppress(OSError):  # the C library of another kind is one file, under another name
            ctypes.CDLL(name)
    return tuple(sorted(filter(_FILE.fullmatch, loaded_files())))
