"""`Heap`: the memory of one device, its books, and the gate through which bytes come and go.

Counts, books and the backend's `allocate` and `free` are all touched with the gate closed behind one. Who gives memory
back never waits for the gate: whoever is inside may be a thread that was stopped for good, at the end of the process or
in the parent of a fork, or code of this very thread that a collection or a signal handler interrupts. It leaves a note,
and whoever opens the gate looks for notes after that, and does what they say.

An interrupt can come anywhere. The gate is only ever closed by ``with``, which alone cannot lose a lock; and the books
are checked when they are read, when memory runs out, and when they have doubled since the last time.
"""

import gc
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from weakref import WeakValueDictionary

from accel.abc.backend import Backend
from accel.abc.block import Block
from accel.abc.external import ExternalAllocation
from accel.abc.optional import FreesInOrder, SupportsStreams
from accel.abc.stream import Event, Stream, current_stream
from accel.abc.watch import Watch
from accel.call_sites import call_site
from accel.device import Device
from accel.errors import DeviceUnavailableError, OutOfMemoryError
from accel.locks import BusyError, attempt, in_child, open_after_fork
from accel.memory.allocation_table import AllocationTable
from accel.memory.allocators import Allocator, Scope, chosen, trimmed
from accel.memory.hazards import Submission, Traffic, forget_these
from accel.memory.holder import Holder
from accel.memory.in_flight import PendingWork, SupportsKeepAlive
from accel.memory.shortage import in_use, is_retry, making_room
from accel.registry import NoBackendError, providers, table_by_device

__all__ = ["Heap", "PendingWork", "Watcher", "heap_of", "heaps", "unwatch", "watch"]


Change = Callable[[], ExternalAllocation | None]
"""A change of the books; returns external memory whose last use it ended, to be finished with the gate open."""


class Heap:
    """The memory of one device.

    Attributes
    ----------
    books : AllocationTable
        What is in use; touched with the gate closed.
    foreign : Traffic
        Where the work in flight on memory made elsewhere is noted.
    """

    __slots__ = (
        "_allocators",
        "_givers",
        "_in_order",
        "_many",
        "_streams",
        "_try_lock",
        "backend",
        "busy",
        "deferred",
        "device",
        "foreign",
        "lock",
        "pending_work",
        "plain",
        "scopes",
        "table",
        "watches",
    )

    def __init__(self, device: Device, backend: Backend) -> None:
        self.device = device
        self.backend = backend
        self._streams = backend if isinstance(backend, SupportsStreams) else None
        self._in_order = backend if isinstance(backend, FreesInOrder) else None
        self.lock = open_after_fork(threading.RLock())
        self._try_lock = attempt(self.lock)
        self.busy = False
        self.deferred: deque[Change] = deque()
        self.foreign = Traffic()
        # Each is mapped to where it was submitted.
        self.pending_work: dict[PendingWork, str] = {}
        self._many = 16
        # Those blocks that go back to another than the backend, and to whom.
        self._givers: dict[Block, Allocator] = {}
        # By identity: those of others may have no hash.
        self._allocators: WeakValueDictionary[int, Allocator] = WeakValueDictionary()
        self.table = AllocationTable()
        self.watches: tuple[Watch, ...] = tuple(watcher(device) for watcher in _watchers)
        self.scopes: tuple[Scope, ...] = ()
        # Nobody watches, and all blocks come from the backend: one look instead of three, at each allocation.
        self.plain = not self.watches

    @property
    def live_blocks(self) -> int:
        """Blocks allocated now."""
        self.check()
        return len(self.table.sizes())

    @property
    def live_bytes(self) -> int:
        """Bytes allocated now."""
        self.check()
        return sum(self.table.sizes())

    @property
    def peak_bytes(self) -> int:
        """The most bytes that were allocated at one time."""
        return self.table.peak

    @property
    def kept_blocks(self) -> int:
        """Blocks kept alive by exports only: their last handle was released."""
        self.check()
        return len(self.table.kept)

    def allocate(
        self, nbytes: int, alignment: int = 1, stream: Stream | None = None, holder: Holder | None = None
    ) -> Block:
        """Return uninitialised bytes of this device, and give them to a holder that then answers for them.

        Raises
        ------
        OutOfMemoryError
            If they cannot be had even when all was done that could make room; names the largest owners.
        """
        if self.deferred or self.pending_work:
            self.retire_finished()
        try:
            with self.lock:
                before, self.busy = self.busy, True
                try:
                    plain = self.plain
                    giver: Allocator = self.backend if plain else self.allocator
                    block = giver.allocate(self.device, nbytes, alignment=alignment, stream=stream)
                    if self.table.enter(block, holder):
                        self._check()
                    if not plain:
                        self._remember(block, giver)
                finally:
                    self.busy = before
        except OutOfMemoryError as error:
            if is_retry() or self._is_inside() or nbytes > self.backend.limits(self.device).memory > 0:
                raise
            return self._make_room(error, partial(self.allocate, nbytes, alignment, stream, holder))
        if self.deferred:
            self.run_deferred()
        return block

    @property
    def allocator(self) -> Allocator:
        """What memory comes from here: the allocator put under the device, or else its backend."""
        found = (scope.allocator for scope in reversed(chosen.get()) if scope in self.scopes)
        return next(found, self.backend)

    def enter(self, scope: Scope) -> None:
        """Let memory come from a scope's allocator where that is chosen; trim it too as long as it lives."""
        with self.lock:
            self._allocators[id(scope.allocator)] = scope.allocator
            self.scopes = (*self.scopes, scope)
            self.plain = False
        self.run_deferred()

    def leave(self, scope: Scope) -> None:
        """End a scope; finalisers of generators do so too, and wait for nobody."""
        while scope in self.scopes:
            seen = self.scopes
            left = tuple([other for other in seen if other is not scope])
            # No call between these: another thread, or this one further up, may enter or leave another.
            if self.scopes is seen:
                self.scopes = left
        self._look_whether_plain()

    def watch(self, watch: Watch) -> None:
        """Let somebody see what is allocated and freed from now on."""
        with self.lock:
            if watch not in self.watches:
                self.watches = (*self.watches, watch)
            self.plain = False
        self.run_deferred()

    def unwatch(self, watch: Watch) -> None:
        """Let them see no more; nobody is waited for, as by `leave`."""
        while watch in self.watches:
            seen = self.watches
            left = tuple([other for other in seen if other is not watch])
            # No call between these, as above.
            if self.watches is seen:
                self.watches = left
        self._look_whether_plain()

    def _look_whether_plain(self) -> None:
        self.plain = not (self.watches or self.scopes or self._givers)

    def _remember(self, block: Block, giver: Allocator) -> None:
        if giver is not self.backend:
            self._givers[block] = giver
            self.plain = False  # its scope may have ended meanwhile
        for watch in self.watches:
            watch.see_allocated(block.nbytes)

    def remember(self, holder: Holder, external: ExternalAllocation) -> None:
        """Let external memory be finished when nobody refers to its holder, if that was not done before."""
        self.table.note(external, holder)

    def check(self) -> None:
        """Give back what an interrupt kept finalisers from giving back, unless somebody is inside."""
        with suppress(BusyError), self._try_lock:
            if not self.busy:
                self.busy = True
                try:
                    self._check()
                finally:
                    self.busy = False
        self.run_deferred()

    def _check(self) -> None:
        for key, nbytes in self.table.check():
            for watch in self.watches:
                watch.see_freed(nbytes)
            # The memory went with the block, unless it is to go back to somebody's allocator.
            for block in [each for each in self._givers if id(each) == key]:
                self._givers.pop(block).free(block, stream=None)
        self._look_whether_plain()
        self.deferred.extend([partial(_itself, external) for external in self.table.given_up()])

    def free(self, block: Block) -> None:
        """Give a block back to whoever gave it; the gate is held by the caller."""
        self.table.strike(block)
        if self.plain:
            self.backend.free(block, stream=None)
            return
        for watch in self.watches:
            watch.see_freed(block.nbytes)
        # What is freed on a stream goes through all who keep free blocks to the backend.
        stream = self.stream if block.lent else None
        self._givers.pop(block, self.backend).free(block, stream=stream)
        self._look_whether_plain()

    def trim(self) -> int:
        """Let all allocators give back what they keep; returns how many bytes."""
        self.check()
        with self.lock:
            before, self.busy = self.busy, True
            try:
                given_back = sum(trimmed(each) for each in (*self._allocators.values(), self.backend))
            finally:
                self.busy = before
        self.run_deferred()
        return given_back

    def _make_room(self, error: OutOfMemoryError, again: Callable[[], Block]) -> Block:
        return making_room(again, error, self._ways_to_room(), partial(in_use, self))

    def _ways_to_room(self) -> Iterator[None]:
        """Do what may make room, one thing after the other, the dearest last."""
        for heap in heaps():
            heap.retire_finished()
            heap.check()
        self.trim()
        yield
        gc.collect()
        self.trim()
        yield
        for heap in heaps():
            heap.wait()
        self.trim()
        yield

    def apply(self, change: Change) -> None:
        """Act with the gate closed behind one, or leave a note if it is not open; raises what a deleter raises."""
        try:
            with self._try_lock:
                inside = self.busy  # this thread is inside already: a signal handler or a finaliser acts
                if not inside:
                    self.busy = True
                    try:
                        ended = change()
                    finally:
                        self.busy = False
        except BusyError:
            inside = True
        if inside:
            self.deferred.append(change)
        elif ended is not None and ended.deleter is not None:
            self._finish(ended)
        if self.deferred:
            self.run_deferred()

    def defer(self, change: Change) -> None:
        """Act as `do`, for finalisers: what goes wrong is reported, and not raised."""
        self.deferred.append(change)
        self.run_deferred()

    def _is_inside(self) -> bool:
        """Tell whether this thread is inside the gate."""
        return self.busy and bool(self.lock._is_owned())  # type: ignore[attr-defined]

    def run_deferred(self) -> None:
        """Do what the notes say that were left behind, unless somebody is inside, who will."""
        while self.deferred:
            try:
                with self._try_lock:
                    if self.busy or not self.deferred:
                        return
                    self.busy = True
                    try:
                        ended = self.deferred.popleft()()
                    finally:
                        self.busy = False
                if ended is not None and ended.deleter is not None:
                    self._finish(ended)
            except BusyError:
                return
            except Exception as error:  # of a backend, or of a deleter: it is not the caller's
                _Unraised(error)

    def _finish(self, external: ExternalAllocation) -> None:
        try:
            external.finish()
        finally:
            if external.deleter is None:  # else an interrupt came first, and `check` finds it again
                self.table.forget(external)

    def add_pending(self, pending: PendingWork) -> None:
        """Remember what work holds; when there is twice as much as there was, let go of what is over."""
        self.pending_work[pending] = call_site()
        if len(self.pending_work) > self._many:
            self.retire_finished()
            self._many = 2 * len(self.pending_work) + 16

    def retire_finished(self) -> None:
        """Let go of what work in flight held, if that is over, and do what finalisers left behind."""
        for pending in list(self.pending_work):
            if pending.event.done():
                try:
                    self.retire(pending)
                except Exception as error:  # of a deleter: who reaps has nothing to do with it
                    _Unraised(error)
        self.run_deferred()

    def retire(self, pending: PendingWork) -> None:
        """Let go of what one piece of work held; doing so again is harmless."""
        if self.pending_work.pop(pending, None) is None:  # another thread may have been first
            return
        submission, failed = pending.event, set()
        if submission.culprit() is not None:
            failed.add(submission)
        for held in pending.keep_alives:
            owner = held.owner
            if owner is not None:  # who submitted it may let go of it at the same time
                forget_these(owner.traffic, {submission}, failed)
            held.release()

    def wait(self) -> None:
        """Wait for all work that holds memory; what it raises is left to those who wait for it.

        A thread that does the work of a stream does not wait: it may be its own.
        """
        if threading.current_thread().name != "accel-stream":
            for pending in list(self.pending_work):
                with suppress(Exception):  # an event of a parent process, say, is never reached here
                    pending.event.settle()
        self.retire_finished()

    def synchronize(self) -> None:
        """Wait for the device, and give back what finalisers left behind."""
        self.backend.synchronize(self.device)
        for heap in heaps():  # work on another device's stream may hold memory of this one
            heap.retire_finished()

    def carry_out(self, work: Callable[[], object], *used: SupportsKeepAlive) -> None:
        """Give the device some work that others keep in order, and wait for that alone.

        An interrupt ends the wait, and not the work; what it uses stays until it is over.
        """
        stream, submission = self.stream, Submission()
        if stream is None:
            work()
            self.backend.synchronize(self.device)
            return
        pending = PendingWork(submission, tuple([each.keep_alive() for each in used]))
        try:
            with submission.begun:
                self.pending_work[pending] = ""
                submission.give(stream, lambda _: work())
            submission.wait()
        finally:
            if submission.done():
                self.retire(pending)
        self.retire_finished()

    @property
    def in_order(self) -> FreesInOrder | None:
        """The backend, if it frees in order and all blocks go to it; else None."""
        return None if self._givers else self._in_order

    @property
    def has_streams(self) -> bool:
        """Whether the device has streams of its own."""
        return self._streams is not None

    @property
    def stream(self) -> Stream | None:
        """The stream of work that is submitted without one; None where such work is done at once."""
        if self._streams is None:
            return None
        return current_stream(self.device) or self._streams.default_stream(self.device)

    def latest(self) -> Event | None:
        """Return the event after what was submitted without a stream; None where such work is done at once."""
        stream = self.stream
        return None if stream is None else stream.record()


def _itself(external: ExternalAllocation) -> ExternalAllocation:
    """Change that nobody uses some external memory any more."""
    return external


class _Unraised:
    """Hands an error to `sys.unraisablehook`, as the interpreter does with what a finaliser raises."""

    __slots__ = ("error",)

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __del__(self) -> None:
        raise self.error


Watcher = Callable[[Device], Watch]
"""Returns, for each device, who sees what happens there; the same one whenever it is asked."""

_watchers: list[Watcher] = []
_heaps: dict[Device, Heap] = table_by_device()
# Reentrant, for a collection may end a watch.
_new_heap = open_after_fork(threading.RLock())


def heap_of(device: Device) -> Heap:
    """Return the heap of an available device.

    Raises
    ------
    DeviceUnavailableError
        If no backend serves it.
    """
    heap = _heaps.get(device)
    return _make_heap(device) if heap is None else heap


def heaps() -> tuple[Heap, ...]:
    """Return the heaps used so far in this process."""
    return tuple(_heaps.values())


@in_child
def _nobody_inside() -> None:
    """Let a child of a fork begin: whoever was inside in the parent is not here."""
    for heap in heaps():
        heap.busy = False


def watch(watcher: Watcher) -> None:
    """Let somebody see what is allocated and freed from now on, on each device."""
    with _new_heap:
        _watchers.append(watcher)
    for heap in heaps():
        heap.watch(watcher(heap.device))


def unwatch(watcher: Watcher) -> None:
    """Let them see no more."""
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
        raise DeviceUnavailableError(f"there is no memory on {device}: {provider.name} is not a whole backend")
    with _new_heap:
        return _heaps.get(device) or _heaps.setdefault(device, Heap(device, provider))
