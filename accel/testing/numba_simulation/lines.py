"""`with_lines`: kernels of numba.cuda are compiled with the lines of their source, which reports name."""

import linecache
from collections.abc import Callable
from functools import wraps
from typing import Any

__all__ = ["with_lines"]


def with_lines(compile_cuda: Callable[..., Any]) -> Callable[..., Any]:
    """Return numba-cuda's compiler with ``lineinfo`` on, unless a function is debugged or has no source to be found."""

    @wraps(compile_cuda)
    def compile_with_lines(
        function: Any, *arguments: Any, debug: bool = False, lineinfo: bool = False, **keywords: Any
    ) -> Any:
        lines = lineinfo or (not debug and _has_source(function))
        try:
            return compile_cuda(function, *arguments, debug=debug, lineinfo=lines, **keywords)
        except ArithmeticError:  # numba-cuda cannot describe tuples of empty tuples to debuggers
            return compile_cuda(function, *arguments, debug=debug, lineinfo=lineinfo, **keywords)

    return compile_with_lines


def _has_source(function: Any) -> bool:
    """Return whether the file of a function can be read: numba warns otherwise."""
    code = getattr(function, "__code__", None)
    return code is not None and bool(linecache.getline(code.co_filename, code.co_firstlineno))
