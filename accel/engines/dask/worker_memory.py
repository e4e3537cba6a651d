"""`WorkerTile`: a tile on a worker, in memory or in a file; `MEMORY` keeps those in memory within a budget.

Each worker process has one `MEMORY`. So no message is needed before a task begins, Dask places and repeats tasks as it
likes, and a lost worker leaves no account behind.

**What is counted.** The tiles in memory, and all that the tasks that run have asked for: their inputs, outputs and
partial results. Not counted are messages between workers until they are received, what the bodies allocate otherwise,
and outputs whose shape the body chooses, until it has ended. Then each is counted, or written to the file.

**The invariant.** A task begins only if all that it asked for fits what is left of its budget. In the same step the
bytes are promised to it, and its tiles are pinned.

**There is no deadlock.** A task that waits here has pinned nothing and was promised nothing. A task that runs never
waits here. So those that run come to an end. If none runs, all other tiles can leave the memory.
"""

import threading
from collections import OrderedDict, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from weakref import ref

import numpy as np

from accel.engines.budget import Usage
from accel.engines.graph.ledger import UNLIMITED
from accel.engines.graph.spill_file import Extent, SpillFile
from accel.errors import StoreError
from accel.memory.host_storage import HostArray
from accel.memory.sizes import in_words
from accel.support.locks import open_after_fork

__all__ = ["MEMORY", "Lease", "WorkerMemory", "WorkerTile", "received"]

_numbers = count()


class WorkerTile:
    """The elements of a box, which are never changed; made by `WorkerMemory`.

    Attributes
    ----------
    array : numpy.ndarray or None
        The elements; None while they are only in the file.
    extent : Extent or None
        Where they are in the file, if they were ever written to it.
    pins : int
        Number of tasks that use the memory now.
    """

    __slots__ = ("__weakref__", "_memory", "array", "dtype", "extent", "nbytes", "number", "pins", "shape")

    def __init__(self, memory: "WorkerMemory", array: HostArray) -> None:
        self.number = next(_numbers)
        self.shape: tuple[int, ...] = array.shape
        self.dtype = array.dtype
        self.nbytes = array.nbytes
        self.array: HostArray | None = array
        self.extent: Extent | None = None
        self.pins = 0
        self._memory = memory

    def __sizeof__(self) -> int:
        return self.nbytes

    def __reduce__(self) -> tuple[object, ...]:
        with self._memory.reading(self) as array:
            return received, (array,)

    def __del__(self) -> None:
        self._memory.dropped.append((self.number, 0 if self.array is None else self.nbytes, self.extent))


class Lease:
    """What a task was promised; it keeps its results by it."""

    def __init__(self, memory: "WorkerMemory", nbytes: int) -> None:
        self._memory = memory
        self.left = nbytes

    def keep(self, array: HostArray) -> WorkerTile:
        """Return an array that the task has made as a tile, in place of bytes that it was promised."""
        return self._memory.kept(array, self)


class WorkerMemory:
    """The tiles of a worker process."""

    # `_changed` guards all but `dropped`, and the arrays and extents of the tiles. It is held while a tile is written
    # to the file or read from it. It is notified when a task ends. Finalisers of tiles never take it: see `dropped`.

    def __init__(self) -> None:
        self.dropped: deque[tuple[int, int, Extent | None]] = deque()
        self._changed = open_after_fork(threading.Condition(threading.RLock()))
        self._budget = UNLIMITED  # of the task that was admitted last; received tiles keep to it
        self._held = self._promised = self._peak = self._running = 0
        self._file = SpillFile()
        # Tiles in memory that no task uses, the one that was used longest ago first.
        self._idle: OrderedDict[int, ref[WorkerTile]] = OrderedDict()

    def usage(self) -> Usage:
        """Return what tiles take, and have taken."""
        with self._changed:
            self._forget_dropped()
            return Usage(self._held, self._peak)

    @contextmanager
    def admitted(self, nbytes: int, tiles: Sequence[WorkerTile], budget: int | None) -> Iterator[Lease]:
        """Wait until new arrays of so many bytes fit together with some tiles, which stay in memory for the block.

        Raises
        ------
        StoreError
            If they do not fit the budget though no other task runs.
        """
        used = [*{tile.number: tile for tile in tiles}.values()]
        lease = self._admit(nbytes, used, UNLIMITED if budget is None else budget)
        try:
            for tile in used:
                self._load(tile, lease)
            yield lease
        finally:
            with self._changed:
                self._running -= 1
                self._promised -= lease.left
                self._unpin(used)
                self._changed.notify_all()

    @contextmanager
    def reading(self, tile: WorkerTile) -> Iterator[HostArray]:
        """Give the elements of a tile where they are, in memory or in the file; never waits for tasks."""
        with self._changed:
            array = tile.array
            if array is None:
                assert tile.extent is not None, "it is in the file"
                array = self._file.mapped(tile.extent).view(tile.dtype).reshape(tile.shape)
            self._pin([tile])
        try:
            yield array
        finally:
            with self._changed:
                self._unpin([tile])
                self._changed.notify_all()

    def kept(self, array: HostArray, lease: Lease | None = None) -> WorkerTile:
        """Return an array as a tile, in memory if it fits."""
        array = np.require(array, requirements=["C", "ALIGNED"])  # what came in a message may be at any address
        promised = 0 if lease is None else min(lease.left, array.nbytes)
        with self._changed:
            tile = WorkerTile(self, array)
            self._held += tile.nbytes
            self._promised -= promised
            if lease is not None:
                lease.left -= promised
            fits = True
            while fits and tile.nbytes > promised and self._lacking(0):
                fits = self._evict(frozenset())
            if fits:
                self._idle[tile.number] = ref(tile)
                self._peak = max(self._peak, self._held + self._promised)
            else:
                self._write(tile)
            return tile

    def _admit(self, nbytes: int, used: Sequence[WorkerTile], budget: int) -> Lease:
        kept = frozenset([tile.number for tile in used])
        while True:
            with self._changed:
                self._budget = budget
                wanted = nbytes + sum([tile.nbytes for tile in used if tile.array is None])
                lacking = self._lacking(wanted)
                if not lacking:
                    self._running += 1
                    self._promised += wanted
                    self._peak = max(self._peak, self._held + self._promised)
                    self._pin(used)
                    return Lease(self, wanted)
                # The lock is free between two tiles: others need not wait until all are written.
                if not self._evict(kept):
                    if not self._running:
                        raise StoreError(
                            f"a task on a worker needs {in_words(lacking)} more than is left: {in_words(self._held)} "
                            f"of its budget of {in_words(budget)} are held; write smaller tiles, or a larger budget"
                        )
                    self._changed.wait()

    def _lacking(self, wanted: int) -> int:
        """Return how many bytes must leave before more fit."""
        self._forget_dropped()
        return max(self._held + self._promised + wanted - self._budget, 0)

    def _load(self, tile: WorkerTile, lease: Lease) -> None:
        """Read a tile from the file, unless another task has done so."""
        with self._changed:
            if tile.array is None:
                assert tile.extent is not None, "it is in the file"
                array = np.empty(tile.shape, tile.dtype)
                self._file.read(tile.extent, array)
                tile.array = array
                self._held += tile.nbytes
                self._promised -= tile.nbytes
                lease.left -= tile.nbytes

    def _evict(self, kept: frozenset[int]) -> bool:
        """Let the tile leave the memory that was used longest ago; tell whether there was one."""
        for number, weak in self._idle.items():
            tile = weak()
            if tile is not None and tile.array is not None and number not in kept:
                del self._idle[number]
                self._write(tile)
                return True
        return False

    def _write(self, tile: WorkerTile) -> None:
        """Leave a tile to the file; one that was there before is not written again."""
        if tile.extent is None:
            assert tile.array is not None, "it is in memory"
            tile.extent = self._file.write(tile.array)
        tile.array = None
        self._held -= tile.nbytes

    def _pin(self, tiles: Sequence[WorkerTile]) -> None:
        for tile in tiles:
            tile.pins += 1
            self._idle.pop(tile.number, None)

    def _unpin(self, tiles: Sequence[WorkerTile]) -> None:
        for tile in tiles:
            tile.pins -= 1
            if not tile.pins and tile.array is not None:
                self._idle[tile.number] = ref(tile)

    def _forget_dropped(self) -> None:
        """Free the memory and the room in the file of tiles that are gone."""
        while self.dropped:
            number, nbytes, extent = self.dropped.popleft()
            self._idle.pop(number, None)
            self._held -= nbytes
            if extent is not None:
                self._file.free(extent)


MEMORY = WorkerMemory()


def received(array: HostArray) -> WorkerTile:
    """Return a tile that came in a message."""
    return MEMORY.kept(array)
