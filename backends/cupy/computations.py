"""`Computations`: contexts in which CuPy computes; they keep the memory of results until all streams have used it."""

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from math import prod
from types import TracebackType
from typing import Any

from accel.abc import current_stream
from accel.device import Device
from accel.errors import DeviceLostError

from .device_streams import DeviceStreams
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

    def __init__(self, driver: Driver, device: Device, streams: DeviceStreams) -> None:
        self._driver = driver
        self._device = device
        self._streams = streams

    def __call__(self, *operands: Any) -> "_Computation":
        """Return the context of one computation; ``operands`` are the arrays it uses, or tuples and lists of these."""
        return _Computation(self, self._driver, self._device, operands)

    def queue(self, *operands: Any) -> Any | None:
        """Return the stream on which CuPy computes, if a computation can begin at once; see `ComputesDirectly`."""
        driver, stream = self._driver, current_stream(self._device)
        native = driver.cuda.get_current_stream()
        if (stream is not None and stream.native is not native) or not driver.is_ready(self._device):  # type: ignore[attr-defined]
            return None
        if native.ptr:
            driver.refuse_capture(native)
        self.record_use(operands, native)
        return native

    def empty(self, shape: tuple[int, ...], dtype: Any, queue: Any) -> Any:
        """Return an array in memory of CuPy's current allocator, for first use on a stream; see `ComputesDirectly`."""
        driver = self._driver
        try:
            memory = self.allocation(driver.cuda.get_allocator(), prod(shape) * dtype.itemsize, queue)
        except Exception as error:
            raise driver.translated(error, self._device) from error
        return driver.array_type(shape, dtype, memory)

    def order(self, own: Any, users: Iterable[Any], *, lent: bool) -> None:
        """Make a stream's next work wait for the present work of other streams; called by finalisers, so lock-free."""
        if sys.is_finalizing() or not self._driver.usable:
            return
        others = {*users, *(stream.native for stream in self._streams.all(self._device))} if lent else users
        with suppress(DeviceLostError), self._driver.on(self._device):  # a lost device does no more work
            for stream in others:
                if stream != own and not stream.done:
                    self._streams.events(self._device).record(stream).hold_up(own.ptr)

    def record_use(self, operands: Iterable[Any], stream: Any) -> None:
        """Record that a stream uses arrays, or those in tuples and lists."""
        for each in operands:
            if type(each) is self._driver.array_type:
                owner = getattr(each.data.mem, "_owner", None)
            elif isinstance(each, _SEVERAL):
                self.record_use(each, stream)
                continue
            else:
                owner = owner_of(self._driver, each)
            if type(owner) is ResultMemory:
                if owner.stream is not stream and owner.stream != stream:
                    owner.users.add(stream)
            elif type(owner) is LentBlock:
                owner.block.use_by_cupy(stream)

    def allocation(self, allocator: Callable[[int], Any], nbytes: int, stream: Any = None) -> Any:
        """Allocate as CuPy's current allocator does, for first use on the current stream."""
        cuda, native = self._driver.cuda, allocator(nbytes)
        memory = ResultMemory(self, native, stream or cuda.get_current_stream())
        return cuda.MemoryPointer(cuda.UnownedMemory(native.ptr, nbytes, memory, native.device_id), 0)


class _Computation:
    """The context of one computation: its device, its stream, and how CuPy allocates.

    The stream is that of the innermost ``with stream:``; outside of any, CuPy's own. CuPy's current stream belongs to
    the thread. Tasks of asyncio share a thread, and each has its own ``with``.
    """

    __slots__ = ("_allocating", "_before", "_computations", "_device", "_driver", "_on", "_operands", "_outer")

    def __init__(self, computations: Computations, driver: Driver, device: Device, operands: tuple[Any, ...]) -> None:
        self._computations = computations
        self._driver = driver
        self._device = device
        self._operands = operands
        self._allocating: Any = None
        self._before: Any = None
        self._on: Any = None

    def __enter__(self) -> None:
        driver = self._driver
        self._outer = driver.of_thread.computing
        stream, native = current_stream(self._device), driver.cuda.get_current_stream()
        same = not isinstance(stream, CupyStream) or stream.native is native
        if self._outer is self._device and same:  # within the context of a computation of several functions
            self._computations.record_use(self._operands, native)
            return
        on = driver.on(self._device)
        on.__enter__()
        self._on = on
        try:
            if not same:
                self._before, native = native, stream.native  # type: ignore[union-attr]
                native.use()
            self._begin(native)
        except BaseException as error:
            self.__exit__(type(error), error, error.__traceback__)
            raise

    def _begin(self, native: Any) -> None:
        driver, cuda, computations = self._driver, self._driver.cuda, self._computations
        driver.refuse_capture(native)
        computations.record_use(self._operands, native)
        allocating = cuda.using_allocator(partial(computations.allocation, cuda.get_allocator()))
        allocating.__enter__()
        self._allocating = allocating
        driver.of_thread.computing = self._device

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._on is None:
            return
        self._driver.of_thread.computing = self._outer
        try:
            if self._allocating is not None:
                self._allocating.__exit__(None, None, None)
        finally:
            try:
                if self._before is not None:
                    self._before.use()
            finally:
                self._on.__exit__(kind, error, trace)


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
    memory = value.data if isinstance(value, driver.array_type) else value
    return getattr(memory.mem, "_owner", None) if isinstance(memory, driver.pointer_type) else None
