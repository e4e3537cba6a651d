"""`Heap`: the memory of one device: allocation, release, and what is done when memory runs out."""

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from weakref import WeakValueDictionary

from accel.abc.backend import Backend
from accel.abc.block import Block
from accel.abc.direct import DirectAllocator, PreparesAllocation
from accel.abc.external import ExternalAllocation
from accel.abc.graphs import refuse_captured
from accel.abc.optional import AllocatesCleared, FreesInOrder
from accel.abc.stream import Stream
from accel.abc.watch import Watch
from accel.device import Device
from accel.errors import DeviceUnavailableError, OutOfMemoryError
from accel.memory.allocators import Allocator, Scope, current_scopes, trimmed
from accel.memory.captures import ACTIVE, refuse_allocation
from accel.memory.hazards import HazardRecord
from accel.memory.heap_streams import HeapStreams
from accel.memory.holder import Holder
from accel.memory.in_flight import PendingWork
from accel.memory.shortage import in_use, is_retry, retrying
from accel.registry import NoBackendError, providers, table_by_device
from accel.support.locks import LockTakenError, in_child, open_after_fork

__all__ = ["KNOWN_HEAPS", "Heap", "PendingWork", "Watcher", "heap_of", "heaps", "unwatch", "watch"]


class Heap(HeapStreams):
    """The memory of one device.

    Parameters
    ----------
    device : Device
        The device.
    backend : Backend
        Allocates, frees and copies its memory.

    Attributes
    ----------
    scopes : tuple of Scope
        The open `allocating` blocks of this device.
    watches : tuple of Watch
        Told of each allocation and release.
    plain : bool
        Whether there are no watches, and all blocks come from the backend: one test instead of three at each
        allocation and release.
    clearing : AllocatesCleared or None
        The backend, if it clears memory at its allocation.
    direct : DirectAllocator or None
        The backend's functions for the usual case, after the first allocation.
    foreign : HazardRecord
        The hazards of all memory of the device that was not allocated here.
    """

    __slots__ = (
        "_allocators",
        "_in_order",
        "_prepares",
        "_sources",
        "clearing",
        "direct",
        "foreign",
        "plain",
        "scopes",
        "watches",
    )
    changing: bool

    def __init__(self, device: Device, backend: Backend) -> None:
        super().__init__(device, backend)
        self._in_order = backend if isinstance(backend, FreesInOrder) else None
        self._prepares = backend if isinstance(backend, PreparesAllocation) else None
        self.direct: DirectAllocator | None = None
        self.clearing: AllocatesCleared | None = backend if isinstance(backend, AllocatesCleared) else None
        self.foreign: HazardRecord = HazardRecord()
        # The blocks that do not go back to the backend, and where they go back to.
        self._sources: dict[Block, Allocator] = {}
        # By identity: allocators of users may have no hash.
        self._allocators: WeakValueDictionary[int, Allocator] = WeakValueDictionary()
        self.watches: tuple[Watch, ...] = tuple(watcher(device) for watcher in _watchers)
        self.scopes: tuple[Scope, ...] = ()
        self.plain: bool = not self.watches

    @property
    def live_blocks(self) -> int:
        """Blocks allocated now."""
        self.free_lost()
        return len(self.table.sizes())

    @property
    def live_bytes(self) -> int:
        """Bytes allocated now."""
        self.free_lost()
        return sum(self.table.sizes())

    @property
    def peak_bytes(self) -> int:
        """The most bytes that were allocated at one time."""
        return self.table.peak

    @property
    def kept_blocks(self) -> int:
        """Blocks whose handles are all released, and that exports or work in flight keep alive."""
        self.free_lost()
        return len(self.table.kept)

    # One function, since each call of another costs an allocation a twentieth of its time.
    def allocate(  # noqa: C901, PLR0912
        self,
        nbytes: int,
        alignment: int = 1,
        stream: Stream | None = None,
        holder: Holder | None = None,
        clearing: AllocatesCleared | None = None,
    ) -> Block:
        """Return uninitialised bytes of this device, and make a holder their owner.

        Parameters
        ----------
        nbytes, alignment : int
            Size and alignment in bytes.
        stream : Stream, optional
            The stream that uses the bytes first.
        holder : Holder, optional
            The owner of the bytes.
        clearing : AllocatesCleared, optional
            The backend, to get cleared bytes from it; no allocator is asked then.

        Raises
        ------
        OutOfMemoryError
            If there is no memory, also after all was freed that could be; names the largest owners.
        """
        if ACTIVE:
            refuse_allocation(self.device, stream)
        if self.deferred or self.pending_work:
            self.retire_oldest()
        try:
            with self.lock:
                before = self.changing
                self.changing = True
                try:
                    plain, table, direct, block = self.plain, self.table, self.direct, None
                    source: Allocator = self.backend
                    if direct is not None and plain and stream is None and alignment == 1:
                        block = direct[0](nbytes, clearing is not None)
                    if block is None:
                        if clearing is not None:
                            block = clearing.allocate_cleared(self.device, nbytes, alignment=alignment, stream=stream)
                        else:
                            source = source if plain else self.allocator
                            block = source.allocate(self.device, nbytes, alignment=alignment, stream=stream)
                        if direct is None and self._prepares is not None:
                            self.direct = self._prepares.prepare_allocation(self.device)
                    # As `AllocationTable.enter`, without the call.
                    length = block.nbytes
                    entry = (length, None) if holder is None else (length,)
                    key, live = id(block), table.live + length
                    # No call from here on, as there.
                    table.blocks[key] = entry
                    table.live = live
                    if live > table.peak:  # noqa: PLR1730 - max() is a call
                        table.peak = live
                    if holder is not None:
                        holder.sentinel = entry
                        holder.allocation = block
                    if live > table.check_at:
                        self._free_lost()
                    if not plain:
                        self._report_allocated(block, source)
                finally:
                    self.changing = before
        except OutOfMemoryError as error:
            if is_retry() or self._is_changing() or nbytes > self.backend.limits(self.device).memory > 0:
                raise
            return self._make_room(error, partial(self.allocate, nbytes, alignment, stream, holder, clearing))
        if self.deferred:
            self.run_deferred()
        return block

    @property
    def allocator(self) -> Allocator:
        """Where memory of the device comes from here: the innermost `allocating`, or else the backend."""
        allocators = (scope.allocator for scope in reversed(current_scopes.get()) if scope in self.scopes)
        return next(allocators, self.backend)

    def enter(self, scope: Scope) -> None:
        """Open a scope: its allocator is used where the scope is active, and trimmed as long as it exists.

        Parameters
        ----------
        scope : Scope
            The scope.
        """
        with self.lock:
            self._allocators[id(scope.allocator)] = scope.allocator
            self.scopes = (*self.scopes, scope)
            self.plain = False
        self.run_deferred()

    def leave(self, scope: Scope) -> None:
        """Close a scope; takes no lock, because the finaliser of a generator may close one.

        Parameters
        ----------
        scope : Scope
            The scope.
        """
        while scope in self.scopes:
            before = self.scopes
            remaining = tuple([other for other in before if other is not scope])
            # No call between these: another thread, or a caller in this one, may open or close another scope.
            if self.scopes is before:
                self.scopes = remaining
        self._update_plain()

    def watch(self, watch: Watch) -> None:
        """Report each allocation and release to a watch from now on.

        Parameters
        ----------
        watch : Watch
            What is called.
        """
        with self.lock:
            if watch not in self.watches:
                self.watches = (*self.watches, watch)
            self.plain = False
        self.run_deferred()

    def unwatch(self, watch: Watch) -> None:
        """Stop reporting to a watch; takes no lock, as `leave`.

        Parameters
        ----------
        watch : Watch
            What is called.
        """
        while watch in self.watches:
            before = self.watches
            remaining = tuple([other for other in before if other is not watch])
            # No call between these, as above.
            if self.watches is before:
                self.watches = remaining
        self._update_plain()

    def _update_plain(self) -> None:
        self.plain = not (self.watches or self.scopes or self._sources)

    def _report_allocated(self, block: Block, source: Allocator) -> None:
        if source is not self.backend:
            self._sources[block] = source
            self.plain = False  # the scope may have ended meanwhile
        for watch in self.watches:
            watch.see_allocated(block.nbytes)

    def add_external(self, holder: Holder, external: ExternalAllocation) -> None:
        """Record external memory: its deleter runs at the latest when nothing refers to the holder.

        Parameters
        ----------
        holder : Holder
            What keeps the memory in use.
        external : ExternalAllocation
            The memory.
        """
        self.table.add_external(external, holder)

    def free_lost(self) -> None:
        """Free what finalisers could not free because of an interrupt, unless the table is locked."""
        with suppress(LockTakenError), self._try_lock:
            if not self.changing:
                self.changing = True
                try:
                    self._free_lost()
                finally:
                    self.changing = False
        self.run_deferred()

    def _free_lost(self) -> None:
        for key, nbytes in self.table.remove_lost():
            for watch in self.watches:
                watch.see_freed(nbytes)
            # The memory was freed with the block object, unless it belongs to a user's allocator.
            for block in [each for each in self._sources if id(each) == key]:
                self._sources.pop(block).free(block, stream=None)
        self._update_plain()
        self.deferred.extend([partial(_unused, external) for external in self.table.abandoned()])

    def free(self, block: Block) -> None:
        """Give a block back to its allocator; the caller holds the lock.

        Parameters
        ----------
        block : Block
            The block.
        """
        self.table.remove(block)
        if self.plain:
            self.give_back(block)
            return
        for watch in self.watches:
            watch.see_freed(block.nbytes)
        # A block freed on a stream is kept by no pool: it goes back to the backend.
        stream = self.stream if block.lent else None
        self._sources.pop(block, self.backend).free(block, stream=stream)
        self._update_plain()

    def give_back(self, block: Block) -> None:
        """Give a block back to the backend, in the short way if there is one; the caller holds the lock.

        Parameters
        ----------
        block : Block
            The block.
        """
        direct = self.direct
        if direct is None or not direct[1](block):
            self.backend.free(block, stream=None)

    def trim(self) -> int:
        """Free the unused blocks that allocators keep; returns how many bytes."""
        self.free_lost()
        with self.lock:
            before, self.changing = self.changing, True
            try:
                freed = sum(trimmed(each) for each in (*self._allocators.values(), self.backend))
            finally:
                self.changing = before
        self.run_deferred()
        return freed

    def _make_room(self, error: OutOfMemoryError, again: Callable[[], Block]) -> Block:
        return retrying(again, error, self._freeing(), partial(in_use, self))

    def _freeing(self) -> Iterator[None]:
        """Free memory step by step, the most expensive step last."""
        for heap in heaps():
            heap.retire_finished()
            heap.free_lost()
        self.trim()
        yield
        gc.collect()
        self.trim()
        yield
        for heap in heaps():
            heap.wait()
        self.trim()
        yield

    def synchronize(self) -> None:
        """Wait for the device, and release the memory of work that is done."""
        for stream in [*ACTIVE]:
            if stream.device is self.device:
                refuse_captured(stream, "be waited for", "wait for the device after the capture")
        self.backend.synchronize(self.device)
        for heap in heaps():  # work on another device's stream may hold memory of this one
            heap.retire_finished()

    @property
    def in_order(self) -> FreesInOrder | None:
        """The backend, if it frees in stream order and all blocks come from it; else None."""
        return None if self._sources else self._in_order

    def source_of(self, block: Block) -> Allocator:
        """Return the allocator that a block goes back to.

        Parameters
        ----------
        block : Block
            The block.
        """
        return self._sources.get(block, self.backend)


def _unused(external: ExternalAllocation) -> ExternalAllocation:
    """Change that ends the use of external memory."""
    return external


Watcher = Callable[[Device], Watch]
"""Returns the watch of a device, the same one at each call."""

_watchers: list[Watcher] = []
KNOWN_HEAPS: dict[Device, Heap] = table_by_device()
"""The heaps used so far; `heap_of` makes others."""
# Reentrant: a garbage collection may end a watch.
_new_heap = open_after_fork(threading.RLock())


def heap_of(device: Device) -> Heap:
    """Return the heap of an available device.

    Parameters
    ----------
    device : Device
        The device; it has to be available.

    Returns
    -------
    Heap
        The heap.

    Raises
    ------
    DeviceUnavailableError
        If no backend serves it.
    """
    try:
        return KNOWN_HEAPS[device]
    except KeyError:
        return _make_heap(device)


def heaps() -> tuple[Heap, ...]:
    """Return the heaps used so far in this process."""
    return tuple(KNOWN_HEAPS.values())


@in_child
def _reset_in_child() -> None:
    """Mark all tables as not being changed: the threads that changed them stayed behind in the parent."""
    for heap in heaps():
        heap.changing = False


def watch(watcher: Watcher) -> None:
    """Report each allocation and release from now on, on all devices."""
    with _new_heap:
        _watchers.append(watcher)
    for heap in heaps():
        heap.watch(watcher(heap.device))


def unwatch(watcher: Watcher) -> None:
    """Stop reporting to the watches of a watcher."""
    with _new_heap:
        _watchers.remove(watcher)
    for heap in heaps():
        heap.unwatch(watcher(heap.device))


def _make_heap(device: Device) -> Heap:
    try:
        provider = providers.get(device.type)
    except NoBackendError as error:
        raise DeviceUnavailableError(f"there is no memory on {device}: {error}") from None
    if not isinstance(provider, Backend):
        raise DeviceUnavailableError(f"there is no memory on {device}: {provider.name} is not a complete backend")
    with _new_heap:
        return KNOWN_HEAPS.get(device) or KNOWN_HEAPS.setdefault(device, Heap(device, provider))
