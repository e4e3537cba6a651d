"""The arguments of a launch: passed as CuPy passes them, or refused where it would pass wrong bytes in silence."""

from typing import Any

import numpy as np

from accel.abc import Pointer
from accel.errors import KernelLaunchError
from accel.kernels.raw.parameters import Parameter
from accel.testing.cupy_simulation.arrays import MemoryPointer
from accel.xp.arrays import Array

__all__ = ["arrays_in", "passed"]

_SPELLED = {bool: np.bool_, int: np.int64, float: np.float64, complex: np.complex128}
"""How CuPy passes Python's numbers."""


class _Kept(Pointer):
    """An address that keeps the array there alive until the launch is over: with CuPy it may be dropped before."""

    array: Array


def arrays_in(args: Any) -> list[Array]:
    """Return the arrays among arguments."""
    arrays = [each.array if isinstance(each, MemoryPointer) else each for each in args]
    return [each for each in arrays if isinstance(each, Array)]


def passed(kernel: str, parameter: Parameter | None, value: Any) -> Any:
    """Return an argument as the executable takes it; the parameter is None if it was not parsed.

    Raises
    ------
    KernelLaunchError
        If the kernel would read other bytes than those of the value.
    TypeError
        If kernels take no such argument.
    """
    if value is None or isinstance(value, Array | MemoryPointer):
        if parameter is not None and parameter.rank is None:
            raise _refusal(kernel, parameter, value, f"pass a number, as in {_spelled(parameter, 'x')}")
        return _pointer(value)
    number = _number(value)
    if parameter is None or number.dtype.names is not None:
        return number
    if parameter.rank is None:
        return _as_parameter(kernel, parameter, value, number)
    if number.dtype.kind in "iu" and number.nbytes == 8:  # as in x.data.ptr
        return number
    raise _refusal(kernel, parameter, value, "pass an array, as in cupy.asarray(x)")


def _pointer(value: Any) -> Pointer:
    if value is None:
        return Pointer.to(0, 0)
    array, offset = (value.array, value.offset) if isinstance(value, MemoryPointer) else (value, 0)
    operand = array.__accel_operand__()
    steps = zip(operand.extents, operand.strides, strict=True)
    last = sum((extent - 1) * stride for extent, stride in steps if stride > 0)
    nbytes = last + operand.dtype.itemsize - offset if array.size else 0
    pointer = _Kept.to(operand.address + offset, nbytes)
    pointer.array = array
    return pointer


def _number(value: Any) -> Any:
    kind = _SPELLED.get(type(value))
    if kind is not None:
        try:
            return kind(value)
        except OverflowError:
            raise KernelLaunchError(f"{value} does not fit 8 bytes, as which CuPy passes an int of Python") from None
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.size == 1):
        return value
    raise TypeError(
        f"a kernel takes arrays of cupy, NumPy's scalars and Python's numbers; found {type(value).__name__}: write "
        f"cupy.asarray(x) for an array of the host"
    )


def _as_parameter(kernel: str, parameter: Parameter, value: Any, number: Any) -> Any:
    """Return a number of the size and kind of its parameter."""
    dtype = parameter.dtype
    if type(value) is int and dtype.kind in "iu":  # the kernel reads the first bytes, and they are right
        bits = 8 * dtype.itemsize
        if -(1 << (bits - 1)) <= value < 1 << bits:
            return number.astype(dtype)
    elif _kind(number.dtype) == _kind(dtype) and number.nbytes == dtype.itemsize:
        return number
    raise _refusal(kernel, parameter, value, f"write {_spelled(parameter, repr(_plain(value)))}")


def _kind(dtype: Any) -> str:
    return "integer" if dtype.kind in "iu" else str(dtype.name)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic | np.ndarray) else value


def _spelled(parameter: Parameter, text: str) -> str:
    return f"np.{parameter.dtype.name}({text})"


def _refusal(kernel: str, parameter: Parameter, value: Any, advice: str) -> KernelLaunchError:
    kind = type(value)
    description = f"{kind.__name__} {value!r}" if kind in _SPELLED or isinstance(value, np.generic) else kind.__name__
    return KernelLaunchError(
        f"parameter {parameter.name} of {kernel} is {parameter}; found {description}, whose bytes CuPy would pass "
        f"unchanged: {advice}"
    )
