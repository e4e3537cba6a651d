"""Nested tuples of integers, the type of shapes, strides and coordinates."""

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
"""An integer, or a tuple of integers and such tuples."""

DEEPEST = 100
"""How deep tuples may be nested.

No program needs tuples as deep as this. The functions on layouts recurse a few calls per level, and Python's recursion
limit is a thousand calls, part of which the caller has used.
"""

MOST = 1 << 15
"""How many parts a tuple may have, including the parts of nested tuples; a tuple that occurs twice counts twice.

The strides of this many extents of 2 take 64 MiB, and those of ten times as many a hundred times that. A tuple that
contains another tuple twice, which contains another twice, and so on, takes little memory and can have 2**100 parts.
"""

_INTEGERS = {int}
_NESTED = (tuple, list)  # a constant: making a union takes longer than isinstance


def as_int_tuple(value: Any, what: str) -> IntTuple:
    """Return a value as nested tuples of `int`.

    Raises
    ------
    TypeError
        If anything in it is not an integer.
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
    if what == "a shape" and isinstance(value, str):
        raise TypeError(f"a shape is made of integers; found {abbreviated(value)}: write Layout.parse(text)")
    return as_integer(value, f"{what} is made of integers and tuples of them")


def refuse_vast(value: "tuple[Any, ...] | list[Any]", levels: int = DEEPEST, count: int = 0) -> int:
    """Raise `LayoutError` if tuples are nested deeper than ``levels``, or have more than `MOST` parts.

    Returns
    -------
    int
        ``count`` plus the number of parts.
    """
    count += len(value)
    if not levels or count > MOST:
        excess = f"nested more than {DEEPEST} deep" if not levels else f"of more than {MOST:,} parts"
        raise LayoutError(f"found tuples {excess}, which no layout, coordinate or tiler may have; write fewer")
    for part in value:
        if type(part) is not int and isinstance(part, _NESTED):
            count = refuse_vast(part, levels - 1, count)
    return count


def as_integer(value: Any, expectation: str) -> int:
    """Return a value as `int`.

    Raises
    ------
    TypeError
        If it is not an integer; the message begins with ``expectation``.
    """
    if type(value) is int:
        return value
    try:
        # Python's and NumPy's; NumPy is not imported here, and takes its own for an index until 2.3.
        integer = None if type(value).__name__ == "bool" else index(value)
    except TypeError:
        integer = None
    if integer is None:
        raise TypeError(f"{expectation}; found {abbreviated(value)}")
    return integer


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
    """prod(t) = the product of all leaves; 1 if there are none."""
    return value if isinstance(value, int) else math.prod(flat(value))


def depth(value: IntTuple) -> int:
    """depth(n) = 0; depth((t0, t1, ...)) = 1 + max of depth(ti)."""
    return 0 if isinstance(value, int) else 1 + max(map(depth, value), default=0)


def modes(value: IntTuple) -> tuple[IntTuple, ...]:
    """Return the parts at the top level; the only part of an integer is the integer."""
    return (value,) if isinstance(value, int) else value


def congruent(one: IntTuple, other: IntTuple) -> bool:
    """Tell whether two values are equally nested."""
    if isinstance(one, int) or isinstance(other, int):
        return isinstance(one, int) and isinstance(other, int)
    return len(one) == len(other) and all(map(congruent, one, other))


def rebuilt(leaves: Iterator[int], profile: IntTuple) -> IntTuple:
    """Return leaves nested like a profile."""
    return next(leaves) if isinstance(profile, int) else tuple([rebuilt(leaves, part) for part in profile])


@lru_cache(4096)
def column_strides(shape: IntTuple) -> IntTuple:
    """d_k = the product of all extents before s_k: column-major strides, the first leaf fastest."""
    return _strides_from(1, shape)[0]


def _strides_from(step: int, shape: IntTuple) -> tuple[IntTuple, int]:
    """Return column-major strides from a first stride on, and the stride that would come next."""
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
