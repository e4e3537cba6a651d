"""`Operand`: the elements that a backend copies or fills, and where they lie in a span, as integers."""

from typing import Any, NamedTuple

import numpy as np

from accel.abc.block import Span
from accel.dtypes import DType

__all__ = ["OffsetTable", "Operand", "Swizzling"]

OffsetTable = np.ndarray[Any, np.dtype[np.int64]]
"""The offset of each element, in elements."""


class Swizzling(NamedTuple):
    """A swizzle of distances in bytes: ``x`` becomes ``x ^ ((x & mask) >> shift)``.

    Attributes
    ----------
    mask : int
        The bits that are combined with other bits.
    shift : int
        How many places below the mask those other bits are; above it if negative.
    offset : int
        Bytes that are added to a distance first.
    """

    mask: int
    shift: int
    offset: int = 0

    @property
    def block(self) -> int:
        """Period in bytes, a power of two: a step of this length before the swizzle is the same step after it."""
        return 1 << max(self.mask.bit_length(), self.mask.bit_length() - self.shift)

    @property
    def run(self) -> int:
        """Length in bytes, a power of two, of the aligned runs that no distance leaves when it is swizzled."""
        return 1 << max(self.mask.bit_length() - self.shift, 0) if self.mask else 1

    def __call__(self, distance: Any) -> Any:
        """Return a distance, or an array of distances, after the swizzle."""
        start = distance + self.offset
        bits = start & self.mask
        return start ^ (bits >> self.shift if self.shift >= 0 else bits << -self.shift)


class Operand(NamedTuple):
    """Elements in memory.

    Attributes
    ----------
    span : Span
        The bytes that may be read or written; all elements lie inside.
    start : int
        Offset in bytes from the start of the span, from which strides, tables and swizzles count.
    dtype : numpy.dtype
        Type of the elements.
    extents : tuple of int
        Number of elements along each axis.
    strides : tuple of int
        Distance in bytes between neighbours along each axis; may be negative or 0.
    writable : bool
        Whether the elements may be written.
    swizzle : Swizzling, optional
        Applied to the distance of each element from ``start``.
    table : numpy.ndarray of int64, optional
        The distance of each element from ``start``, in elements. It replaces the strides; the extents are then those
        of the table.
    """

    span: Span
    start: int
    dtype: DType
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    writable: bool = True
    swizzle: Swizzling | None = None
    table: OffsetTable | None = None

    @property
    def address(self) -> int:
        """The address from which strides, tables and swizzles count."""
        return self.span.block.pointer + self.span.start + self.start

    @property
    def contiguous(self) -> bool:
        """Whether the elements are contiguous in C order; the stride of an axis with one element does not matter."""
        if self.swizzle is not None or self.table is not None:
            return False
        expected = self.dtype.itemsize
        for extent, stride in zip(reversed(self.extents), reversed(self.strides), strict=True):
            if extent != 1 and stride != expected and 0 not in self.extents:
                return False
            expected *= extent
        return True
