"""Copies of boxes between the memory of a root and memory of their own, for bodies that run on another device."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from accel.device import Device
from accel.dtypes import DType
from accel.engines.points import Operand
from accel.engines.running import Memory, host_array
from accel.layout import Layout
from accel.memory import AnyStorage
from accel.store.boxes import Box, extents, volume
from accel.store.index_maps import IndexMap
from accel.store.physical_store import PhysicalStore
from accel.store.regions import Access
from accel.store.root import HOST, Root
from accel.store.scratch import elements_of
from accel.store.store_targets import Place
from accel.views import LayoutTensor

__all__ = ["box_array", "box_tensor", "staged_back", "staged_in", "whole_map"]


def staged_in(operand: Operand, place: Place) -> Memory:
    """Return memory for an operand in another place, with its values if the body reads them."""
    root = operand.root
    assert root is not None, "the point is of this process"
    assert operand.map is not None, "the operand has a shape"
    storage = elements_of(place, volume(operand.box), root.dtype)
    if operand.access.reads:
        _tensor_of(storage, operand.box).copy_from(box_tensor(root, operand.box))
    return Memory(storage, operand.map.on_box(), place)


def staged_back(operand: Operand, memory: Memory) -> None:
    """Copy what a body wrote to the root."""
    if operand.access is not Access.READ:
        assert operand.root is not None, "the point is of this process"
        box_tensor(operand.root, operand.box).copy_from(_tensor_of(memory.storage, operand.box))


def whole_map(root: Root, box: Box) -> IndexMap:
    """Return the map of a box of a root."""
    made = IndexMap.whole(root.known_shape(), root.strides, root.start)
    for axis, (low, high) in enumerate(box):
        made = made.slice(axis, low, high)
    return made


def box_tensor(root: Root, box: Box) -> LayoutTensor:
    """Return the elements of a box in the memory of its root."""
    index_map = whole_map(root, box)
    return LayoutTensor(root.storage(), index_map.layout, index_map.offset)


def _tensor_of(storage: AnyStorage, box: Box) -> LayoutTensor:
    return LayoutTensor(storage, Layout.row_major(*extents(box)))


@contextmanager
def box_array(root: Root, box: Box, dtype: DType) -> Iterator[Any]:
    """Give a NumPy array on a box of a root; if the root is on a device, what was changed is copied back."""
    if root.place.device is Device.CPU:
        index_map = whole_map(root, box)
        yield physical(root.storage(), index_map, dtype, root.place)
        return
    held = elements_of(HOST, volume(box), root.dtype)
    _tensor_of(held, box).copy_from(box_tensor(root, box))
    yield host_array(held).view(dtype).reshape(extents(box))
    box_tensor(root, box).copy_from(_tensor_of(held, box))


def physical(storage: AnyStorage, index_map: IndexMap, dtype: DType, place: Place) -> Any:
    """Return a NumPy array on memory of the host."""
    return PhysicalStore.on(storage, index_map, dtype, access=Access.READ_WRITE, place=place).span_read_write_accessor()
