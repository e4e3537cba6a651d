"""`Preview`: what a launch will do, before it runs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import prod
from typing import Any

from accel import config
from accel.dtypes import DType
from accel.engines.budget import Budget
from accel.engines.partition_pictures import Picture, picture_of, svg_of, text_of
from accel.engines.points import Point, root_of
from accel.engines.staging import point_bytes, uses_memory
from accel.engines.task_arguments import Argument
from accel.engines.task_launch import Launch
from accel.memory.sizes import in_words
from accel.store.root import Root
from accel.store.store_targets import Place

__all__ = ["Preview", "pictures_of", "preview_of"]


@dataclass(frozen=True, slots=True)
class Preview:
    """What a launch will do; made by ``engine.preview(launch)``.

    Attributes
    ----------
    task : str
        Name of the task.
    engine : str
        Name of the engine.
    tasks : int
        Number of points: one for each color.
    color_shape : tuple of int
        Number of colors along each dimension; () for one point.
    read, written : int
        Bytes of the elements that all points read and write.
    moved : dict of str to int
        Bytes that are copied, by the device or worker to which they are copied.
    largest : int
        Bytes that the largest point needs at once, besides memory that is used in place.
    peak : int
        The most bytes of tiles at any time.
    budget : int or None
        The budget of the engine.
    pictures : tuple of Picture
        How the stores are cut.
    """

    task: str
    engine: str
    tasks: int
    color_shape: tuple[int, ...]
    read: int
    written: int
    moved: Mapping[str, int]
    largest: int
    peak: int
    budget: int | None
    pictures: tuple[Picture, ...]

    @property
    def lines(self) -> list[str]:
        """The numbers, as lines of text."""
        colors = f", one for each color of {self.color_shape}" if self.color_shape else ""
        copies = ", ".join([f"{in_words(nbytes)} to {where}" for where, nbytes in self.moved.items() if nbytes])
        limit = f"; the budget is {in_words(self.budget)}" if self.budget is not None else ""
        return [
            f"{self.task} on engine {self.engine}: {self.tasks} task{'s' * (self.tasks != 1)}{colors}",
            f"reads {in_words(self.read)}, writes {in_words(self.written)}, copies {copies or 'nothing'}",
            f"new memory: {in_words(self.largest)} for the largest task, at most {in_words(self.peak)} in all{limit}",
        ]

    def svg(self) -> str:
        """Return numbers and pictures as an SVG document."""
        return svg_of(self.pictures, self.lines)

    def html(self) -> str:
        """Return numbers and pictures as an HTML page that needs no other file."""
        return (
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{escape(self.lines[0])}</title>'
            f'<body style="margin: 24px; color-scheme: light dark">{self.svg()}</body></html>\n'
        )

    def _repr_html_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return "\n\n".join(["\n".join(self.lines), *map(text_of, self.pictures)])


def preview_of(engine: str, budget: Budget | None, launch: Launch, points: Sequence[tuple[Point, Place]]) -> Preview:
    """Return what a launch will do in this process, for its points and where they run."""
    read = sum([operand.nbytes for point, _ in points for operand in point.operands if operand.access.reads])
    written = sum([operand.nbytes for point, _ in points for operand in point.operands if operand.access.writes])
    moved: Counter[str] = Counter()
    allocated: dict[Root, int] = {}
    largest = copied = 0
    for point, place in points:
        needed = point_bytes(point, place)
        largest = max(largest, sum(needed.values()))
        copied = max(copied, _copies(point, place, moved))
        for operand in point.operands:
            if operand.name in needed and operand.root is not None and operand.root.place.device is place.device:
                allocated[operand.root] = prod(operand.root.bound_shape()) * operand.root.dtype.itemsize
    peak = sum(allocated.values()) + copied * min(len(points), config.current().threads)
    limit = None if budget is None else budget.nbytes
    return Preview(
        launch.task.name,
        engine,
        len(points),
        launch.color_shape,
        read,
        written,
        dict(moved),
        largest,
        peak if limit is None else min(peak, limit),
        limit,
        pictures_of(launch),
    )


def _copies(point: Point, place: Place, moved: Counter[str]) -> int:
    """Count the bytes that a point copies to its device and back; return those it has there."""
    there = 0
    for operand in point.operands:
        root = root_of(operand)
        if uses_memory(operand) and root.place.device is not place.device:
            there += operand.nbytes
            moved[str(place.device)] += operand.nbytes * operand.access.reads
            moved[str(root.place.device)] += operand.nbytes * operand.access.writes
    return there


def pictures_of(launch: Launch) -> tuple[Picture, ...]:
    """Return how the stores of a launch are cut; those that are cut alike have one picture."""
    alike: dict[tuple[Any, ...], list[str]] = {}
    for argument in launch.arguments.values():
        if argument.access is not None:
            name = f"{argument.name} ({argument.access.value.replace('_', ' and ')})"
            alike.setdefault(_cut(argument, launch.derivation(argument.name)), []).append(name)
    return tuple([_picture(", ".join(names), *cut) for cut, names in alike.items()])


def _cut(argument: Argument, derived: str) -> tuple[Any, ...]:
    """Return type, shape, tile shape and color shape of an argument, and how it is cut."""
    store = argument.store
    if store.root.shape is None:
        return store.dtype, None, (), (), ""
    if not argument.partitioned:
        return store.dtype, store.shape, (), (), derived or "whole to each task"
    tile = argument.value.tile_shape
    return store.dtype, store.shape, tile, argument.value.color_shape, f"in tiles of {tile}"


def _picture(names: str, dtype: DType, shape: Any, tile: tuple[int, ...], colors: tuple[int, ...], how: str) -> Picture:
    if shape is None:
        return picture_of(f"{names}: {dtype.name}, of a shape that the task chooses", (), (), ())
    return picture_of(f"{names}: {dtype.name} of shape {shape}, {how}", shape, tile, colors)
