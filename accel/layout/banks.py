"""Bank conflicts in shared memory, and the swizzle that avoids them.

Shared memory is divided into banks. A bank serves one word at a time, to all threads that access this word.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from accel.errors import LayoutError
from accel.layout.layout import Layout, as_layout
from accel.layout.swizzle import Swizzle
from accel.layout.warp_accesses import addresses, refuse_less_than_one, warp

__all__ = ["BankConflicts", "Conflict", "bank_conflicts", "find_swizzle"]


class Conflict(NamedTuple):
    """A bank, and the threads that access different words of it at the same time."""

    bank: int
    threads: tuple[int, ...]

    def __str__(self) -> str:
        shown = ", ".join(map(str, self.threads))
        if len(self.threads) > 8:
            shown = f"{', '.join(map(str, self.threads[:3]))} ... {self.threads[-1]}"
        return f"threads {shown} access different words of bank {self.bank}"


class BankConflicts(NamedTuple):
    """The bank conflicts of one access by a warp.

    Attributes
    ----------
    ways : int
        The most different words that are accessed in one bank at the same time; 1 if there is no conflict.
    worst : Conflict or None
        The first conflict with that many words.
    conflicts : tuple of Conflict
        One for each phase and bank in which several words are accessed.
    """

    ways: int
    worst: Conflict | None
    conflicts: tuple[Conflict, ...]

    def __str__(self) -> str:
        return f"{self.ways} ways: {self.worst}" if self.worst else "no conflicts"


class _Memory(NamedTuple):
    banks: int
    bank_bytes: int
    threads: int

    def phases(self, starts: Sequence[int], width: int) -> Iterator[range]:
        """Yield the threads of each phase: as many threads of a warp as all banks together have bytes for."""
        lanes = max(self.banks * self.bank_bytes // max(width, self.bank_bytes), 1)
        for first in range(0, len(starts), self.threads):
            end = min(first + self.threads, len(starts))
            for start in range(first, end, lanes):
                yield range(start, min(start + lanes, end))

    def conflicts(self, starts: Sequence[int], width: int) -> Iterator[tuple[int, Conflict]]:
        """Yield the number of words and the conflict, for each phase and bank in which there are several words."""
        for phase in self.phases(starts, width):
            words: defaultdict[int, set[int]] = defaultdict(set)
            asking: defaultdict[int, list[int]] = defaultdict(list)
            for thread in phase:
                for word in self.words(starts[thread], width):
                    words[word % self.banks].add(word)
                    asking[word % self.banks].append(thread)
            for bank in sorted(words):
                if len(words[bank]) > 1:
                    yield len(words[bank]), Conflict(bank, tuple(asking[bank]))

    def words(self, start: int, width: int) -> range:
        return range(start // self.bank_bytes, (start + width - 1) // self.bank_bytes + 1)

    def summary(self, starts: Sequence[int], width: int) -> BankConflicts:
        counted = list(self.conflicts(starts, width))
        ways, worst = max(counted, key=lambda pair: pair[0], default=(1, None))
        return BankConflicts(ways, worst, tuple([conflict for _, conflict in counted]))


def bank_conflicts(
    layout: Any, itemsize: int, *, banks: int = 32, bank_bytes: int = 4, threads: int = 32, vector: int = 1
) -> BankConflicts:
    """The most different words w with equal w mod banks that the threads of a warp access at the same time.

    Thread i accesses the elements ``layout(i * vector)`` to ``layout(i * vector + vector - 1)``. If the layout has
    fewer elements, the other threads are idle. Threads that access the same word do not conflict.

    Wide accesses are served in phases; in one phase each bank serves at most one word without a conflict. A phase has
    the whole warp for up to 4 bytes per thread, half of it for 8 bytes and a quarter for 16. Threads of different
    phases do not conflict.

    Parameters
    ----------
    layout : Layout or ComposedLayout
        Coordinates to offsets in elements; for an access to a tile, the composition ``tile @ access``.
    itemsize : int
        Bytes of an element.
    banks, bank_bytes : int
        The number of banks, and the bytes of a word.
    threads : int
        Threads of a warp.
    vector : int
        Elements that a thread reads or writes in one access.

    Raises
    ------
    LayoutError
        If the elements of a thread cannot be read or written in one access.

    Examples
    --------
    >>> from accel.layout import Layout, Swizzle, bank_conflicts
    >>> column = Layout(32, 32)  # of 32 x 32 floats, by rows
    >>> print(bank_conflicts(column, 4))
    32 ways: threads 0, 1, 2 ... 31 access different words of bank 0
    >>> print(bank_conflicts(Swizzle(5, 0, 5) @ column, 4))
    no conflicts
    """
    refuse_less_than_one(banks=banks, bank_bytes=bank_bytes, threads=threads)
    starts = addresses(warp(layout, threads, vector), itemsize, vector)
    return _Memory(banks, bank_bytes, threads).summary(starts, itemsize * vector)


class _Access(NamedTuple):
    """The offset at which each thread's access begins, and the elements of one access."""

    starts: list[int]
    vector: int


def find_swizzle(
    layout: Any,
    itemsize: int,
    *accesses: Any,
    vector: int | Sequence[int] = 1,
    banks: int = 32,
    bank_bytes: int = 4,
    threads: int = 32,
) -> Swizzle:
    """The S with the fewest bits, then the largest base, then the smallest shift, such that S o L has no conflicts.

    S permutes the memory of the tile and keeps the elements of one access together. The shift is never negative: such
    a swizzle would not move words of one bank to different banks.

    Parameters
    ----------
    layout : Layout
        A tile in shared memory: coordinates to offsets in elements.
    itemsize : int
        Bytes of an element.
    *accesses : Layout
        Each maps a thread to an integer coordinate of the tile, or (element, thread) if an access has several elements.
        Elements beyond those of one warp are accessed by further warps. By default, all coordinates in order.
    vector : int or sequence of int, default 1
        Elements of one access by a thread: one number for all accesses, or one for each.
    banks, bank_bytes, threads : int
        As in `bank_conflicts`.

    Raises
    ------
    LayoutError
        If there is none; the message names the best swizzle and the conflict that remains.

    Examples
    --------
    Rows and columns of 32 x 32 floats, and the eight rows of 16 bytes that a matrix instruction reads:

    >>> from accel.layout import Layout, find_swizzle
    >>> find_swizzle(Layout((32, 32), (32, 1)), 4, Layout(32, 1), Layout(32, 32))
    Swizzle(5, 0, 5)
    >>> find_swizzle(Layout((8, 64), (64, 1)), 2, Layout((8, 8), (8, 1)), vector=8)
    Swizzle(3, 3, 3)
    """
    refuse_less_than_one(itemsize=itemsize, banks=banks, bank_bytes=bank_bytes, threads=threads)
    tile, memory = as_layout(layout), _Memory(banks, bank_bytes, threads)
    if any(stride < 0 for _, stride in tile.leaves):
        raise LayoutError(f"a swizzle needs offsets from 0 on; {tile} has a negative stride")
    checked = _checked_accesses(tile, itemsize, accesses or (Layout(tile.size),), vector)
    tried = []
    for swizzle in _candidates(tile.cosize, banks * bank_bytes // itemsize, max(access.vector for access in checked)):
        results = [_conflicts_under(swizzle, access, itemsize, memory) for access in checked]
        if all(result.ways == 1 for result in results):
            return swizzle
        tried.append((swizzle, results))
    raise _no_swizzle(tile, tried)


def _checked_accesses(
    tile: Layout, itemsize: int, accesses: Sequence[Any], vector: int | Sequence[int]
) -> list[_Access]:
    vectors = [vector] * len(accesses) if isinstance(vector, int) else list(vector)
    if len(vectors) != len(accesses):
        raise LayoutError(f"one vector is needed for each of {len(accesses)} accesses; found {len(vectors)}")
    checked = []
    for access, elements in zip(map(as_layout, accesses), vectors, strict=True):
        addresses((), itemsize, elements)  # at once, as there may be very many offsets
        offsets = [tile(access(i)) for i in range(access.size)]
        addresses(offsets, itemsize, elements)  # raises if the offsets are not consecutive or not aligned
        checked.append(_Access(offsets[::elements], elements))
    return checked


def _candidates(span: int, row: int, vector: int) -> Iterator[Swizzle]:
    """Yield the swizzles that change the bits which select the bank, those with the fewest bits first.

    Parameters
    ----------
    span : int
        Elements of the tile.
    row : int
        Elements in one word of every bank.
    vector : int
        Elements of one access, which stay together.
    """
    yield Swizzle(0, 0, 0)
    lowest, end, used = vector.bit_length() - 1, row.bit_length() - 1, (span - 1).bit_length()
    for bits in range(1, end - lowest + 1):
        for base in range(end - bits, lowest - 1, -1):
            if span % (1 << base + bits) == 0:  # otherwise the last run would be moved out of the tile
                for shift in range(bits, used - base - bits + 1):
                    yield Swizzle(bits, base, shift)


def _conflicts_under(swizzle: Swizzle, access: _Access, itemsize: int, memory: _Memory) -> BankConflicts:
    starts = [swizzle(start) * itemsize for start in access.starts]
    return memory.summary(starts, access.vector * itemsize)


def _no_swizzle(tile: Layout, tried: Sequence[tuple[Swizzle, Sequence[BankConflicts]]]) -> LayoutError:
    best, results = min(tried, key=lambda one: max(result.ways for result in one[1]))
    worst = max(range(len(results)), key=lambda k: results[k].ways)
    return LayoutError(
        f"none of the {len(tried)} swizzles that permute the {tile.cosize} elements of {tile} avoids all bank "
        f"conflicts; the best is {best}, which leaves access {worst} with {results[worst]}; pad a stride instead"
    )
