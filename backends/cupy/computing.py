"""`Computing`: what CuPy computes within on a device; memory of results waits for all streams that use it."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from accel.device import Device
from accel.errors import DeviceLostError

from .driver import Driver
from .memory import LentBlock
from .streams import CupyStream

__all__ = ["Computed", "Computing", "computed_of"]

_SEVERAL = (tuple, list)


class Computing:
    """Contexts for computations on one device, which is current in them.

    CuPy's pool gives memory that is dropped to the next who asks on the stream it was taken on, and knows of no other
    stream. Here it is noted which streams are given work on the results of other computations.
    """

    __slots__ = ("_device", "_driver", "_streams")

    def __init__(self, driver: Driver, device: Device, streams: Callable[[], Iterable[CupyStream]]) -> None:
        self._driver = driver
        self._device = device
        self._streams = streams

    @contextmanager
    def __call__(self, *operands: Any) -> Iterator[None]:
        """Return the context of one computation, which uses these arrays, or tuples and lists of them."""
        cuda = self._driver.cupy.cuda
        with self._driver.on(self._device):
            self._note(operands, cuda.get_current_stream())
            with cuda.using_allocator(partial(self._taken, cuda.get_allocator())):
                yield

    def order(self, own: Any, users: Iterable[Any], *, lent: bool) -> None:
        """Let a stream's next work come after what other streams have now; called by finalisers, it takes no lock."""
        if sys.is_finalizing() or not self._driver.usable:
            return
        others = {*users, *(stream.native for stream in self._streams())} if lent else users
        with suppress(DeviceLostError), self._driver.on(self._device):  # nothing is under way on it any more
            for stream in others:
                if stream != own and not stream.done:
                    own.wait_event(stream.record())

    def _note(self, operands: Iterable[Any], stream: Any) -> None:
        for each in operands:
            if isinstance(each, _SEVERAL):
                self._note(each, stream)
                continue
            owner = _owner_of(self._driver, each)
            if isinstance(owner, LentBlock):
                owner.block.cupy_streams.add(stream)
            elif isinstance(owner, Computed) and owner.stream != stream:
                owner.users.add(stream)

    def _taken(self, allocator: Callable[[int], Any], nbytes: int) -> Any:
        """Allocate as CuPy's current allocator does."""
        cuda, native = self._driver.cupy.cuda, allocator(nbytes)
        computed = Computed(self, native, cuda.get_current_stream())
        return cuda.MemoryPointer(cuda.UnownedMemory(native.ptr, nbytes, computed, native.device_id), 0)


class Computed:
    """The owner of memory that CuPy took for a computation; it goes back to CuPy's pool with this object.

    Attributes
    ----------
    own : cupy.cuda.Stream
        On which it was taken.
    users : set of cupy.cuda.Stream
        The other streams that were given work on it.
    lent : bool
        Whether others than CuPy know its address, so that any stream may have used it.
    """

    __slots__ = ("_computing", "_native", "lent", "stream", "users")

    def __init__(self, computing: Computing, native: Any, own: Any) -> None:
        self._computing = computing
        self._native = native
        self.stream = own
        self.users: set[Any] = set()
        self.lent = False

    def __del__(self) -> None:
        # Whoever gets the memory next is given it on the same stream.
        if self.users or self.lent:
            self._computing.order(self.stream, self.users, lent=self.lent)


def computed_of(driver: Driver, value: Any) -> Computed | None:
    """Return what owns the memory of an array that was computed here, or of a pointer to it; None for all else."""
    owner = _owner_of(driver, value)
    return owner if isinstance(owner, Computed) else None


def _owner_of(driver: Driver, value: Any) -> object:
    """Return what CuPy keeps alive for the memory of an array, or of a pointer to it."""
    memory = value.data if isinstance(value, driver.cupy.ndarray) else value
    if not isinstance(memory, driver.cupy.cuda.MemoryPointer):
        return None
    return getattr(memory.mem, "_owner", None)
