"""The arguments of a launch: what each parameter got, checked."""

from enum import Enum
from typing import Any, NamedTuple

import numpy as np

from accel.device import Device
from accel.engines.points import Operand
from accel.errors import StoreError, StoreTypeError, StoreValueError
from accel.store import regions
from accel.store.boxes import everything, overlap
from accel.store.logical_store import LogicalStore
from accel.store.partition import LogicalStorePartition
from accel.store.reductions import ReductionOp
from accel.store.regions import Access
from accel.store.scalars import Scalar

__all__ = ["Argument", "Place", "as_scalar", "check_store", "operand_of", "refuse_shared_writes"]

_SCALARS = (bool, int, float, complex, str, bytes, np.generic, np.dtype, Scalar, Enum, Device, type(None))
_PLAIN = frozenset({bool, int, float, complex, str, bytes, type(None)})


class Argument(NamedTuple):
    """What a parameter got.

    Attributes
    ----------
    name : str
        The parameter.
    access : Access or None
        What the task does with the store; None for a scalar.
    op : ReductionOp or None
        The operator of a reduction.
    value : LogicalStore or LogicalStorePartition or scalar
        The argument.
    """

    name: str
    access: Access | None
    op: ReductionOp | None
    value: Any

    @property
    def partitioned(self) -> bool:
        """Whether each color gets a tile of its own."""
        return isinstance(self.value, LogicalStorePartition)

    @property
    def store(self) -> LogicalStore:
        """The store, whole."""
        store: LogicalStore = self.value.store if self.partitioned else self.value
        return store


class Place(NamedTuple):
    """A parameter that takes a store: its position among the parameters, its name, and what is done with the store."""

    at: int
    name: str
    access: Access
    op: ReductionOp | None


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
    if isinstance(value, LogicalStore | LogicalStorePartition):
        raise StoreTypeError(
            f"task {task}: parameter {name!r} is a scalar, and got a store; annotate it with Input, Output, InOut "
            f"or Reduce"
        )
    raise StoreTypeError(
        f"task {task}: parameter {name!r} takes a number, text, bytes, a Scalar, or a tuple of these; found "
        f"{type(value).__name__}: give arrays as stores (from_array(x)), to a parameter annotated with Input or Output"
    )


def check_store(task: str, place: Place, value: Any) -> LogicalStore:
    """Return the store of an argument, whole, after all checks that concern it alone."""
    _, name, access, op = place
    if type(value) is LogicalStore:
        store = value
    elif isinstance(value, LogicalStorePartition):
        store = value.store
    else:
        raise StoreTypeError(
            f"task {task}: parameter {name!r} takes a LogicalStore or a partition of one; found "
            f"{type(value).__name__}: write from_array(x)"
        )
    root = store.root
    if root.detached:
        root.refuse_detached()
    if root.readonly and access is not Access.READ:
        root.refuse_read_only()
    if root.shape is None:
        _check_unbound(task, place, store)
    if op is not None and not op.takes(store.dtype):
        op.require(store.dtype)
    return store


def _check_unbound(task: str, place: Place, store: LogicalStore) -> None:
    """Refuse an unbound store, except as an output that no earlier task binds; waits for such a task."""
    box = everything(store.root.ndim)
    if place.access is not Access.WRITE or regions.pending(store.root, box, writing=False):
        store.root.known_shape()
    if place.access is not Access.WRITE and store.root.shape is None:
        raise StoreError(f"task {task}: parameter {place.name!r} got an uninitialized unbound store")


def operand_of(place: Place, value: Any, color: tuple[int, ...]) -> Operand:
    """Return a store as one color uses it."""
    _, name, access, op = place
    if type(value) is LogicalStore:
        root = value.root
        index_map = None if root.shape is None else value.map
        ndim = root.ndim if index_map is None else len(index_map.shape)
        return Operand(name, access, op, value.dtype, ndim, index_map, (0,) * ndim, root, False, root.scalar)
    child = value.get_child_store(*color)
    root, origin = child.root, value.origin(color)
    return Operand(name, access, op, child.dtype, len(origin), child.map, origin, root, True, root.scalar)


def refuse_shared_writes(task: str, operands: tuple[Operand, ...]) -> None:
    """Raise `StoreValueError` if a point writes one element through two parameters."""
    written = [each for each in operands if each.access is not Access.READ]
    for at, one in enumerate(written):
        for other in written[at + 1 :]:
            if one.root is other.root and overlap(one.box, other.box):
                raise StoreValueError(
                    f"task {task} would write the same elements through {one.name!r} and {other.name!r}; give stores "
                    f"that do not overlap"
                )
