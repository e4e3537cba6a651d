"""`Box`: parts of loops with long contiguous runs at both ends of a copy, as integers."""

import math
from collections.abc import Iterable, Iterator
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
    def pack(self) -> int:
        """Items of a word of 4 bytes, or 1 if items are larger."""
        return max(4 // self.unit, 1)

    @property
    def pitch(self) -> int:
        """Items from one run of the source to the next in shared memory: whole words."""
        return -(-self.run_bytes(SOURCE) // (self.pack * self.unit)) * self.pack

    @property
    def shared_bytes(self) -> int:
        """Bytes of shared memory, with a gap in each line of banks."""
        rows = self.nbytes // self.run_bytes(SOURCE)
        lines = -(-rows * self.pitch * self.unit // _LINE)
        return lines * (_LINE + self.pack * self.unit)

    def rows(self, end: int) -> list[int]:
        """Return the loops of a box that are not within a run, in the order of an end."""
        run = self.run(end)
        return sorted([i for i in self.inside if i not in run], key=lambda i: abs(self.leaves[i][end]))

    def word(self, end: int, aligned: int) -> int:
        """Return the bytes of the words of an end: 4, if all runs are aligned to it, or an item's."""
        run = self.run(end)
        steps = [leaf[end] * part for i, (leaf, part) in enumerate(self._loops()) if i not in run or i in self.cut]
        return max(math.gcd(4, aligned, *steps), self.unit)

    def slots(self) -> dict[int, int]:
        """Return the step of each loop of a box in shared memory, in items."""
        found = {i: self.leaves[i][SOURCE] // self.unit for i in self.run(SOURCE)}
        step = self.pitch
        for i in self.rows(SOURCE):
            found[i] = step
            step *= self.parts[i]
        return found

    def _loops(self) -> Iterable[tuple[Leaf, int]]:
        return zip(self.leaves, self.parts, strict=True)

    def run(self, end: int) -> list[int]:
        """Return the loops that make a contiguous run at an end, the fastest first."""
        return list(self._run(end))[:-1]

    def run_bytes(self, end: int) -> int:
        """Return the bytes of a contiguous run."""
        return math.prod([self.parts[i] for i in self.run(end)]) * self.unit

    def next_of_run(self, end: int) -> int | None:
        """Return the loop that would make a run longer: the one that ends it, if cut, or one that continues it."""
        *run, following = self._run(end)
        if run and self.parts[run[-1]] < self.leaves[run[-1]].extent:
            return run[-1]
        return following

    def _run(self, end: int) -> Iterator[int | None]:
        """Yield the loops of a run, and then the loop that could continue it, or None."""
        reach = self.unit
        while True:
            found = next((i for i, leaf in enumerate(self.leaves) if leaf[end] == reach and leaf.extent > 1), None)
            if found is None or self.parts[found] == 1:
                yield found
                return
            yield found
            reach *= self.parts[found]
            if self.parts[found] < self.leaves[found].extent:
                yield None
                return

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
    return box.nbytes <= most and len(box.inside) <= _LOOPS and len(box.cut) <= 2


def box_structure(box: Box, words: tuple[int, int], bits: Bits) -> Struct:
    """Return the structure that a kernel takes, for words of so many bytes in the target and in the source."""
    cut = [*box.cut, None, None][:2]
    leaves = [Leaf(1, 0, 0) if i is None else box.leaves[i] for i in cut]
    parts = [1 if i is None else box.parts[i] for i in cut]
    boxes = [divisor(-(-leaf.extent // part), bits.count) for leaf, part in zip(leaves, parts, strict=True)]
    steps = [
        [leaf[end] // box.unit * part for leaf, part in zip(leaves, parts, strict=True)] for end in (TARGET, SOURCE)
    ]
    sides = [_side(box, end, word, bits) for end, word in zip((TARGET, SOURCE), words, strict=True)]
    run, slots = box.run(TARGET), box.slots()
    extents = [divisor(box.parts[i], bits.count) for i in run[:3]]
    return structure(
        "box",
        bits,
        boxes,
        [leaf.extent for leaf in leaves],
        parts,
        *steps,
        sides[1],
        sides[0],
        _filled(extents, 3, divisor(1, bits.count)),
        _filled([slots[i] for i in run], 4, 0),
    )


def _side(box: Box, end: int, word: int, bits: Bits) -> tuple[Any, ...]:
    run, rows, slots = box.run(end), box.rows(end), box.slots()
    items = math.prod([box.parts[i] for i in run])
    words = -(-items * box.unit // word)
    count = words * math.prod([box.parts[i] for i in rows])
    inner, cut = (items // box.parts[run[-1]], _cut(box, run[-1])) if run else (1, _NOT_CUT)
    made = [
        (divisor(box.parts[i], bits.count), box.leaves[i][end] // box.unit, slots[i], _cut(box, i)) for i in rows
    ]
    return divisor(words, bits.count), count, items, inner, cut, _filled(made, 3, (divisor(1, bits.count), 0, 0, 2))


def _cut(box: Box, loop: int) -> int:
    return box.cut.index(loop) if loop in box.cut else _NOT_CUT


def _filled(values: list[Any], length: int, value: Any) -> list[Any]:
    return [*values, *[value] * (length - len(values))]
