"""`where`: elements selected by a condition, or the indices at which it is true."""

from typing import overload

from accel.xp.arrays import Array, native, native_array, wrap
from accel.xp.functions import library_of, wrap_all
from accel.xp.operators import Scalar
from accel.xp.refusals import failure

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
    library = library_of(condition, x1, x2)
    try:
        if x1 is None and x2 is None:
            return wrap_all(library, library.namespace.nonzero(native_array(library, condition)))
        operands = native_array(library, condition), native(library, x1), native(library, x2)
        return wrap(library, library.namespace.where(*operands), condition, x1, x2)
    except (IndexError, MemoryError) as error:
        raise failure(error) from None
