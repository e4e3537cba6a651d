"""`Plan`: what a launch computes, as a graph of Dask; pure bookkeeping, nothing is submitted.

A write makes a new tile, and the values that were there are never changed. So a task that Dask runs twice gives the
same values both times. Points are planned one after the other: each reads what those before it have written.
"""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import uuid4

from accel.device import Device
from accel.dtypes import DType
from accel.engines.dask.programs import Body, Combine, Cut, Join, Recipe, failed, item, shape_of, shared_by, store_tile
from accel.engines.dask.tiles import Here, Holder, Key, SavedFile, Tile
from accel.engines.dask.tiling import Tiling, within
from accel.engines.points import Operand, Point
from accel.engines.task_definition import TaskDefinition
from accel.store.boxes import Box, extents, intersection, volume
from accel.store.reductions import ReductionOp
from accel.store.regions import Access
from accel.store.root import Root

if TYPE_CHECKING:
    from dask.task_spec import Task as Call

__all__ = ["Plan", "PlannedPoint", "SentValues", "Version", "batches"]

_FAN_IN = 8
_SEND_AT_ONCE = 1 << 23
"""Bytes of this process that go into one message to the scheduler."""


class Version:
    """The values of a root as a plan changes them.

    Parameters
    ----------
    root : Root
        The root.
    tiling : Tiling
        What holds each box; the plan changes it.
    """

    __slots__ = ("changed", "root", "tiling")

    def __init__(self, root: Root, tiling: Tiling[Holder]) -> None:
        self.root: Root = root
        self.tiling: Tiling[Holder] = tiling
        self.changed: bool = False

    def write(self, tile: Tile) -> None:
        """Replace the values of a box."""
        self.tiling.put(tile.box, tile)
        self.changed = True


class PlannedPoint(NamedTuple):
    """One point of a plan.

    Attributes
    ----------
    point : Point
        The point.
    key : tuple
        The name of what its body returns.
    unbound : tuple
        Each output whose shape the point chooses, with the tile and the name of its shape.
    """

    point: Point
    key: Key
    unbound: tuple[tuple[Operand, Tile, Key], ...]


class SentValues(NamedTuple):
    """Values of this process, as a task that carries them, and their bytes."""

    task: "Call"
    nbytes: int


class _Inputs:
    """The arguments of one body: names of values, and what they depend on."""

    def __init__(self) -> None:
        self.keys: list[Key] = []
        self.depth = 0
        self.files: frozenset[SavedFile] = frozenset()

    def add(self, key: Key, tile: Tile) -> None:
        self.keys.append(key)
        self.depth = max(self.depth, tile.depth)
        self.files |= tile.files


class Plan:
    """The tasks of a launch, as a graph of Dask.

    Parameters
    ----------
    task : TaskDefinition
        The task; its name is in the names that its values get on the cluster.
    budget : int or None
        The most bytes of tiles in memory of a worker.
    device : Device or None
        Where bodies run.
    preview : bool
        Count the values of this process, and do not copy them.

    Attributes
    ----------
    sent : dict
        Values of this process that the cluster needs.
    graph : dict
        All other tasks.
    results : list
        The names of the results of reductions.
    points : list of PlannedPoint
        The points.
    versions : dict
        The values of each root.
    """

    def __init__(
        self, task: TaskDefinition, *, budget: int | None = None, device: Device | None = None, preview: bool = False
    ) -> None:
        self._name = f"{task.name}-{uuid4().hex}"
        self._shared = b""
        self._numbers = count()
        self._preview = preview
        self._budget = budget
        self._device = device
        self._cuts: dict[tuple[Key, Box], Key] = {}
        self._partials: dict[tuple[int, Box, ReductionOp, DType], _Inputs] = {}
        self.sent: dict[Key, SentValues] = {}
        self.graph: dict[Key, Call] = {}
        self.results: list[Key] = []
        self.points: list[PlannedPoint] = []
        self.versions: dict[int, Version] = {}

    def add(self, point: Point) -> PlannedPoint:
        """Plan one point, after those that were added before."""
        inputs = _Inputs()
        recipes = [self._recipe(operand, inputs) for operand in point.operands]
        self._shared = self._shared or shared_by(point)
        key = self._task(Body(self._shared, point, recipes, self._budget, self._device), inputs.keys)
        written = [operand for operand in point.operands if operand.access.writes]
        unbound = []
        for at, operand in enumerate(written):
            value = key if len(written) == 1 else self._task(item, [key], at)
            tile = Tile(operand.box, value, inputs.depth + 1, inputs.files)
            if operand.map is None:
                unbound.append((operand, tile, self._task(shape_of, [value])))
            elif operand.access is Access.REDUCE:
                self._reduce(operand, tile)
            elif not operand.map.empty:
                self._version(operand).write(tile)
        planned = PlannedPoint(point, key, tuple(unbound))
        self.points.append(planned)
        return planned

    def combine(self) -> None:
        """Plan the end of all reductions: partial results are combined as a tree, and with the current values last."""
        for (root, box, op, dtype), inputs in self._partials.items():
            version = self.versions[root]
            keys = inputs.keys
            while len(keys) > 1:
                keys = [
                    self._task(Combine(op, dtype, self._budget), keys[at : at + _FAN_IN])
                    for at in range(0, len(keys), _FAN_IN)
                ]
            current = _Inputs()
            recipe = self._pieces(version, box, current)
            if recipe.places:
                joined = current.keys[0] if recipe.exact else self._task(Join(recipe, self._budget), current.keys)
                keys = [self._task(Combine(op, dtype, self._budget), [joined, *keys])]
            depth = max(inputs.depth, current.depth) + 1
            version.write(Tile(box, keys[0], depth, inputs.files | current.files))
            self.results.append(keys[0])

    def needed(self) -> set[Key]:
        """Return the names of values that are needed after the launch, or whose end is the end of the launch."""
        needed = {each.key for each in self.points}
        for each in self.points:
            needed.update([name for _, tile, shape in each.unbound for name in (tile.key, shape)])
        for version in self.versions.values():
            needed.update([value.key for value in version.tiling.values() if isinstance(value, Tile)])
        return needed

    def _reduce(self, operand: Operand, tile: Tile) -> None:
        assert operand.op is not None, "a reduction has an operator"
        if not volume(tile.box):
            return
        version = self._version(operand)
        which = id(version.root), tile.box, operand.op, operand.dtype
        self._partials.setdefault(which, _Inputs()).add(tile.key, tile)

    def _recipe(self, operand: Operand, inputs: _Inputs) -> Recipe | None:
        if operand.map is None or not operand.access.reads or operand.access is Access.REDUCE:
            return None
        return self._pieces(self._version(operand), operand.box, inputs)

    def _pieces(self, version: Version, box: Box, inputs: _Inputs) -> Recipe:
        """Find the pieces of a box, and plan to send and to cut them."""
        places = []
        for owned, value in version.tiling.find(box):
            common = intersection(owned, box)
            places.append(within(common, box))
            tile = self._send(version, common, value) if isinstance(value, Here) else value
            inputs.add(self._cut(tile, common), tile)
        return Recipe(extents(box), version.root.dtype, tuple(places))

    def _send(self, version: Version, box: Box, value: Here) -> Tile:
        failure = version.root.regions.failure_of(box)
        key = self._name + "-send", next(self._numbers)
        if failure is None:
            # A copy: the user may write to the memory while Dask sends it, or computes with it again.
            values = value.array[within(box, value.box)]
            copied = None if self._preview else values.copy(order="C")
            self.sent[key] = SentValues(_task(key, store_tile, copied, self._budget), values.nbytes)
        else:
            self.sent[key] = SentValues(_task(key, failed, failure), 0)
        tile = Tile(box, key)
        version.tiling.put(box, tile)
        return tile

    def _cut(self, tile: Tile, box: Box) -> Key:
        if box == tile.box:
            return tile.key
        key = self._cuts.get((tile.key, box))
        if key is None:
            key = self._cuts[tile.key, box] = self._task(Cut(within(box, tile.box), self._budget), [tile.key])
        return key

    def _version(self, operand: Operand) -> Version:
        return self.versions[id(operand.root)]

    def _task(self, function: Any, keys: Sequence[Key], *arguments: object) -> Key:
        from dask.task_spec import TaskRef

        key = self._name, next(self._numbers)
        self.graph[key] = _task(key, function, *map(TaskRef, keys), *arguments)
        return key


def _task(key: Key, function: Any, *arguments: object) -> "Call":
    from dask.task_spec import Task as Call

    return Call(key, function, *arguments)


def batches(sent: dict[Key, SentValues]) -> Iterator[dict[Key, "Call"]]:
    """Return tasks that carry values, in messages of a limited size."""
    batch: dict[Key, Call] = {}
    size = 0
    for key, each in sent.items():
        if batch and size + each.nbytes > _SEND_AT_ONCE:
            yield batch
            batch, size = {}, 0
        batch[key] = each.task
        size += each.nbytes
    if batch:
        yield batch
