"""Moves of blocks and lines by vector instructions that every processor has in some width, as text for LLVM."""

from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from .blocks import CHUNK, LINE, WORD, Block
from .code import Code, Int, Variable, Vector

__all__ = ["Ends", "Fetches", "crossed", "move", "move_block", "move_line", "stream_line", "zipped"]

_CHUNKS = LINE // CHUNK


class Fetches:
    """The cache lines of a tile in the source, row by row: memory delivers neighbouring lines faster."""

    def __init__(self, code: Code, origin: Int, width: Int, pitch: Int) -> None:
        self._code, self._width, self._pitch = code, width, pitch
        self._row, self._x = Variable(code, origin + (LINE - 1)), Variable(code, 0)

    def fetch(self) -> None:
        """Fetch the next line."""
        code, row, x = self._code, self._row.get(), self._x.get()
        code.prefetch(row + x)
        ends = x + LINE >= self._width
        self._x.set(code.chosen(ends, 0, x + LINE))
        self._row.set(row + code.chosen(ends, self._pitch, 0))


class Ends(NamedTuple):
    """Where a block is: the address and pitch in bytes at each end, the bytes of an item; what is fetched with it."""

    target: Int
    target_pitch: Int
    source: Int
    source_pitch: Int
    nbytes: Int
    ahead: Fetches


def move_block(code: Code, block: Block, ends: Ends) -> None:
    """Move a block; the pitches are those of the target's columns and of the source's rows."""
    _MOVES[block.form](code, block, ends)


def move(code: Code, target: Int, source: Int, nbytes: Int) -> None:
    """Copy fewer bytes than a cache line has, the largest powers of two first."""
    for size in (32, 16, 8, 4, 2, 1):
        larger = nbytes & (LINE - 2 * size)
        with code.when((nbytes & size) > 0):
            code.store(code.load(source + larger, size, 1), target + larger)


def move_line(code: Code, target: Int, source: Int) -> None:
    """Copy as many bytes as a cache line has, between addresses of any alignment."""
    code.store(code.load(source, LINE // 4, 4), target)


def stream_line(code: Code, target: Int, source: Int) -> None:
    """Copy a cache line past the caches; the target is aligned to a line."""
    code.stream(code.load(source, LINE // 4, 4), target)


def _turn_lines(code: Code, block: Block, ends: Ends) -> None:
    """Transpose within the chunks of lines, then transpose the chunks; each line is read once, and written once."""
    side, lanes = CHUNK // block.itemsize, LINE // block.itemsize
    buffer = code.scratch(LINE * lanes, LINE)
    with code.loop(0, _CHUNKS) as group:
        first, place = ends.source + ends.source_pitch * side * group, buffer + group * LINE
        rows = [code.load(first + ends.source_pitch * row, lanes, block.itemsize) for row in range(side)]
        for step, column in enumerate(zipped(code, rows, side)):
            code.store(column, place + step * (_CHUNKS * LINE))
    with code.loop(0, side) as number:
        place, target = buffer + number * (_CHUNKS * LINE), ends.target + ends.target_pitch * number
        groups = [code.load(place + chunk * LINE, LINE // WORD, WORD) for chunk in range(_CHUNKS)]
        for chunk, line in enumerate(zipped(code, groups, _CHUNKS, CHUNK // WORD)):
            ends.ahead.fetch()
            code.stream(line, target + ends.target_pitch * side * chunk)


def _turn(code: Code, block: Block, ends: Ends) -> None:
    side = CHUNK // block.itemsize
    rows = []
    for first in range(side):
        places = [ends.source + ends.source_pitch * row for row in range(first, block.rows, side)]
        rows.append(_concatenation(code, [code.load(place, side, block.itemsize) for place in places]))
    for step, column in enumerate(zipped(code, rows, side)):
        code.store(column, ends.target + ends.target_pitch * step)


def _weave(code: Code, block: Block, ends: Ends) -> None:
    lanes = CHUNK // block.itemsize
    for group in range(block.groups):
        places = [ends.source + ends.source_pitch * row + CHUNK * group for row in range(block.number)]
        rows = [code.load(place, lanes, block.itemsize) for place in places]
        for step, part in enumerate(_woven(code, rows)):
            code.store(part, ends.target + CHUNK * (block.number * group + step))


def _unweave(code: Code, block: Block, ends: Ends) -> None:
    lanes = CHUNK // block.itemsize
    for group in range(block.groups):
        places = [ends.source + CHUNK * (block.number * group + step) for step in range(block.number)]
        parts = [code.load(place, lanes, block.itemsize) for place in places]
        for step, column in enumerate(_unwoven(code, parts)):
            code.store(column, ends.target + ends.target_pitch * step + CHUNK * group)


def _join(code: Code, block: Block, ends: Ends) -> None:
    """Join the items of each column; they are read by vectors that end where the block ends, so that they overlap."""
    word, size, lanes = block.itemsize, block.itemsize * block.number, CHUNK // block.itemsize
    rows = [ends.source + ends.source_pitch * row for row in range(block.rows)]
    for column in range(block.columns):
        starts = [min(column * size + step, block.columns * size - CHUNK) for step in range(0, size, CHUNK)]
        vectors = [code.load(row + start, lanes, word) for row in rows for start in starts]
        places = []
        for row, place in product(range(block.rows), range(0, size, word)):
            part = place // CHUNK
            places.append((row * len(starts) + part, (column * size + place - starts[part]) // word))
        for step in range(block.number):
            part_of = places[step * lanes : (step + 1) * lanes]
            used = sorted({which for which, _ in part_of})
            joined = _picked(code, [vectors[each] for each in used], [(used.index(each), at) for each, at in part_of])
            code.store(joined, ends.target + ends.target_pitch * column + CHUNK * step)


def _item(code: Code, block: Block, ends: Ends) -> None:
    """Move an item in pieces; the last one ends where the item ends, so that it may overlap the one before."""
    size = block.itemsize
    for ahead in [*range(0, size * (block.number - 1), size), ends.nbytes - size]:
        code.store(code.load(ends.source + ahead, size, 1), ends.target + ahead)


_MOVES = {
    "lines": _turn_lines,
    "turn": _turn,
    "weave": _weave,
    "unweave": _unweave,
    "join": _join,
    "items": _item,
}


def _concatenation(code: Code, parts: list[Vector]) -> Vector:
    """Concatenate vectors; their number is a power of two."""
    while len(parts) > 1:
        order = range(2 * parts[0].lanes)
        parts = [code.shuffle(*pair, order) for pair in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


def crossed(code: Code, rows: list[Vector], unit: int) -> list[Vector]:
    """Transpose a square of parts of ``unit`` lanes: ever larger blocks change places between pairs of rows."""
    total, rows, distance = rows[0].lanes, list(rows), 1
    while distance < len(rows):
        size = distance * unit
        even = [lane if lane // size % 2 == 0 else total + lane - size for lane in range(total)]
        odd = [lane + size for lane in even]
        for low in range(len(rows)):
            if low & distance == 0:
                pair = rows[low], rows[low + distance]
                rows[low], rows[low + distance] = code.shuffle(*pair, even), code.shuffle(*pair, odd)
        distance *= 2
    return rows


def zipped(code: Code, rows: list[Vector], side: int, unit: int = 1) -> list[Vector]:
    """Transpose blocks of items of ``unit`` lanes, one in each part of rows, by repeated perfect shuffles.

    Parts have ``side`` items. If there are fewer rows, as many items of neighbouring columns follow each other.
    """
    total, half = rows[0].lanes, side * unit // 2
    starts = [start + step for start in range(0, total, side * unit) for step in range(0, half, unit)]
    low = [place + lane for start in starts for place in (start, total + start) for lane in range(unit)]
    high = [place + half for place in low]
    count = len(rows)
    for _ in range(count.bit_length() - 1):
        pairs = zip(rows[: count // 2], rows[count // 2 :], strict=True)
        rows = [code.shuffle(*pair, order) for pair in pairs for order in (low, high)]
    return rows


def _picked(code: Code, vectors: list[Vector], places: Sequence[tuple[int, int]]) -> Vector:
    """Return a vector of items, each given by the number of its vector and its place there."""
    total = vectors[0].lanes
    result = vectors[0]
    for number, vector in enumerate(vectors):
        order = [total + place if which == number else lane for lane, (which, place) in enumerate(places)]
        result = code.shuffle(result, vector, order)
    return result


def _woven(code: Code, rows: list[Vector]) -> list[Vector]:
    """Interleave rows: in the result the first items of all rows come first, then the second ones, and so on."""
    count, total = len(rows), rows[0].lanes
    step = _least_factor(count)
    if step == count:
        places = [(each % count, each // count) for each in range(count * total)]
        return [_picked(code, rows, places[low : low + total]) for low in range(0, count * total, total)]
    streams = [_woven(code, rows[first::step]) for first in range(step)]
    return [part for parts in zip(*streams, strict=True) for part in _woven(code, list(parts))]


def _unwoven(code: Code, parts: list[Vector]) -> list[Vector]:
    """Separate interleaved items: the inverse of `_woven`."""
    count, total = len(parts), parts[0].lanes
    step = _least_factor(count)
    if step == count:
        places = [divmod(each, total) for each in range(count * total)]
        return [_picked(code, parts, places[first::count]) for first in range(count)]
    groups = [_unwoven(code, parts[low : low + step]) for low in range(0, count, step)]
    streams = [_unwoven(code, list(stream)) for stream in zip(*groups, strict=True)]
    return [row for rows in zip(*streams, strict=True) for row in rows]


def _least_factor(number: int) -> int:
    return next((factor for factor in range(2, number) if number % factor == 0), number)
