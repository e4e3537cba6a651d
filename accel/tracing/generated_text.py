"""`run`: executes Python that was written for one trace; equal texts are compiled once."""

from functools import lru_cache
from types import CodeType
from typing import Any

__all__ = ["run"]


def run(text: str, what: str, scope: dict[str, Any]) -> None:
    """Execute a text that consists of names in Python's code, of numbers, and of names that this package makes."""
    exec(_compiled(text, f"<accel: {what}>"), scope)  # noqa: S102


@lru_cache(256)
def _compiled(text: str, file: str) -> CodeType:
    return compile(text, file, "exec")
