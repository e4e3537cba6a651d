"""`Plan`: how the elements of one operand are copied to another, as integers; only `accel.copies` makes plans."""

from typing import Literal, NamedTuple

from accel.support.enums import PlainEnum

__all__ = ["CacheEviction", "Fill", "Kind", "Leaf", "Plan"]

Kind = Literal["memcpy", "rows", "transpose", "gather", "table"]
"""Shape of a copy; `Plan.kind` says what each value promises."""


class CacheEviction(PlainEnum):
    """Hint for how long a device's cache should keep the elements that a copy reads (Mojo's CacheEviction)."""

    NORMAL = "evict_normal"
    FIRST = "evict_first"
    LAST = "evict_last"
    UNCHANGED = "evict_unchanged"
    NO_ALLOCATE = "no_allocate"


class Fill(PlainEnum):
    """What a masked copy writes where it has no source (Mojo's Fill): nothing, or zero."""

    NONE = "none"
    ZERO = "zero"


class Leaf(NamedTuple):
    """One loop of a copy: ``extent`` items, and the step in bytes in the target and in the source."""

    extent: int
    target_stride: int
    source_stride: int


class Plan(NamedTuple):
    """A copy as nested loops over items, in no particular order.

    The distance of an item is the plan's start plus the steps of the loops; the operand's swizzle is applied to that
    sum. The item lies at the operand's start plus this distance. The default values of the fields from ``kind`` on are
    right for every copy without a mask, but slow.

    Attributes
    ----------
    leaves : tuple of Leaf
        The loops, usually the slowest first; empty for a single item.
    itemsize : int
        Bytes of an item: one element, or several that are contiguous at both ends.
    kind : str
        ``memcpy``: all bytes are contiguous at both ends. ``rows``: the last loop is contiguous at both ends.
        ``transpose``: the last loop is contiguous in the target, and another loop is in the source. ``gather``: any
        other loops. ``table``: one loop; an operand with a table has its distances there, the other uses the stride.
    target_start, source_start : int
        Bytes from the operand's start to the first item of the loops.
    tile : tuple of two ints, or None
        For a transpose: the loop that is contiguous in the target, and the loop that is contiguous in the source.
    vector : int
        Bytes of the widest access that is aligned at both ends and stays in contiguous bytes: 1, 2, 4, 8 or 16.
    index_bits : int
        32 if all distances in bytes fit a signed integer of 32 bits, else 64.
    buffered : bool
        Whether the whole source must be read before the target is written, because they share bytes.
    bound : int or None
        Items of the source at this distance in bytes or farther are not read (a mask); None if all are read.
    fill : Fill
        What is written for the items that are not read.
    eviction : CacheEviction
        A hint for the cache.
    """

    leaves: tuple[Leaf, ...]
    itemsize: int
    kind: Kind = "gather"
    target_start: int = 0
    source_start: int = 0
    tile: tuple[int, int] | None = None
    vector: int = 1
    index_bits: int = 64
    buffered: bool = True
    bound: int | None = None
    fill: Fill = Fill.NONE
    eviction: CacheEviction = CacheEviction.NORMAL

    @property
    def extents(self) -> tuple[int, ...]:
        """Number of items of each loop."""
        return tuple([leaf.extent for leaf in self.leaves])

    @property
    def target_strides(self) -> tuple[int, ...]:
        """Step of each loop in the target, in bytes."""
        return tuple([leaf.target_stride for leaf in self.leaves])

    @property
    def source_strides(self) -> tuple[int, ...]:
        """Step of each loop in the source, in bytes."""
        return tuple([leaf.source_stride for leaf in self.leaves])

    @property
    def size(self) -> int:
        """Number of items."""
        size = 1
        for leaf in self.leaves:
            size *= leaf.extent
        return size

    @property
    def nbytes(self) -> int:
        """Number of bytes of all items."""
        return self.size * self.itemsize

    def __str__(self) -> str:
        loops = [f"{extent} x ({into} <- {out_of})" for extent, into, out_of in self.leaves]
        return f"{self.kind}, {self.itemsize} bytes each: {', '.join(loops) or 'one item'}"
