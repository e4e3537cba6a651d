"""`Plan`: how the elements of one operand are copied to another, as integers; only `accel.copies` makes plans."""

from typing import Literal, NamedTuple

from accel.enums import PlainEnum

__all__ = ["CacheEviction", "Fill", "Kind", "Leaf", "Plan"]

Kind = Literal["memcpy", "rows", "transpose", "gather", "table"]
"""What a copy looks like from nearby: `Plan.kind` says what each one promises."""


class CacheEviction(PlainEnum):
    """How long what a copy reads should stay in a device's cache (Mojo's CacheEviction); a hint, and nothing more."""

    NORMAL = "evict_normal"
    FIRST = "evict_first"
    LAST = "evict_last"
    UNCHANGED = "evict_unchanged"
    NO_ALLOCATE = "no_allocate"


class Fill(PlainEnum):
    """What becomes of the target where a masked copy has no source (Mojo's Fill): it stays, or becomes zero."""

    NONE = "none"
    ZERO = "zero"


class Leaf(NamedTuple):
    """One loop of a copy: ``extent`` steps of so many bytes in the target and in the source."""

    extent: int
    target_stride: int
    source_stride: int


class Plan(NamedTuple):
    """A copy as nested loops over items, in no particular order.

    An item lies at the operand's start, plus the plan's start, plus the steps of the loops; an operand's swizzle acts
    on that sum, without the operand's start. What follows ``kind`` may be left out: what stands there then is right
    for every copy, if slow.

    Attributes
    ----------
    leaves : tuple of Leaf
        The loops, as a rule the slowest first; none for a single item.
    itemsize : int
        Bytes of an item: an element, or several that lie side by side at both ends.
    kind : str
        ``memcpy``: one piece of bytes. ``rows``: the last loop is one piece at both ends. ``transpose``: the last loop
        is one piece in the target, and another one is in the source. ``gather``: anything else that loops describe.
        ``table``: one loop; an end with a table finds its elements there, the other one by its stride.
    target_start, source_start : int
        Bytes from the operand's start to the first item of the loops.
    tile : tuple of two ints, or None
        Which loops a transpose turns: the one that is a piece in the target, and the one that is in the source.
    vector : int
        Bytes of the widest access that is aligned at both ends, and never leaves a piece: 1, 2, 4, 8 or 16.
    index_bits : int
        32 where all distances in bytes fit a signed integer of so many bits, else 64.
    buffered : bool
        Whether the source must be read to its end before the target is written, because they share bytes.
    bound : int or None
        Items of the source whose distance in bytes from the operand's start is this or more are not read.
    fill : Fill
        What is written for them.
    eviction : CacheEviction
        A hint for what is read.
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
        """How many steps each loop has."""
        return tuple([leaf.extent for leaf in self.leaves])

    @property
    def target_strides(self) -> tuple[int, ...]:
        """How far each step goes in the target."""
        return tuple([leaf.target_stride for leaf in self.leaves])

    @property
    def source_strides(self) -> tuple[int, ...]:
        """How far each step goes in the source."""
        return tuple([leaf.source_stride for leaf in self.leaves])

    @property
    def size(self) -> int:
        """How many items there are."""
        size = 1
        for leaf in self.leaves:
            size *= leaf.extent
        return size

    @property
    def nbytes(self) -> int:
        """How many bytes are copied."""
        return self.size * self.itemsize

    def __str__(self) -> str:
        loops = [f"{extent} x ({into} <- {out_of})" for extent, into, out_of in self.leaves]
        return f"{self.kind}, {self.itemsize} bytes each: {', '.join(loops) or 'one item'}"
