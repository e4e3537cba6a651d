"""Operands of simulated devices: their memory, the regions they cover, and their elements in NumPy."""

from typing import Any

import numpy as np

from accel.abc import Block, Fill, Operand, Plan, Span
from accel.dtypes import as_dtype
from accel.errors import BoundsError

from ..common.item_offsets import ItemOffsets, OffsetArray, chunks, offsets_of, source_offsets, target_offsets
from .memory import Bytes, Memory
from .regions import Region

__all__ = ["bytes_of", "elements", "flat", "memory_of", "refuse_outside", "region_of", "regions_of"]

_BYTE = as_dtype("uint8")


def flat(span: Span) -> Operand:
    """Return the bytes of a span as an operand."""
    return Operand(span, 0, _BYTE, (span.nbytes,), (1,))


def memory_of(block: Block) -> Memory | None:
    """Return the simulated memory of a block; None for a block of the host."""
    return block.native if isinstance(block.native, Memory) else None


def region_of(operand: Operand) -> Region:
    """Return the region of an operand's elements; raises `BoundsError` if they leave their span, or it its block."""
    offsets = offsets_of(operand)
    refuse_outside(operand, offsets)
    return _region(operand, offsets)


def regions_of(target: Operand, source: Operand, plan: Plan) -> tuple[Region, Region]:
    """Return the regions that a plan writes and reads, without the items that its bound leaves out.

    Raises
    ------
    BoundsError
        If a region leaves its span, or a span its block.
    """
    to = target_offsets(target, plan, plan.itemsize)
    of = source_offsets(source, plan, plan.itemsize)
    refuse_outside(target, to)
    refuse_outside(source, of, plan.bound)
    if plan.bound is None:
        return _region(target, to), _region(source, of)
    read = [of.raw_offsets(low, high) < plan.bound for low, high in chunks(0, plan.size)]
    written = _region(target, to) if plan.fill is Fill.ZERO else _scattered(target, to, read)
    return written, _scattered(source, of, read)


def _region(operand: Operand, offsets: ItemOffsets) -> Region:
    if offsets.strided:
        first = _address(operand) + offsets.start + offsets.first
        return Region.at(first, offsets.extents, offsets.strides, offsets.itemsize)
    return Region.of_items(_address(operand) + np.concatenate([*offsets.span_offsets(), _NONE]), offsets.itemsize)


def _scattered(operand: Operand, offsets: ItemOffsets, masks: "list[np.ndarray[Any, np.dtype[np.bool_]]]") -> Region:
    """Return the region of the selected items; ``masks`` has one mask for each chunk of items."""
    selected = [chunk[mask] for chunk, mask in zip(offsets.span_offsets(), masks, strict=True)]
    return Region.of_items(_address(operand) + np.concatenate([*selected, _NONE]), offsets.itemsize)


_NONE: OffsetArray = np.empty(0, np.int64)


def _address(operand: Operand) -> int:
    return operand.span.block.pointer + operand.span.start


def refuse_outside(operand: Operand, offsets: ItemOffsets, bound: int | None = None) -> None:
    """Check bounds.

    Raises
    ------
    BoundsError
        If an item leaves the operand's span, or the span its block.
    """
    span = operand.span
    offsets.refuse_outside(span.nbytes, bound)
    if not 0 <= span.start <= span.start + span.nbytes <= span.block.nbytes:
        raise BoundsError(
            f"a span of {span.nbytes} bytes from byte {span.start} was asked for of a block of {span.block.nbytes} "
            f"bytes; write a span inside of the block"
        )


def elements(operand: Operand) -> "np.ndarray[Any, np.dtype[Any]]":
    """Return the elements as a NumPy array; raises `ReleasedError` if they were freed."""
    return np.ndarray(operand.extents, operand.dtype, bytes_of(operand.span), operand.start, operand.strides)


def bytes_of(span: Span) -> Bytes:
    """Return the bytes of a span, simulated or of the host; raises `ReleasedError` if they were freed."""
    memory = memory_of(span.block)
    if memory is not None:
        return memory.part(span.block.pointer + span.start, span.nbytes)
    bytes_there: Bytes = span.block.native[span.start : span.start + span.nbytes]
    return bytes_there
