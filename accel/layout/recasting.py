"""The same memory seen in wider or narrower elements."""

import math
from typing import Any, SupportsIndex

from accel.errors import LayoutError
from accel.layout.coordinates import Leaf
from accel.layout.int_tuple import as_integer, rebuilt
from accel.layout.layout import Layout, as_layout

__all__ = ["downcast", "recast", "upcast"]


def upcast(layout: Any, n: SupportsIndex) -> Layout:
    """The layout in elements n times as wide that addresses the same memory.

    Raises
    ------
    LayoutError
        If the elements do not fill wide ones, or those do not begin at multiples of n.

    Examples
    --------
    >>> from accel.layout import Layout, upcast
    >>> print(upcast(Layout((8, 4), (1, 8)), 4))
    (2,4):(1,2)
    """
    found, n = as_layout(layout), _as_width(n)
    wide = [_widened(found, leaf, n) for leaf in found.leaves]
    within = sorted([(stride, part) for (_, stride), (_, part) in zip(found.leaves, wide, strict=True) if part > 1])
    filled = 1
    for stride, part in within:
        filled = filled * part if stride == filled else 0
    if filled != n and found.size:
        raise LayoutError(
            f"{found} cannot be seen in elements {n} times as wide: its leaves do not go once through each {n} "
            f"elements; make its fastest extent a multiple of {n}, with stride 1"
        )
    return _relaid(found, [leaf for leaf, _ in wide])


def _widened(layout: Layout, leaf: Leaf, n: int) -> tuple[Leaf, int]:
    """Return a leaf in wide elements, and how many of its elements lie within one of these."""
    extent, stride = leaf
    if extent < 2 or not stride:
        return (extent, stride and 1), 1
    if stride % n == 0:
        return (extent, stride // n), 1
    part = n // stride if stride > 0 and n % stride == 0 else 0
    if part >= extent:
        return (1, 1), extent
    if not part or extent % part:
        raise LayoutError(
            f"{layout} cannot be seen in elements {n} times as wide: its leaf {extent}:{stride} does not begin them at "
            f"multiples of {n}; a stride that is a multiple of {n}, or an extent that is one with stride 1, works"
        )
    return (extent // part, 1), part


def downcast(layout: Any, n: SupportsIndex) -> Layout:
    """The layout in elements of an n-th of the width that addresses the same memory.

    Raises
    ------
    LayoutError
        If no leaf has stride 1, so that there is none that could go through the parts of an element.

    Examples
    --------
    >>> from accel.layout import Layout, downcast
    >>> print(downcast(Layout((8, 4), (1, 8)), 2))
    (16,4):(1,16)
    """
    found, n = as_layout(layout), _as_width(n)
    narrow = [(extent, stride * n) for extent, stride in found.leaves]
    if n == 1:
        return found
    candidates = [k for k, (_, stride) in enumerate(found.leaves) if stride == 1]
    longer = [k for k in candidates if found.leaves[k][0] > 1]
    single = [k for k, (extent, _) in enumerate(found.leaves) if extent == 1]
    grown = next(iter([*longer, *candidates, *single]), None)
    if grown is None:
        raise LayoutError(
            f"{found} cannot be seen in elements of 1/{n} of the width: none of its leaves has stride 1, to go through "
            f"the parts of an element; add a mode 1:1"
        )
    narrow[grown] = found.leaves[grown][0] * n, 1
    return _relaid(found, narrow)


def recast(layout: Any, new_bits: SupportsIndex, old_bits: SupportsIndex) -> Layout:
    """The layout in elements of ``new_bits`` that addresses the same memory as in elements of ``old_bits``.

    Raises
    ------
    LayoutError
        If there is none.

    Examples
    --------
    >>> from accel.layout import Layout, recast
    >>> print(recast(Layout((8, 4), (1, 8)), 32, 8))
    (2,4):(1,2)
    """
    new, old = _as_width(new_bits), _as_width(old_bits)
    shared = math.gcd(new, old)
    return upcast(downcast(layout, old // shared), new // shared)


def _relaid(layout: Layout, leaves: list[Leaf]) -> Layout:
    extents, strides = (iter(part) for part in zip(*leaves, strict=True)) if leaves else (iter(()), iter(()))
    return Layout.made(rebuilt(extents, layout.shape), rebuilt(strides, layout.shape))


def _as_width(value: SupportsIndex) -> int:
    width = as_integer(value, "a width is an integer")
    if width < 1:
        raise LayoutError(f"a width is positive; found {width}")
    return width
