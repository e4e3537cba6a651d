"""Copies of boxes between the memory of a root and memory of their own, for bodies that run on another device."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from accel.device import Device
from accel.dtypes import DType
from accel.engines.execution import Memory, host_array, moved
from accel.engines.points import Operand, Point, root_of
from accel.layout import Layout
from accel.memory import AnyStorage
from accel.memory.aliases import alias
from accel.memory.host_storage import HostStorage
from accel.store.boxes import Box, extents, volume
from accel.store.index_maps import IndexMap
from accel.store.physical_store import PhysicalStore
from accel.store.regions import Access
from accel.store.root import HOST, Root
from accel.store.scratch import elements_of
from accel.store.store_targets import Place
from accel.store.tiles import Tiled
from accel.views import LayoutTensor

__all__ = [
    "box_array",
    "finish",
    "give_back",
    "is_lazy",
    "memory_at",
    "memory_of",
    "part_of",
    "physical",
    "point_bytes",
    "staged_back",
    "staged_in",
    "uses_memory",
    "whole_map",
]


def memory_at(operand: Operand, place: Place) -> Memory:
    """Return memory of an operand in a place: that of its root, or a copy of its box if the root is elsewhere."""
    root = operand.root
    assert root is not None, "the point is of this process"
    if root.place.device is not place.device:
        return staged_in(operand, place)
    assert operand.map is not None, "the operand has a shape"
    contents = root.contents
    if root.home is None and isinstance(contents, AnyStorage):  # the usual case
        return Memory(contents, operand.map, root.place)
    if is_lazy(root) and operand.box != root.box:
        return Memory(part_of(root, operand.box), operand.map.on_box(), root.place)
    return Memory(memory_of(root), operand.map, root.place)


def is_lazy(root: Root) -> bool:
    """Tell whether the values of a root are read when they are used, tile by tile."""
    contents = root.contents
    return contents is not None and not isinstance(contents, AnyStorage) and isinstance(contents, Tiled)


def part_of(root: Root, box: Box) -> AnyStorage:
    """Return the elements of a box of a root whose values are read when they are used, in new memory of the host."""
    contents = root.contents
    if not isinstance(contents, Tiled):  # another thread has asked for all of them
        copy = elements_of(HOST, volume(box), root.dtype)
        _exchange(root, box, copy, back=False)
        return copy
    return HostStorage.on_array(np.ascontiguousarray(contents.read(box), root.dtype).reshape(-1))


def give_back(operand: Operand, memory: Memory) -> None:
    """Copy what a body wrote to the root if it was elsewhere; wait for the work that it began on memory of the user."""
    root = operand.root
    assert root is not None, "the point is of this process"
    if root.place.device is not memory.place.device:
        staged_back(operand, memory)
    elif root.home is not None:
        finish(memory.storage)


def staged_in(operand: Operand, place: Place) -> Memory:
    """Return memory for an operand in another place, with its values if the body reads them."""
    assert operand.root is not None, "the point is of this process"
    assert operand.map is not None, "the operand has a shape"
    if operand.access is Access.READ and is_lazy(operand.root):
        return Memory(moved(part_of(operand.root, operand.box), place), operand.map.on_box(), place)
    storage = elements_of(place, volume(operand.box), operand.root.dtype)
    if operand.access.reads:
        _exchange(operand.root, operand.box, storage, back=False)
    return Memory(storage, operand.map.on_box(), place)


def staged_back(operand: Operand, memory: Memory) -> None:
    """Copy what a body wrote to the root."""
    if operand.access is not Access.READ and not operand.empty:
        _exchange(root_of(operand), operand.box, memory.storage, back=True)


def memory_of(root: Root) -> AnyStorage:
    """Return the memory of a root for work that is in order already; see `accel.engines.attached_memory`."""
    storage = root.storage()
    return alias(storage) if root.home is not None else storage


def finish(storage: AnyStorage) -> None:
    """Wait for all work on an alias; raises the error of work that failed."""
    storage.owner.settle(writing=False)
    storage.owner.settle(writing=True)


def whole_map(root: Root, box: Box) -> IndexMap:
    """Return the map of a box of a root."""
    index_map = IndexMap.whole(root.bound_shape(), root.strides, root.start)
    for axis, (low, high) in enumerate(box):
        index_map = index_map.slice(axis, low, high)
    return index_map


def _exchange(root: Root, box: Box, copy: AnyStorage, *, back: bool) -> None:
    """Copy a box of a root to memory that holds only this box, or back."""
    index_map = whole_map(root, box)
    storage = memory_of(root)
    there, here = LayoutTensor(storage, index_map.layout, index_map.offset), _tensor_of(copy, box)
    if back:
        there.copy_from(here)
    else:
        here.copy_from(there)
    if root.home is not None:
        finish(storage)


def _tensor_of(storage: AnyStorage, box: Box) -> LayoutTensor:
    return LayoutTensor(storage, Layout.row_major(*extents(box)))


@contextmanager
def box_array(root: Root, box: Box, dtype: DType) -> Iterator[Any]:
    """Give a NumPy array on a box of a root; if the root is on a device, what was changed is copied back."""
    if root.place.device is Device.CPU:
        index_map = whole_map(root, box)
        yield physical(memory_of(root), index_map, dtype, root.place)
        return
    copy = elements_of(HOST, volume(box), root.dtype)
    _exchange(root, box, copy, back=False)
    yield host_array(copy).view(dtype).reshape(extents(box))
    _exchange(root, box, copy, back=True)


def physical(storage: AnyStorage, index_map: IndexMap, dtype: DType, place: Place) -> Any:
    """Return a NumPy array on memory of the host."""
    return PhysicalStore.on(storage, index_map, dtype, access=Access.READ_WRITE, place=place).span_read_write_accessor()


def uses_memory(operand: Operand) -> bool:
    """Tell whether a point gets memory for an operand: not for reductions and unbound outputs."""
    return operand.map is not None and operand.access is not Access.REDUCE


def point_bytes(point: Point, place: Place) -> dict[str, int]:
    """Return the bytes that a point needs for each parameter, besides memory that is used in place."""
    needed: dict[str, int] = {}
    for operand in point.operands:
        root = root_of(operand)
        in_place = isinstance(root.contents, AnyStorage) and root.place.device is place.device
        if uses_memory(operand) and not in_place:
            needed[operand.name] = operand.nbytes
    return needed
