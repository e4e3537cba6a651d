"""Ways: the plans that a copy would be given, found as `accel.copies.run` finds them, while nothing is allocated."""

from typing import NamedTuple

from accel.copies.elements import places
from accel.copies.planner import Mask, hiding, loops_of, masked
from accel.copies.sharing import leaves_of
from accel.device import Device
from accel.dtypes import DType
from accel.memory import Block, Fill, Operand, Plan, Span, heap_of
from accel.memory.copying import worker_of
from accel.memory.heap import Heap

__all__ = ["BETWEEN", "IMAGE", "End", "Way", "ways"]

IMAGE, BETWEEN = "image on the host", "memory in between"
"""What memory is called that a copy needs besides its ends."""


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
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self.operand.dtype.itemsize


class Way(NamedTuple):
    """One plan, which ends it joins, and the backend that it is given to."""

    backend: str
    target: End
    source: End
    plan: Plan

    @property
    def casts(self) -> bool:
        """Whether elements are converted."""
        return self.target.operand.dtype != self.source.operand.dtype


def ways(target: End, source: End, mask: Mask | None = None) -> list[Way]:
    """Return the plans of a copy in order; none where there are no elements."""
    if not target.size:
        return []
    worker = worker_of(heap_of(target.device), heap_of(source.device))
    cast = target.operand.dtype != source.operand.dtype
    if worker is None or (cast and not (_castable(target) and _castable(source))):
        return _by_image(target, source, mask)
    return _steps(worker, target, source, mask)


def _castable(end: End) -> bool:
    """Tell whether the host can cast the elements while it copies them."""
    return end.device is Device.CPU and end.operand.table is None


def _by_image(target: End, source: End, mask: Mask | None) -> list[Way]:
    dtype = target.operand.dtype if _castable(source) else source.operand.dtype
    image = _new(IMAGE, Device.CPU, dtype, target, source)
    kept = ways(image, target) if mask is not None and mask.fill is Fill.NONE else []
    return [*kept, *ways(image, source, mask), *ways(target, image)]


def _steps(worker: Heap, target: End, source: End, mask: Mask | None) -> list[Way]:
    if (target.operand.table is None) != (source.operand.table is None):
        target = target if _single(target) else _by_table(target)
        source, mask = (source, mask) if _single(source) else _looked_up(source, mask)
    way = _way(worker, target, source, mask)
    if way is not None:
        return [way]
    if mask is not None:
        source, mask = _looked_up(source, mask)
        return _steps(worker, _by_table(target), source, mask)
    between = _new(BETWEEN, worker.device, source.operand.dtype, target, source)
    found = [_way(worker, between, source), _way(worker, target, between)]
    return [way for way in found if way is not None]


def _way(worker: Heap, target: End, source: End, mask: Mask | None = None) -> Way | None:
    found = loops_of(target.operand, source.operand, masked=mask is not None)
    if found is None:
        return None
    return Way(worker.backend.name, target, source, found if mask is None else masked(found, mask, found.eviction))


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
