"""The line of the user's code that called the library."""

import os
import sys
from pathlib import Path
from types import FrameType

__all__ = ["call_site", "entry_frame", "stack_level"]

_LIBRARY = str(Path(__file__).parent) + os.sep
# The demo counts as user code.
_DEMO = str(Path(__file__).parent / "demo") + os.sep
_BACKENDS = str(Path(__file__).parents[1] / "backends") + os.sep


def call_site() -> str:
    """Return file, line and function of the innermost caller outside the library."""
    frame, _ = _outside()
    code = frame.f_code
    return f"{code.co_filename}:{frame.f_lineno} in {code.co_name}"


def stack_level() -> int:
    """Return the ``stacklevel=`` with which the caller's warning points at the innermost line outside the library."""
    return _outside()[1]


def entry_frame() -> FrameType:
    """Return the frame of the library's function that the innermost caller outside the library called."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _in_library(frame.f_back):
        frame = frame.f_back
    return frame


def _outside() -> tuple[FrameType, int]:
    frame, level = sys._getframe(2), 1
    while frame.f_back is not None and _in_library(frame):
        frame, level = frame.f_back, level + 1
    return frame, level


def _in_library(frame: FrameType) -> bool:
    file = frame.f_code.co_filename
    return file.startswith((_LIBRARY, _BACKENDS, "<accel")) and not file.startswith(_DEMO)
