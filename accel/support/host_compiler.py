"""LLVM's compiler for the host, which the package llvmlite brings: whether it is there, and what to say if it fails."""

import sys
from functools import cache

from accel.support.system import ELSEWHERE, POSIX, platform_name

__all__ = ["INSTALL", "SUPPORTED", "explained", "missing"]

INSTALL = "pip install 'accel-container[compiler]'"
"""The command that installs it."""

SUPPORTED: bool = POSIX and sys.byteorder == "little" and sys.maxsize > 1 << 32
"""Whether compiled code can run: its text is for 64 bits, and calls the threads of POSIX."""


@cache
def missing() -> str | None:
    """Return what to do so that code is compiled; None if it is. What is installed later counts in new processes."""
    from importlib.util import find_spec

    if not SUPPORTED:
        return ELSEWHERE
    return None if find_spec("llvmlite") else f"write {INSTALL}"


def explained(error: Exception) -> str:
    """Return, as the end of a sentence about llvmlite, what is wrong with it and what to write."""
    if not SUPPORTED:
        return f"for systems of 64 bits with the threads of POSIX; found {platform_name()}: {ELSEWHERE}"
    if missing():
        return f"which is not installed; {missing()}"
    return f"which failed: {error!r}; install it anew, with pip install --force-reinstall llvmlite"
