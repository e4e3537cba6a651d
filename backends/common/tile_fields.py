"""`TileFields`: what a kernel reads of a `Tiling`.

A tiling is an array of 64-bit integers:

- Three axes of a tile: depth, rows and columns. Each has its extent in items, how many of them a tile has, how many
  fewer the first one has, how many more are read, the fewest that can be read; the strides in bytes in the target, in
  the source, and in the buffer.
- The bytes of an item, the axis along which the tiles are cut, and where; whether its columns are cut apart.
- The number of loops over tiles, and for each its extent, and its strides in bytes in the target and in the source.
  The last three loops are along the axes of a tile.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from .code import Code, Int, Variable
from .tiles import COLUMNS, DEPTH, ROWS

__all__ = ["Axis", "Loop", "TileFields"]

_AXES = 3
_WORD = 8


class Axis(NamedTuple):
    """One of the three loops within a tile, as `tiles` describes it."""

    extent: Int
    steps: Int
    shift: Int
    extra: Int
    least: Int
    target: Int
    source: Int
    spacing: Int


class Loop(NamedTuple):
    """A loop over tiles."""

    extent: Int
    target: Int
    source: Int


class TileFields:
    """The fields of a tiling, which are read where it is made.

    Attributes
    ----------
    axes : list of Axis
        Depth, rows and columns.
    nbytes, cut, line, apart : Int
        The bytes of an item, and how tiles are cut.
    """

    def __init__(self, code: Code, tiling: Int) -> None:
        self._code = code
        size = len(Axis._fields)
        self.axes = [Axis(*[code.integer(tiling, size * axis + field) for field in range(size)]) for axis in range(3)]
        how = _AXES * size
        self.nbytes, self.cut, self.line, self.apart = (code.integer(tiling, how + field) for field in range(4))
        self._count = code.integer(tiling, how + 4)
        self._loops = tiling + _WORD * (how + 5)

    def cut_axis(self) -> Axis:
        """Return the axis along which tiles are cut; columns if there is none."""
        return Axis(*[self.of_cut([axis[field] for axis in self.axes]) for field in range(len(Axis._fields))])

    def of_cut(self, values: list[Int]) -> Int:
        """Return which of three values belongs to that axis."""
        code = self._code
        of_rows = code.chosen(self.cut.equals(ROWS), values[ROWS], values[COLUMNS])
        return code.chosen(self.cut.equals(DEPTH), values[DEPTH], of_rows)

    @contextmanager
    def each_loop(self, again: Variable | None = None) -> Iterator[tuple[Int, Loop]]:
        """Repeat for the loops over tiles and their numbers, from the fastest on; ``again`` is 0 to end before."""
        code, left = self._code, Variable(self._code, self._count)
        with code.loop_while(lambda: (left.get() * again.get() if again else left.get()) > 0):
            number = left.get() - 1
            left.set(number)
            yield number, self._loop(number)

    def number_of(self, axis: int) -> Int:
        """Return the number of the loop over tiles along an axis."""
        return self._count - (_AXES - axis)

    def _loop(self, number: Int) -> Loop:
        place = self._loops + number * (_WORD * len(Loop._fields))
        return Loop(*[self._code.integer(place, field) for field in range(len(Loop._fields))])
