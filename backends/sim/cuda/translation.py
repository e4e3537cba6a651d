"""`translated`: C++ of the text of CUDA and HIP kernels."""

import re

__all__ = ["constants", "translated"]


def translated(source: str, *, checked: bool) -> str:
    """Return C++ for a source."""
    return source


def constants(source: str) -> tuple[str, ...]:
    """Return the names of ``__constant__`` variables."""
    return tuple(re.findall(r"__constant__[^;=\[]*?(\w+)\s*[;=\[]", source))
