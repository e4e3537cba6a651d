"""`diff`, `reshape` and `where`: functions of the standard that the table of signatures cannot describe."""

from collections.abc import Sequence
from operator import index
from typing import Any, Literal, overload

from accel.errors import LayoutError
from accel.xp import functions, shape_methods
from accel.xp.arrays import Array
from accel.xp.operands import array_of
from accel.xp.operators import Scalar

__all__ = ["diff", "reshape", "where"]

_ORDERS = ("C", "F", "A")
_LARGEST = (1 << 63) - 1


def diff(a: Array, n: int = 1, axis: int = -1, prepend: Array | None = None, append: Array | None = None) -> Array:
    """Return the differences of neighbours along an axis, taken ``n`` times.

    Each time, the extent of the axis becomes one less, until there are no elements left.

    Parameters
    ----------
    a : Array
        The elements.
    n : int
        How often; 0 returns the elements themselves.
    axis : int
        The axis.
    prepend, append : Array, optional
        Elements before and after those of ``a`` along the axis.

    Returns
    -------
    Array
        The differences.

    Raises
    ------
    ValueError
        If ``n`` is negative, or 2**63 and more.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.diff(xp.asarray([1, 4, 9]))
    Array([3, 5], dtype=int64, device=cpu)
    """
    if n != 1:
        n = _times(n, a, prepend, append)
    return functions.inner("diff")(a, n, axis, prepend=prepend, append=append)  # type: ignore[no-any-return]


def _times(n: int, *operands: Any) -> int:
    """Return how often differences have to be taken: there are none of no elements, so more times change nothing."""
    times = index(n)
    if times > _LARGEST:
        raise LayoutError(f"differences are taken less than 2**63 times; write n={_LARGEST} or less")
    extents = [max(each.shape, default=1) if isinstance(each, Array) else 1 for each in operands]
    return min(times, sum(extents))


def reshape(
    a: Array, /, shape: int | Sequence[int], order: Literal["C", "F", "A"] = "C", *, copy: bool | None = None
) -> Array:
    """Return the elements of an array in another shape: a view if strides can describe it, else a copy.

    Parameters
    ----------
    a : Array
        The elements.
    shape : int or sequence of int
        Extents, with the product ``a.size``. One of them may be -1 and is then computed from the others.
    order : {"C", "F", "A"}
        The order in which elements are read and placed: "A" is Fortran's if the array is in it, and else C's.
    copy : bool, optional
        True: always copy. False: never copy. None: copy if needed.

    Returns
    -------
    Array
        A view, or a copy.

    Raises
    ------
    ValueError
        If the sizes differ, or if ``copy=False`` and a copy is needed.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.reshape(xp.arange(4), (2, -1))
    Array([[0, 1],
           [2, 3]], dtype=int64, device=cpu)
    """
    if order not in _ORDERS:
        raise ValueError(f"order={order!r} is no order of elements; write one of 'C', 'F', 'A'")
    return shape_methods.reshape(array_of(a), shape, order=order, copy=copy)


@overload
def where(condition: Array, /) -> tuple[Array, ...]: ...
@overload
def where(condition: Array, x1: Array | Scalar, x2: Array | Scalar, /) -> Array: ...
def where(
    condition: Array, x1: Array | Scalar | None = None, x2: Array | Scalar | None = None, /
) -> Array | tuple[Array, ...]:
    """Return the elements of ``x1`` where a condition is true, and those of ``x2`` elsewhere.

    With the condition alone, return the indices at which it is true, as `nonzero` does.

    Parameters
    ----------
    condition : Array
        Where to take the elements of ``x1``.
    x1 : Array or scalar, optional
        The elements where the condition is true.
    x2 : Array or scalar, optional
        The elements where it is false; all three shapes broadcast.

    Returns
    -------
    Array or tuple of Array
        The elements, or with the condition alone its indices.

    Raises
    ------
    TypeError
        If no argument is an `Array`, or if one of ``x1`` and ``x2`` is missing.
    DeviceMismatchError
        If the arrays are on different devices.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.where(xp.asarray([True, False]), xp.asarray([1, 2]), 0)
    Array([1, 0], dtype=int64, device=cpu)
    """
    if x1 is None and x2 is None:
        return functions.standard("nonzero")(condition)  # type: ignore[no-any-return]
    return functions.inner("where")(condition, x1, x2)  # type: ignore[no-any-return]
