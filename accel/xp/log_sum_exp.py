"""`logsumexp`, whose type depends on an argument. It is here because mypy reads ``special.pyi``."""

from typing import Literal, overload

from accel.xp.arrays import Array, wrap
from accel.xp.natives import native, native_array
from accel.xp.operands import library_of, loop_result, wrap_all
from accel.xp.operators import Scalar
from accel.xp.refusals import failure

__all__ = ["logsumexp"]


@overload
def logsumexp(
    a: Array,
    axis: int | tuple[int, ...] | None = None,
    b: Array | Scalar | None = None,
    keepdims: bool = False,
    return_sign: Literal[False] = False,
) -> Array: ...


@overload
def logsumexp(
    a: Array,
    axis: int | tuple[int, ...] | None = None,
    b: Array | Scalar | None = None,
    keepdims: bool = False,
    *,
    return_sign: Literal[True],
) -> tuple[Array, Array]: ...


def logsumexp(
    a: Array,
    axis: int | tuple[int, ...] | None = None,
    b: Array | Scalar | None = None,
    keepdims: bool = False,
    return_sign: bool = False,
) -> Array | tuple[Array, ...]:
    """Return the logarithm of the sum of the exponentials of the elements, computed without overflow.

    Parameters
    ----------
    a : Array
        The exponents.
    axis : int or tuple of int, optional
        The axes to sum over; by default all.
    b : Array or number, optional
        Factors of the exponentials.
    keepdims : bool, default False
        Whether the axes that are summed over stay, with extent 1.
    return_sign : bool, default False
        Whether to return the logarithm of the sum's absolute value, and its sign. Without it, the result is NaN where
        the sum is negative.

    Returns
    -------
    Array or tuple of Array
        The logarithms; with ``return_sign`` a tuple of these and of the signs.

    Raises
    ------
    TypeError
        If no argument is an `Array`.
    BoundsError
        If an axis is out of range.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.special.logsumexp(xp.asarray([1000.0, 1000.0]))
    Array(1000.69314718, dtype=float64, device=cpu)
    """
    library = library_of(a, b)
    factors = None if b is None else native(library, b)
    if factors is None and not return_sign and (array := native_array(library, a)).nbytes >= library.looped:
        found = loop_result("logsumexp", library, array, axis=axis, keepdims=keepdims)
        if found is not None:
            return found
    try:
        result = library.special.logsumexp(native_array(library, a), axis, factors, keepdims, return_sign)
    except (IndexError, MemoryError, OverflowError) as error:
        raise failure(error) from None
    return wrap_all(library, result) if return_sign else wrap(library, result)
