"""A thread that does the work of simulated devices for the main thread, the only one that signals interrupt.

A real device goes on with its work when its user presses Ctrl-C. Here work is done by whoever waits; so that an
interrupt ends the wait, and not the work that was about to run, the main thread lets another one do it.
"""

import sys
import threading
from collections.abc import Callable
from contextvars import copy_context
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from accel.locks import in_child, start

__all__ = ["run_uninterrupted"]

_Result = TypeVar("_Result")


class _Errand(Generic[_Result]):
    """Something to be done for the main thread, with the settings in force there."""

    __slots__ = ("_context", "_error", "_result", "_work", "over")
    _result: _Result

    def __init__(self, work: Callable[[], _Result]) -> None:
        self._context = copy_context()
        self._error: BaseException | None = None
        self._work = work
        self.over = threading.Lock()
        self.over.acquire()

    def run(self) -> None:
        try:
            self._result = self._context.run(self._work)
        except BaseException as error:
            self._error = error
        del self._work, self._context
        self.over.release()

    def answer(self) -> _Result:
        """Wait until it is done, and return or raise what came of it."""
        with self.over:
            pass
        if self._error is None:
            return self._result
        try:
            raise self._error
        finally:
            self._error = None  # its traceback has this frame


def run_uninterrupted(work: Callable[[], _Result]) -> _Result:
    """Do something where no signal handler can interrupt it; an interrupt ends the wait for it, and not the work."""
    if threading.get_ident() != threading.main_thread().ident or sys.is_finalizing():
        return work()
    errands = _errands or _started()
    if errands is None:  # no thread can be had
        return work()
    errand = _Errand(work)
    errands.put(errand)
    return errand.answer()


_errands: "SimpleQueue[_Errand[Any]] | None" = None


def _started() -> "SimpleQueue[_Errand[Any]] | None":
    global _errands
    errands: SimpleQueue[_Errand[Any]] = SimpleQueue()
    try:
        start(threading.Thread(target=_serve, args=(errands,), name="accel-sim", daemon=True))
    except RuntimeError:
        return None
    _errands = errands
    return errands


def _serve(errands: "SimpleQueue[_Errand[Any]]") -> None:
    while True:
        errands.get().run()


@in_child
def _forget() -> None:
    global _errands
    _errands = None
