"""`func`: functions that kernels call."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, NoReturn, overload

from accel.kernels.frontend.function_source import FunctionSource

__all__ = ["Func", "func"]


class Func:
    """A function for kernels, and for other functions for kernels; made by `func`.

    It is compiled into each kernel that calls it, for the types of its arguments there.

    Parameters
    ----------
    function : callable
        The function.

    Attributes
    ----------
    source : FunctionSource
        Its source.
    """

    __name__: str
    __qualname__: str
    __wrapped__: Callable[..., Any]

    def __init__(self, function: Callable[..., Any]) -> None:
        self.source: FunctionSource = FunctionSource.of(function)
        update_wrapper(self, function)

    def __call__(self, *_: object, **__: object) -> NoReturn:
        """Raise an error: numbers in kernels have other types than in Python, so the results would differ."""
        raise RuntimeError(
            f"{self.__name__} is a function for kernels; call it in a function with @kernel, or write "
            f"{self.__name__}.__wrapped__(...) to run it as Python"
        )

    def __reduce__(self) -> str:
        return self.__qualname__

    def __repr__(self) -> str:
        return f"<func {self.__qualname__}>"


@overload
def func(function: Callable[..., Any]) -> Func: ...
@overload
def func() -> Callable[[Callable[..., Any]], Func]: ...
def func(function: Callable[..., Any] | None = None) -> Func | Callable[[Callable[..., Any]], Func]:
    """Make a Python function callable from kernels.

    It takes and returns what a kernel's variables can be: numbers, views, tuples of these. It cannot call itself.

    Parameters
    ----------
    function : callable, optional
        The function.

    Returns
    -------
    Func or callable
        The function for kernels, or a decorator that makes one.

    Raises
    ------
    KernelSyntaxError
        If it is not a function that was defined by ``def``, or its source is not available.

    Examples
    --------
    >>> from accel.kernels import func
    >>> @func
    ... def halved(x):
    ...     return x / 2
    """
    return Func if function is None else Func(function)
