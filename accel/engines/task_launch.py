"""`Launch`: a task with its arguments, checked; and its points."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod
from typing import Any

from accel.engines.constraints import Align, Broadcast
from accel.engines.derived_tiles import check_derived, derived_boxes, inside
from accel.engines.points import Point
from accel.engines.task_arguments import (
    Argument,
    array_operands,
    as_scalar,
    check_stores,
    refuse_shared_writes,
    store_operands,
    stores_of,
)
from accel.engines.task_definition import TaskDefinition
from accel.errors import StoreIndexError, StoreValueError
from accel.store.arrays.logical_array import LogicalArray, LogicalArrayPartition
from accel.store.logical_store import LogicalStore, LogicalStorePartition
from accel.store.regions import Access

__all__ = ["MOST_COLORS", "Launch"]

MOST_COLORS = 10**7
"""The most colors of a launch: each is a task in memory of some kilobytes."""

_ARRAYS = LogicalArray, LogicalArrayPartition
_PARTITIONS = LogicalStorePartition, LogicalArrayPartition


class Launch:
    """A task with its arguments, checked and not submitted; made by `Task.bind`.

    Attributes
    ----------
    task : TaskDefinition
        The task.
    values : tuple
        The arguments, in the order of the parameters.
    color_shape : tuple of int
        Number of colors along each dimension; () for one point.
    has_arrays : bool
        Whether an argument is an array, or a partition of one.
    only : Point or None
        The only point; None if there are partitions.
    """

    __slots__ = ("_cut", "color_shape", "has_arrays", "only", "task", "values")
    # _cut: the parameters whose tiles the constraints use or derive.

    def __init__(self, task: TaskDefinition, values: tuple[Any, ...]) -> None:
        self.task: TaskDefinition = task
        self.values: tuple[Any, ...] = values
        self.color_shape: tuple[int, ...] = ()
        for at, name in task.scalar_places:
            as_scalar(task.name, name, values[at])
        whole = True
        self.has_arrays: bool = False
        for place in task.store_places:
            value = values[place.at]
            check_stores(task.name, place, value)
            if type(value) is not LogicalStore:
                whole = whole and not isinstance(value, _PARTITIONS)
                self.has_arrays = self.has_arrays or isinstance(value, _ARRAYS)
        self._cut: frozenset[str] = frozenset()
        if task.derived:
            self._cut = check_derived(task.name, task.derived, self._named)
        if not whole:
            self._check_colors()
        self.only: Point | None = self._points([()])[0] if whole else None
        if task.writes_several:
            self._refuse_shared_writes()
        if task.constraints:
            self._check_constraints()

    @property
    def arguments(self) -> Mapping[str, Argument]:
        """The argument of each parameter."""
        places = {place.at: place for place in self.task.store_places}
        arguments = {}
        for at, parameter in enumerate(self.task.parameters):
            place = places.get(at)
            access, op = (None, None) if place is None else (place.access, place.op)
            arguments[parameter.name] = Argument(parameter.name, access, op, self.values[at])
        return arguments

    @property
    def scalars(self) -> dict[str, Any]:
        """The arguments that are no stores."""
        return {name: self.values[at] for at, name in self.task.scalar_places}

    @property
    def colors(self) -> Sequence[tuple[int, ...]]:
        """The colors, in C order: one point each."""
        return [*product(*map(range, self.color_shape))]

    def __len__(self) -> int:
        return prod(self.color_shape)

    def point(self, color: tuple[int, ...]) -> Point:
        """Return what one color uses.

        Parameters
        ----------
        color : tuple of int
            The color.

        Raises
        ------
        StoreIndexError
            If there is no such color.
        """
        if len(color) != len(self.color_shape) or not all(
            0 <= at < count for at, count in zip(color, self.color_shape, strict=True)
        ):
            raise StoreIndexError(f"color {color} is invalid for a launch of color shape {self.color_shape}")
        return self.only or self._points([color])[0]

    def points(self) -> list[Point]:
        """Return what each color uses."""
        return self._points(self.colors) if self.only is None else [self.only]

    def derivation(self, name: str) -> str:
        """Return how a constraint cuts the store of a parameter; "" if none does.

        Parameters
        ----------
        name : str
            The name of the parameter.
        """
        derived = {each.target: each for each in self.task.derived}.get(name)
        if derived is None or name not in self._cut:
            return ""
        return f"in tiles by {type(derived).__name__.lower()} from those of {derived.source!r}"

    @property
    def _named(self) -> dict[str, Any]:
        """The stores, by parameter."""
        return {place.name: self.values[place.at] for place in self.task.store_places}

    def _points(self, colors: Sequence[tuple[int, ...]]) -> list[Point]:
        scalars, columns, nestings = self.scalars, [], {}
        boxes = derived_boxes(self.task.derived, self._named, colors) if self._cut else {}
        for place in self.task.store_places:
            value, derived = self.values[place.at], boxes.get(place.name)
            if derived is not None:
                shape = value.shape
                derived = [inside(box, shape) for box in derived]
            if isinstance(value, _ARRAYS):
                operands, nestings[place.name] = array_operands(place, value, colors, derived)
                columns += operands
            else:
                columns.append(store_operands(place, value, colors, derived))
        points = [
            Point(self.task, color, tuple(operands), scalars) for color, *operands in zip(colors, *columns, strict=True)
        ]
        if nestings:
            for at, point in enumerate(points):
                points[at] = point._replace(nestings={name: of_colors[at] for name, of_colors in nestings.items()})
        return points

    def cut(self, names: Sequence[str], rows: int) -> "Launch":
        """Return the launch with some of the stores cut into tiles of so many rows.

        Parameters
        ----------
        names : sequence of str
            The names of their parameters.
        rows : int
            How many rows.
        """
        values = [*self.values]
        for place in self.task.store_places:
            store = values[place.at]
            if place.name in names:
                # Not `partition_by_tiling`: it would become the current partition of the user's store.
                values[place.at] = LogicalStorePartition(store, (rows, *[max(extent, 1) for extent in store.shape[1:]]))
        return Launch(self.task, tuple(values))

    def _check_colors(self) -> None:
        """Find the one color shape of all partitions; some may leave out dimensions of one color at its end."""
        shapes: dict[tuple[int, ...], str] = {}
        for place in self.task.store_places:
            value = self.values[place.at]
            if isinstance(value, _PARTITIONS):
                shapes.setdefault(value.color_shape, place.name)
        one = self.color_shape = max(shapes, key=len)
        for other, second in shapes.items():
            if other != one[: len(other)] or prod(one[len(other) :]) != 1:
                raise StoreValueError(
                    f"task {self.task.name}: the partitions of {shapes[one]!r} and {second!r} have color shapes {one} "
                    f"and {other}; give partitions of one color shape, as by partition_by_tiling(tile_shape, "
                    f"color_shape)"
                )
        if prod(self.color_shape) > MOST_COLORS:
            raise StoreValueError(
                f"task {self.task.name}: the color shape {self.color_shape} has {prod(self.color_shape)} colors, and a "
                f"launch has at most {MOST_COLORS}; give partitions of larger tiles, by partition_by_tiling(tile_shape)"
            )
        if len(self) > 1:
            self._refuse_whole_outputs()

    def _refuse_whole_outputs(self) -> None:
        for place in self.task.store_places:
            value = self.values[place.at]
            written = place.access in (Access.WRITE, Access.READ_WRITE)
            if isinstance(value, _PARTITIONS) or place.name in self._cut or not written:
                continue
            if any(store.root.shape is not None for store in stores_of(value)):
                raise StoreValueError(
                    f"task {self.task.name}: each of {len(self)} colors would write all of {place.name!r}; give a "
                    f"partition of it, or declare a reduction: Reduce[ADD]"
                )

    def _refuse_shared_writes(self) -> None:
        written = [self.values[place.at] for place in self.task.store_places if place.access is not Access.READ]
        roots = [store.root for each in written for store in stores_of(each)]
        if len({*map(id, roots)}) < len(roots):
            for color in self.colors:
                refuse_shared_writes(self.task.name, self.point(color).operands)

    def _check_constraints(self) -> None:
        for constraint in self.task.constraints:
            if isinstance(constraint, Align):
                self._check_aligned({name: self.arguments[name] for name in constraint.names})
            elif isinstance(constraint, Broadcast):
                for name in constraint.names:
                    if self.arguments[name].partitioned:
                        raise StoreValueError(
                            f"task {self.task.name} takes {name!r} whole, and got a partition; give the store itself"
                        )

    def _check_aligned(self, arguments: Mapping[str, Argument]) -> None:
        cuts: dict[tuple[tuple[int, ...], tuple[int, ...] | None], str] = {}
        for name, argument in arguments.items():
            if argument.store.root.shape is None:
                continue
            tile = argument.value.tile_shape if argument.partitioned else None
            cuts.setdefault((argument.store.shape, tile), name)
        if len(cuts) > 1:
            (one, first), (other, second), *_ = cuts.items()
            raise StoreValueError(
                f"task {self.task.name} needs {first!r} and {second!r} cut alike; they have {_cut(*one)} and "
                f"{_cut(*other)}"
            )

    def __repr__(self) -> str:
        return f"<Launch of {self.task.name}, {len(self)} points>"

    def __reduce__(self) -> tuple[object, ...]:
        return Launch, (self.task, self.values)


def _cut(shape: tuple[int, ...], tile: tuple[int, ...] | None) -> str:
    return f"shape {shape}, whole" if tile is None else f"shape {shape} in tiles of {tile}"
