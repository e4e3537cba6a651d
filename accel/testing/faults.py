"""Faults on demand: the k-th allocation or copy of a device fails, or its memory is limited."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from accel.device import Device, DeviceLike, resolve
from accel.errors import DeviceLostError, OutOfMemoryError
from accel.memory import Block, Heap, heap_of

__all__ = ["Fault", "fail_allocation", "fail_copy", "limit_memory"]


class Fault:
    """A fault that waits for its turn.

    Attributes
    ----------
    seen : int
        How many of the calls have been made that it counts.
    """

    def __init__(self, k: int) -> None:
        if k < 1:
            raise ValueError(f"calls are counted from 1; found {k}")
        self.k = k
        self.seen = 0

    @property
    def happened(self) -> bool:
        """Whether the k-th call was made, and failed."""
        return self.seen >= self.k

    def strikes(self) -> bool:
        """Count one call, and tell whether it is the one that fails."""
        self.seen += 1
        return self.seen == self.k


@contextmanager
def fail_allocation(k: int, device: DeviceLike = Device.CPU) -> Iterator[Fault]:
    """Let the ``k``-th allocation on a device fail, counted from 1.

    Examples
    --------
    >>> import accel
    >>> from accel.testing import fail_allocation
    >>> for k in range(1, 100):
    ...     with fail_allocation(k) as fault:
    ...         try:
    ...             copy = accel.container([1, 2, 3]).deep_copy()
    ...         except MemoryError:
    ...             continue
    ...     break
    >>> k, fault.happened
    (3, False)
    """
    fault = Fault(k)

    def allocate(heap: Heap, ask: Callable[[], Block], nbytes: int) -> Block:
        if fault.strikes():
            raise OutOfMemoryError(f"{nbytes} bytes were asked for on {heap.device}; a test lets this allocation fail")
        return ask()

    with _allocating(heap_of(resolve(device)), allocate):
        yield fault


@contextmanager
def limit_memory(nbytes: int, device: DeviceLike = Device.CPU) -> Iterator[None]:
    """Let allocations on a device fail that would take it past so many bytes more than it has in use now."""
    limit = heap_of(resolve(device)).live_bytes + nbytes

    def allocate(heap: Heap, ask: Callable[[], Block], nbytes: int) -> Block:
        if heap.live_bytes + nbytes > limit:
            raise OutOfMemoryError(
                f"{nbytes} bytes were asked for on {heap.device}; a test limits it to {limit}, "
                f"of which {limit - heap.live_bytes} are free"
            )
        return ask()

    with _allocating(heap_of(resolve(device)), allocate):
        yield


@contextmanager
def fail_copy(k: int, device: DeviceLike = Device.CPU) -> Iterator[Fault]:
    """Let the ``k``-th copy that the backend of a device makes fail, counted from 1."""
    backend, fault = heap_of(resolve(device)).backend, Fault(k)
    copy = backend.copy

    def failing(*arguments: Any, **keywords: Any) -> None:
        if fault.strikes():
            raise DeviceLostError(f"a test lets this copy on {device} fail")
        copy(*arguments, **keywords)

    with _standing_in(backend, "copy", failing):
        yield fault


@contextmanager
def _allocating(heap: Heap, allocate: Callable[[Heap, Callable[[], Block], int], Block]) -> Iterator[None]:
    original = heap.backend.allocate

    def standing_in(device: Device, nbytes: int, **keywords: Any) -> Block:
        def ask() -> Block:
            return original(device, nbytes, **keywords)

        return allocate(heap, ask, nbytes) if device is heap.device else ask()

    with _standing_in(heap.backend, "allocate", standing_in):
        yield


@contextmanager
def _standing_in(backend: object, name: str, function: Callable[..., Any]) -> Iterator[None]:
    before = vars(backend).get(name)
    setattr(backend, name, function)
    try:
        yield
    finally:
        if before is None:
            delattr(backend, name)
        else:
            setattr(backend, name, before)
