"""Where in the user's code something was asked for."""

import sys
from pathlib import Path

__all__ = ["call_site"]

_HOUSE = str(Path(__file__).parents[1])
_GARDEN = str(Path(__file__).parents[2] / "backends")


def call_site() -> str:
    """Return file, line and function of the innermost caller outside the library."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith((_HOUSE, _GARDEN, "<accel")):
        frame = frame.f_back
    code = frame.f_code
    return f"{code.co_filename}:{frame.f_lineno} in {code.co_name}"
