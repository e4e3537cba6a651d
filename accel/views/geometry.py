"""`Geometry`: maps the coordinates of a tensor to cells, which are positions in its storage. Pure integers, no memory.

A view of a tensor is another geometry of the same storage, with an offset between the two first cells.
"""

from functools import lru_cache
from math import prod
from operator import index
from typing import Any, NamedTuple, TypeAlias

from accel.errors import LayoutError
from accel.layout import ComposedLayout, Layout, Swizzle, coalesce, logical_divide, row_major
from accel.layout.layout import as_layout, joined, modes_of

__all__ = [
    "CACHED",
    "SCALAR",
    "Geometry",
    "Shifted",
    "Swizzled",
    "array_strides",
    "blocks_of",
    "by_rows",
    "clamped",
    "geometry_from_layout",
    "geometry_from_state",
    "geometry_of",
    "normalized",
    "state_of",
]

CACHED = 4096
"""Size of the result cache of each function on geometries."""

SCALAR = Layout(1)
"""The element layout of a tensor whose elements are single numbers."""

_OFFSET_BITS = 59
"""Maximal number of bits of an offset in elements: the offset in bytes then fits in 63 bits."""


class Swizzled(NamedTuple):
    """A swizzle of the distances of storage elements from an origin.

    Attributes
    ----------
    swizzle : Swizzle
        Applied to distances in elements.
    origin : int
        The storage element with distance 0.
    """

    swizzle: Swizzle
    origin: int

    def __call__(self, cell: int) -> int:
        """Return the swizzled cell for a cell computed from strides."""
        distance: int = self.swizzle(cell - self.origin)
        return self.origin + distance


class Geometry:
    """The layout of the elements, the layout of the numbers in each, and the part that has memory.

    Attributes
    ----------
    layout : Layout
        Layout of the elements.
    element : Layout
        Layout of the numbers of one element.
    valid : tuple of int or None
        Number of coordinates of each mode that have memory; None if all have.
    padded : bool
        Whether coordinates without memory are readable, as the pad value.
    swizzled : Swizzled or None
        Swizzle of the cells, if any.
    modes : tuple of Layout
        The top-level modes.
    extents : tuple of int
        Size of each mode.
    inside : tuple of int
        Number of coordinates of each mode that have memory; as `valid`, but never None.
    shape : tuple of int
        Number of readable coordinates of each mode.
    size : int
        Number of readable elements.
    axes : tuple of int
        Shape of a NumPy array of the elements: `shape`, followed by `element_shape`.
    steps : tuple of tuple of int or None
        Extent and stride of each mode; None if these do not determine the cell of an element: the geometry is padded,
        swizzled or nested, or its elements have several numbers.
    """

    __slots__ = (
        "axes",
        "element",
        "extents",
        "inside",
        "layout",
        "modes",
        "padded",
        "shape",
        "size",
        "steps",
        "swizzled",
        "valid",
    )

    def __init__(
        self, layout: Layout, element: Layout, valid: tuple[int, ...] | None, padded: bool, swizzled: Swizzled | None
    ) -> None:
        self.layout: Layout = layout
        self.element: Layout = element
        self.valid: tuple[int, ...] | None = valid
        self.padded: bool = padded
        self.swizzled: Swizzled | None = swizzled
        self.modes: tuple[Layout, ...] = tuple(modes_of(layout))
        self.extents: tuple[int, ...] = tuple([mode.size for mode in self.modes])
        self.inside: tuple[int, ...] = self.extents if valid is None else valid
        self.shape: tuple[int, ...] = self.extents if padded else self.inside
        self.size: int = prod(self.shape)
        self.axes: tuple[int, ...] = (*self.shape, *self.element_shape)
        self.steps: tuple[tuple[int, int], ...] | None = self._steps()

    def _steps(self) -> tuple[tuple[int, int], ...] | None:
        if self.padded or self.element.size != 1 or self.swizzled is not None:
            return None
        pairs = [(extent, mode.stride) for extent, mode in zip(self.shape, self.modes, strict=True)]
        return None if any(isinstance(stride, tuple) for _, stride in pairs) else tuple(pairs)

    def with_layout(self, layout: Layout, valid: tuple[int, ...] | None = None, padded: bool = False) -> "Geometry":
        """Return the geometry with another layout, valid part and padding; the element layout and swizzle stay."""
        return geometry_of(layout, self.element, valid, padded, self.swizzled)

    def shifted(self, count: int) -> "Geometry":
        """Return the geometry with the origin of its swizzle moved by ``count`` storage elements."""
        if self.swizzled is None:
            return self
        swizzled = self.swizzled._replace(origin=self.swizzled.origin + count)
        return geometry_of(self.layout, self.element, self.valid, self.padded, swizzled)

    @property
    def rank(self) -> int:
        """Number of top-level modes."""
        return len(self.modes)

    @property
    def element_shape(self) -> tuple[int, ...]:
        """Extents of an element; the empty tuple if it is a single number."""
        return () if self.element.size == 1 else tuple([mode.size for mode in modes_of(self.element)])


Shifted: TypeAlias = tuple[Geometry, int]
"""A geometry, and the offset of its first cell from the first cell of the geometry it was made from."""


@lru_cache(CACHED)
def geometry_of(
    layout: Layout,
    element: Layout = SCALAR,
    valid: tuple[int, ...] | None = None,
    padded: bool = False,
    swizzled: Swizzled | None = None,
) -> Geometry:
    """Return the geometry of these arguments, cached: equal arguments give the same object, a key of other caches."""
    return Geometry(layout, element, valid, padded, swizzled)


def geometry_from_layout(layout: Any, element: Layout, start: int) -> Shifted:
    """Return the geometry of a layout, swizzled or not, and the cell of its first element before the swizzle.

    Parameters
    ----------
    layout : Layout or ComposedLayout
        Layout of the elements; its offsets count from ``start``.
    element : Layout
        Layout of the numbers of one element.
    start : int
        A storage element.

    Raises
    ------
    LayoutError
        If the swizzle mixes bits that no offset can have.
    """
    if not isinstance(layout, ComposedLayout):
        return geometry_of(as_layout(layout), element), start
    return geometry_of(layout.layout, element, swizzled=_swizzled(layout.swizzle, start)), start + layout.offset


def _swizzled(swizzle: Swizzle, origin: int) -> Swizzled:
    if swizzle.bits + swizzle.base + abs(swizzle.shift) >= _OFFSET_BITS:
        raise LayoutError(f"{swizzle} mixes bits that no offset in memory has; give it a smaller base or shift")
    if abs(origin) >> _OFFSET_BITS:
        raise LayoutError(f"{swizzle} counts from element {origin}, which no memory has; use a smaller offset")
    return Swizzled(swizzle, origin)


def state_of(geometry: Geometry) -> tuple[Any, ...]:
    """Return the state of a geometry for pickling."""
    swizzled = None if geometry.swizzled is None else tuple(geometry.swizzled)
    return geometry.layout, geometry.element, geometry.valid, geometry.padded, swizzled


def geometry_from_state(*state: Any) -> Geometry:
    """Return the geometry of a pickled state.

    Raises
    ------
    TypeError, ValueError
        If the parts are of wrong types or do not fit together.
    """
    layout, element, valid, padded, swizzled = state
    if not (isinstance(layout, Layout) and isinstance(element, Layout) and isinstance(padded, bool)):
        raise TypeError(f"found {', '.join(type(part).__name__ for part in state[:4])} for two layouts and a padding")
    if not element.size:
        raise LayoutError(f"an element has at least one number; found the element layout {element}")
    if valid is not None:
        sizes = [mode.size for mode in modes_of(layout)]
        if not all(0 <= count <= size for count, size in zip(valid, sizes, strict=True)):
            raise LayoutError(f"the valid part {valid} is larger than {layout}")
        valid = tuple(map(index, valid))
    if swizzled is not None:
        swizzle, origin = swizzled
        if not isinstance(swizzle, Swizzle):
            raise TypeError(f"found {type(swizzle).__name__} for a swizzle")
        swizzled = _swizzled(swizzle, index(origin))
    return geometry_of(layout, element, valid, padded, swizzled)


@lru_cache(CACHED)
def by_rows(geometry: Geometry) -> Geometry:
    """Return the contiguous row-major geometry of the same shape; all of it has memory."""
    element = row_major(*geometry.element_shape) if geometry.element_shape else SCALAR
    whole = row_major(*geometry.shape, element.size)
    return geometry_of(joined(modes_of(whole)[:-1]), element)


@lru_cache(CACHED)
def array_strides(geometry: Geometry, itemsize: int) -> tuple[int, ...]:
    """Return the stride in bytes of each axis of a NumPy array of these elements.

    Raises
    ------
    LayoutError
        If a mode has several strides, some coordinates have no memory, or the geometry is swizzled.
    """
    if geometry.swizzled is not None:
        raise LayoutError(
            f"{geometry.swizzled.swizzle} o {geometry.layout} has no strides; write t.to_numpy() for a copy, or "
            f"u.copy_from(t) for a tensor u without a swizzle, which can be shared"
        )
    if geometry.padded and geometry.inside != geometry.shape:
        raise LayoutError(f"the padding of {geometry.layout} has no memory to share; write t.to_numpy()")
    modes = [*geometry.modes, *(modes_of(geometry.element) if geometry.element_shape else ())]
    try:
        return tuple([Layout((mode.shape,), (mode.stride,)).to_strides(itemsize)[0] for mode in modes])
    except LayoutError as error:
        what = str(error).partition(";")[0]
        raise LayoutError(f"{what}; write t.to_numpy() for an array of its own") from None


def clamped(count: int, extent: int) -> int:
    """Return a count limited to the range from 0 to an extent."""
    return max(0, min(count, extent))


def normalized(mode: Layout) -> Layout:
    """Return a mode; if its extent is 1, with stride 0."""
    return Layout.unchecked(1, 0) if mode.shape == 1 else mode


@lru_cache(CACHED)
def blocks_of(mode: Layout, count: int) -> tuple[Layout, Layout]:
    """Return the layout of a block of ``count`` coordinates, and the layout of the blocks of a mode.

    The last block may reach past the end of the mode.

    Raises
    ------
    LayoutError
        If the leaves of a nested mode cannot be divided into blocks of ``count``.
    """
    if count == 1:
        return Layout.unchecked(1, 0), normalized(mode)
    if isinstance(mode.shape, int) and isinstance(mode.stride, int):
        blocks = Layout.unchecked(-(-mode.shape // count), count * mode.stride)
        return Layout.unchecked(count, mode.stride), normalized(blocks)
    if not mode.size:
        return Layout.unchecked(count, 0), Layout.unchecked(0, 0)
    # Coordinates past the end have no memory, so any continuation of the mode is right; coalescing gives the shortest.
    parts = logical_divide(coalesce(mode), count)
    return parts.mode(0), normalized(parts.mode(1))
