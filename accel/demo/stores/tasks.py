"""The tasks of the demo. Each works on a tile: some of the rings, some of the cities, or some of the names."""

import numpy as np
import numpy.typing as npt

from accel.demo.stores.findings import RADIUS
from accel.engines import Input, Output, Reduce, task
from accel.store import ADD

__all__ = ["add_by_state", "count_characters", "locate", "measure"]

_Floats = npt.NDArray[np.float64]


@task
def measure(rings: Input, lon: Input, lat: Input, areas: Output, boxes: Output) -> None:
    """Write area and bounding box of some rings; ``rings`` has the first and the last vertex of each."""
    first, last = np.asarray(rings).T
    tile = slice(first[0], last[-1] + 1)
    starts, ends = first - first[0], last - first[0]
    x, y = np.asarray(lon)[tile], np.asarray(lat)[tile]
    east, height = np.radians(x), np.sin(np.radians(y))
    strips = np.zeros(len(x))
    strips[:-1] = np.diff(east) * (height[:-1] + height[1:])
    strips[ends] = 0  # between a ring and the next
    areas.span_write_accessor()[:, 0] = RADIUS**2 / 2 * np.add.reduceat(strips, starts)
    sides = [least.reduceat(axis, starts) for least in (np.minimum, np.maximum) for axis in (x, y)]
    boxes.span_write_accessor()[...] = np.stack(sides, axis=1)


@task
def add_by_state(areas: Input, states: Input, total: Reduce[ADD]) -> None:
    """Add the areas of some rings to those of their states."""
    total.span_reduce_accessor().reduce(np.asarray(states)[:, 0], np.asarray(areas)[:, 0])


@task
def locate(
    places: Input,
    rings: Input,
    lon: Input,
    lat: Input,
    county_of: Input,
    boxes: Input,
    located: Output,
    count: Reduce[ADD],
) -> None:
    """Find the counties of some cities, and count the cities of each county."""
    x, y = np.asarray(places).T
    shape = count.shape[0]
    odd = np.zeros((len(x), shape), bool)
    for ring, cities in _candidates(x, y, np.asarray(boxes)):
        first, last = np.asarray(rings)[ring]
        outline = slice(first, last + 1)
        inside = _inside(x[cities], y[cities], np.asarray(lon)[outline], np.asarray(lat)[outline])
        odd[cities, np.asarray(county_of)[ring]] ^= inside
    found = np.where(odd.any(axis=1), odd.argmax(axis=1), -1).astype(np.int32)
    located.span_write_accessor()[:, 0] = found
    count.span_reduce_accessor().reduce(found[found >= 0], 1)


@task
def count_characters(starts: Input, ends: Input, chars: Input, count: Reduce[ADD]) -> None:
    """Count the characters of some names, not their bytes, and how many names have as many."""
    first, past = np.asarray(starts)[:, 0], np.asarray(ends)[:, 0]
    begins = np.asarray(chars)[first[0] : past[-1]] & 0xC0 != 0x80  # the other bytes go on with a character
    before = np.concatenate(([0], np.cumsum(begins)))
    lengths = before[past - first[0]] - before[first - first[0]]
    count.span_reduce_accessor().reduce(lengths, 1)


def _candidates(x: _Floats, y: _Floats, boxes: _Floats) -> list[tuple[int, npt.NDArray[np.intp]]]:
    """Return the rings in whose boxes any of the cities are, with these cities."""
    west, south, east, north = boxes.T
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
