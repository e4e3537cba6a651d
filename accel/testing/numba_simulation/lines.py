"""Kernels of numba.cuda are compiled with the lines of their source, which reports name."""

import linecache
from collections.abc import Callable
from contextvars import ContextVar
from functools import wraps
from typing import Any

__all__ = ["first_lines", "with_lines"]

_asked_by_us: ContextVar[bool] = ContextVar("accel_numba_lines", default=False)


def with_lines(compile_cuda: Callable[..., Any]) -> Callable[..., Any]:
    """Return numba-cuda's compiler with ``lineinfo`` on, unless a function is debugged or has no source to be found."""

    @wraps(compile_cuda)
    def compile_with_lines(
        function: Any, *arguments: Any, debug: bool = False, lineinfo: bool = False, **keywords: Any
    ) -> Any:
        if lineinfo or debug or not _has_source(function):
            return compile_cuda(function, *arguments, debug=debug, lineinfo=lineinfo, **keywords)
        token = _asked_by_us.set(True)
        try:
            return compile_cuda(function, *arguments, lineinfo=True, **keywords)
        except ArithmeticError:  # numba-cuda cannot describe tuples of empty tuples to debuggers
            return compile_cuda(function, *arguments, **keywords)
        finally:
            _asked_by_us.reset(token)

    return compile_with_lines


def first_lines(find: Callable[[Any], int | None]) -> Callable[[Any], int | None]:
    """Return what finds the line of a function's ``def``; for a lambda its first line, where numba would warn.

    It would do so for lines that the program has not asked for.
    """

    @wraps(find)
    def find_line(function: Any) -> int | None:
        line = find(function)
        return function.__code__.co_firstlineno if line is None and _asked_by_us.get() else line

    return find_line


def _has_source(function: Any) -> bool:
    """Return whether the file of a function can be read."""
    code = getattr(function, "__code__", None)
    return code is not None and bool(linecache.getline(code.co_filename, code.co_firstlineno))
