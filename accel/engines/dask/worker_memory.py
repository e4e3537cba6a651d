"""`WorkerTile`: a tile on a worker, in memory or in a file; `MEMORY` keeps those in memory within a budget.

Each worker process has one `MEMORY`. So no message is needed before a task begins, Dask places and repeats tasks as it
likes, and a lost worker leaves no account behind.

**What is counted.** The tiles in memory, and all that running tasks were promised: their inputs, outputs and partial
results. Not counted are messages between workers until they are received, what the bodies allocate otherwise, and
outputs whose shape the body chooses, until it has ended. Then each is counted, or written to the file.

`accel.engines.memory_budget.admission` explains when a task begins, and why none waits for ever.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from accel.device import Device
from accel.engines.memory_budget.admission import Admission
from accel.engines.memory_budget.evictable import Evictable
from accel.engines.memory_budget.ledger import UNLIMITED
from accel.engines.memory_budget.requests import Promise, Request
from accel.engines.memory_budget.spill_file import Extent, SpillFile
from accel.memory.host_storage import HostArray
from accel.support.locks import open_after_fork

__all__ = ["MEMORY", "Lease", "WorkerMemory", "WorkerTile", "received"]


class _Elements(Evictable):
    """The elements of a `WorkerTile`."""

    __slots__ = ("array", "dtype", "shape")

    def __init__(self, array: HostArray) -> None:
        super().__init__()
        self.array: HostArray | None = array
        self.dtype = array.dtype
        self.shape: tuple[int, ...] = array.shape
        self.buffers = {id(self): array.nbytes}

    @property
    def nbytes(self) -> int:
        return self.buffers[id(self)]

    def write(self, file: SpillFile) -> Extent | None:
        array = self.array  # the finaliser of the tile may drop it meanwhile
        return None if array is None else file.write(array)

    def read(self, file: SpillFile) -> None:
        array = np.empty(self.shape, self.dtype)
        file.read(self.token, array)
        self.array = array

    def clear(self) -> None:
        self.array = None

    def discard(self, file: SpillFile) -> None:
        file.free(self.token)

    def mapped(self, file: SpillFile) -> HostArray:
        """Return the elements as they are in the file."""
        return file.mapped(self.token).view(self.dtype).reshape(self.shape)


class WorkerTile:
    """The elements of a box, which are never changed; made by `WorkerMemory`."""

    __slots__ = ("_memory", "elements")

    def __init__(self, memory: "WorkerMemory", elements: _Elements) -> None:
        self._memory = memory
        self.elements: _Elements = elements

    @property
    def array(self) -> HostArray | None:
        """The elements; None while they are only in the file."""
        return self.elements.array

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of elements along each axis."""
        return self.elements.shape

    @property
    def dtype(self) -> np.dtype:
        """Type of the elements."""
        return self.elements.dtype

    @property
    def nbytes(self) -> int:
        """Bytes of the elements."""
        return self.elements.nbytes

    def __sizeof__(self) -> int:
        return self.nbytes

    def __reduce__(self) -> tuple[object, ...]:
        with self._memory.reading(self) as array:
            return received, (array,)

    def __del__(self) -> None:
        self.elements.needed = False
        self.elements.clear()
        self._memory.drop_later([self.elements])


class Lease(NamedTuple):
    """The promise to a task, which keeps the results of the task as tiles."""

    memory: "WorkerMemory"
    promise: Promise

    def keep(self, array: HostArray) -> WorkerTile:
        """Return an array that the task has computed as a tile, in place of bytes that it was promised."""
        return self.memory.tile(array, self.promise)


class WorkerMemory(Admission):
    """The tiles of a worker process; received tiles keep to the budget of the task that asked for memory last."""

    def __init__(self) -> None:
        super().__init__(UNLIMITED)

    @contextmanager
    def admitted(self, nbytes: int, tiles: Sequence[WorkerTile], budget: int | None) -> Iterator[Lease]:
        """Wait until new arrays of so many bytes fit together with some tiles, which stay in memory for the block.

        Raises
        ------
        StoreError
            If they do not fit the budget though no other task runs.
        """
        values = {tile.elements: None for tile in tiles}

        def request() -> Request:
            self.ledger().budget = UNLIMITED if budget is None else budget
            return Request("a task on a worker", values, {Device.CPU: nbytes})

        with self.promised(request) as promise:
            yield Lease(self, promise)

    @contextmanager
    def reading(self, tile: WorkerTile) -> Iterator[HostArray]:
        """Give the elements of a tile where they are, in memory or in the file; never waits for tasks."""
        with self.pinned(tile.elements) as elements:
            yield elements.mapped(self.file) if elements.array is None else elements.array

    def tile(self, array: HostArray, promise: Promise | None = None) -> WorkerTile:
        """Return an array as a tile, in memory if it fits."""
        elements = _Elements(np.require(array, requirements=["C", "ALIGNED"]))  # of a message: at any address
        self.keep(elements, promise or Promise([], [], {}))
        return WorkerTile(self, elements)


MEMORY = WorkerMemory()
open_after_fork(MEMORY.changed)


def received(array: HostArray) -> WorkerTile:
    """Return a tile that came in a message."""
    return MEMORY.tile(array)
