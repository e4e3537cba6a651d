"""What runs on a worker: pieces of tiles are cut, joined, computed with, and combined. All of it can be pickled."""

import pickle
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from accel.device import Device
from accel.dtypes import DType
from accel.engines.dask.worker_memory import MEMORY, Lease, WorkerTile
from accel.engines.execution import BodyResults, Memory, host_array, moved, run
from accel.engines.memory_budget.requests import Usage
from accel.engines.points import Operand, Point
from accel.memory.host_storage import HostArray, HostStorage
from accel.store.boxes import extents
from accel.store.reductions import ReductionOp
from accel.store.regions import Access
from accel.store.root import HOST
from accel.store.store_targets import Place, place_of

__all__ = [
    "Body",
    "Combine",
    "Cut",
    "Join",
    "Recipe",
    "failed",
    "item",
    "load",
    "save",
    "shape_of",
    "shared_by",
    "store_tile",
    "usage",
]

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

    @property
    def nbytes(self) -> int:
        """Bytes of the box."""
        return prod(self.shape) * self.dtype.itemsize

    def used(self, piece: WorkerTile) -> HostArray:
        """Return the elements of the only piece, which is in memory, as they are."""
        assert piece.array is not None, "the task was admitted with it"
        return np.require(piece.array.view(self.dtype), requirements=["ALIGNED"])

    def joined(self, pieces: Sequence[WorkerTile]) -> HostArray:
        """Return the elements of the box in memory of its own."""
        target = (np.empty if self.exact else np.zeros)(self.shape, self.dtype)
        for place, piece in zip(self.places, pieces, strict=True):
            with MEMORY.reading(piece) as array:
                target[place] = array.view(self.dtype)
        return target


class Cut:
    """Return a copy of a piece of a tile, so that the rest of the tile is not kept."""

    def __init__(self, index: Index, budget: int | None = None) -> None:
        self.index = index
        self.budget = budget

    def __call__(self, tile: WorkerTile) -> WorkerTile:  # noqa: D102 - the class says it
        shape = [each.stop - each.start for each in self.index]
        with MEMORY.admitted(prod(shape) * tile.dtype.itemsize, (), self.budget) as lease:
            return lease.keep(self.cut_from(tile))

    def cut_from(self, tile: WorkerTile) -> HostArray:
        """Return the piece as an array of its own."""
        with MEMORY.reading(tile) as array:
            return array[self.index].copy()


class Join:
    """Make one tile from pieces."""

    def __init__(self, recipe: Recipe, budget: int | None) -> None:
        self.recipe = recipe
        self.budget = budget

    def __call__(self, *pieces: WorkerTile) -> WorkerTile:  # noqa: D102 - the class says it
        with MEMORY.admitted(self.recipe.nbytes, (), self.budget) as lease:
            return lease.keep(self.recipe.joined(pieces))


class Body:
    """Run one point of a launch on pieces of its inputs, and return what it wrote: a tile, or a list of several.

    The parts are pickled once, here: Dask unpickles and pickles each task again in the scheduler.

    Parameters
    ----------
    shared : bytes
        What all points of a launch share, by `shared_by`; read once by each worker.
    point : Point
        The point.
    recipes : sequence of Recipe or None
        How the array of each operand is made; None for one whose old values are not needed.
    budget : int or None
        The most bytes of tiles in memory of the worker.
    device : Device or None
        Where the body runs.
    """

    def __init__(
        self, shared: bytes, point: Point, recipes: Sequence[Recipe | None], budget: int | None, device: Device | None
    ) -> None:
        self.shared = shared
        places = [(operand.map, operand.origin) for operand in point.operands]
        self.own: bytes = pickle.dumps((point.color, places, {**point.nestings}, tuple(recipes)))
        self.budget = budget
        self.device = device

    def __call__(self, *pieces: WorkerTile) -> Any:  # noqa: D102 - the class says it
        color, places, nestings, recipes = pickle.loads(self.own)  # noqa: S301 - as in `_read`
        point = _read(self.shared)
        operands = tuple(
            [
                operand._replace(map=index_map, origin=origin)
                for operand, (index_map, origin) in zip(point.operands, places, strict=True)
            ]
        )
        point = point._replace(color=color, operands=operands, nestings=nestings)
        return _Run(point, recipes, HOST if self.device is None else place_of(self.device))(pieces, self.budget)


class _Run:
    """A point on a worker."""

    def __init__(self, point: Point, recipes: Sequence[Recipe | None], place: Place) -> None:
        self.point = point
        self.recipes = recipes
        self.place = place

    def __call__(self, pieces: Sequence[WorkerTile], budget: int | None) -> Any:
        pieces_of = self._pieces(pieces)
        as_they_are = {name: tiles[0] for name, tiles in pieces_of.items() if self._as_it_is(name)}
        new = [each.nbytes for each in self.point.operands if each.name not in as_they_are]
        with MEMORY.admitted(sum(new), [*as_they_are.values()], budget) as lease:
            return self._run(pieces_of, lease)

    def _run(self, pieces_of: Mapping[str, Sequence[WorkerTile]], lease: Lease) -> Any:
        memories = {
            operand.name: self._memory(operand, self._array(operand, recipe, pieces_of.get(operand.name, ())))
            for operand, recipe in zip(self.point.operands, self.recipes, strict=True)
            if operand.map is not None and operand.access is not Access.REDUCE
        }
        results = run(self.point, memories, self.place)
        written = [lease.keep(_written(each, memories, results)) for each in self.point.operands if each.access.writes]
        return written[0] if len(written) == 1 else written

    def _pieces(self, pieces: Sequence[WorkerTile]) -> dict[str, Sequence[WorkerTile]]:
        """Return the pieces of each operand that has some."""
        pieces_of, at = {}, 0
        for operand, recipe in zip(self.point.operands, self.recipes, strict=True):
            if recipe is not None:
                pieces_of[operand.name] = pieces[at : at + len(recipe.places)]
                at += len(recipe.places)
        return pieces_of

    def _as_it_is(self, name: str) -> bool:
        """Tell whether the body reads a tile where it is, and does not write."""
        return any(
            operand.name == name and recipe is not None and recipe.exact and not operand.access.writes
            for operand, recipe in zip(self.point.operands, self.recipes, strict=True)
        )

    def _array(self, operand: Operand, recipe: Recipe | None, pieces: Sequence[WorkerTile]) -> HostArray:
        if recipe is None:
            return np.zeros(extents(operand.box), operand.dtype)
        return recipe.used(pieces[0]) if self._as_it_is(operand.name) else recipe.joined(pieces)

    def _memory(self, operand: Operand, array: HostArray) -> Memory:
        assert operand.map is not None, "what is unbound has no array"
        flat = array.reshape(-1)
        flat.flags.writeable = operand.access.writes
        return Memory(moved(HostStorage.on_array(flat), self.place), operand.map.on_box(), self.place)


def shared_by(point: Point) -> bytes:
    """Return what all points of a launch share, pickled: the task, the scalars, and what is done with each store."""
    import cloudpickle  # type: ignore[import-untyped]

    operands = [operand._replace(root=None, map=None, origin=()) for operand in point.operands]
    shared: bytes = cloudpickle.dumps(point._replace(operands=tuple(operands), nestings={}))
    return shared


@lru_cache(256)
def _read(shared: bytes) -> Point:
    read: Point = pickle.loads(shared)  # noqa: S301 - the program's own task, by way of Dask, which unpickles too
    return read


def _written(operand: Operand, memories: Mapping[str, Memory], results: BodyResults) -> HostArray:
    if operand.map is None:
        storage, shape = results.bound[operand.name]
    elif operand.access is Access.REDUCE:
        storage, shape = results.partials[operand.name], extents(operand.box)
    else:
        storage, shape = memories[operand.name].storage, extents(operand.box)
    return host_array(moved(storage, HOST)).reshape(shape)  # type: ignore[no-any-return]


class Combine:
    """Combine values of one box by the operator of a reduction, in their order."""

    def __init__(self, op: ReductionOp, dtype: DType, budget: int | None) -> None:
        self.op = op
        self.dtype = dtype
        self.budget = budget

    def __call__(self, first: WorkerTile, *others: WorkerTile) -> WorkerTile:  # noqa: D102 - the class says it
        with MEMORY.admitted(first.nbytes, (), self.budget) as lease:
            with MEMORY.reading(first) as array:
                total = array.view(self.dtype).copy()
            for each in others:
                with MEMORY.reading(each) as array:
                    self.op.combine(total, array.view(self.dtype))
            return lease.keep(total)


def store_tile(values: HostArray, budget: int | None) -> WorkerTile:
    """Return values that came with the task, as a tile."""
    with MEMORY.admitted(values.nbytes, (), budget) as lease:
        return lease.keep(values)


def failed(failure: BaseException) -> None:
    """Raise the failure of the task that should have written a value, in each task that reads it."""
    raise failure


def item(written: Sequence[WorkerTile], at: int) -> WorkerTile:
    """Return one of the tiles that a point wrote."""
    return written[at]


def shape_of(written: WorkerTile) -> tuple[int, ...]:
    """Return the shape that a point chose."""
    return written.shape


def save(tile: WorkerTile, path: str) -> None:
    """Write a tile to a file."""
    with open(path, "wb") as file, MEMORY.reading(tile) as array:  # noqa: PTH123 - np.save adds an ending to a path
        np.save(file, array.view(np.uint8) if array.dtype.kind == "V" else array, allow_pickle=False)


def load(path: str, dtype: DType, shape: tuple[int, ...], budget: int | None) -> WorkerTile:
    """Read a tile from a file."""
    with MEMORY.admitted(prod(shape) * dtype.itemsize, (), budget) as lease:
        return lease.keep(np.load(path, allow_pickle=False).view(dtype).reshape(shape))


def usage() -> Usage:
    """Return what tiles take in this process."""
    return MEMORY.usage()
