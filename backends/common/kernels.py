"""The kernel of host copies, as text for LLVM; what it does to a block is in `packing`.

A kernel copies the tiles ``low`` to ``high``. A tile is packed into a buffer, and from there copied to the target in
contiguous runs: one for each column if tiles are cut along the rows, else a single one. A run is cut where cache lines
begin if the tiling says 64: then stores bypass the caches, and a tile reads more than its own part to complete its last
lines. If no axis is cut (-1), there is no buffer.
"""

from typing import NamedTuple

from .blocks import LINE
from .code import Code, Int, Variable
from .tile_fields import Axis, TileFields
from .tile_steps import TileSteps
from .tiles import COLUMNS, DEPTH, ROWS
from .variants import Variant
from .vectors import move, move_line, stream_line

__all__ = ["kernel_text"]


class _Lines(NamedTuple):
    """The loops over the lines of the next tile in the source; a single run if its rows are contiguous."""

    width: Int
    pitch: Int
    rows: Int
    layer_pitch: Int
    layers: Int


class _Ahead(NamedTuple):
    """The line that is fetched next, by its place in the loops."""

    place: Variable
    x: Variable
    y: Variable
    z: Variable


def kernel_text(variant: Variant) -> str:
    """Return the module with the function ``copy``.

    It takes the addresses of the function that packs a tile, of the buffer for a tile, of the target, the source and
    the tiling; and the numbers of the first tile and of that after the last one.
    """
    return _Kernel(variant).text()


class _Kernel:
    def __init__(self, variant: Variant) -> None:
        self._code = code = Code("copy", ("pack", "buffer", "target", "source", "tiling", "low", "high"), variant)
        self._pack, self._buffer, self._target, self._source, self._tiling, self._low, self._high = code.arguments
        self._fields = TileFields(code, self._tiling)
        self._along = self._fields.cut_axis()
        self._lines = self._lines_ahead()

    def _lines_ahead(self) -> _Lines:
        code, (depth, rows, columns) = self._code, self._fields.axes
        layers, height, width = (code.least(axis.steps + axis.extra, axis.extent) for axis in self._fields.axes)
        contiguous = rows.source.equals(width * self._fields.nbytes)
        whole = height * rows.source
        return _Lines(
            code.chosen(contiguous, whole, width * columns.source),
            code.chosen(contiguous, whole, rows.source),
            code.chosen(contiguous, 1, height),
            depth.source - whole,
            layers,
        )

    def text(self) -> str:
        """Return the module."""
        code = self._code
        steps = TileSteps(code, self._fields, self._low)
        with code.loop(self._low, self._high):
            firsts, into, out_of = steps.firsts(), steps.into.get(), steps.out_of.get()
            steps.advance()
            self._move_tile(firsts, into, out_of, steps.out_of.get() - out_of)
        code.fence()
        return code.module()

    def _part_of(self, axis: Axis, first: Int) -> tuple[Int, Int]:
        """Return where a tile begins to read along an axis, and how many steps: earlier where too few would be left."""
        code = self._code
        begin = code.most(code.least(first, axis.extent - axis.least), 0)
        return begin, code.least(first + axis.steps + axis.extra, axis.extent) - begin

    def _move_tile(self, firsts: list[Int], into: Int, out_of: Int, ahead: Int) -> None:
        code, (_, rows, columns) = self._code, self._fields.axes
        parts = [self._part_of(axis, first) for axis, first in zip(self._fields.axes, firsts, strict=True)]
        above, before = firsts[ROWS] - parts[ROWS][0], firsts[COLUMNS] - parts[COLUMNS][0]
        origin = self._source + out_of - above * rows.source - before * columns.source
        skipped = above * rows.spacing + before * columns.spacing
        target, buffered = self._target + into, self._fields.cut >= 0
        # Where a tile begins to read earlier, it also writes earlier: in the buffer there is room for that.
        place = code.chosen(buffered, self._buffer, target - skipped)
        extents, first_row = [extent for _, extent in parts], parts[DEPTH][0] + parts[ROWS][0]
        code.call(self._pack, self._tiling, place, origin, *extents, ahead, self._buffer, first_row)
        with code.when(buffered):
            first = self._fields.of_cut(firsts)
            self._unpack(target, self._buffer + skipped, first, parts[COLUMNS][1] - before, origin + ahead)

    def _unpack(self, target: Int, buffer: Int, first: Int, columns: Int, next_origin: Int) -> None:
        """Copy the runs of a tile to the target."""
        code, along, column = self._code, self._along, self._fields.axes[COLUMNS]
        place, packed = Variable(code, target), Variable(code, buffer)
        ahead = _Ahead(Variable(code, next_origin + (LINE - 1)), *(Variable(code, 0) for _ in range(3)))
        with code.loop(0, code.chosen(self._fields.apart > 0, columns, 1)):
            start, tile = place.get(), packed.get()
            begin = code.chosen(first > 0, self._line_at(start), start)
            whole = self._line_at(start + along.steps * along.target)
            end = code.least(whole, start + (along.extent - first) * along.target)
            self._unpack_run(begin, tile + (begin - start), code.most(end - begin, 0), ahead)
            place.set(start + column.target)
            packed.set(tile + column.spacing)

    def _line_at(self, address: Int) -> Int:
        """Return the first address from there on at which tiles are cut."""
        return (address + (self._fields.line - 1)) & -self._fields.line

    def _unpack_run(self, target: Int, tile: Int, nbytes: Int, ahead: _Ahead) -> None:
        """Copy a run to the target; with each line, one or two are fetched that the next tile will read."""
        code, line = self._code, self._fields.line
        head = code.least(-target & (line - 1), nbytes)
        move(code, target, tile, head)
        done = Variable(code, head)
        with code.loop_while(lambda: done.get() + LINE <= nbytes):
            here = done.get()
            with code.when(line > 1):
                stream_line(code, target + here, tile + here)
            with code.when(line <= 1):
                move_line(code, target + here, tile + here)
            done.set(here + LINE)
            with code.loop(0, code.chosen(self._along.extra > 0, 2, 1)):
                self._fetch(ahead)
        move(code, target + done.get(), tile + done.get(), nbytes - done.get())

    def _fetch(self, ahead: _Ahead) -> None:
        """Fetch a line of the next tile, if there is one left."""
        code, lines = self._code, self._lines
        with code.when(ahead.z.get() < lines.layers):
            code.prefetch(ahead.place.get() + ahead.x.get())
            ahead.x.set(ahead.x.get() + LINE)
            with code.when(ahead.x.get() >= lines.width):
                _step(ahead.x, ahead.y, ahead.place, lines.pitch)
                with code.when(ahead.y.get().equals(lines.rows)):
                    _step(ahead.y, ahead.z, ahead.place, lines.layer_pitch)


def _step(inner: Variable, outer: Variable, place: Variable, pitch: Int) -> None:
    """Begin an inner loop anew, in the next round of the outer one."""
    inner.set(0)
    outer.set(outer.get() + 1)
    place.set(place.get() + pitch)
