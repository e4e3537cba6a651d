"""Nested tuples of integers: what shapes, strides and coordinates are made of."""

import math
from collections.abc import Iterator
from functools import lru_cache
from operator import index
from reprlib import repr as abbreviated
from typing import Any, TypeAlias

from accel.errors import LayoutError

__all__ = [
    "DEEPEST",
    "MOST",
    "IntTuple",
    "as_int_tuple",
    "as_integer",
    "column_strides",
    "congruent",
    "depth",
    "flat",
    "modes",
    "product",
    "rebuilt",
    "refuse_negative",
    "refuse_vast",
]

IntTuple: TypeAlias = "int | tuple[IntTuple, ...]"
"""An integer, or a tuple of such."""

DEEPEST = 100
"""How deep tuples may be nested.

It is more than anybody writes. The functions on layouts call themselves a few times for each level, and Python bears a
thousand calls in one another, of which the caller has used some.
"""

MOST = 1 << 15
"""How many parts tuples may have, with those of the tuples in them, each counted as often as it is met.

The strides of so many extents of 2 take 64 MiB, and of ten times as many a hundred times that. A tuple that has another
twice, which has another twice, and so on, takes little memory and has 2**100 parts.
"""

_INTEGERS = {int}
_NESTED = (tuple, list)  # a constant, because to make a union takes longer than to ask for it


def as_int_tuple(value: Any, what: str) -> IntTuple:
    """Return a value as nested tuples of Python's integers.

    Raises
    ------
    TypeError
        If anything in it is no integer.
    LayoutError
        If it is nested too deep, or has too many parts.
    """
    if type(value) is tuple and len(value) <= MOST and {*map(type, value)} == _INTEGERS:
        return value
    if isinstance(value, tuple | list):
        refuse_vast(value)
    return _integers(value, what)


def _integers(value: Any, what: str) -> IntTuple:
    if isinstance(value, tuple | list):
        return tuple([_integers(part, what) for part in value])
    return as_integer(value, f"{what} is made of integers and tuples of them")


def refuse_vast(value: "tuple[Any, ...] | list[Any]", levels: int = DEEPEST, count: int = 0) -> int:
    """Raise `LayoutError` if tuples are nested deeper than so many levels, or have more than `MOST` parts.

    Returns
    -------
    int
        How many there are, and so many more.
    """
    count += len(value)
    if not levels or count > MOST:
        found = f"tuples nested more than {DEEPEST} deep" if not levels else f"tuples of more than {MOST:,} parts"
        raise LayoutError(f"found {found}, which no layout, coordinate or tiler is made of; write fewer")
    for part in value:
        if type(part) is not int and isinstance(part, _NESTED):
            count = refuse_vast(part, levels - 1, count)
    return count


def as_integer(value: Any, wanted: str) -> int:
    """Return a value as Python's integer.

    Raises
    ------
    TypeError
        If it is none; says what was wanted.
    """
    if type(value) is int:
        return value
    try:
        found = index(value)
    except TypeError:
        found = None
    if found is None or isinstance(value, bool):  # which is an integer only by inheritance
        raise TypeError(f"{wanted}; found {abbreviated(value)}")
    return found


def flat(value: IntTuple) -> tuple[int, ...]:
    """Return the leaves from left to right."""
    if type(value) is int:
        return (value,)
    leaves: list[int] = []
    for part in value:  # type: ignore[union-attr]
        if type(part) is int:
            leaves.append(part)
        else:
            leaves.extend(flat(part))
    return tuple(leaves)


def product(value: IntTuple) -> int:
    """prod(t) = the product of all leaves; that of none is 1."""
    return value if isinstance(value, int) else math.prod(flat(value))


def depth(value: IntTuple) -> int:
    """depth(n) = 0; depth((t0, t1, ...)) = 1 + max of depth(ti)."""
    return 0 if isinstance(value, int) else 1 + max(map(depth, value), default=0)


def modes(value: IntTuple) -> tuple[IntTuple, ...]:
    """Return the parts at the top: an integer is its own only one."""
    return (value,) if isinstance(value, int) else value


def congruent(one: IntTuple, other: IntTuple) -> bool:
    """Tell whether two have the same profile: the same tuples around their leaves."""
    if isinstance(one, int) or isinstance(other, int):
        return isinstance(one, int) and isinstance(other, int)
    return len(one) == len(other) and all(map(congruent, one, other))


def rebuilt(leaves: Iterator[int], profile: IntTuple) -> IntTuple:
    """Return leaves in the tuples of a profile."""
    return next(leaves) if isinstance(profile, int) else tuple([rebuilt(leaves, part) for part in profile])


@lru_cache(4096)
def column_strides(shape: IntTuple) -> IntTuple:
    """d_k = the product of all extents before s_k: the first leaf is fastest."""
    return _strides_from(1, shape)[0]


def _strides_from(step: int, shape: IntTuple) -> tuple[IntTuple, int]:
    """Return strides of which the first is given, and the one that would come next."""
    if isinstance(shape, int):
        return step, step * shape
    strides: list[IntTuple] = []
    for part in shape:
        stride, step = _strides_from(step, part)
        strides.append(stride)
    return tuple(strides), step


def refuse_negative(shape: IntTuple) -> None:
    """Raise `LayoutError` if an extent is negative."""
    for extent in flat(shape):
        if extent < 0:
            raise LayoutError(f"extents are not negative; found {extent} in shape {shape}")
