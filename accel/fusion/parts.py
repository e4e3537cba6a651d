"""Parts of a region's indices: boxes in which no axis of its index maps turns, so that each is one loop."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, product
from typing import NamedTuple

from accel.fusion.index_maps import Axis, IndexMap, composed
from accel.fusion.nodes import Shape

__all__ = ["Part", "parts_of"]


class Part(NamedTuple):
    """A box of indices.

    Attributes
    ----------
    starts, extents : tuple of int
        The first index along each axis, and how many there are.
    is_whole : bool
        Whether it has all indices.
    """

    starts: tuple[int, ...]
    extents: tuple[int, ...]
    is_whole: bool

    def map_of(self, index_map: IndexMap) -> IndexMap:
        """Return a map from the indices of the part; its axes have no turn."""
        if self.is_whole:
            return index_map
        whole = tuple([Axis(start, ((axis, 1),)) for axis, start in enumerate(self.starts)])
        return tuple([_straight(each) for each in composed(index_map, whole)])


def parts_of(shape: Shape, maps: Iterable[IndexMap]) -> Iterator[Part]:
    """Yield the parts of the indices of a shape, for maps from these."""
    turns: list[set[int]] = [{0, extent} for extent in shape]
    for each in maps:
        for axis in each:
            _add_turns(axis, shape, turns)
    ranges = [[*pairwise(sorted(each))] if each != {0} else [(0, 0)] for each in turns]
    is_whole = all(len(each) == 1 for each in ranges)
    for ends in product(*ranges):
        yield Part(tuple([low for low, _ in ends]), tuple([high - low for low, high in ends]), is_whole)


def _add_turns(axis: Axis, shape: Shape, turns: Sequence[set[int]]) -> None:
    """Add the indices at which an axis turns."""
    if axis.turn is None:
        return
    ((number, step),) = axis.steps
    extent = axis.turn.extent
    first = extent - axis.start if step > 0 else axis.start + 1
    turns[number].update(range(first, shape[number], extent))


def _straight(axis: Axis) -> Axis:
    """Return an axis without its turn, which is not within the part."""
    if axis.turn is None:
        return axis
    extent, first, pace = axis.turn
    return Axis(first + pace * (axis.start % extent), tuple([(number, pace * step) for number, step in axis.steps]))
