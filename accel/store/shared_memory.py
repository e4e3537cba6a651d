"""Stores that are attached to the same memory of the user: the host waits for tasks on all of them.

The regions of a root do not record tasks that use another root on the same bytes. The hazards of the memory do:
`accel.engines.attached_memory` records tasks there, as events that know their works.
"""

from collections.abc import Iterator
from itertools import chain
from typing import Any

from accel.store.box_order import Use
from accel.store.boxes import Box, extents, is_empty, volume
from accel.store.failures import again
from accel.store.index_maps import IndexMap
from accel.store.regions import Access
from accel.store.root import Root

__all__ = ["note_filled", "note_overwritten", "other_uses", "settle"]


def settle(root: Root, index_map: IndexMap, *, writing: bool) -> None:
    """Make the host wait until it may use some elements; as `Regions.settle`, also for tasks on other stores.

    Raises
    ------
    BaseException
        The failure of a task that was to write elements of their box, by this store or by another.
    """
    if index_map.empty:
        return
    box = index_map.box
    root.regions.settle(box, writing=writing)
    for work, use in other_uses(root, box):
        if writing or use.access.writes:
            work.settle()
        failure = use.root.regions.failure_of(use.box) if use.access.writes else None
        if failure is not None:
            raise again(failure)


def other_uses(root: Root, box: Box) -> list[tuple[Any, Use]]:
    """Return the tasks in flight, or failed, that use bytes of a box by another store, each with its use."""
    home = root.home
    if home is None or root.contents is not home or is_empty(box):
        return []
    hazards = home.owner.hazards  # read once: another thread may forget them
    if hazards is None:
        return []
    low, high = _addresses(root, box)
    return [
        (work, use)
        for work in _works(hazards, low, high)
        for use in work.uses
        if use.root.shares_memory(root) and not is_empty(use.box) and _meet(_addresses(use.root, use.box), (low, high))
    ]


def note_overwritten(use: Use, earlier: list[tuple[Any, Use]]) -> None:
    """Make elements valid that earlier tasks failed to write by other stores, if a use has written all their bytes."""
    root, box, access, _ = use
    if access is not Access.WRITE or is_empty(box) or root.home is None:
        return
    low, high = _addresses(root, box)
    if high - low > volume(box) * root.dtype.itemsize:
        return  # there is memory between the elements
    for _, other in earlier:
        if other.root.home is not None:
            first, last = _addresses(other.root, other.box)
            if low <= first and last <= high:
                other.root.regions.make_valid(other.box)


def note_filled(root: Root, box: Box) -> None:
    """Make elements valid that earlier tasks failed to write by other stores; the host has written the box."""
    earlier = other_uses(root, box)
    if earlier:
        note_overwritten(Use(root, box, Access.WRITE), earlier)


def _works(hazards: Any, low: int, high: int) -> Iterator[Any]:
    """Return the works of the tasks that are recorded in the hazards of some bytes."""
    events = {id(each[2]): each[2].event for each in chain(*hazards) if each[0] < high and low < each[1]}
    for event in events.values():
        if getattr(event, "of_tasks", False):
            yield from {id(work): work for work in (*event.works, *event.own)}.values()


def _addresses(root: Root, box: Box) -> tuple[int, int]:
    """Return the address of the first byte of a box, and the address past the last one."""
    assert root.home is not None, "the memory is attached"
    assert root.strides is not None, "attached memory has a shape"
    first = root.start + sum([low * step for (low, _), step in zip(box, root.strides, strict=True)])
    last = first + sum([(extent - 1) * step for extent, step in zip(extents(box), root.strides, strict=True)])
    at, itemsize = root.home.pointer, root.dtype.itemsize
    return at + first * itemsize, at + (last + 1) * itemsize


def _meet(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]
