"""What backends are told: an `Operand` is memory with a shape, a `Plan` is how one becomes the other.

Both are integers only. Backends never see a layout.
"""

from typing import NamedTuple

from accel.dtypes import DType
from accel.memory.block import Span

__all__ = ["Leaf", "Operand", "Plan"]


class Operand(NamedTuple):
    """Elements in memory.

    Attributes
    ----------
    span : Span
        The bytes that may be touched, and no others.
    start : int
        Byte of the span at which the first element lies.
    dtype : numpy.dtype
        Type of the elements.
    extents : tuple of int
        How many elements there are along each axis.
    strides : tuple of int
        Distance in bytes between neighbours along each axis; may be negative or 0.
    writable : bool
        Whether the elements may be written.
    """

    span: Span
    start: int
    dtype: DType
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    writable: bool = True

    @property
    def contiguous(self) -> bool:
        """Whether the elements lie one after another in C order; nothing follows the stride of a single one."""
        expected = self.dtype.itemsize
        for extent, stride in zip(reversed(self.extents), reversed(self.strides), strict=True):
            if extent != 1 and stride != expected and 0 not in self.extents:
                return False
            expected *= extent
        return True


class Leaf(NamedTuple):
    """One loop of a copy: ``extent`` steps of so many bytes in the target and in the source."""

    extent: int
    target_stride: int
    source_stride: int


class Plan(NamedTuple):
    """A copy as nested loops over elements of equal dtype, in no particular order.

    Attributes
    ----------
    leaves : tuple of Leaf
        The loops, as a rule the slowest first; none for a single element.
    itemsize : int
        Bytes of an element.
    """

    leaves: tuple[Leaf, ...]
    itemsize: int

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
    def kind(self) -> str:
        """``contiguous`` for bytes in one piece, ``rows`` for several pieces of them, or else ``strided``."""
        in_pieces = not self.leaves or self.leaves[-1][1:] == (self.itemsize, self.itemsize)
        return "strided" if not in_pieces else "contiguous" if len(self.leaves) < 2 else "rows"

    def __str__(self) -> str:
        loops = [f"{extent} x ({into} <- {out_of})" for extent, into, out_of in self.leaves]
        return f"{self.kind}, {self.itemsize} bytes each: {', '.join(loops) or 'one element'}"
