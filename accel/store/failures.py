"""Failures of tasks: one exception is raised in every thread that waits, with the traceback of the task.

Each ``raise`` adds the frames of the caller to the traceback of the exception. So it would grow with each reader, and
keep the variables of all of them.
"""

from collections.abc import Callable
from contextlib import suppress
from types import CodeType, TracebackType
from typing import Any, TypeVar

__all__ = ["again", "forget_variables", "origin"]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_origins: set[CodeType] = set()


def origin(function: _Function) -> _Function:
    """Decorate a function that runs the body of a task: there the traceback of a failure begins."""
    _origins.add(function.__code__)
    return function


def again(failure: BaseException) -> BaseException:
    """Return a failure of a task to raise once more, without the frames of earlier readers."""
    return failure.with_traceback(_of_task(failure))


def forget_variables(failure: BaseException) -> None:
    """Drop the local variables of the body that failed: they may be large, and the failure is kept for readers."""
    chain: list[BaseException | None] = [failure]
    visited: set[int] = set()
    while chain:
        each = chain.pop()
        if each is None or id(each) in visited:
            continue
        visited.add(id(each))
        chain += [each.__cause__, each.__context__]
        step = _of_task(each)
        while step is not None:
            with suppress(RuntimeError):  # the frame is still running
                step.tb_frame.clear()
            step = step.tb_next


def _of_task(failure: BaseException) -> TracebackType | None:
    """Return the traceback from the innermost task on; all of it if there is none."""
    innermost = step = failure.__traceback__
    while step is not None:
        if step.tb_frame.f_code in _origins:
            innermost = step
        step = step.tb_next
    return innermost
