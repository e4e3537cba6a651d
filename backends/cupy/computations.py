"""`Computations`: CuPy's computations on one device, each in its context, or at once where it needs none."""

import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, suppress
from functools import partial
from math import prod
from types import TracebackType
from typing import Any

from accel.abc import current_stream, current_streams
from accel.device import Device
from accel.dtypes import KNOWN
from accel.errors import CapabilityError, DeviceLostError

from .device_streams import DeviceStreams
from .driver import Driver
from .pools import Wrapped
from .result_memory import DefaultResults, Order, ResultMemory, record_use
from .streams import CupyStream

__all__ = ["Computations"]

_SEVERAL = (tuple, list)
_PLAIN = frozenset({bool, int, float, complex, str, slice, type, type(None), type(...), *map(type, KNOWN.values())})
"""The types of arguments that are no arrays, and have none in them."""


class Computations:
    """Computes on one device.

    A computation on CuPy's default stream needs no context if the device is current in the thread: it is called at
    once. Any other has a context, in which the device and the stream of the innermost ``with stream:`` are current.

    Attributes
    ----------
    compute : callable
        Calls a function that computes with arrays; see `ComputesDirectly`.
    allocation : callable
        Allocates memory that has an owner; takes an allocator of CuPy's, the bytes, and the stream or None.
    results : DefaultResults
        Who else uses the results of the default stream.
    """

    __slots__ = ("_default", "_device", "_driver", "_streams", "_wrapped", "allocation", "compute", "results")

    def __init__(self, driver: Driver, device: Device, streams: DeviceStreams) -> None:
        self._driver = driver
        self._device = device
        self._streams = streams
        self._wrapped: Wrapped | None = None
        self.allocation = _allocation_of(driver, self.order)
        self.results = DefaultResults(driver.cuda.Stream.null, self.order)
        self.compute = _compute_on(device.index, driver, self)
        self._default = _OnDefaultStream(driver, device)

    def __call__(self, *operands: Any) -> AbstractContextManager[None]:
        """Return the context of one computation; ``operands`` are the arrays it uses, or tuples and lists of these."""
        driver, default = self._driver, self._driver.cuda.Stream.null
        if current_streams.get() or not driver.is_ready(self._device) or driver.get_current_stream() is not default:
            return _Computation(self, driver, self._device, operands)
        self.record_use(operands, default)
        return self._default

    def stream(self) -> CupyStream | None:
        """Return accel's stream on which CuPy computes now; see `ComputesDirectly`."""
        stream, driver = current_stream(self._device) if current_streams.get() else None, self._driver
        if stream is None and driver.get_current_stream(self._device._index) is driver.cuda.Stream.null:
            return self._streams.default(self._device)
        return stream if isinstance(stream, CupyStream) else None

    def queue(self, *operands: Any) -> Any | None:
        """Return the stream on which CuPy computes, if a computation can begin at once; see `ComputesDirectly`."""
        driver, stream = self._driver, current_stream(self._device)
        native = driver.get_current_stream()
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

    def order(self, own: Any, users: Iterable[Any], *, lent: bool, memory: Any) -> None:
        """Make a stream's next work wait for the present work of other streams; called by finalisers, so lock-free.

        The memory that the work uses is kept until that is possible: not while another library captures a stream.
        """
        if sys.is_finalizing() or not self._driver.usable:
            return
        self._driver.retry()
        self._order(own, users, lent, memory)

    def _order(self, own: Any, users: Iterable[Any], lent: bool, memory: Any) -> None:
        others = {*users, *(stream.native for stream in self._streams.all(self._device))} if lent else users
        try:
            with suppress(DeviceLostError), self._driver.on(self._device):  # a lost device does no more work
                for stream in others:
                    if stream != own:
                        self._streams.let_wait(self._device, own, stream, memory)
        except CapabilityError:
            self._driver.postponed.append(partial(self._order, own, users, lent, memory))

    def record_use(self, operands: Iterable[Any], stream: Any) -> None:
        """Record that a stream uses arrays, or those in tuples and lists."""
        for each in operands:
            if isinstance(each, self._driver.array_type):
                record_use(self.results, each, stream)
            elif isinstance(each, _SEVERAL):
                self.record_use(each, stream)

    def wrapped(self, allocator: Any) -> Wrapped:
        """Return what allocates as an allocator of CuPy's does, and gives the memory an owner."""
        last = self._wrapped
        if last is None or last.args[0] is not allocator:
            last = self._wrapped = Wrapped(self.allocation, allocator)
        return last


def _allocation_of(driver: Driver, order: Order) -> Callable[..., Any]:
    """Return what allocates as an allocator of CuPy's does, for first use on a stream, by default the current one."""
    unowned_type, pointer_type, get_stream = driver.unowned_type, driver.pointer_type, driver.get_current_stream

    def allocate(allocator: Callable[[int], Any], nbytes: int, stream: Any = None) -> Any:
        native = allocator(nbytes)
        memory = ResultMemory(order, native, stream or get_stream())
        return pointer_type(unowned_type(native.ptr, nbytes, memory, native.device_id), 0)

    return allocate


def _compute_on(  # noqa: C901 - so written out
    index: int, driver: Driver, computations: Computations
) -> Callable[..., Any]:
    """Return what calls functions on a device; its names are variables, which takes less time than attributes."""
    default, array_type, unowned = driver.cuda.Stream.null, driver.array_type, driver.unowned_type
    streams, get_device, get_stream = current_streams.get, driver.get_device, driver.get_current_stream
    elsewhere = _elsewhere(index, driver, computations)

    def compute(function: Callable[..., Any], /, *operands: Any, **keywords: Any) -> Any:
        if (
            streams()
            or index not in driver.of_thread.ready  # so in a child of a fork, which must not call the driver
            or get_device() != index
            or get_stream(index) is not default  # nor can this one be captured into a graph
        ):
            return elsewhere(function, operands, keywords)
        for each in operands:
            kind = type(each)
            if kind is array_type:
                if type(each.data.mem) is unowned:  # all other memory is the default stream's own
                    computations.record_use((each,), default)
            elif kind is tuple or kind is list:
                for part in each:
                    kind = type(part)
                    if kind not in _PLAIN and (kind is not array_type or type(part.data.mem) is unowned):
                        computations.record_use((part,), default)
        if keywords and not _PLAIN.issuperset(map(type, keywords.values())):
            computations.record_use(keywords.values(), default)
        try:
            return function(*operands, **keywords) if keywords else function(*operands)
        except driver.errors as error:
            raise driver.translated(error, computations._device) from error

    return compute


def _elsewhere(
    index: int, driver: Driver, computations: Computations
) -> Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]:
    """Return what calls functions on any stream: where the device is current, in one call what `_Computation` does."""
    device, array_type, memory = computations._device, driver.array_type, driver.cuda.memory
    streams, get_device, get_stream = current_streams.get, driver.get_device, driver.get_current_stream
    get_own, set_own = memory._get_thread_local_allocator, memory._set_thread_local_allocator
    get_allocator, is_capturing = driver.cuda.get_allocator, driver.runtime.streamIsCapturing

    def compute(function: Callable[..., Any], operands: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        thread, inner = driver.of_thread, streams()
        if thread.computing is not None or index not in thread.ready or get_device() != index:
            with _Computation(computations, driver, device, (*operands, *keywords.values())):
                return function(*operands, **keywords)
        before: Any = get_stream(index)
        stream = current_stream(device) if inner and inner[-1].device is not device else inner[-1] if inner else None
        native = stream.native if type(stream) is CupyStream else before
        for each in operands:
            owner = getattr(each.data.mem, "_owner", each) if type(each) is array_type else each
            if type(owner) not in _PLAIN and (type(owner) is not ResultMemory or owner.stream is not native):
                computations.record_use((each,), native)
        if keywords and not _PLAIN.issuperset(map(type, keywords.values())):
            computations.record_use(keywords.values(), native)
        own = get_own()
        try:
            if native.ptr and is_capturing(native.ptr):
                driver.refuse_capture(native)
            if native is not before:
                native.use()
            set_own(computations.wrapped(get_allocator()))
            thread.computing = device
            return function(*operands, **keywords)
        except driver.errors as error:
            raise driver.translated(error, device) from error
        finally:
            thread.computing = None
            set_own(own)
            if native is not before:
                before.use()

    return compute


class _OnDefaultStream:
    """The context of all computations on CuPy's default stream, where the device is current: it translates errors."""

    __slots__ = ("_device", "_driver")

    def __init__(self, driver: Driver, device: Device) -> None:
        self._driver = driver
        self._device = device

    def __enter__(self) -> None:
        pass

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, self._driver.errors):
            raise self._driver.translated(error, self._device) from error


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
        allocating = cuda.using_allocator(computations.wrapped(cuda.get_allocator()))
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
