"""`Point`: one color of a launch, and what it does with each store."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from accel.dtypes import DType
from accel.engines.task_definition import TaskDefinition
from accel.store.arrays.nesting import Nesting
from accel.store.box_order import Use
from accel.store.boxes import Box, everything, volume
from accel.store.index_maps import IndexMap
from accel.store.reductions import ReductionOp
from accel.store.regions import Access
from accel.store.root import Root

__all__ = ["Operand", "Point", "root_of"]


class Operand(NamedTuple):
    """A store as one point uses it.

    Attributes
    ----------
    name : str
        The parameter.
    access : Access
        What the point does with the elements.
    op : ReductionOp or None
        The operator of a reduction.
    dtype : numpy.dtype
        Type of the elements.
    ndim : int
        Number of dimensions.
    map : IndexMap or None
        The elements; None for an output whose shape the point chooses.
    origin : tuple of int
        The index of the first element in the store that was partitioned.
    root : Root or None
        The root; None in a point that was sent to another process.
    partitioned : bool
        Whether this is a tile of a partition.
    future : bool
        Whether this is a scalar store.
    """

    name: str
    access: Access
    op: ReductionOp | None
    dtype: DType
    ndim: int
    map: IndexMap | None
    origin: tuple[int, ...]
    root: Root | None
    partitioned: bool = False
    future: bool = False

    @property
    def empty(self) -> bool:
        """Whether there are no elements; the box of a view that repeats elements 0 times has some all the same."""
        return self.map is not None and self.map.empty

    @property
    def box(self) -> Box:
        """The elements, in coordinates of the root."""
        return everything(self.ndim) if self.map is None else self.map.box

    @property
    def nbytes(self) -> int:
        """Bytes of the elements; 0 if the point chooses the shape."""
        return 0 if self.map is None else volume(self.map.box) * self.dtype.itemsize

    @property
    def use(self) -> Use:
        """The use of the root, for `accel.store.box_order`."""
        assert self.root is not None, "the point was sent to another process"
        return Use(self.root, self.box, self.access, self.op)


def root_of(operand: Operand) -> Root:
    """Return the root of an operand of a point of this process."""
    assert operand.root is not None, "the point was sent to another process"
    return operand.root


class Point(NamedTuple):
    """One color of a launch.

    Attributes
    ----------
    task : TaskDefinition
        The task.
    color : tuple of int
        The color.
    operands : tuple of Operand
        The stores, in the order of the parameters.
    scalars : Mapping
        The other arguments, by parameter.
    nestings : Mapping
        For each parameter that got an array: how its stores belong together. Their operands are named by the parameter
        and a number, as in ``"names.0"``.
    """

    task: TaskDefinition
    color: tuple[int, ...]
    operands: tuple[Operand, ...]
    scalars: Mapping[str, Any]
    nestings: Mapping[str, Nesting] = MappingProxyType({})

    @property
    def uses(self) -> list[Use]:
        """What the point uses, for `accel.store.box_order`."""
        return [operand.use for operand in self.operands if not operand.empty]

    @property
    def nbytes(self) -> int:
        """Bytes of all elements that it uses."""
        return sum([operand.nbytes for operand in self.operands])

    def sent(self) -> "Point":
        """Return the point without roots: plain data for another process."""
        return self._replace(operands=tuple([operand._replace(root=None) for operand in self.operands]))

    def __str__(self) -> str:
        return f"task {self.task.name}, color {self.color}" if self.color else f"task {self.task.name}"
