"""`where`: elements selected by a condition, or the indices at which it is true."""

from typing import overload

from accel.xp import functions
from accel.xp.arrays import Array
from accel.xp.operators import Scalar

__all__ = ["where"]


@overload
def where(condition: Array, /) -> tuple[Array, ...]: ...
@overload
def where(condition: Array, x1: Array | Scalar, x2: Array | Scalar, /) -> Array: ...
def where(
    condition: Array, x1: Array | Scalar | None = None, x2: Array | Scalar | None = None, /
) -> Array | tuple[Array, ...]:
    """Return the elements of ``x1`` where a condition is true, and those of ``x2`` elsewhere.

    With the condition alone, return the indices at which it is true, as `nonzero` does.

    Raises
    ------
    TypeError
        If no argument is an `Array`, or if one of ``x1`` and ``x2`` is missing.
    DeviceMismatchError
        If the arrays are on different devices.
    """
    if x1 is None and x2 is None:
        return functions.standard("nonzero")(condition)  # type: ignore[no-any-return]
    return functions.where()(condition, x1, x2)  # type: ignore[no-any-return]
