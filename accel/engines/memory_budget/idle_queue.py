"""`IdleQueue`: the values that can leave the memory, in the order in which they should."""

from collections import Counter
from collections.abc import Collection, Iterator
from heapq import heapify, heappop, heappush
from itertools import count

from accel.engines.memory_budget.evictable import Evictable
from accel.engines.memory_budget.ledger import Ledger

__all__ = ["IdleQueue"]

_SLACK = 64  # entries that are out of date and stay in the heap


class IdleQueue:
    """Values in memory that no work uses, the one whose next use is latest first.

    Of values with the same next use, the one that was added first comes first.
    """

    def __init__(self) -> None:
        self._serials: dict[Evictable, int] = {}
        self._heap: list[tuple[int, int, Evictable]] = []  # an entry with another serial number is out of date
        self._counter = count()

    def add(self, value: Evictable) -> None:
        """Add a value, as the latest of those with the same next use."""
        serial = self._serials[value] = next(self._counter)
        heappush(self._heap, (-value.next_use, serial, value))
        if len(self._heap) > 2 * len(self._serials) + _SLACK:
            self._heap = [entry for entry in self._heap if self._current(entry)]
            heapify(self._heap)

    def discard(self, value: Evictable) -> None:
        """Remove a value, if it is there."""
        self._serials.pop(value, None)

    def freeing(self, lacking: int, staying: Collection[Evictable], ledger: Ledger) -> tuple[list[Evictable], int]:
        """Return the first values that free enough bytes of a ledger together, without some that stay, and these bytes.

        If all together free less, all are returned.
        """
        chosen: list[Evictable] = []
        leaving: Counter[int] = Counter()
        freed = 0
        for value in self._in_order():
            if value in staying:
                continue
            chosen.append(value)
            for owner, nbytes in value.buffers.items():
                leaving[owner] += 1
                if leaving[owner] == ledger.users(owner):
                    freed += nbytes
            if freed >= lacking:
                # A view frees nothing while another view of the same array stays.
                chosen = [each for each in chosen if any(leaving[of] == ledger.users(of) for of in each.buffers)]
                break
        return chosen, freed

    def _in_order(self) -> Iterator[Evictable]:
        passed = []
        try:
            while self._heap:
                entry = heappop(self._heap)
                if self._current(entry):
                    passed.append(entry)
                    yield entry[-1]
        finally:
            for entry in passed:
                heappush(self._heap, entry)

    def _current(self, entry: tuple[int, int, Evictable]) -> bool:
        return self._serials.get(entry[-1]) == entry[1]
