"""Operands as the simulated device works with them: where they are, and their elements as NumPy sees them."""

from typing import Any

import numpy as np

from accel.dtypes import as_dtype
from accel.errors import BoundsError
from accel.memory import Block, Operand, Span

from .memory import Bytes, Memory
from .races import AccessHistory, Region

__all__ = ["elements", "flat", "history_of", "memory_of", "refuse_outside", "region_of"]

_BYTE = as_dtype("uint8")


def flat(span: Span) -> Operand:
    """Return the bytes of a span as an operand."""
    return Operand(span, 0, _BYTE, (span.nbytes,), (1,))


def memory_of(block: Block) -> Memory | None:
    """Return the simulated memory under a block; None for the host's."""
    return block.native if isinstance(block.native, Memory) else None


def history_of(operand: Operand) -> AccessHistory | None:
    """Return the history of an operand's block; None for the host's."""
    memory = memory_of(operand.span.block)
    return None if memory is None else memory.history


def region_of(operand: Operand) -> Region:
    """Return where the elements are."""
    first = operand.span.block.pointer + operand.span.start + operand.start
    return Region.at(first, operand.extents, operand.strides, operand.dtype.itemsize)


def refuse_outside(operand: Operand) -> None:
    """Refuse an operand that leaves its span, or whose span leaves its block.

    Raises
    ------
    BoundsError
        If it does.
    """
    span, region = operand.span, region_of(operand)
    low = span.block.pointer + span.start
    inside = low <= region.low and region.high <= low + span.nbytes
    if not (
        span.start >= 0 and span.start + span.nbytes <= span.block.nbytes and (inside or region.low == region.high)
    ):
        raise BoundsError(
            f"bytes {region.low - low} to {region.high - low} of a span are asked for, which has {span.nbytes} "
            f"from byte {span.start} of a block of {span.block.nbytes}"
        )


def elements(operand: Operand) -> "np.ndarray[Any, np.dtype[Any]]":
    """Return the elements as NumPy sees them; `ReleasedError` if they were freed."""
    return np.ndarray(operand.extents, operand.dtype, _bytes_of(operand.span), operand.start, operand.strides)


def _bytes_of(span: Span) -> Bytes:
    memory = memory_of(span.block)
    if memory is not None:
        return memory.part(span.block.pointer + span.start, span.nbytes)
    bytes_there: Bytes = span.block.native[span.start : span.start + span.nbytes]
    return bytes_there
