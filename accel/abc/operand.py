"""What backends are told of memory: an `Operand`, which is a span and where the elements lie in it, as integers."""

from typing import Any, NamedTuple

import numpy as np

from accel.abc.block import Span
from accel.dtypes import DType

__all__ = ["OffsetTable", "Operand", "Swizzling"]

OffsetTable = np.ndarray[Any, np.dtype[np.int64]]
"""Offsets of elements, one by one."""


class Swizzling(NamedTuple):
    """An exclusive or of some bits of a distance with others: ``x`` becomes ``x ^ ((x & mask) >> shift)``.

    Attributes
    ----------
    mask : int
        The bits that are mixed into others; in bytes, as all distances here.
    shift : int
        How far below them the others are; above them if negative.
    offset : int
        Bytes added to a distance before.
    """

    mask: int
    shift: int
    offset: int = 0

    @property
    def block(self) -> int:
        """How many distances, a power of two, are only mixed among themselves: steps of so many pass unchanged."""
        return 1 << max(self.mask.bit_length(), self.mask.bit_length() - self.shift)

    @property
    def run(self) -> int:
        """How many distances, a power of two, differ only in bits that may change: each stays within its run."""
        return 1 << max(self.mask.bit_length() - self.shift, 0) if self.mask else 1

    def __call__(self, distance: Any) -> Any:
        """Return where a distance leads, or an array of them."""
        moved = distance + self.offset
        taken = moved & self.mask
        return moved ^ (taken >> self.shift if self.shift >= 0 else taken << -self.shift)


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
    swizzle : Swizzling, optional
        What becomes of the distance that the strides lead from ``start``.
    table : numpy.ndarray of int64, optional
        The distances in elements from ``start``, one by one, where no strides describe them; the extents are then
        those of the table, and the strides say nothing.
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
        """Whether the strides say that the elements lie one after another in C order; that of a single one is free."""
        if self.swizzle is not None or self.table is not None:
            return False
        expected = self.dtype.itemsize
        for extent, stride in zip(reversed(self.extents), reversed(self.strides), strict=True):
            if extent != 1 and stride != expected and 0 not in self.extents:
                return False
            expected *= extent
        return True
