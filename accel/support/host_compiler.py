"""LLVM's compiler for the host, which the package llvmlite brings: whether it is there, and what to say if it fails."""

import sys
from functools import cache

from accel.support.system import ELSEWHERE, POSIX, platform_name

__all__ = ["INSTALL", "OLDEST", "SUPPORTED", "explained", "missing"]

INSTALL = "pip install 'accel-container[compiler]'"
"""The command that installs it."""

OLDEST = (0, 48)
"""The first version that serves. Older ones, which came for numba, end the process at attributes of functions."""

_LLVM = (20, 0)
"""The first version of LLVM that reads the text of kernels."""

SUPPORTED: bool = POSIX and sys.byteorder == "little" and sys.maxsize > 1 << 32
"""Whether compiled code can run: its text is for 64 bits, and calls the threads of POSIX."""


@cache
def missing() -> str | None:
    """Return what to do so that code is compiled; None if it is. What is installed later counts in new processes."""
    if not SUPPORTED:
        return ELSEWHERE
    version = _version()
    return None if version and version >= OLDEST else f"write {INSTALL}"


@cache
def _version() -> tuple[int, ...]:
    """Return the version of llvmlite; nothing if it is not installed."""
    from importlib.util import find_spec

    if find_spec("llvmlite") is None:
        return ()
    try:
        import llvmlite  # type: ignore[import-untyped]

        found = llvmlite.__version__.split(".")[:2]
        return tuple(map(int, found)) if all(map(str.isdecimal, found)) else _version_by_llvm()
    except Exception:  # what is broken says so when it is used
        return OLDEST


def _version_by_llvm() -> tuple[int, ...]:
    """Return a version of llvmlite for that of its LLVM: builds from a checkout may have no number of their own."""
    from llvmlite.binding import llvm_version_info  # type: ignore[import-untyped]

    return OLDEST if llvm_version_info >= _LLVM else (0, 0)


def explained(error: Exception) -> str:
    """Return, as the end of a sentence about llvmlite, what is wrong with it and what to write."""
    if not SUPPORTED:
        return f"for systems of 64 bits with the threads of POSIX; found {platform_name()}: {ELSEWHERE}"
    if not _version():
        return f"which is not installed; write {INSTALL}"
    if missing():
        oldest, found = (".".join(map(str, each)) for each in (OLDEST, _version()))
        return f"of which version {oldest} or newer serves; found {found}: write {INSTALL}"
    return f"which failed: {error!r}; install it anew, with pip install --force-reinstall llvmlite"
