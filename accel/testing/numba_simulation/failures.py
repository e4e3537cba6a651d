"""What functions of the driver return when they fail, and what is refused by name."""

import os
from collections.abc import Callable
from functools import wraps
from typing import Any

from cuda.bindings import driver as bindings

from accel.errors import CapabilityError, OutOfMemoryError

__all__ = ["DriverError", "functions", "process", "refuse", "refused_function", "result", "simulated"]

_SUCCESS = bindings.CUresult.CUDA_SUCCESS

functions: dict[str, Callable[..., Any]] = {}
"""The functions of the driver that are simulated, by their names."""


class _Process:
    """The process that uses the devices; one that it forks cannot, as with CUDA.

    Attributes
    ----------
    number : int
        Its number.
    in_block : bool
        Whether a block runs.
    """

    number = 0
    in_block = False


process: _Process = _Process()


class DriverError(Exception):
    """A function of the driver fails with a code of CUDA's, which numba-cuda raises as its `CudaAPIError`."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.code: Any = result(name)


def result(name: str) -> Any:
    """Return a result code of CUDA by its name, without the prefix."""
    return getattr(bindings.CUresult, f"CUDA_{name}")


def simulated(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function stand for the function of the driver that has its name.

    It returns a value, a tuple of values or None, and raises `DriverError`; what stands for it returns a code too.
    """

    @wraps(function)
    def call(*arguments: Any) -> tuple[Any, ...]:
        if os.getpid() != process.number:
            return result("ERROR_NOT_INITIALIZED"), None
        try:
            values = function(*arguments)
        except DriverError as error:
            return error.code, None
        except OutOfMemoryError:
            return result("ERROR_OUT_OF_MEMORY"), None
        if values is None:
            return (_SUCCESS,)
        return (_SUCCESS, *values) if isinstance(values, tuple) else (_SUCCESS, values)

    functions[function.__name__] = call
    return function


def refuse(what: str, advice: str) -> CapabilityError:
    """Return the error for a part of CUDA that is not simulated."""
    return CapabilityError(f"{what} is not simulated: {advice}")


def refused_function(name: str) -> Callable[..., Any]:
    """Return a function that refuses to be called."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        raise refuse(f"{name} of CUDA's driver", "use the functions of numba.cuda, or run it on a GPU")

    call.__name__ = name
    return call
