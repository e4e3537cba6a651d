"""`reshape` and `where`: functions of the standard that the table of signatures cannot describe."""

from collections.abc import Sequence
from typing import overload

from accel.xp import functions
from accel.xp.arrays import Array
from accel.xp.operands import library_of
from accel.xp.operators import Scalar
from accel.xp.shape_methods import reshaped

__all__ = ["reshape", "where"]


def reshape(x: Array, /, shape: int | Sequence[int], *, copy: bool | None = None) -> Array:
    """Return the elements of an array, in C order, in another shape: a view if strides can describe it, else a copy.

    Parameters
    ----------
    x : Array
        The elements.
    shape : int or sequence of int
        Extents, with the product ``x.size``. One of them may be -1 and is then computed from the others.
    copy : bool, optional
        True: always copy. False: never copy. None: copy if needed.

    Raises
    ------
    ValueError
        If the sizes differ, or if ``copy=False`` and a copy is needed.
    """
    library_of(x)  # refuses an object that is not an array
    return reshaped(x, shape, copy)


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
