"""`SpecialFunctions`: SciPy's special functions for arrays of NumPy."""

from typing import Any

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
        function = getattr(function, "__wrapped__", function)  # SciPy wraps it if SCIPY_ARRAY_API is set
        setattr(self, name, function)
        return function
