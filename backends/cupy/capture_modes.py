"""`relaxed_calls`: calls that captures of other libraries forbid, made so that these captures do not become invalid.

While a stream is captured in the mode "global", which is the platforms' default, no thread may call what might wait for
work: to ask for an event, or to allocate memory that CuPy's pool does not have. Such a call makes the capture invalid.
accel does so at moments that its user does not see. These calls wait for nothing that is captured, so they are made in
the mode "relaxed", which belongs to the thread, and which CuPy has no function for.
"""

import ctypes
import threading
from collections.abc import Callable
from typing import Any

from .platforms import Platform

__all__ = ["Exchange", "capture_mode", "exchange_of", "relaxed_calls"]

_RELAXED = 2

Exchange = Callable[[Any], object]
"""Exchanges the mode of this thread with the one that it gets a pointer to."""


class _Mode:
    """The mode that a thread exchanges, and whether it is within such a call."""

    __slots__ = ("pointer", "relaxed")

    def __init__(self) -> None:
        self.pointer = ctypes.byref(ctypes.c_int(_RELAXED))
        self.relaxed = False


class _OfThread(threading.local):
    def __init__(self) -> None:
        self.own = _Mode()


capture_mode = _OfThread()
"""The mode of each thread, as its attribute ``own``."""


def relaxed_calls(exchange: Exchange | None) -> Callable[..., Any]:
    """Return a function that calls another, with its arguments, in the mode "relaxed"."""
    return _plain if exchange is None else _calls_with(exchange)


def _calls_with(exchange: Exchange) -> Callable[..., Any]:
    def relaxed(function: Callable[..., Any], *arguments: Any) -> Any:
        mode = capture_mode.own
        if mode.relaxed:  # a signal handler in the midst of such a call
            return function(*arguments)
        mode.relaxed = True
        exchange(mode.pointer)
        try:
            return function(*arguments)
        finally:
            exchange(mode.pointer)
            mode.relaxed = False

    return relaxed


def _plain(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def exchange_of(platform: Platform) -> Exchange | None:
    """Return the platform's function that exchanges the mode of this thread with the one that it gets a pointer to."""
    for name in platform.libraries:
        try:
            # The library keeps the GIL: the calls are shorter than its release.
            exchange = getattr(ctypes.PyDLL(name), platform.exchange_mode)
        except (OSError, AttributeError):
            continue
        exchange.restype = None
        function: Exchange = exchange
        return function
    return None
