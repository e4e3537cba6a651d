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

__all__ = ["relaxed_calls"]

_RELAXED = 2


class _Mode:
    """The mode that a thread exchanges, and whether it is within such a call."""

    __slots__ = ("pointer", "relaxed")

    def __init__(self) -> None:
        self.pointer = ctypes.byref(ctypes.c_int(_RELAXED))
        self.relaxed = False


class _OfThread(threading.local):
    def __init__(self) -> None:
        self.mode = _Mode()


def relaxed_calls(platform: Platform) -> Callable[..., Any]:
    """Return a function that calls another, with its arguments, in the mode "relaxed"."""
    exchange = _exchange(platform)
    return _plain if exchange is None else _calls_with(exchange)


def _calls_with(exchange: Callable[[Any], object]) -> Callable[..., Any]:
    of_thread = _OfThread()

    def relaxed(function: Callable[..., Any], *arguments: Any) -> Any:
        mode = of_thread.mode
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


def _exchange(platform: Platform) -> Callable[[Any], object] | None:
    """Return the platform's function that exchanges the mode of this thread with the one that it gets a pointer to."""
    for name in platform.libraries:
        try:
            # The library keeps the GIL: the calls are shorter than its release.
            exchange = getattr(ctypes.PyDLL(name), platform.exchange_mode)
        except (OSError, AttributeError):
            continue
        exchange.restype = None
        function: Callable[[Any], object] = exchange
        return function
    return None
