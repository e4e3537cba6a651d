"""Steps: a copy between two places that one backend knows, as the plans it is given."""

from collections.abc import Callable
from typing import NamedTuple

from accel.copies.elements import Elements, places
from accel.copies.planner import Mask, hiding, loops_of, masked
from accel.device import Device
from accel.memory import AnyStorage, Backend, CacheEviction, Operand, Plan, Span, Stream, allocate

__all__ = ["Step", "all_of", "steps_of"]


class Step(NamedTuple):
    """One plan, and the operands it is for."""

    into: Operand
    out_of: Operand
    plan: Plan

    def on(self, backend: Backend) -> Callable[[Stream | None], None]:
        """Return what gives the step to a backend, on a stream."""
        into, out_of, found = self
        if found.kind != "memcpy":
            return lambda stream: backend.copy_strided(into, out_of, found, stream=stream)
        target = _span(into, found.target_start, found.nbytes)
        source = _span(out_of, found.source_start, found.nbytes)
        return lambda stream: backend.copy(target, source, stream=stream)


def steps_of(
    device: Device,
    target: Elements,
    source: Elements,
    mask: Mask | None = None,
    eviction: CacheEviction = CacheEviction.NORMAL,
) -> tuple[list[Step], tuple[AnyStorage, ...]]:
    """Return one step of a device, or two with what holds the elements between them, as no loops walk both ends."""
    if (target.table is None) != (source.table is None):
        target = target if _single(target) else _by_table(target)
        source, mask = (source, mask) if _single(source) else _looked_up(source, mask)
    step = _step(target, source, mask, eviction)
    if step is not None:
        return [step], ()
    if mask is not None:
        source, mask = _looked_up(source, mask)
        return steps_of(device, _by_table(target), source, mask, eviction)
    between = allocate(device, source.size, source.element_type)
    found = [_step(all_of(between), source, None, eviction), _step(target, all_of(between), None, eviction)]
    return [step for step in found if step is not None], (between,)


def all_of(storage: AnyStorage) -> Elements:
    """Return all elements of a storage."""
    return Elements(storage, 0, ((storage.size, 1),))


def _step(target: Elements, source: Elements, mask: Mask | None, eviction: CacheEviction) -> Step | None:
    into, out_of = target.operand(), source.operand()
    found = loops_of(into, out_of, masked=mask is not None)
    return None if found is None else Step(into, out_of, masked(found, mask, eviction))


def _single(elements: Elements) -> bool:
    """Tell whether elements can be paired with a table: they are in one loop, or in a table too."""
    return elements.table is not None or (len(elements.leaves) < 2 and elements.swizzle is None)


def _by_table(elements: Elements) -> Elements:
    return elements._replace(leaves=(), table=elements.places(), swizzle=None)


def _looked_up(source: Elements, mask: Mask | None) -> tuple[Elements, Mask | None]:
    """Return elements by a table, and the mask of it."""
    found = _by_table(source)
    if mask is None or source.swizzle is None:
        return found, mask
    table, mask = hiding(found.places(), places(source.leaves), source.element_type.itemsize, mask)
    return found._replace(table=table), mask


def _span(operand: Operand, start: int, nbytes: int) -> Span:
    """Return the bytes from the first item on."""
    return Span(operand.span.block, operand.span.start + operand.start + start, nbytes)
