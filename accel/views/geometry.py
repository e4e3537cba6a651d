"""`Geometry`: how a tensor's coordinates become cells, in integers only; memory comes in elsewhere.

Every view of a tensor is another geometry, and how many elements its first cell lies after the old one's.
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
    "state_of",
    "without_unit_extent",
]

CACHED = 4096
"""How many results each function on geometries remembers."""

SCALAR = Layout(1)
"""The element layout of a tensor whose elements are single numbers."""

_OFFSET_BITS = 59
"""How many bits an offset has at most, so that it can be counted in bytes."""


class Swizzled(NamedTuple):
    """A swizzle of how far elements of a storage lie from one of them.

    Attributes
    ----------
    swizzle : Swizzle
        Of distances in elements.
    origin : int
        The element that they are from.
    """

    swizzle: Swizzle
    origin: int

    def __call__(self, place: int) -> int:
        """Return which element of the storage is meant where strides alone lead to another."""
        distance: int = self.swizzle(place - self.origin)
        return self.origin + distance


class Geometry:
    """A layout of elements, the layout of the numbers in each, and how much of it exists.

    Attributes
    ----------
    layout : Layout
        Of the elements.
    element : Layout
        Of the numbers of one element.
    valid : tuple of int or None
        How many coordinates of each mode have memory; None where all have.
    padded : bool
        Whether coordinates without memory can be read.
    swizzled : Swizzled or None
        What becomes of the places that strides lead to.
    modes : tuple of Layout
        The modes at the top.
    extents : tuple of int
        Their sizes.
    inside : tuple of int
        How many coordinates of each have memory.
    shape : tuple of int
        How many coordinates of each can be asked for.
    size : int
        How many elements can be asked for.
    axes : tuple of int
        The extents of an array with these elements: the shape, and that of an element of several numbers.
    steps : tuple of tuple of int or None
        Extent and stride of each mode, where these alone lead to the one number of an element.
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
        self.layout = layout
        self.element = element
        self.valid = valid
        self.padded = padded
        self.swizzled = swizzled
        self.modes = tuple(modes_of(layout))
        self.extents = tuple([mode.size for mode in self.modes])
        self.inside = self.extents if valid is None else valid
        self.shape = self.extents if padded else self.inside
        self.size = prod(self.shape)
        self.axes = (*self.shape, *self.element_shape)
        self.steps = self._steps()

    def _steps(self) -> tuple[tuple[int, int], ...] | None:
        if self.padded or self.element.size != 1 or self.swizzled is not None:
            return None
        pairs = [(extent, mode.stride) for extent, mode in zip(self.shape, self.modes, strict=True)]
        return None if any(isinstance(stride, tuple) for _, stride in pairs) else tuple(pairs)  # type: ignore[arg-type]

    def with_layout(self, layout: Layout, valid: tuple[int, ...] | None = None, padded: bool = False) -> "Geometry":
        """Return the geometry of the same elements under another layout, which says nothing of the swizzle."""
        return geometry_of(layout, self.element, valid, padded, self.swizzled)

    def shifted(self, count: int) -> "Geometry":
        """Return the geometry of cells that all lie some elements further on in their storage."""
        if self.swizzled is None:
            return self
        swizzled = self.swizzled._replace(origin=self.swizzled.origin + count)
        return geometry_of(self.layout, self.element, self.valid, self.padded, swizzled)

    @property
    def rank(self) -> int:
        """How many modes there are at the top."""
        return len(self.modes)

    @property
    def element_shape(self) -> tuple[int, ...]:
        """The extents of an element of several numbers; none where it is a single one."""
        return () if self.element.size == 1 else tuple([mode.size for mode in modes_of(self.element)])


Shifted: TypeAlias = tuple[Geometry, int]
"""A geometry, and how many elements its first cell lies after that of the one it was made from."""


@lru_cache(CACHED)
def geometry_of(
    layout: Layout,
    element: Layout = SCALAR,
    valid: tuple[int, ...] | None = None,
    padded: bool = False,
    swizzled: Swizzled | None = None,
) -> Geometry:
    """Return the geometry of these: the same object for the same ones, so that what is made of it is remembered."""
    return Geometry(layout, element, valid, padded, swizzled)


def geometry_from_layout(layout: Any, element: Layout, start: int) -> Shifted:
    """Return the geometry of a layout, swizzled or not, and to which element strides lead first.

    Parameters
    ----------
    layout : Layout or ComposedLayout
        Its offsets count from ``start``.
    element : Layout
        Of the numbers of one element.
    start : int
        An element of the storage.

    Raises
    ------
    LayoutError
        If the swizzle mixes bits that no offset has.
    """
    if not isinstance(layout, ComposedLayout):
        return geometry_of(as_layout(layout), element), start
    return geometry_of(layout.layout, element, swizzled=_swizzled(layout.swizzle, start)), start + layout.offset


def _swizzled(swizzle: Swizzle, origin: int) -> Swizzled:
    if swizzle.bits + swizzle.base + abs(swizzle.shift) >= _OFFSET_BITS:
        raise LayoutError(f"{swizzle} mixes bits that no offset in memory has; give it a smaller base or shift")
    if abs(origin) >> _OFFSET_BITS:
        raise LayoutError(
            f"{swizzle} is of distances from element {origin}, which no memory has; begin at a nearer one"
        )
    return Swizzled(swizzle, origin)


def state_of(geometry: Geometry) -> tuple[Any, ...]:
    """Return what a geometry is made of, as it is pickled."""
    swizzled = None if geometry.swizzled is None else tuple(geometry.swizzled)
    return geometry.layout, geometry.element, geometry.valid, geometry.padded, swizzled


def geometry_from_state(*state: Any) -> Geometry:
    """Return the geometry of what came out of a pickle.

    Raises
    ------
    TypeError, ValueError
        If it does not fit together.
    """
    layout, element, valid, padded, swizzled = state
    if not (isinstance(layout, Layout) and isinstance(element, Layout) and isinstance(padded, bool)):
        raise TypeError(f"found {', '.join(type(part).__name__ for part in state[:4])} for two layouts and a padding")
    if not element.size:
        raise LayoutError(f"an element has at least one number; found the element layout {element}")
    if valid is not None:
        sizes = [mode.size for mode in modes_of(layout)]
        if not all(0 <= count <= size for count, size in zip(valid, sizes, strict=True)):
            raise LayoutError(f"{valid} is no part of {layout}")
        valid = tuple(map(index, valid))
    if swizzled is not None:
        swizzle, origin = swizzled
        if not isinstance(swizzle, Swizzle):
            raise TypeError(f"found {type(swizzle).__name__} for a swizzle")
        swizzled = _swizzled(swizzle, index(origin))
    return geometry_of(layout, element, valid, padded, swizzled)


@lru_cache(CACHED)
def by_rows(geometry: Geometry) -> Geometry:
    """Return the geometry of the same shape whose numbers lie one after another, by rows; all of it has memory."""
    element = row_major(*geometry.element_shape) if geometry.element_shape else SCALAR
    whole = row_major(*geometry.shape, element.size)
    return geometry_of(joined(modes_of(whole)[:-1]), element)


@lru_cache(CACHED)
def array_strides(geometry: Geometry, itemsize: int) -> tuple[int, ...]:
    """Return the stride in bytes of each axis of an array with these elements.

    Raises
    ------
    LayoutError
        If a mode has no single stride, some coordinates have no memory, or there is a swizzle.
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
    """Return a count that is neither negative nor more than an extent."""
    return max(0, min(count, extent))


def without_unit_extent(mode: Layout) -> Layout:
    """Return a mode, with stride 0 if it has a single coordinate."""
    return Layout.made(1, 0) if mode.shape == 1 else mode


@lru_cache(CACHED)
def blocks_of(mode: Layout, count: int) -> tuple[Layout, Layout]:
    """Return a block of ``count`` coordinates of a mode, and the layout of the blocks; the last may go past the end.

    Raises
    ------
    LayoutError
        If the leaves of a nested mode are not in blocks of so many.
    """
    if count == 1:
        return Layout.made(1, 0), without_unit_extent(mode)
    if isinstance(mode.shape, int) and isinstance(mode.stride, int):
        blocks = Layout.made(-(-mode.shape // count), count * mode.stride)
        return Layout.made(count, mode.stride), without_unit_extent(blocks)
    if not mode.size:
        return Layout.made(count, 0), Layout.made(0, 0)
    # What lies past the end has no memory, so that a mode may go on as it fits best: without leaves of extent 1.
    parts = logical_divide(coalesce(mode), count)
    return parts.mode(0), without_unit_extent(parts.mode(1))
