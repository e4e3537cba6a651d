"""LLVM's compiler for the host, which the package llvmlite brings: whether it is there, and what to say if it fails."""

from functools import cache

__all__ = ["INSTALL", "explained", "is_installed"]

INSTALL = "pip install 'accel-container[compiler]'"
"""The command that installs it."""


@cache
def is_installed() -> bool:
    """Return whether llvmlite is installed; what is installed later counts in new processes."""
    from importlib.util import find_spec

    return find_spec("llvmlite") is not None


def explained(error: Exception) -> str:
    """Return, as the end of a sentence about llvmlite, what is wrong with it and what to write."""
    if not is_installed():
        return f"which is not installed; write {INSTALL}"
    return f"which failed: {error!r}; install it anew, with pip install --force-reinstall llvmlite"
