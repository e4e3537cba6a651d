"""`Box`: parts of loops with long contiguous runs at both ends of a copy, as integers."""

import math
from collections.abc import Iterator
from itertools import takewhile
from typing import Any, NamedTuple

from accel.abc import Leaf

from .structures import Bits, Struct, divisor, structure

__all__ = ["SOURCE", "TARGET", "Box", "box_of", "box_structure"]

TARGET, SOURCE = 1, 2
"""The ends of a copy; a leaf has its strides there."""

_LOOPS = 4
_WORTH = 32
"""Bytes of a run from which on all that is read from memory is used: a sector."""
_NOT_CUT = 2
_LINE = 128
"""Bytes of all banks of shared memory, one word each."""


class Box(NamedTuple):
    """A part of each of a few loops.

    Attributes
    ----------
    leaves : tuple of Leaf
        All loops of the copy, over ``unit`` bytes.
    parts : tuple of int
        How many steps of each loop a box contains. At most four are more than 1, and of these at most two are not the
        loop's extent: these loops are cut.
    unit : int
        Bytes of an item.
    """

    leaves: tuple[Leaf, ...]
    parts: tuple[int, ...]
    unit: int

    @property
    def nbytes(self) -> int:
        """Bytes of a box."""
        return math.prod(self.parts) * self.unit

    @property
    def cut(self) -> list[int]:
        """The loops that a box contains only a part of, at most two."""
        return [i for i in self.inside if self.parts[i] < self.leaves[i].extent]

    @property
    def inside(self) -> list[int]:
        """The loops of which a box contains more than one step."""
        return [i for i, part in enumerate(self.parts) if part > 1]

    @property
    def outside(self) -> list[Leaf]:
        """The loops of which a box contains one step."""
        return [leaf for leaf, part in zip(self.leaves, self.parts, strict=True) if part == 1]

    @property
    def is_worth_it(self) -> bool:
        """Whether both ends have longer runs in a box than they have in common."""
        return min(self.run_bytes(TARGET), self.run_bytes(SOURCE)) >= max(_WORTH, 2 * self._common_run)

    @property
    def _common_run(self) -> int:
        """Bytes that are contiguous at both ends."""
        reach = self.unit
        while following := next((leaf for leaf in self.leaves if leaf[1:] == (reach, reach) and leaf.extent > 1), None):
            reach *= following.extent
        return reach

    @property
    def has_gaps(self) -> bool:
        """Whether shared memory needs gaps: items that follow one another in the target are an even number apart."""
        first = self.run(TARGET)[:1]
        return bool(first) and first[0] in self.run(SOURCE) and self.leaves[first[0]][SOURCE] // self.unit % 2 == 0

    @property
    def widest(self) -> int:
        """Bytes of the widest word that a run of the source starts at a multiple of in shared memory."""
        if self.has_gaps:
            return self.bank
        return min(16, self.bank << ((self._shift or 4).bit_length() - 1))

    @property
    def bank(self) -> int:
        """Bytes of a word of shared memory: of 4 bytes, or an item if it is larger."""
        return max(4, self.unit)

    @property
    def pitch(self) -> int:
        """Items from one run of the source to the next in shared memory.

        If neighbours in the target come from different runs, these start in different banks.
        """
        run, shift = _rounded(self.run_bytes(SOURCE), self.widest), self._shift
        if shift is not None:
            run += (_rounded(shift * self.bank, self.widest) - run) % _LINE
        return run // self.unit

    @property
    def _shift(self) -> int | None:
        """How many banks the runs of the source start apart from one another, if neighbours come from different ones.

        Neighbours take some items of one run, the same of the next run and so on, and then the items beside them. So
        runs are apart by the part of each.
        """
        run, rows = self.run(TARGET), self.rows(SOURCE)
        first = next((place for place, i in enumerate(run) if i in rows), None)
        if first is None or (first and self.has_gaps):
            return None
        part = math.prod([self.parts[i] for i in run[:first]]) * self.unit
        runs = math.prod([self.parts[i] for i in takewhile(rows.__contains__, run[first:])])
        return -(-max(part, _LINE // runs) // self.bank)

    @property
    def shared_bytes(self) -> int:
        """Bytes of shared memory."""
        rows = math.prod([self.parts[i] for i in self.rows(SOURCE)])
        lines = -(-rows * self.pitch * self.unit // _LINE)
        return lines * (_LINE + (self.bank if self.has_gaps else 0))

    def rows(self, end: int) -> list[int]:
        """Return the loops of a box that are not within a run, in the order of an end."""
        run = self.run(end)
        return sorted([i for i in self.inside if i not in run], key=lambda i: abs(self.leaves[i][end]))

    def word(self, end: int, aligned: int) -> int:
        """Return the bytes of the words of an end, to which all its runs are aligned."""
        run = self.run(end)
        steps = [leaf[end] for i, leaf in enumerate(self.leaves) if i not in run and leaf.extent > 1]
        steps += [self.leaves[i][end] * self.parts[i] for i in run if i in self.cut]
        return math.gcd(self.widest if end == SOURCE else self.bank, aligned, *steps)

    def slots(self) -> dict[int, int]:
        """Return the step of each loop of a box in shared memory, in items."""
        result = {i: self.leaves[i][SOURCE] // self.unit for i in self.run(SOURCE)}
        step = self.pitch
        # In the order of the target, so that neighbours there come from runs that follow one another.
        for i in sorted(self.rows(SOURCE), key=lambda i: self.leaves[i][TARGET]):
            result[i] = step
            step *= self.parts[i]
        return result

    def run(self, end: int) -> list[int]:
        """Return the loops that make a contiguous run at an end, the fastest first."""
        return self._run(end)[0]

    def run_bytes(self, end: int) -> int:
        """Return the bytes of a contiguous run."""
        return math.prod([self.parts[i] for i in self.run(end)]) * self.unit

    def next_of_run(self, end: int) -> int | None:
        """Return the loop that would make a run longer: the one that ends it, if cut, or one that continues it."""
        run, following = self._run(end)
        if run and self.parts[run[-1]] < self.leaves[run[-1]].extent:
            return run[-1]
        return following

    def _run(self, end: int) -> tuple[list[int], int | None]:
        """Return the loops of a run, and the loop that could continue it."""
        run: list[int] = []
        reach = self.unit
        while True:
            match = next((i for i, leaf in enumerate(self.leaves) if leaf[end] == reach and leaf.extent > 1), None)
            if match is None or self.parts[match] == 1:
                return run, match
            run.append(match)
            reach *= self.parts[match]
            if self.parts[match] < self.leaves[match].extent:
                return run, None

    def grown(self, loop: int) -> "Box":
        """Return a box with twice the steps of one loop."""
        more = min(2 * self.parts[loop], self.leaves[loop].extent)
        return self._replace(parts=(*self.parts[:loop], more, *self.parts[loop + 1 :]))


def box_of(leaves: tuple[Leaf, ...], unit: int, most: int) -> Box:
    """Return a box of at most ``most`` bytes whose shorter run is as long as possible."""
    box = Box(leaves, (1,) * len(leaves), unit)
    while True:
        grown = next((larger for larger in _larger(box) if _is_allowed(larger, most)), None)
        if grown is None:
            return box
        box = grown


def _larger(box: Box) -> Iterator[Box]:
    """Yield larger boxes, the best first: the shorter run is made longer, then the other, then there are more runs."""
    for end in sorted((SOURCE, TARGET), key=box.run_bytes):
        loop = box.next_of_run(end)
        if loop is not None:
            yield box.grown(loop)
    others = [i for i, leaf in enumerate(box.leaves) if box.parts[i] < leaf.extent]
    for loop in sorted(others, key=lambda i: abs(box.leaves[i].source_stride)):
        yield box.grown(loop)


def _is_allowed(box: Box, most: int) -> bool:
    # Runs that start in different banks may need much more memory than their items.
    return box.nbytes <= most and box.shared_bytes <= 2 * most and len(box.inside) <= _LOOPS and len(box.cut) <= 2


def box_structure(box: Box, words: tuple[int, int], bits: Bits) -> Struct:
    """Return the structure that a kernel takes, for words of so many bytes in the target and in the source."""
    cut = [*box.cut, None, None][:2]
    leaves = [Leaf(1, 0, 0) if i is None else box.leaves[i] for i in cut]
    parts = [1 if i is None else box.parts[i] for i in cut]
    boxes = [divisor(-(-leaf.extent // part), bits.counts) for leaf, part in zip(leaves, parts, strict=True)]
    steps = [
        [leaf[end] // box.unit * part for leaf, part in zip(leaves, parts, strict=True)] for end in (TARGET, SOURCE)
    ]
    sides = [_side(box, end, word, bits) for end, word in zip((TARGET, SOURCE), words, strict=True)]
    run, slots = box.run(TARGET), box.slots()
    extents = [divisor(box.parts[i], bits.counts) for i in run[:3]]
    return structure(
        "box",
        bits,
        boxes,
        [leaf.extent for leaf in leaves],
        parts,
        *steps,
        sides[1],
        sides[0],
        _filled(extents, 3, divisor(1, bits.counts)),
        _filled([slots[i] for i in run], 4, 0),
    )


def _rounded(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def _side(box: Box, end: int, word: int, bits: Bits) -> tuple[Any, ...]:
    run, rows, slots = box.run(end), box.rows(end), box.slots()
    items = math.prod([box.parts[i] for i in run])
    words = -(-items * box.unit // word)
    count = words * math.prod([box.parts[i] for i in rows])
    inner, cut = (items // box.parts[run[-1]], _cut(box, run[-1])) if run else (1, _NOT_CUT)
    result = [
        (divisor(box.parts[i], bits.counts), box.leaves[i][end] // box.unit, slots[i], _cut(box, i)) for i in rows
    ]
    return divisor(words, bits.counts), count, items, inner, cut, _filled(result, 3, (divisor(1, bits.counts), 0, 0, 2))


def _cut(box: Box, loop: int) -> int:
    return box.cut.index(loop) if loop in box.cut else _NOT_CUT


def _filled(values: list[Any], length: int, value: Any) -> list[Any]:
    return [*values, *[value] * (length - len(values))]
