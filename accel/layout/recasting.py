"""Layouts of the same memory in wider or narrower elements."""

import math
from typing import Any, SupportsIndex

from accel.errors import LayoutError
from accel.layout.coordinates import Leaf
from accel.layout.int_tuple import as_integer, rebuilt
from accel.layout.layout import Layout, as_layout

__all__ = ["downcast", "recast", "upcast"]


def upcast(layout: Any, n: SupportsIndex) -> Layout:
    """The layout of the same memory in elements n times as wide.

    Parameters
    ----------
    layout : Layout
        The layout.
    n : int
        How many elements become one.

    Raises
    ------
    LayoutError
        If the elements do not fill whole wide elements, or the wide elements do not begin at multiples of n.

    Examples
    --------
    >>> from accel.layout import Layout, upcast
    >>> print(upcast(Layout((8, 4), (1, 8)), 4))
    (2,4):(1,2)
    """
    narrow, n = as_layout(layout), _as_width(n)
    wide = [_widened(narrow, leaf, n) for leaf in narrow.leaves]
    within = sorted([(stride, part) for (_, stride), (_, part) in zip(narrow.leaves, wide, strict=True) if part > 1])
    filled = 1
    for stride, part in within:
        filled = filled * part if stride == filled else 0
    if filled != n and narrow.size:
        raise LayoutError(
            f"{narrow} cannot be seen in elements {n} times as wide: its leaves do not cover each group of {n} "
            f"elements once; make its fastest extent a multiple of {n}, with stride 1"
        )
    return _with_leaves(narrow, [leaf for leaf, _ in wide])


def _widened(layout: Layout, leaf: Leaf, n: int) -> tuple[Leaf, int]:
    """Return a leaf in wide elements, and how many of its elements lie in one wide element."""
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
            f"{layout} cannot be seen in elements {n} times as wide: its leaf {extent}:{stride} does not start wide "
            f"elements at multiples of {n}; use a stride that is a multiple of {n}, or stride 1 with such an extent"
        )
    return (extent // part, 1), part


def downcast(layout: Any, n: SupportsIndex) -> Layout:
    """The layout of the same memory in elements of 1/n of the width.

    Parameters
    ----------
    layout : Layout
        The layout.
    n : int
        How many elements one becomes.

    Raises
    ------
    LayoutError
        If no leaf has stride 1, so none can step through the parts of an element.

    Examples
    --------
    >>> from accel.layout import Layout, downcast
    >>> print(downcast(Layout((8, 4), (1, 8)), 2))
    (16,4):(1,16)
    """
    wide, n = as_layout(layout), _as_width(n)
    narrow = [(extent, stride * n) for extent, stride in wide.leaves]
    if n == 1:
        return wide
    candidates = [k for k, (_, stride) in enumerate(wide.leaves) if stride == 1]
    longer = [k for k in candidates if wide.leaves[k][0] > 1]
    single = [k for k, (extent, _) in enumerate(wide.leaves) if extent == 1]
    grown = next(iter([*longer, *candidates, *single]), None)
    if grown is None:
        raise LayoutError(
            f"{wide} cannot be seen in elements of 1/{n} of the width: none of its leaves has stride 1, to step "
            f"through the parts of an element; add a mode 1:1"
        )
    narrow[grown] = wide.leaves[grown][0] * n, 1
    return _with_leaves(wide, narrow)


def recast(layout: Any, new_bits: SupportsIndex, old_bits: SupportsIndex) -> Layout:
    """The layout in elements of ``new_bits`` bits of the memory that a layout describes in ``old_bits``.

    Parameters
    ----------
    layout : Layout
        The layout.
    new_bits : int
        The bits of an element of the result.
    old_bits : int
        The bits of an element of the layout.

    Raises
    ------
    LayoutError
        If there is no such layout.

    Examples
    --------
    >>> from accel.layout import Layout, recast
    >>> print(recast(Layout((8, 4), (1, 8)), 32, 8))
    (2,4):(1,2)
    """
    new, old = _as_width(new_bits), _as_width(old_bits)
    shared = math.gcd(new, old)
    return upcast(downcast(layout, old // shared), new // shared)


def _with_leaves(layout: Layout, leaves: list[Leaf]) -> Layout:
    extents, strides = (iter(part) for part in zip(*leaves, strict=True)) if leaves else (iter(()), iter(()))
    return Layout.unchecked(rebuilt(extents, layout.shape), rebuilt(strides, layout.shape))


def _as_width(value: SupportsIndex) -> int:
    width = as_integer(value, "a width is an integer")
    if width < 1:
        raise LayoutError(f"a width is positive; found {width}")
    return width
