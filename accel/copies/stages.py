"""Stages: the plans of a copy in order, and the two ends of each; found before anything is allocated."""

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
"""Names of the temporary memory that a copy may need."""

Fresh = Mapping[Block, AnyStorage]
"""Temporary memory that was allocated, by the block that stands for it in plans."""

_CPU = Device.CPU  # an enum's member costs more to reach than a global
_ELSEWHERE, _ALIGNED = 1 << 60, 64
"""An address that no device uses, for blocks that stand for temporary memory, and the alignment of new memory."""


class End(NamedTuple):
    """One end of a plan: its name, its device and its elements."""

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
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.operand.dtype.itemsize


class Stage(NamedTuple):
    """One plan, its two ends, and the heap whose backend executes it."""

    worker: Heap
    target: End
    source: End
    plan: Plan

    @property
    def casts(self) -> bool:
        """Whether elements are converted."""
        return self.target.operand.dtype != self.source.operand.dtype

    def give(self, fresh: Fresh, stream: Stream | None) -> None:
        """Submit the plan to the backend, on a stream."""
        into, out_of = self.target.operand, self.source.operand
        if fresh:
            into, out_of = _real(into, fresh), _real(out_of, fresh)
        backend, plan = self.worker.backend, self.plan
        if plan.kind == "memcpy":
            nbytes = plan.nbytes
            there, here = _bytes(into, plan.target_start, nbytes), _bytes(out_of, plan.source_start, nbytes)
            backend.copy(there, here, stream=stream)
        else:
            backend.copy_strided(into, out_of, plan, stream=stream)


def allocated(stages: Sequence[Stage], stream: Stream | None = None) -> Fresh:
    """Allocate the temporary memory of some stages; a stream is the first to use it."""
    needed = {end.operand.span.block: end for stage in stages for end in stage[1:3] if end.name in (IMAGE, BETWEEN)}
    return {block: allocate(end.device, end.size, end.operand.dtype, stream) for block, end in needed.items()}


def _real(operand: Operand, fresh: Fresh) -> Operand:
    """Return an operand on the memory that was allocated for it."""
    storage = fresh.get(operand.span.block)
    return operand if storage is None else operand._replace(span=storage.__accel_operand__().span)


def _bytes(operand: Operand, start: int, nbytes: int) -> Span:
    """Return the bytes of an operand from a distance on."""
    return Span(operand.span.block, operand.span.start + operand.start + start, nbytes)


def stages_of(
    target: End, source: End, mask: Mask | None = None, eviction: CacheEviction = CacheEviction.NORMAL
) -> list[Stage]:
    """Return the stages of a copy in order; none if there are no elements.

    The ends have equal sizes. Temporary memory is not allocated yet: see `allocated`.
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
    """Return a copy through the host, because no backend knows both devices, or because the host must cast."""
    dtype = target.operand.dtype if _castable(source) else source.operand.dtype
    image = _new(IMAGE, _CPU, dtype, target, source)
    # Elements that are not read must keep their values, so the image starts as a copy of the target.
    first = stages_of(image, target) if mask is not None and mask.fill is Fill.NONE else []
    return [*first, *stages_of(image, source, mask), *stages_of(target, image)]


def _steps(worker: Heap, target: End, source: End, mask: Mask | None, eviction: CacheEviction) -> list[Stage]:
    """Return one stage; two with temporary memory between them if no loops visit the pairs of both ends."""
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
    """Return an end on temporary memory, not yet allocated, at an address beyond both ends."""
    nbytes = source.size * dtype.itemsize
    blocks = [end.operand.span.block for end in (target, source)]
    beyond = max(_ELSEWHERE, *(block.pointer + block.nbytes for block in blocks))
    span = Span(Block(-(-beyond // _ALIGNED) * _ALIGNED, nbytes, None), 0, nbytes)
    return End(name, device, Operand(span, 0, dtype, (source.size,), (dtype.itemsize,)))


def _single(end: End) -> bool:
    """Tell whether elements can be paired with a table: they are one loop, or a table too."""
    operand = end.operand
    return operand.table is not None or (len(operand.extents) < 2 and operand.swizzle is None)


def _by_table(end: End) -> End:
    """Return an end whose elements are listed in a table."""
    operand = end.operand
    table = places(leaves_of(operand), operand.swizzle) // end.itemsize
    return end._replace(operand=operand._replace(extents=(table.size,), strides=(0,), swizzle=None, table=table))


def _looked_up(source: End, mask: Mask | None) -> tuple[End, Mask | None]:
    """Return a source by a table, and its mask for that table."""
    end, itemsize = _by_table(source), source.itemsize
    table = end.operand.table
    if mask is None or table is None or source.operand.swizzle is None:
        return end, mask
    table, mask = hiding(table, places(leaves_of(source.operand)) // itemsize, itemsize, mask)
    return end._replace(operand=end.operand._replace(table=table)), mask
