"""The line of the user's code that called the library."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from types import FrameType

__all__ = ["add_library", "call_line", "call_site", "entry_frame", "named_call_site", "stack_level"]

_LIBRARY = __file__.rsplit(os.sep, 2)[0] + os.sep
# The demo counts as user code.
_DEMO = f"{_LIBRARY}demo{os.sep}"
_BACKENDS = f"{__file__.rsplit(os.sep, 3)[0]}{os.sep}backends{os.sep}"

_others: list[str] = []


def add_library(folder: str) -> None:
    """Count the files of a folder as those of the library: of another one, which a user's program calls and not ours.

    Its folders named ``tests`` are programs of users.
    """
    if folder not in _others:
        _others.append(folder)
        _in_library.cache_clear()


_named: ContextVar[str] = ContextVar("named", default="")


@contextmanager
def named_call_site(name: str) -> Iterator[None]:
    """Let `call_site` return a name in this context: of what a user gave to a command, which has no line of code."""
    before = _named.set(name)
    try:
        yield
    finally:
        _named.reset(before)


def call_site() -> str:
    """Return file, line and function of the innermost caller outside the library."""
    named = _named.get()
    if named:
        return named
    frame, _ = _outside()
    code = frame.f_code
    return f"{code.co_filename}:{frame.f_lineno} in {code.co_name}"


def call_line() -> tuple[str, int, str]:
    """Return file, line and function of the innermost caller outside the library."""
    frame, _ = _outside()
    return frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_name


def stack_level() -> int:
    """Return the ``stacklevel=`` with which the caller's warning points at the innermost line outside the library."""
    return _outside()[1]


def entry_frame() -> FrameType:
    """Return the frame of the library's function that the innermost caller outside the library called."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _in_library(frame.f_back.f_code.co_filename):
        frame = frame.f_back
    return frame


def _outside() -> tuple[FrameType, int]:
    frame, level = sys._getframe(2), 1
    while frame.f_back is not None and _in_library(frame.f_code.co_filename):
        frame, level = frame.f_back, level + 1
    return frame, level


@lru_cache(1024)
def _in_library(file: str) -> bool:
    if _others and file.startswith((*_others,)):
        return f"{os.sep}tests{os.sep}" not in file
    return file.startswith((_LIBRARY, _BACKENDS, "<accel")) and not file.startswith(_DEMO)
