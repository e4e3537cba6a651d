"""A thread that runs the work of simulated devices for the main thread, the only one that signals interrupt.

A real device continues its work when the user presses Ctrl-C. Here work runs in the thread that waits for it. The main
thread therefore hands it to another thread, so that an interrupt ends the wait and not the work.
"""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from accel.support.locks import in_child, start

__all__ = ["Stop", "run_uninterrupted", "stopped_by_interrupt"]

_Result = TypeVar("_Result")


class _Request(Generic[_Result]):
    """A function to call for the main thread, in the main thread's context (its settings and current streams)."""

    __slots__ = ("_context", "_error", "_function", "_result", "over")
    _result: _Result

    def __init__(self, function: Callable[[], _Result]) -> None:
        self._context = copy_context()
        self._error: BaseException | None = None
        self._function = function
        self.over = threading.Lock()
        self.over.acquire()

    def run(self) -> None:
        try:
            self._result = self._context.run(self._function)
        except BaseException as error:
            self._error = error
        del self._function, self._context
        self.over.release()

    def answer(self) -> _Result:
        """Wait until the call is done; return its result, or raise its error."""
        # An interrupt that comes right before the thread of the system waits does not end that wait.
        while not self.over.acquire(timeout=0.5):
            pass
        if self._error is None:
            return self._result
        try:
            raise self._error
        finally:
            self._error = None  # its traceback refers to this frame: a cycle


def run_uninterrupted(function: Callable[[], _Result]) -> _Result:
    """Call a function in a thread that no signal interrupts; an interrupt ends the wait, and the call goes on."""
    if threading.get_ident() != threading.main_thread().ident or sys.is_finalizing():
        return function()
    requests = _requests or _started()
    if requests is None:  # no thread can be started
        return function()
    request = _Request(function)
    try:
        requests.put(request)
        return request.answer()
    except KeyboardInterrupt:
        for stop in [*_stops]:
            stop()
        raise


_stops: list[Callable[[], object]] = []


@contextmanager
def stopped_by_interrupt(stop: Callable[[], object]) -> Iterator[None]:
    """Call ``stop`` if an interrupt ends the wait of the main thread for the block, which might not end otherwise."""
    if threading.current_thread() is not _server:
        yield
        return
    _stops.append(stop)
    try:
        yield
    finally:
        _stops.remove(stop)


class Stop:
    """Stops work that is done in several ways, one after the other: now, and each that begins later.

    Attributes
    ----------
    asked : bool
        Whether the work is to stop.
    """

    def __init__(self) -> None:
        self.asked = False
        self._ways: list[Callable[[], object]] = []

    def __call__(self) -> None:
        """Stop the work; any thread may call it."""
        self.asked = True
        for way in [*self._ways]:
            way()

    @contextmanager
    def by(self, way: Callable[[], object]) -> Iterator[None]:
        """Call ``way`` to stop the block."""
        self._ways.append(way)
        try:
            if self.asked:
                way()
            yield
        finally:
            self._ways.remove(way)


_server: threading.Thread | None = None
_requests: "SimpleQueue[_Request[Any]] | None" = None


def _started() -> "SimpleQueue[_Request[Any]] | None":
    global _requests, _server
    requests: SimpleQueue[_Request[Any]] = SimpleQueue()
    server = threading.Thread(target=_serve, args=(requests,), name="accel-sim", daemon=True)
    try:
        start(server)
    except RuntimeError:
        return None
    _requests, _server = requests, server
    return requests


def _serve(requests: "SimpleQueue[_Request[Any]]") -> None:
    while True:
        requests.get().run()


@in_child
def _forget() -> None:
    global _requests, _server
    _requests = _server = None
    _stops.clear()
