"""Work in several threads, such as that of compilers, and how an interrupt (Ctrl-C) ends it."""

import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import ContextVar, copy_context
from typing import TypeVar

from accel.support.locks import start

from ...common.interrupts import run_uninterrupted

__all__ = ["interrupted", "interruptible", "together"]

_Result = TypeVar("_Result")
_stop: ContextVar[threading.Event] = ContextVar("accel_stop_building")


def interruptible(function: Callable[[], _Result]) -> _Result:
    """Call a function; an interrupt of the main thread is raised when the function has ended, which `interrupted` asks.

    Threads of the function ask it too, if they run in its context.
    """
    stop, running = threading.Event(), threading.Lock()

    def call() -> _Result:
        with running:
            _stop.set(stop)
            return function()

    try:
        return run_uninterrupted(call)
    except BaseException:
        stop.set()
        with running:
            raise


def interrupted() -> bool:
    """Return whether this work is to end soon: it, or the main thread, was ended by an interrupt."""
    stop = _stop.get(None)
    ended = not threading.main_thread().is_alive() and getattr(sys, "last_type", None) is KeyboardInterrupt
    return ended or (stop is not None and stop.is_set())


def together(*functions: Callable[[], _Result]) -> list[_Result]:
    """Call functions at the same time; return their results, or raise the error of the first that failed.

    Threads of a pool would not do: at an interrupt, the exit waits for them before it tells that the main thread ended.
    """
    outcomes: list[Future[_Result]] = [Future() for _ in functions]

    def call(number: int) -> None:
        try:
            outcomes[number].set_result(functions[number]())
        except BaseException as error:
            outcomes[number].set_exception(error)

    threads = []
    for number in range(1, len(functions)):
        thread = threading.Thread(target=copy_context().run, args=(call, number))
        try:
            start(thread)
            threads.append(thread)
        except RuntimeError:  # the system has no thread left
            call(number)
    call(0)
    for thread in threads:
        thread.join()
    return [outcome.result() for outcome in outcomes]
