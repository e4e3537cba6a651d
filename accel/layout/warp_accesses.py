"""What the threads of a warp access, and what that costs in global memory."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

from accel.errors import LayoutError
from accel.layout.composition import coalesced
from accel.layout.layout import Layout, as_layout
from accel.layout.swizzle import ComposedLayout

__all__ = ["Coalescing", "VectorWidth", "addresses", "coalescing", "refuse_less_than_one", "vector_width", "warp"]

WIDTHS = (1, 2, 4, 8, 16)
"""How many bytes a thread can access at once."""

Offsets: TypeAlias = "Layout | ComposedLayout"
"""A function of integer coordinates, with a size."""


class Coalescing(NamedTuple):
    """How many sectors of global memory a warp moves, and how many of the moved bytes it uses.

    Attributes
    ----------
    sectors : int
        How many sectors the warp touches; each is moved as a whole.
    fewest : int
        The fewest sectors that could hold the bytes the warp uses.
    efficiency : float
        Used bytes divided by moved bytes, at most 1.
    """

    sectors: int
    fewest: int
    efficiency: float

    def __str__(self) -> str:
        return f"{self.sectors} sectors, where {self.fewest} would suffice: {self.efficiency:.1%} of the bytes are used"


class VectorWidth(NamedTuple):
    """The widest vector access that a layout allows, and what limits it.

    Attributes
    ----------
    elements : int
        Elements of one access; a power of two.
    reason : str
        What rules out twice as many elements.
    """

    elements: int
    reason: str

    def __str__(self) -> str:
        return f"{self.elements} at once, not {2 * self.elements}: {self.reason}"


def as_offsets(layout: Any) -> Offsets:
    """Return a `ComposedLayout` as it is, and anything else as a `Layout`."""
    return layout if isinstance(layout, ComposedLayout) else as_layout(layout)


def warp(layout: Any, threads: int, vector: int) -> list[int]:
    """Return the offsets of the first ``threads * vector`` coordinates, or of all if there are fewer."""
    offsets = as_offsets(layout)
    return [offsets(i) for i in range(min(threads * vector, offsets.size))]


def addresses(offsets: Sequence[int], itemsize: int, vector: int) -> list[int]:
    """Return the byte offset at which each access begins; an access has ``vector`` consecutive offsets.

    Raises
    ------
    LayoutError
        If the offsets of an access are not consecutive or not aligned, or no thread can access that many bytes.
    """
    refuse_less_than_one(itemsize=itemsize, vector=vector)
    if itemsize * vector not in WIDTHS:
        raise LayoutError(
            f"a thread accesses 1, 2, 4, 8 or 16 bytes at once; found {vector} elements of {itemsize} bytes"
        )
    for start in range(0, len(offsets), vector):
        run = offsets[start : start + vector]
        if run[0] % vector or list(run) != list(range(run[0], run[0] + vector)):
            raise LayoutError(
                f"an access of {vector} elements needs consecutive offsets from a multiple of {vector} on; the access "
                f"at coordinate {start} has the offsets {list(run)}; `vector_width` tells how many elements work"
            )
    return [offset * itemsize for offset in offsets[::vector]]


def refuse_less_than_one(**values: int) -> None:
    """Raise `LayoutError` for a quantity that is not positive."""
    for name, value in values.items():
        if value < 1:
            raise LayoutError(f"{name} is at least 1; found {value}")


def coalescing(
    layout: Any, itemsize: int, *, threads: int = 32, vector: int = 1, sector: int = 32, alignment: int = 256
) -> Coalescing:
    """The number of sectors {(b + a_i) div s} that the bytes a_i of a warp touch, at the worst base b.

    Thread i accesses the elements ``layout(i * vector)`` to ``layout(i * vector + vector - 1)``. If the layout has
    fewer elements, the other threads are idle.

    Parameters
    ----------
    layout : Layout or ComposedLayout
        Coordinates to offsets in elements.
    itemsize : int
        Bytes of an element.
    threads : int, default 32
        Threads of a warp.
    vector : int, default 1
        Elements that a thread accesses at once.
    sector : int, default 32
        Bytes of a sector: the unit in which memory is moved.
    alignment : int, default 256
        Alignment in bytes of the address of offset 0.

    Raises
    ------
    LayoutError
        If the elements of a thread cannot be read or written in one access.

    Examples
    --------
    >>> from accel.layout import Layout, coalescing
    >>> print(coalescing(Layout(32, 2), 4))
    8 sectors, where 4 would suffice: 50.0% of the bytes are used
    """
    refuse_less_than_one(threads=threads, sector=sector, alignment=alignment)
    starts = set(addresses(warp(layout, threads, vector), itemsize, vector))
    if not starts:
        return Coalescing(0, 0, 1.0)
    width = itemsize * vector
    bases = {alignment * k % sector for k in range(sector)}
    touched = max(len(_touched(starts, width, sector, base)) for base in bases)
    useful = len(starts) * width
    return Coalescing(touched, -(-useful // sector), useful / (touched * sector))


def _touched(starts: set[int], width: int, sector: int, base: int) -> set[int]:
    spans = [((base + start) // sector, (base + start + width - 1) // sector) for start in starts]
    return {number for first, last in spans for number in range(first, last + 1)}


def vector_width(layout: Any, itemsize: int, alignment: int, *, limit: int = 16) -> VectorWidth:
    """The largest power of two v for which all L(v i), ..., L(v i + v - 1) are consecutive from a multiple of v on.

    It divides `max_common_vector` of the layout and a contiguous layout. The strides of the other leaves, the alignment
    and the limit may make it smaller. Under a swizzle, only runs of elements that the swizzle keeps together count.

    Parameters
    ----------
    layout : Layout or ComposedLayout
        Coordinates to offsets in elements.
    itemsize : int
        Bytes of an element.
    alignment : int
        Alignment in bytes of the address of offset 0.
    limit : int, default 16
        Bytes of the widest access of the machine.

    Examples
    --------
    >>> from accel.layout import Layout, vector_width
    >>> print(vector_width(Layout((8, 4), (1, 20)), 2, alignment=256))
    4 at once, not 8: leaf 4:20 steps by 20 elements, which is no multiple of 8
    """
    refuse_less_than_one(itemsize=itemsize, alignment=alignment, limit=limit)
    offsets = as_offsets(layout)
    bounds = [*_machine_bounds(itemsize, alignment, limit), *_swizzle_bounds(offsets), *_leaf_bounds(offsets)]
    return min(bounds, key=lambda bound: bound.elements)


def _power(n: int) -> int:
    """Return the largest power of two that divides ``n``, which is not 0."""
    return n & -n


def _machine_bounds(itemsize: int, alignment: int, limit: int) -> Iterator[VectorWidth]:
    if itemsize != _power(itemsize):
        yield VectorWidth(1, f"elements of {itemsize} bytes are no power of two")
    widest = max(limit // itemsize, 1)
    yield VectorWidth(1 << widest.bit_length() - 1, f"an access has at most {limit} bytes")
    yield VectorWidth(max(_power(alignment) // itemsize, 1), f"the memory is aligned to {alignment} bytes")


def _swizzle_bounds(layout: Offsets) -> Iterator[VectorWidth]:
    if isinstance(layout, ComposedLayout):
        swizzle, offset = layout.swizzle, layout.offset
        if offset:
            yield VectorWidth(_power(offset), f"the offset {offset} inside the swizzle is no multiple")
        if swizzle.bits:
            yield VectorWidth(1 << swizzle.base, f"{swizzle} keeps only runs of {1 << swizzle.base} elements together")


def _leaf_bounds(layout: Offsets) -> Iterator[VectorWidth]:
    leaves = coalesced((layout.layout if isinstance(layout, ComposedLayout) else layout).leaves)
    if not leaves:
        yield VectorWidth(1, "there is one element")
        return
    (extent, stride), *others = leaves
    if stride != 1:
        yield VectorWidth(1, f"the first leaf {extent}:{stride} steps by {stride} elements, not by 1")
        return
    run = _power(extent)
    yield VectorWidth(run, f"leaf {extent}:1 has {extent} elements, which is no multiple of {2 * run}")
    for extent, stride in others:
        if stride:
            step = _power(stride)
            reason = f"leaf {extent}:{stride} steps by {stride} elements, which is no multiple of {2 * step}"
            yield VectorWidth(step, reason)
