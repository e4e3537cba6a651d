"""`SpecialFunctions`: SciPy's special functions for arrays of NumPy."""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np

from accel.device import Device
from accel.errors import CapabilityError

__all__ = ["SpecialFunctions"]


class SpecialFunctions:
    """The functions of `scipy.special`, without SciPy's choice of a library by the type of the arguments.

    Raises
    ------
    CapabilityError
        If SciPy cannot be imported.
    """

    def __init__(self, device: Device) -> None:
        try:
            import scipy.special as module
        except ImportError as error:
            raise CapabilityError(
                f"special functions on {device} are computed by SciPy, which cannot be imported ({error}): "
                f"pip install 'accel-container[special]'"
            ) from error
        self._module = module

    def __getattr__(self, name: str) -> Any:
        # Called once for each name, as the result becomes an attribute.
        function = getattr(self._module, name)
        ufunc = getattr(function, "__wrapped__", function)  # SciPy wraps it if SCIPY_ARRAY_API is set
        if isinstance(ufunc, np.ufunc):
            function = ufunc if ufunc.nin == 1 else _promoting(ufunc)
        setattr(self, name, function)
        return function


def _promoting(function: np.ufunc) -> Callable[..., Any]:
    """Return a function for which a Python number takes the dtype of the arrays, by NumPy's rules.

    SciPy's functions have some of their loops in an order in which NumPy finds that of float64 first.
    """

    @wraps(function)
    def call(*operands: Any) -> Any:
        if not all(isinstance(each, np.ndarray) for each in operands):
            dtype = np.result_type(*operands)
            operands = tuple(each if isinstance(each, np.ndarray) else dtype.type(each) for each in operands)
        return function(*operands)

    return call
