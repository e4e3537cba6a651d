"""The innermost part of a copy to rows that begin anywhere within cache lines, as text for LLVM.

A band has as many rows of the source as a line of the target has items. It is transposed in two steps, and makes one
line for each column. These are stored behind those of the band before, and the line of the target that begins in
the former and ends in the latter is written past the caches. So both ends are read and written once, line by line.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from .blocks import CHUNK, LINE, WORD, Block
from .code import Code, Int, Variable, Vector
from .tile_fields import TileFields
from .tiles import COLUMNS, DEPTH, ROWS
from .variants import Variant
from .vectors import crossed, move, stream_line, zipped

__all__ = ["bands_text"]

_N = TypeVar("_N", int, Int)

_SLOT = 2 * LINE
"""Bytes of the buffer for a column: its line of the band before, and that of this one."""

_FETCHED = 5
"""Lines that are fetched with as many as a line has words, besides one with each that is written.

So the first rows after the next band are fetched, too: those of the next band alone come too late.
"""


def bands_text(block: Block, variant: Variant) -> str:
    """Return the module with the function ``pack``, which copies a tile as that of `packing_text` does."""
    return _Bands(block, variant).text()


class _Rows:
    """The rows of a tile in the source, layer after layer."""

    def __init__(self, code: Code, fields: TileFields, origin: Int, first: Int) -> None:
        self._code = code
        depth, rows = fields.axes[DEPTH], fields.axes[ROWS]
        self._height, self._pitch = rows.extent, rows.source
        self._jump = depth.source - (rows.extent - 1) * rows.source
        layer = first // rows.extent
        row = first - layer * rows.extent
        self._place = Variable(code, origin + layer * depth.source + row * rows.source)
        self._left = Variable(code, rows.extent - row)

    def following(self) -> Int:
        """Return the address of the next row."""
        place, left = self._place.get(), self._left.get()
        ends = left <= 1
        self._place.set(place + self._code.chosen(ends, self._jump, self._pitch))
        self._left.set(self._code.chosen(ends, self._height, left - 1))
        return place


class _Lines:
    """The cache lines of rows, of which ``width`` bytes are read."""

    def __init__(self, code: Code, rows: _Rows, width: Int) -> None:
        self._code, self._rows, self._width = code, rows, width
        self._row, self._x = Variable(code, rows.following()), Variable(code, 0)

    def fetch(self) -> None:
        """Fetch the next line, the last of a row by its last byte."""
        code, x = self._code, self._x.get()
        code.prefetch(self._row.get() + code.least(x, self._width - 1))
        self._x.set(x + LINE)
        with code.when(x >= self._width):
            self._x.set(0)
            self._row.set(self._rows.following())


class _Bands:
    def __init__(self, block: Block, variant: Variant) -> None:
        names = ("tiling", "place", "origin", "layers", "rows", "columns", "ahead", "buffer", "row")
        self._code = code = Code("pack", names, variant)
        tiling, self._target, self._origin, layers, rows, self._columns, self._ahead, self._buffer, row = code.arguments
        self._fields = fields = TileFields(code, tiling)
        self._itemsize = itemsize = block.itemsize
        self._lanes = LINE // itemsize
        part = max(WORD, itemsize)
        self._rows, self._parts, self._per_chunk = part // itemsize, LINE // part, CHUNK // part
        self._begins = row.equals(0)
        self._nbytes = fields.axes[DEPTH].steps * fields.axes[ROWS].steps * itemsize
        self._read_bytes = code.least(layers * rows * itemsize, self._nbytes + LINE)
        whole = (self._columns + (self._lanes - 1)) & -self._lanes
        self._skipped, self._edge = whole - self._columns, whole - self._lanes

    def text(self) -> str:
        """Return the module."""
        code = self._code
        count = (self._read_bytes + (LINE - 1)) // LINE
        with code.loop(0, count) as band:
            # The last band begins earlier if it would have too few rows, and its lines in the buffer do so, too.
            first = code.least(band * self._lanes, self._read_bytes // self._itemsize - self._lanes)
            before, last = (band - 1) * LINE, (band + 1).equals(count)
            place = self._buffer + (first * self._itemsize - before)
            self._read(place, _Rows(code, self._fields, self._origin, first))
            ahead = self._lines_ahead(first + self._lanes, last)
            self._transpose(place, ahead)
            ends = code.chosen(last, 1, code.chosen(band.equals(0), 1, 0))
            with code.when(ends > 0):
                self._write_ends(before, last)
            with code.when(ends.equals(0)):
                self._write_lines(before, ahead)
        return code.module()

    def _lines_ahead(self, following: Int, last: Int) -> _Lines:
        """Return the lines of the next band, which may be the first one of the next tile."""
        code = self._code
        origin = self._origin + code.chosen(last, self._ahead, 0)
        rows = _Rows(code, self._fields, origin, code.chosen(last, 0, following))
        return _Lines(code, rows, self._columns * self._itemsize)

    def _read(self, buffer: Int, rows: _Rows) -> None:
        """Transpose some rows within the chunks of lines, so that each word has items of one column; row by row.

        Few rows are read side by side: where they are a power of two apart, more have no place in the first cache.
        """
        code, lanes, itemsize = self._code, self._lanes, self._itemsize
        with code.loop(0, self._parts) as part:
            places = [rows.following() for _ in range(self._rows)]
            into = Variable(code, buffer + self._column(part) * _SLOT)
            with code.loop(0, self._columns, lanes) as across:
                x = code.least(across, self._columns - lanes) * itemsize
                lines = [code.load(place + x, lanes, itemsize) for place in places]
                here = into.get()
                for step, line in enumerate(zipped(code, lines, CHUNK // itemsize)):
                    code.store(line, here + step * self._per_chunk * _SLOT)
                into.set(here + lanes * _SLOT)

    def _transpose(self, buffer: Int, ahead: _Lines) -> None:
        """Transpose the words of the lines, in their places."""
        code, into = self._code, Variable(self._code, buffer)
        with code.loop(0, self._columns, self._lanes):
            corner = into.get()
            into.set(corner + self._lanes * _SLOT)
            with code.loop(0, self._rows) as number:
                here = corner + number * (self._per_chunk * _SLOT)
                places = [here + self._column(part) * _SLOT for part in range(self._parts)]
                lines = [self._line(place) for place in places]
                for _ in range(_FETCHED):
                    ahead.fetch()
                for place, line in zip(places, crossed(code, lines, LINE // WORD // self._parts), strict=True):
                    code.store(line, place)

    def _column(self, part: _N) -> _N:
        """Return which of a line's columns has its items in a part."""
        return part // self._per_chunk * (CHUNK // self._itemsize) + part % self._per_chunk

    def _line(self, place: Int) -> Vector:
        return self._code.load(place, LINE // WORD, WORD)

    def _write_lines(self, before: Int, ahead: _Lines) -> None:
        """Write the line of each column that begins in the band before."""
        with self._each_column() as (target, buffer, head):
            kept = self._line(buffer + LINE)
            ahead.fetch()
            stream_line(self._code, target + (head + before), buffer + head)
            self._code.store(kept, buffer)

    def _write_ends(self, before: Int, last: Int) -> None:
        """Write what the first band of a tile completes, or the last one; a tile begins and ends where lines begin."""
        code = self._code
        first = code.both(before < 0, self._begins)
        with self._each_column() as (target, buffer, head):
            with code.when(first):
                move(code, target, buffer + LINE, head)
            ends = code.least(head + ((self._nbytes - head + (LINE - 1)) & -LINE), self._read_bytes)
            limit = code.chosen(last, ends, before + 2 * LINE)
            done = Variable(code, head + code.most(before, 0))
            with code.loop_while(lambda: done.get() + LINE <= limit):
                stream_line(code, target + done.get(), buffer + (done.get() - before))
                done.set(done.get() + LINE)
            with code.when(last):
                left = code.most(limit - done.get(), 0)
                move(code, target + done.get(), buffer + (done.get() - before), left)
            code.store(self._line(buffer + LINE), buffer)

    @contextmanager
    def _each_column(self) -> Iterator[tuple[Int, Int, Int]]:
        """Repeat for the columns: their addresses in the target and in the buffer, the bytes before a line begins."""
        code = self._code
        target, buffer = Variable(code, self._target), Variable(code, self._buffer)
        with code.loop(0, self._columns) as column:
            into, out_of = target.get(), buffer.get()
            yield into, out_of, -into & (LINE - 1)
            target.set(into + self._fields.axes[COLUMNS].target)
            # The last columns are read by lines that begin earlier, and these have places of their own.
            skipped = code.chosen((column + 1).equals(self._edge), self._skipped * _SLOT, 0)
            buffer.set(out_of + _SLOT + skipped)
