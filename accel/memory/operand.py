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
    """A copy as nested loops over elements of equal dtype, in no particular order."""

    leaves: tuple[Leaf, ...]
    itemsize: int
