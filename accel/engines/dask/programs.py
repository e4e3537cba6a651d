"""What runs on a worker: pieces of tiles are cut, joined, computed with, and combined. All of it can be pickled."""

import pickle
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from accel.dtypes import DType
from accel.engines.points import Operand, Point
from accel.engines.running import Memory, Produced, host_array, run
from accel.engines.tasks import Task
from accel.memory.host_storage import HostArray, HostStorage
from accel.store.boxes import extents
from accel.store.reductions import ReductionOp
from accel.store.regions import Access

__all__ = ["Body", "Combine", "Cut", "Join", "Recipe", "failed", "item", "kept", "load", "save", "shape_of"]

Index = tuple[slice, ...]


class Recipe(NamedTuple):
    """How an array of a box is made from pieces.

    Attributes
    ----------
    shape : tuple of int
        Number of elements of the box along each axis.
    dtype : numpy.dtype
        Type of the elements; those of a piece may be another type of the same size.
    places : tuple
        The index of each piece in the box; elements in none of them are 0.
    """

    shape: tuple[int, ...]
    dtype: DType
    places: tuple[Index, ...]

    @property
    def exact(self) -> bool:
        """Whether there is one piece, which is all of the box."""
        return len(self.places) == 1 and self.places[0] == tuple([slice(0, extent) for extent in self.shape])

    def joined(self, pieces: Sequence[HostArray], *, fresh: bool) -> HostArray:
        """Return the elements of the box; ``fresh`` if they will be written."""
        if self.exact:
            exact = pieces[0].view(self.dtype)
            # What came in a message may be at any address.
            return exact.copy() if fresh else np.require(exact, requirements=["C", "ALIGNED"])
        made = np.zeros(self.shape, self.dtype)
        for place, piece in zip(self.places, pieces, strict=True):
            made[place] = piece.view(self.dtype)
        return made


class Cut:
    """Return a copy of a piece of a tile, so that the rest of the tile is not kept."""

    def __init__(self, index: Index) -> None:
        self.index = index

    def __call__(self, tile: HostArray) -> HostArray:  # noqa: D102 - the class says it
        return tile[self.index].copy()


class Join:
    """Make one tile from pieces."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe

    def __call__(self, *pieces: HostArray) -> HostArray:  # noqa: D102 - the class says it
        return self.recipe.joined(pieces, fresh=False)


class Body:
    """Run one point of a launch on pieces of its inputs, and return what it wrote: an array, or a list of several.

    Parameters
    ----------
    point : Point
        The point.
    task : bytes
        Its task, pickled: once for all points of a launch, and read once by each worker.
    recipes : sequence of Recipe or None
        How the array of each operand is made; None for one whose old values are not needed.
    """

    def __init__(self, point: Point, task: bytes, recipes: Sequence[Recipe | None]) -> None:
        self.point = point.sent()._replace(task=None)  # type: ignore[arg-type]
        self.task = task
        self.recipes = tuple(recipes)

    def __call__(self, *pieces: HostArray) -> Any:  # noqa: D102 - the class says it
        arrays: dict[str, HostArray] = {}
        at = 0
        for operand, recipe in zip(self.point.operands, self.recipes, strict=True):
            if recipe is None:
                if operand.map is not None and operand.access is not Access.REDUCE:
                    arrays[operand.name] = np.zeros(extents(operand.box), operand.dtype)
                continue
            used = pieces[at : at + len(recipe.places)]
            at += len(used)
            arrays[operand.name] = recipe.joined(used, fresh=operand.access.writes)
        point = self.point._replace(task=_read(self.task))
        produced = run(point, {name: self._memory(name, array) for name, array in arrays.items()})
        written = [_written(each, arrays, produced) for each in self.point.operands if each.access.writes]
        return written[0] if len(written) == 1 else written

    def _memory(self, name: str, array: HostArray) -> Memory:
        (operand,) = [each for each in self.point.operands if each.name == name]
        assert operand.map is not None, "what is unbound has no array"
        flat = array.reshape(-1)
        flat.flags.writeable = operand.access.writes
        return Memory(HostStorage.on_array(flat), operand.map.on_box())


@lru_cache(256)
def _read(task: bytes) -> Task:
    read: Task = pickle.loads(task)  # noqa: S301 - the program's own task, by way of Dask, which unpickles too
    return read


def _written(operand: Operand, arrays: Mapping[str, HostArray], produced: Produced) -> HostArray:
    if operand.map is None:
        storage, shape = produced.bound[operand.name]
        return host_array(storage).reshape(shape)  # type: ignore[no-any-return]
    if operand.access is Access.REDUCE:
        return host_array(produced.partials[operand.name]).reshape(extents(operand.box))  # type: ignore[no-any-return]
    return arrays[operand.name]


class Combine:
    """Combine values of one box by the operator of a reduction, in their order."""

    def __init__(self, op: ReductionOp, dtype: DType) -> None:
        self.op = op
        self.dtype = dtype

    def __call__(self, first: HostArray, *others: HostArray) -> HostArray:  # noqa: D102 - the class says it
        made = first.view(self.dtype).copy()
        for each in others:
            self.op.combine(made, each.view(self.dtype))
        return made


def kept(tile: HostArray) -> HostArray:
    """Return what was sent with the task."""
    return tile


def failed(failure: BaseException) -> None:
    """Raise the failure of a task that was to write a value, for those that read it."""
    raise failure


def item(written: Sequence[HostArray], at: int) -> HostArray:
    """Return one of the arrays that a point wrote."""
    return written[at]


def shape_of(written: HostArray) -> tuple[int, ...]:
    """Return the shape that a point chose."""
    shape: tuple[int, ...] = written.shape
    return shape


def save(tile: HostArray, path: str) -> None:
    """Write a tile to a file."""
    with open(path, "wb") as file:  # noqa: PTH123 - np.save adds an ending to a path
        np.save(file, tile.view(np.uint8) if tile.dtype.kind == "V" else tile, allow_pickle=False)


def load(path: str, dtype: DType, shape: tuple[int, ...]) -> HostArray:
    """Read a tile from a file."""
    loaded: HostArray = np.load(path, allow_pickle=False)
    return loaded.view(dtype).reshape(shape)
