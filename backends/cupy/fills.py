"""`Memset`: a fill that is one run of equal bytes, which the driver does itself, without a kernel or a compiler."""

from typing import Any, NamedTuple

import numpy as np

from accel.abc import Operand

__all__ = ["Memset", "memset"]


class Memset(NamedTuple):
    """A run of equal bytes.

    Attributes
    ----------
    address : int
        Address of the first byte.
    byte : int
        The value of each.
    nbytes : int
        Their number.
    """

    address: int
    byte: int
    nbytes: int


def memset(target: Operand, value: Any) -> Memset | None:
    """Return a fill as a run of equal bytes; None if the elements have gaps, or the bytes of the value differ."""
    item = np.array([value], target.dtype).tobytes()
    if item.count(item[0]) < len(item) or target.swizzle is not None or target.table is not None:
        return None
    address, nbytes = target.address, len(item)
    for stride, extent in sorted(zip(target.strides, target.extents, strict=True), key=lambda axis: abs(axis[0])):
        if extent > 1:
            if abs(stride) != nbytes:
                return None
            address += min(0, (extent - 1) * stride)
            nbytes *= extent
    return Memset(address, item[0], nbytes)
