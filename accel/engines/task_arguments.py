"""The arguments of a launch, checked."""

from collections.abc import Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from accel.device import Device
from accel.engines.points import Operand
from accel.engines.task_definition import StorePlace
from accel.errors import StoreError, StoreTypeError, StoreValueError
from accel.store.arrays.logical_array import LogicalArray, LogicalArrayPartition
from accel.store.arrays.nesting import Nesting
from accel.store.boxes import Box, box_of, everything, extents, overlap
from accel.store.index_maps import IndexMap
from accel.store.logical_store import LogicalStore, LogicalStorePartition
from accel.store.reductions import ReductionOp
from accel.store.regions import Access
from accel.store.scalars import Scalar

__all__ = [
    "Argument",
    "array_operands",
    "as_scalar",
    "check_stores",
    "refuse_shared_writes",
    "store_operands",
    "stores_of",
]

_SCALARS = (bool, int, float, complex, str, bytes, np.generic, np.dtype, Scalar, Enum, Device, type(None))
_PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None)})


class Argument(NamedTuple):
    """The argument of a parameter.

    Attributes
    ----------
    name : str
        The parameter.
    access : Access or None
        What the task does with the store; None for a scalar.
    op : ReductionOp or None
        The operator of a reduction.
    value : LogicalStore or LogicalArray or a partition of one, or scalar
        The argument.
    """

    name: str
    access: Access | None
    op: ReductionOp | None
    value: Any

    @property
    def partitioned(self) -> bool:
        """Whether each color gets a tile of its own."""
        return isinstance(self.value, LogicalStorePartition | LogicalArrayPartition)

    @property
    def store(self) -> LogicalStore:
        """The store, whole; of an array the first of its stores."""
        return stores_of(self.value)[0]


def stores_of(value: Any) -> tuple[LogicalStore, ...]:
    """Return the stores of an argument, whole; none if it has no stores."""
    if isinstance(value, LogicalStorePartition | LogicalArrayPartition):
        value = value.store if isinstance(value, LogicalStorePartition) else value.array
    if isinstance(value, LogicalArray):
        return value.stores()
    return (value,) if isinstance(value, LogicalStore) else ()


def as_scalar(task: str, name: str, value: Any) -> Any:
    """Return an argument that is not a store.

    Raises
    ------
    StoreTypeError
        If a task cannot take it.
    """
    if type(value) in _PLAIN or isinstance(value, _SCALARS):
        return value
    if isinstance(value, tuple):
        return tuple([as_scalar(task, name, each) for each in value])
    if stores_of(value):
        raise StoreTypeError(
            f"task {task}: parameter {name!r} is a scalar, and got a store; annotate it with Input, Output, InOut "
            f"or Reduce"
        )
    raise StoreTypeError(
        f"task {task}: parameter {name!r} takes a number, text, bytes, a Scalar, or a tuple of these; found "
        f"{type(value).__name__}: give arrays as stores (from_array(x)), to a parameter annotated with Input or Output"
    )


def check_stores(task: str, place: StorePlace, value: Any) -> None:
    """Check the stores of one argument."""
    stores = (value,) if type(value) is LogicalStore else stores_of(value)
    if not stores:
        raise StoreTypeError(
            f"task {task}: parameter {place.name!r} takes a LogicalStore, a LogicalArray or a partition of one; found "
            f"{type(value).__name__}: write from_array(x)"
        )
    for store in stores:
        _check_store(task, place, store)


def _check_store(task: str, place: StorePlace, store: LogicalStore) -> None:
    _, _, access, op = place
    root = store.root
    if root.detached:
        root.refuse_detached()
    if root.readonly and access is not Access.READ:
        root.refuse_read_only()
    if root.shape is None:
        _check_unbound(task, place, store)
    if op is not None and not op.takes(store.dtype):
        op.require(store.dtype)


def _check_unbound(task: str, place: StorePlace, store: LogicalStore) -> None:
    """Refuse an unbound store, except as an output that no earlier task binds; waits for such a task."""
    box = everything(store.root.ndim)
    if place.access is not Access.WRITE or store.root.regions.pending(box, writing=False):
        store.root.bound_shape()
    if place.access is not Access.WRITE and store.root.shape is None:
        raise StoreError(f"task {task}: parameter {place.name!r} got an uninitialized unbound store")


def store_operands(
    place: StorePlace,
    value: LogicalStore | LogicalStorePartition,
    colors: Sequence[tuple[int, ...]],
    boxes: Sequence[Box] | None = None,
) -> list[Operand]:
    """Return a store as each color uses it: its tile, whole, or the box that a constraint derives."""
    if isinstance(value, LogicalStore):
        if boxes is None:
            return [_operand(place.name, place, value)] * len(colors)
        return [_operand(place.name, place, value, *_of_box(value.map, box)) for box in boxes]
    own = [color[: len(value.color_shape)] for color in colors]
    return [_operand(place.name, place, value.store, *tile) for tile in value.tiles(own)]


def _of_box(whole: IndexMap, box: Box) -> tuple[IndexMap, tuple[int, ...]]:
    """Return the map of a box of a store, and the index of its first element."""
    origin = tuple([low for low, _ in box])
    return whole.of_tile(origin, extents(box), first=not any(origin)), origin


def array_operands(
    place: StorePlace,
    value: LogicalArray | LogicalArrayPartition,
    colors: Sequence[tuple[int, ...]],
    boxes: Sequence[Box] | None = None,
) -> tuple[list[Sequence[Operand]], list[Nesting]]:
    """Return each store of an array as each color uses it; and for each color how the stores belong together."""
    rows, nestings = [], []
    for at_color, color in enumerate(colors):
        if isinstance(value, LogicalArray):
            tile = value if boxes is None else _rows(place.name, value, boxes[at_color])
        else:
            tile = value.get_child_array(color[0])
        stores = tile.stores()
        origins = [None] * len(stores) if tile is value else tile.origins()
        parts = enumerate(zip(stores, origins, strict=True))
        rows.append([_operand(f"{place.name}.{at}", place, store, None, origin) for at, (store, origin) in parts])
        nestings.append(tile.nesting)
    return [*zip(*rows, strict=True)], nestings


def _rows(name: str, array: LogicalArray, box: Box) -> LogicalArray:
    """Return the rows of an array in a box, which has all of each row."""
    (low, high), *rest = box
    if low < high and rest != [*box_of(array.shape[1:])]:
        raise StoreValueError(
            f"a constraint derives tiles of {name!r} that do not have whole rows, and arrays are cut along their first "
            f"dimension; give its data, a store"
        )
    return array.rows(low, high)


def _operand(
    name: str,
    place: StorePlace,
    store: LogicalStore,
    index_map: IndexMap | None = None,
    origin: tuple[int, ...] | None = None,
) -> Operand:
    """Return the elements of a map, or a whole store, as a point uses them; without an origin they are no tile."""
    root = store.root
    if index_map is None and root.shape is not None:
        index_map = store.map
    ndim = root.ndim if index_map is None else len(index_map.shape)
    first = (0,) * ndim if origin is None else origin
    tiled = origin is not None
    return Operand(name, place.access, place.op, store.dtype, ndim, index_map, first, root, tiled, root.scalar)


def refuse_shared_writes(task: str, operands: tuple[Operand, ...]) -> None:
    """Raise `StoreValueError` if a point writes one element through two parameters."""
    written = [each for each in operands if each.access is not Access.READ and not each.empty]
    for at, one in enumerate(written):
        for other in written[at + 1 :]:
            if one.root is other.root and overlap(one.box, other.box):
                raise StoreValueError(
                    f"task {task} would write the same elements through {one.name!r} and {other.name!r}; give stores "
                    f"that do not overlap"
                )
