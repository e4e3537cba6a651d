"""`packed_slices`: slices of inputs that loops read at many places, and whose neighbours are far from each other.

Of ``u[..., 0]`` two neighbours are as far apart as the last axis is long. Each load of such elements takes as long as
several of elements that are side by side. So a slice that is read several times is copied first.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from accel.fusion.index_maps import Axis, IndexMap, identity
from accel.fusion.nodes import Input, Node, View

__all__ = ["PackedSlice", "Slices", "packed_slices", "slice_of", "within_slice"]

_READS = 3
"""Reads of all elements of a slice, of which one takes less time than to copy the slice."""

_SMALLEST = 1 << 14
"""Elements of a slice: fewer are in the cache."""


class PackedSlice(NamedTuple):
    """A slice of an input that is copied.

    Attributes
    ----------
    whole : Input
        Another node for the input, which the copy reads.
    copy : View
        The slice.
    """

    whole: Input
    copy: View


Slices: TypeAlias = dict[tuple[Input, int], PackedSlice]
"""By input and the index along the axis with neighbours in memory."""


def packed_slices(nodes: Iterable[Node]) -> Slices:
    """Return the slices of a graph that are copied."""
    reads: defaultdict[tuple[Input, int], float] = defaultdict(float)
    for node in nodes:
        if isinstance(node, View) and isinstance(node.source, Input):
            place = slice_of(node.source, node.map)
            if place is not None:
                reads[node.source, place] += node.size * node.source.shape[_axis(node.source)] / node.source.size
    return {key: _packed(*key) for key, count in reads.items() if count >= _READS}


def slice_of(x: Input, index_map: IndexMap) -> int | None:
    """Return the index of the slice that a view is in, or None."""
    if not x.size or x.size < _SMALLEST or len(x.shape) < 2:
        return None
    axis = _axis(x)
    start, steps, turn = index_map[axis]
    is_slice = not steps and turn is None and x.shape[axis] > 1 and x.size >= _SMALLEST * x.shape[axis]
    return start if is_slice else None


def _axis(x: Input) -> int:
    """Return the axis along which neighbours are side by side."""
    return min(range(len(x.shape)), key=lambda axis: (x.shape[axis] < 2, abs(x.strides[axis])))


def _packed(x: Input, place: int) -> PackedSlice:
    axis = _axis(x)
    shape = tuple([extent for each, extent in enumerate(x.shape) if each != axis])
    places = identity(shape)
    index_map = (*places[:axis], Axis(place), *places[axis:])
    whole = Input(x.shape, x.dtype, x.number, x.strides, x.name)
    return PackedSlice(whole, View(whole, index_map, shape))


def within_slice(x: Input, index_map: IndexMap) -> IndexMap:
    """Return the map to the slice that a view is in."""
    axis = _axis(x)
    return tuple([each for number, each in enumerate(index_map) if number != axis])
