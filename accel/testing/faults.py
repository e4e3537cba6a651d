"""Faults on demand: the k-th allocation or copy of a device fails, its memory is limited, or it is lost.

Each fault replaces methods of the backend while its block runs. A simulated device has fault points, which are replaced
instead: they also see the results of computations, and the moment when a late copy runs.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from accel.abc import AllocatesCleared, Backend, PreparesAllocation
from accel.device import Device, DeviceLike, resolve
from accel.errors import CapabilityError, DeviceLostError, OutOfMemoryError
from accel.memory.heap import heap_of, heaps
from accel.memory.shortage import is_retry
from accel.testing.simulation import Simulator, in_use

__all__ = ["Fault", "Faults", "fail_allocation", "fail_copy", "limit_memory", "lose_device"]


class Fault:
    """A fault at the k-th call.

    Attributes
    ----------
    k : int
        Number of the call that fails, counted from 1.
    seen : int
        Number of calls so far.
    """

    def __init__(self, k: int) -> None:
        if k < 1:
            raise ValueError(f"calls are counted from 1; found {k}")
        self.k = k
        self.seen: int = 0

    @property
    def happened(self) -> bool:
        """Whether the k-th call was made. On a simulated device its work fails later, when it runs."""
        return self.seen >= self.k

    def strikes(self) -> bool:
        """Count a call, and tell whether it is the one that fails; a retry of an allocation is the same call."""
        self.seen += not is_retry()
        return self.seen == self.k


@contextmanager
def fail_allocation(k: int, device: DeviceLike | None = None) -> Iterator[Fault]:
    """Let the ``k``-th allocation on a device fail with `OutOfMemoryError`, counted from 1.

    On a simulated device the results of computations are allocations too.

    Parameters
    ----------
    k : int
        Number of the allocation.
    device : Device or str, optional
        The device; by default `Device.default`.

    Returns
    -------
    iterator of Fault
        A context manager; its value tells whether the fault happened.

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
    fault, where = Fault(k), resolve(device)

    def check(device: Device, nbytes: int) -> None:
        if device is where and fault.strikes():
            raise OutOfMemoryError(f"{nbytes} bytes were asked for on {device}; a test lets this allocation fail")

    with _before_allocations(heap_of(where).backend, check):
        yield fault


@contextmanager
def limit_memory(nbytes: int, device: DeviceLike | None = None) -> Iterator[None]:
    """Let allocations on a device fail if they need more than ``nbytes`` bytes beyond those in use now.

    The device is by default `Device.default`. On a simulated device the results of computations count too.

    Parameters
    ----------
    nbytes : int
        How many bytes.
    device : Device or str, optional
        The device; by default the current one.

    Returns
    -------
    iterator of None
        A context manager.
    """
    heap = heap_of(resolve(device))
    limit = in_use(heap) + nbytes

    def check(device: Device, nbytes: int) -> None:
        free = limit - in_use(heap)
        if device is heap.device and nbytes > free:
            raise OutOfMemoryError(
                f"{nbytes} bytes were asked for on {device}; a test limits it to {limit}, of which {free} are free"
            )

    with _before_allocations(heap.backend, check):
        yield


@contextmanager
def fail_copy(k: int, device: DeviceLike | None = None) -> Iterator[Fault]:
    """Let the ``k``-th copy of a device's backend fail with `DeviceLostError`, counted from 1.

    The device is by default `Device.default`. On a simulated device the copy fails later, when it runs. Up to 500
    elements within the host are copied by NumPy, without the backend, and are not counted.

    Parameters
    ----------
    k : int
        Which copy.
    device : Device or str, optional
        The device; by default the current one.

    Returns
    -------
    iterator of Fault
        A context manager; its value tells whether the fault happened.
    """
    where, fault = resolve(device), Fault(k)
    backend = heap_of(where).backend
    with ExitStack() as stack:
        if isinstance(backend, Simulator):
            stack.enter_context(_copies_late(backend, fault))
        else:
            for name in ("copy", "copy_strided"):
                stack.enter_context(_copies_at_once(backend, name, fault, where))
        yield fault


@contextmanager
def lose_device(device: DeviceLike | None = None) -> Iterator[None]:
    """Let all operations on a simulated device fail with `DeviceLostError`, except the release of memory.

    Parameters
    ----------
    device : Device or str, optional
        The device; by default `Device.default`.

    Returns
    -------
    iterator of None
        A context manager.

    Raises
    ------
    CapabilityError
        If the device is not simulated.
    """
    lost = resolve(device)
    backend = heap_of(lost).backend
    if not isinstance(backend, Simulator):
        raise CapabilityError(f"{lost} cannot be lost on demand; a simulated device can: lose_device('sim')")
    at_work = backend.faults.at_work

    def losing(device: Device) -> None:
        at_work(device)
        if device is lost:
            raise DeviceLostError(f"a test lets {device} be lost; what is on the host can still be saved")

    with _standing_in(backend.faults, "at_work", losing):
        yield


class Faults:
    """The pytest fixture ``fault``: the faults by short names."""

    allocation = staticmethod(fail_allocation)
    copy = staticmethod(fail_copy)
    memory = staticmethod(limit_memory)
    lost = staticmethod(lose_device)


@contextmanager
def _before_allocations(backend: Backend, check: Callable[[Device, int], None]) -> Iterator[None]:
    with ExitStack() as stack:
        if isinstance(backend, Simulator):
            stack.enter_context(_checked_before(backend.faults, "at_allocation", check))
        else:
            stack.enter_context(_checked_before(backend, "allocate", check))
            if isinstance(backend, PreparesAllocation):
                stack.enter_context(_without_direct_allocation(backend))
            if isinstance(backend, AllocatesCleared):
                stack.enter_context(_checked_before(backend, "allocate_cleared", check))
        yield


@contextmanager
def _without_direct_allocation(backend: Backend) -> Iterator[None]:
    """Let each allocation call the backend's `allocate`."""
    own = [heap for heap in heaps() if heap.backend is backend]
    with _standing_in(backend, "prepare_allocation", lambda device: None):  # noqa: ARG005
        for heap in own:
            heap.direct = None
        yield  # the next allocation afterwards prepares it again


def _checked_before(owner: object, name: str, check: Callable[[Device, int], None]) -> AbstractContextManager[None]:
    original = getattr(owner, name)

    def checked(device: Device, nbytes: int, **keywords: Any) -> Any:
        check(device, nbytes)
        return original(device, nbytes, **keywords)

    return _standing_in(owner, name, checked)


def _copies_late(backend: Simulator, fault: Fault) -> AbstractContextManager[None]:
    takes_copy = backend.faults.takes_copy

    def striking() -> bool:
        copied = takes_copy()
        return fault.strikes() or copied

    return _standing_in(backend.faults, "takes_copy", striking)


def _copies_at_once(backend: Backend, name: str, fault: Fault, device: Device) -> AbstractContextManager[None]:
    copy = getattr(backend, name)

    def failing(*arguments: Any, **keywords: Any) -> None:
        if fault.strikes():
            raise DeviceLostError(f"a test lets this copy on {device} fail")
        copy(*arguments, **keywords)

    return _standing_in(backend, name, failing)


@contextmanager
def _standing_in(owner: object, name: str, function: Callable[..., Any]) -> Iterator[None]:
    before = vars(owner).get(name)
    setattr(owner, name, function)
    try:
        yield
    finally:
        if before is None:
            delattr(owner, name)
        else:
            setattr(owner, name, before)
