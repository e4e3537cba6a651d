"""`Computations`: contexts in which CuPy computes; they keep the memory of results until all streams have used it."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from accel.abc import current_stream
from accel.device import Device
from accel.errors import DeviceLostError

from .driver import Driver
from .memory import LentBlock
from .streams import CupyStream

__all__ = ["Computations", "ResultMemory", "owner_of", "result_memory"]

_SEVERAL = (tuple, list)


class Computations:
    """Makes contexts for computations on one device, which is current in them.

    CuPy's pool reuses freed memory for the next request on the stream that allocated it, and does not know about other
    streams. So this class records which other streams use the results of a computation.
    """

    __slots__ = ("_device", "_driver", "_streams")

    def __init__(self, driver: Driver, device: Device, streams: Callable[[Device], Iterable[CupyStream]]) -> None:
        self._driver = driver
        self._device = device
        self._streams = streams

    @contextmanager
    def __call__(self, *operands: Any) -> Iterator[None]:
        """Return the context of one computation; ``operands`` are the arrays it uses, or tuples and lists of these."""
        cuda = self._driver.cupy.cuda
        with self._driver.on(self._device), self._current_stream() as native:
            self._driver.refuse_capture(native)
            self._record_use(operands, native)
            with cuda.using_allocator(partial(self._allocation, cuda.get_allocator())):
                yield

    @contextmanager
    def _current_stream(self) -> Iterator[Any]:
        """Make the stream of the innermost ``with stream:`` CuPy's current one; outside of any, CuPy's own is kept.

        CuPy's current stream belongs to the thread. Tasks of asyncio share a thread, and each has its own ``with``.
        """
        before, stream = self._driver.cupy.cuda.get_current_stream(), current_stream(self._device)
        if not isinstance(stream, CupyStream) or stream.native is before:
            yield before
            return
        stream.native.use()
        try:
            yield stream.native
        finally:
            before.use()

    def order(self, own: Any, users: Iterable[Any], *, lent: bool) -> None:
        """Make a stream's next work wait for the present work of other streams; called by finalisers, so lock-free."""
        if sys.is_finalizing() or not self._driver.usable:
            return
        others = {*users, *(stream.native for stream in self._streams(self._device))} if lent else users
        with suppress(DeviceLostError), self._driver.on(self._device):  # a lost device does no more work
            for stream in others:
                if stream != own and not stream.done:
                    own.wait_event(stream.record())

    def _record_use(self, operands: Iterable[Any], stream: Any) -> None:
        for each in operands:
            if isinstance(each, _SEVERAL):
                self._record_use(each, stream)
                continue
            owner = owner_of(self._driver, each)
            if isinstance(owner, LentBlock):
                owner.block.use_by_cupy(stream)
            elif isinstance(owner, ResultMemory) and owner.stream != stream:
                owner.users.add(stream)

    def _allocation(self, allocator: Callable[[int], Any], nbytes: int) -> Any:
        """Allocate as CuPy's current allocator does."""
        cuda, native = self._driver.cupy.cuda, allocator(nbytes)
        memory = ResultMemory(self, native, cuda.get_current_stream())
        return cuda.MemoryPointer(cuda.UnownedMemory(native.ptr, nbytes, memory, native.device_id), 0)


class ResultMemory:
    """The owner of memory that CuPy allocated in a computation; the memory returns to CuPy's pool with this object.

    Attributes
    ----------
    stream : cupy.cuda.Stream
        The stream that allocated it.
    users : set of cupy.cuda.Stream
        The other streams with work on it.
    lent : bool
        Whether its address is known outside of CuPy, so that any stream may have used it.
    """

    __slots__ = ("_computations", "_native", "lent", "stream", "users")

    def __init__(self, computations: Computations, native: Any, own: Any) -> None:
        self._computations = computations
        self._native = native
        self.stream = own
        self.users: set[Any] = set()
        self.lent = False

    def __del__(self) -> None:
        # The pool reuses the memory on the same stream, so it is enough that this stream waits.
        if self.users or self.lent:
            self._computations.order(self.stream, self.users, lent=self.lent)


def result_memory(driver: Driver, value: Any) -> ResultMemory | None:
    """Return the `ResultMemory` that owns the memory of a CuPy array or pointer; None if there is none."""
    owner = owner_of(driver, value)
    return owner if isinstance(owner, ResultMemory) else None


def owner_of(driver: Driver, value: Any) -> object:
    """Return the object that CuPy keeps alive for the memory of an array or a pointer."""
    memory = value.data if isinstance(value, driver.cupy.ndarray) else value
    if not isinstance(memory, driver.cupy.cuda.MemoryPointer):
        return None
    return getattr(memory.mem, "_owner", None)
