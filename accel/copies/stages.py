"""Ways: the plans of a copy and the ends that each one joins, found while nothing is allocated."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from accel.abc import Block, CacheEviction, Fill, Operand, Plan, Span, Stream
from accel.copies.elements import places
from accel.copies.overlap import leaves_of
from accel.copies.planner import Mask, hiding, loops_of
from accel.device import Device
from accel.dtypes import DType
from accel.memory import AnyStorage, allocate, heap_of
from accel.memory.byte_copies import worker_of
from accel.memory.heap import Heap

__all__ = ["BETWEEN", "IMAGE", "End", "Fresh", "Stage", "allocated", "stages_of"]

IMAGE, BETWEEN = "image on the host", "memory in between"
"""What memory is called that a copy needs besides its ends."""

Fresh = Mapping[Block, AnyStorage]
"""That memory, by the block that stands for it in plans."""

_CPU = Device.CPU  # an enum's member costs more to reach than a global
_ELSEWHERE, _ALIGNED = 1 << 60, 64
"""An address at which no device has anything, and what addresses of new memory are multiples of."""


class End(NamedTuple):
    """One end of a plan: what it is to the copy, where it is, and its elements."""

    name: str
    device: Device
    operand: Operand

    @property
    def size(self) -> int:
        """Number of elements."""
        size = 1
        for extent in self.operand.extents:
            size *= extent
        return size

    @property
    def fills_storage(self) -> bool:
        """Whether the elements, none of which is named twice, are all bytes of the storage."""
        span, _, dtype, extents, *_ = self.operand
        return math.prod(extents) * dtype.itemsize == span.nbytes

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.operand.dtype.itemsize


class Stage(NamedTuple):
    """One plan, which ends it joins, and the heap whose backend it is given to."""

    worker: Heap
    target: End
    source: End
    plan: Plan

    @property
    def casts(self) -> bool:
        """Whether elements are converted."""
        return self.target.operand.dtype != self.source.operand.dtype

    def give(self, fresh: Fresh, stream: Stream | None) -> None:
        """Give the plan to the backend, on a stream."""
        into, out_of = self.target.operand, self.source.operand
        if fresh:
            into, out_of = _real(into, fresh), _real(out_of, fresh)
        backend, plan = self.worker.backend, self.plan
        if plan.kind == "memcpy":
            there, here = plan.target_start, plan.source_start
            backend.copy(_bytes(into, there, plan.nbytes), _bytes(out_of, here, plan.nbytes), stream=stream)
        else:
            backend.copy_strided(into, out_of, plan, stream=stream)


def allocated(found: Sequence[Stage], stream: Stream | None = None) -> Fresh:
    """Allocate what stages need besides the ends of the copy, to be used on a stream first."""
    needed = {end.operand.span.block: end for stage in found for end in stage[1:3] if end.name in (IMAGE, BETWEEN)}
    return {block: allocate(end.device, end.size, end.operand.dtype, stream) for block, end in needed.items()}


def _real(operand: Operand, fresh: Fresh) -> Operand:
    """Return an operand on memory that is there."""
    storage = fresh.get(operand.span.block)
    return operand if storage is None else operand._replace(span=storage.__accel_operand__().span)


def _bytes(operand: Operand, start: int, nbytes: int) -> Span:
    """Return bytes from a distance on."""
    return Span(operand.span.block, operand.span.start + operand.start + start, nbytes)


def stages_of(
    target: End, source: End, mask: Mask | None = None, eviction: CacheEviction = CacheEviction.NORMAL
) -> list[Stage]:
    """Return the plans of a copy in order; none where there are no elements.

    The ends are of equal size, and memory that comes in between is not there yet: see `allocated`.
    """
    if 0 in target.operand.extents:
        return []
    worker: Heap | None = heap_of(target.device)
    if source.device is not target.device:
        worker = worker_of(heap_of(target.device), heap_of(source.device))
    cast = target.operand.dtype != source.operand.dtype
    if worker is None or (cast and not (_castable(target) and _castable(source))):
        return _by_image(target, source, mask)
    return _steps(worker, target, source, mask, eviction)


def _castable(end: End) -> bool:
    """Tell whether the host can cast the elements while it copies them."""
    return end.device is _CPU and end.operand.table is None


def _by_image(target: End, source: End, mask: Mask | None) -> list[Stage]:
    """Return a copy by way of the host, because no backend knows both ends, or because the host must cast."""
    dtype = target.operand.dtype if _castable(source) else source.operand.dtype
    image = _new(IMAGE, _CPU, dtype, target, source)
    # What is not read stays as it is.
    kept = stages_of(image, target) if mask is not None and mask.fill is Fill.NONE else []
    return [*kept, *stages_of(image, source, mask), *stages_of(target, image)]


def _steps(worker: Heap, target: End, source: End, mask: Mask | None, eviction: CacheEviction) -> list[Stage]:
    """Return one stage, or two with what holds the elements between them, as no loops walk both ends."""
    if (target.operand.table is None) != (source.operand.table is None):
        target = target if _single(target) else _by_table(target)
        source, mask = (source, mask) if _single(source) else _looked_up(source, mask)
    plan = loops_of(target.operand, source.operand, mask, eviction)
    if plan is not None:
        return [Stage(worker, target, source, plan)]
    if mask is not None:
        source, mask = _looked_up(source, mask)
        return _steps(worker, _by_table(target), source, mask, eviction)
    between = _new(BETWEEN, worker.device, source.operand.dtype, target, source)
    return [
        *_steps(worker, between, source, None, eviction),
        *_steps(worker, target, between, None, eviction),
    ]


def _new(name: str, device: Device, dtype: DType, target: End, source: End) -> End:
    """Return the end that newly allocated memory would be, between two others."""
    nbytes = source.size * dtype.itemsize
    blocks = [end.operand.span.block for end in (target, source)]
    beyond = max(_ELSEWHERE, *(block.pointer + block.nbytes for block in blocks))
    span = Span(Block(-(-beyond // _ALIGNED) * _ALIGNED, nbytes, None), 0, nbytes)
    return End(name, device, Operand(span, 0, dtype, (source.size,), (dtype.itemsize,)))


def _single(end: End) -> bool:
    """Tell whether elements can be paired with a table: they are in one loop, or in a table too."""
    operand = end.operand
    return operand.table is not None or (len(operand.extents) < 2 and operand.swizzle is None)


def _by_table(end: End) -> End:
    operand = end.operand
    table = places(leaves_of(operand), operand.swizzle) // end.itemsize
    return end._replace(operand=operand._replace(extents=(table.size,), strides=(0,), swizzle=None, table=table))


def _looked_up(source: End, mask: Mask | None) -> tuple[End, Mask | None]:
    """Return elements by a table, and the mask of it."""
    found, itemsize = _by_table(source), source.itemsize
    table = found.operand.table
    if mask is None or table is None or source.operand.swizzle is None:
        return found, mask
    table, mask = hiding(table, places(leaves_of(source.operand)) // itemsize, itemsize, mask)
    return found._replace(operand=found.operand._replace(table=table)), mask
