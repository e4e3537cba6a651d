"""The tasks of the demo. Each works on a tile: some of the rings, some of the cities, or some of the names."""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from accel.demo.stores.findings import RADIUS
from accel.engines import Input, Output, Reduce, task
from accel.store import ADD
from accel.store.arrays import PhysicalArray

__all__ = ["add_by_state", "count_characters", "locate", "measure"]

_Floats = npt.NDArray[np.float64]
_Added = Annotated[Any, Reduce(ADD)]  # Reduce[ADD], as type checkers understand it


@task
def measure(rings: Input, areas: Output, boxes: Output) -> None:
    """Write area and bounding box of some rings, which are lists of vertices."""
    x, y = _fields(rings.vardata)
    ranges = np.asarray(rings.descriptor.data)
    first, last = (ranges - ranges[0, 0]).T
    east, height = np.radians(x), np.sin(np.radians(y))
    strips = np.zeros(len(x))
    strips[:-1] = np.diff(east) * (height[:-1] + height[1:])
    strips[last] = 0  # between a ring and the next
    areas.span_write_accessor()[...] = RADIUS**2 / 2 * np.add.reduceat(strips, first)
    sides = [least.reduceat(axis, first) for least in (np.minimum, np.maximum) for axis in (x, y)]
    for at, side in enumerate(sides):
        boxes.child(at).data.span_write_accessor()[...] = side


@task
def add_by_state(areas: Input, states: Input, total: _Added) -> None:
    """Add the areas of some rings to those of their states."""
    total.span_reduce_accessor().reduce(np.asarray(states), np.asarray(areas))


@task
def locate(places: Input, rings: Input, county_of: Input, boxes: Input, located: Output, count: _Added) -> None:
    """Find the counties of some cities, and count the cities of each county."""
    (x, y), (lon, lat) = _fields(places), _fields(rings.vardata)
    ranges, counties = np.asarray(rings.descriptor.data), np.asarray(county_of)
    odd = np.zeros((len(x), count.shape[0]), np.bool_)
    for ring, cities in _candidates(x, y, _fields(boxes)):
        outline = slice(ranges[ring, 0], ranges[ring, 1] + 1)
        odd[cities, counties[ring]] ^= _inside(x[cities], y[cities], lon[outline], lat[outline])
    result = np.where(odd.any(axis=1), odd.argmax(axis=1), -1).astype(np.int32)
    located.span_write_accessor()[...] = result
    count.span_reduce_accessor().reduce(result[result >= 0], 1)


@task
def count_characters(names: Input, count: _Added) -> None:
    """Count the characters of some names, not their bytes, and how many names have as many."""
    offsets = np.asarray(names.offsets.data)
    begins = np.asarray(names.chars.data) & 0xC0 != 0x80  # the other bytes go on with a character
    before = np.concatenate(([0], np.cumsum(begins)))
    count.span_reduce_accessor().reduce(np.diff(before[offsets - offsets[0]]), 1)


def _fields(structs: PhysicalArray) -> list[_Floats]:
    """Return the fields of structs as arrays of NumPy."""
    return [np.asarray(structs.child(at).data) for at in range(structs.num_children)]


def _candidates(x: _Floats, y: _Floats, boxes: Sequence[_Floats]) -> list[tuple[int, npt.NDArray[np.intp]]]:
    """Return the rings in whose boxes any of the cities are, with these cities."""
    west, south, east, north = boxes
    near = (west <= x[:, None]) & (x[:, None] <= east) & (south <= y[:, None]) & (y[:, None] <= north)
    return [(int(ring), np.flatnonzero(near[:, ring])) for ring in np.flatnonzero(near.any(axis=0))]


def _inside(x: _Floats, y: _Floats, lon: _Floats, lat: _Floats) -> npt.NDArray[np.bool_]:
    """Tell for which points a ray to the east crosses an odd number of edges of a ring."""
    (from_x, to_x), (from_y, to_y) = ((axis[:-1], axis[1:]) for axis in (lon, lat))
    crossed = (y[:, None] < from_y) != (y[:, None] < to_y)
    slope = np.divide(to_x - from_x, to_y - from_y, where=to_y != from_y, out=np.zeros(len(from_x)))
    crossings = (crossed & (x[:, None] < from_x + (y[:, None] - from_y) * slope)).sum(axis=1)
    odd: npt.NDArray[np.bool_] = crossings % 2 == 1
    return odd
