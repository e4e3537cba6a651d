"""`Admission`: work begins when all that it will allocate fits a budget; other values leave the memory for it.

**The invariant.** A work begins only if all that it will allocate fits what is left of the budget of each device: new
memory, and values that are not in memory. In the same step, under one lock, the bytes are promised to it, and the
values that it uses are pinned. So what is held and what is promised never exceed the budget. A result that is larger
than promised comes last: other values leave the memory before it is counted, and if they are not enough, it is written
to the file itself.

**There is no deadlock.** A work that waits to begin has pinned nothing and was promised nothing. A work that runs never
waits here to begin another one, nor does a thread that reads a value where it is (`Admission.pinned`), and a thread
that moves a value waits for no other; so all of them come to an end. If there are none, no value is pinned, and every
value that is held can leave the memory. Each work fits the budget alone; that is checked when it is submitted. So the
next one fits at the latest when all other values have left. Only values that cannot be written to a file stay. If they
take too much, the next work is refused; it does not wait for ever.

A result that cannot be written to a file waits for room while its work runs. If all works that run wait so, the last
one is refused.

Two premises are the caller's: a work fits alone, and neither its body nor a reader begins work of the same admission.
"""

import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

from accel.device import Device
from accel.engines.memory_budget.evictable import Evictable, State
from accel.engines.memory_budget.idle_queue import IdleQueue
from accel.engines.memory_budget.ledger import Ledger
from accel.engines.memory_budget.requests import Promise, Request, Usage
from accel.engines.memory_budget.spill_file import SpillFile
from accel.errors import StoreError
from accel.memory.sizes import in_words

__all__ = ["Admission"]

_Value = TypeVar("_Value", bound=Evictable)


class Admission:
    """The work that runs within a budget, and the values that can leave the memory.

    Parameters
    ----------
    nbytes : int
        The most bytes on each device.
    spill_folder : str, optional
        Folder of the file for values that wait; by default the system's folder for temporary files.

    Attributes
    ----------
    running : int
        Number of works that run, and of threads that write values.
    spilled, restored : int
        Bytes written to the file, and read from it.
    remade : int
        Number of values that were dropped and computed again.
    excess : int
        The most bytes by which a result was larger than promised and than what was left.
    """

    # `changed` guards all attributes but `file` and `_dropped`, and the attributes of each `Evictable`. It is notified
    # when a work ends or a value has moved, since another work may begin then. A finaliser may run while it is held;
    # finalisers call `drop_later` only.

    def __init__(self, nbytes: int, spill_folder: str | None = None) -> None:
        self.nbytes = nbytes
        self.file: SpillFile = SpillFile(spill_folder)
        self.changed: threading.Condition = threading.Condition(threading.RLock())
        self.running: int = 0
        self.spilled: int = 0
        self.restored: int = 0
        self.remade: int = 0
        self.excess: int = 0
        self._waiting = 0  # running works whose result waits for room
        self._readers = 0  # threads inside of `pinned`
        self._ledgers: dict[Device, Ledger] = {}
        self._idle: dict[Device, IdleQueue] = {}
        self._dropped: deque[Evictable] = deque()

    def ledger(self, device: Device = Device.CPU) -> Ledger:
        """Return the account of a device."""
        ledger = self._ledgers.get(device)
        if ledger is None:
            self._idle[device] = IdleQueue()
            ledger = self._ledgers[device] = Ledger(self.nbytes)
        return ledger

    def usage(self, device: Device = Device.CPU) -> Usage:
        """Return what values take on a device."""
        with self.changed:
            self._free_dropped()
            ledger = self.ledger(device)
            return Usage(ledger.held, ledger.peak)

    @contextmanager
    def promised(self, request: Callable[[], Request]) -> Iterator[Promise]:
        """Wait until a work fits; its values are in memory inside the block.

        Parameters
        ----------
        request : callable
            Returns what the work needs now; called with the lock, each time that something has changed.

        Raises
        ------
        StoreError
            If it does not fit, and no other work runs.
        """
        promise = self._admit(request)
        try:
            for value in promise.away:
                self.bring(value, promise)
            yield promise
        finally:
            with self.changed:
                self.end(promise)

    def _admit(self, request: Callable[[], Request]) -> Promise:
        while True:
            with self.changed:
                while (step := self._attempt(request())) is None:
                    self.changed.wait()
            if isinstance(step, Promise):
                return step
            self.evict(step)

    def _attempt(self, request: Request) -> Promise | list[Evictable] | None:
        """Begin a work if it fits, or return what to evict before; None if running work must end first."""
        self._free_dropped()
        if any(value.state is State.MOVING for value in request.values):
            return None
        needed = self.needed(request.values, request.fresh)
        for device, nbytes in needed.items():
            ledger = self.ledger(device)
            lacking = nbytes - ledger.room
            if lacking > 0:
                leaving = self.room_for(lacking, request.values, device)
                if leaving is None:
                    return None
                if leaving:
                    return self.take_leave(leaving)
                raise StoreError(
                    f"{request.name} needs {in_words(lacking)} more than is left: {in_words(ledger.held)} of the "
                    f"budget of {in_words(ledger.budget)} are held by what it uses; write smaller tiles, or a larger "
                    f"budget"
                )
        return self.begin(request.values, needed)

    # With the lock; none of these waits.

    def needed(self, values: Iterable[Evictable], fresh: Mapping[Device, int]) -> dict[Device, int]:
        """Return the bytes that a work will allocate on each device, for its values too."""
        needed = {**fresh}
        for value in values:
            if value.state is State.AWAY:
                needed[value.device] = needed.get(value.device, 0) + value.nbytes
        return needed

    def begin(self, values: Collection[Evictable], needed: dict[Device, int]) -> Promise:
        """Promise a work its bytes, and pin its values."""
        for device, nbytes in needed.items():
            self.ledger(device).promise(nbytes)
        self.running += 1
        away = []
        for value in values:
            value.pins += 1
            if value.state is State.AWAY:
                value.state = State.MOVING
                away.append(value)
            else:
                self._idle[value.device].discard(value)
        return Promise([*values], away, needed)

    def end(self, promise: Promise) -> None:
        """Count a work as done: unpin its values, and take back what is left of its promise."""
        self.running -= 1
        for device, nbytes in promise.remaining.items():
            self.ledger(device).promise(-nbytes)
        self.unpin(promise)
        self.changed.notify_all()

    def unpin(self, promise: Promise) -> None:
        """Unpin the values of a work: they can leave the memory, or are freed if nothing needs them any more."""
        for value in promise.values:
            value.pins -= 1
            if value.state is State.MOVING:  # it could not be read
                value.state = State.AWAY
            self.settle(value)
        promise.values.clear()

    def settle(self, value: Evictable) -> None:
        """Free a value that nothing needs; one that is in memory otherwise and not used now can leave."""
        state = value.state
        if value.pins or (state is not State.HELD and state is not State.AWAY):
            return
        if not value.needed:
            self.take_out(value, State.GONE)
            self.forget(value)
        elif state is State.HELD and value.movable and value.buffers:  # to write no bytes would free nothing
            self._idle[value.device].add(value)

    def take_in(self, value: Evictable, promise: Promise, nbytes: int) -> None:
        """Count a value that is in memory, in place of bytes that were promised."""
        promise.remaining[value.device] = promise.remaining.get(value.device, 0) - nbytes
        self.ledger(value.device).hold(value.buffers, nbytes)
        value.state = State.HELD

    def take_out(self, value: Evictable, state: State) -> None:
        """Free the memory of a value, if it is in memory."""
        if value.state is not State.AWAY:
            self._idle[value.device].discard(value)
            self.ledger(value.device).free(value.buffers)
            value.clear()
        value.state = state

    def forget(self, value: Evictable) -> None:
        """Give back the place of a value in the file."""
        if value.token is not None:
            value.discard(self.file)
            value.token = None

    def room_for(
        self, lacking: int, staying: Collection[Evictable] = (), device: Device = Device.CPU
    ) -> list[Evictable] | None:
        """Return idle values that free enough bytes, or all if none is in use; None if running work must end first."""
        chosen, freed = self.latest(lacking, staying, device)
        return None if freed < lacking and (self.running or self._readers) else chosen

    def latest(
        self, lacking: int, staying: Collection[Evictable] = (), device: Device = Device.CPU
    ) -> tuple[list[Evictable], int]:
        """Return the idle values that are needed last and free enough bytes together, and these bytes."""
        ledger = self.ledger(device)
        return self._idle[device].freeing(lacking, staying, ledger)

    def take_leave(self, values: Iterable[Evictable]) -> list[Evictable]:
        """Drop the values that need not be written; return the others, which move from now on, for `evict`."""
        written = []
        for value in values:
            if value.clean:
                self.take_out(value, State.AWAY)
            else:
                self._idle[value.device].discard(value)
                value.state = State.MOVING
                written.append(value)
        self.running += bool(written)
        return written

    def drop_later(self, values: Iterable[Evictable]) -> None:
        """Free values when a work is admitted next; for finalisers, which must not wait for a lock."""
        self._dropped.extend(values)

    def _free_dropped(self) -> None:
        while self._dropped:
            self.settle(self._dropped.popleft())

    # Without the lock

    def evict(self, values: Sequence[Evictable]) -> None:
        """Write values to the file, and free their memory."""
        if not values:
            return
        unwritten = [*reversed(values)]
        try:
            while unwritten:
                token = unwritten[-1].write(self.file)
                with self.changed:
                    value = unwritten.pop()  # another work may read it again from here on
                    value.token = token
                    self.spilled += value.nbytes
                    self.take_out(value, State.AWAY)
                    self.settle(value)
                    self.changed.notify_all()
        finally:
            with self.changed:
                self.running -= 1
                for value in unwritten:  # they could not be written
                    value.state = State.HELD
                    self.settle(value)
                self.changed.notify_all()

    def bring(self, value: Evictable, promise: Promise) -> None:
        """Read a value from the file, or compute it again, for a work that was promised its bytes."""
        expected, again = value.nbytes, value.token is None
        value.read(self.file)
        with self.changed:
            self.restored += 0 if again else expected
            self.remade += again
            self.take_in(value, promise, expected)
            self.changed.notify_all()

    def keep(self, value: Evictable, promise: Promise) -> None:
        """Count a new value, in place of bytes that were promised to the work that made it.

        Raises
        ------
        StoreError
            If it is larger than promised, there is no room for it, and it cannot be written to a file.
        """
        while (leaving := self._place(value, promise)) is not None:
            if value in leaving:
                self._put_away(value)
                return
            self.evict(leaving)

    def _place(self, value: Evictable, promise: Promise) -> list[Evictable] | None:
        """Count a new value if there is room; return what to evict before, or the value itself."""
        with self.changed:
            self._free_dropped()
            ledger, remaining = self.ledger(value.device), promise.remaining.get(value.device, 0)
            while (lacking := ledger.added(value.buffers) - remaining - ledger.room) > 0:
                self.excess = max(self.excess, lacking)
                leaving, _ = self.latest(lacking, (), value.device)
                if leaving:
                    return self.take_leave(leaving)
                if value.movable:
                    return [value]
                self._wait_for_room(value, ledger.room + remaining)
            self.take_in(value, promise, min(remaining, ledger.added(value.buffers)))
            self.settle(value)
            return None

    def _put_away(self, value: Evictable) -> None:
        """Write a new value to the file; it was never counted."""
        token = value.write(self.file)
        with self.changed:
            value.token = token
            self.spilled += value.nbytes
            value.clear()
            value.state = State.AWAY
            self.settle(value)
            self.changed.notify_all()

    def _wait_for_room(self, value: Evictable, room: int) -> None:
        """Wait until another work ends, with a value that cannot be written to the file."""
        if self.running == self._waiting + 1 and not self._readers:
            raise StoreError(
                f"{value} made {in_words(value.nbytes)} that cannot be written to a file, and {in_words(max(room, 0))} "
                f"were left; the budget is {in_words(self.nbytes)}; write a larger one, or smaller chunks"
            )
        self._waiting += 1
        self.changed.notify_all()
        try:
            self.changed.wait()
        finally:
            self._waiting -= 1

    def drop(self, value: Evictable) -> None:
        """Free a value that nothing needs any more, at the latest when the work ends that uses it."""
        with self.changed:
            self.settle(value)
            self.changed.notify_all()

    @contextmanager
    def pinned(self, value: _Value) -> Iterator[_Value]:
        """Keep a value where it is, in memory or in the file; never waits for work to end."""
        with self.changed:
            while value.state is State.MOVING:
                self.changed.wait()
            self._readers += 1
            value.pins += 1
            if value.state is State.HELD:
                self._idle[value.device].discard(value)
        try:
            yield value
        finally:
            with self.changed:
                self._readers -= 1
                value.pins -= 1
                self.settle(value)
                self.changed.notify_all()
