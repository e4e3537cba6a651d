"""`Faults`: what can go wrong on a simulated device, on demand."""

from typing import Self

from accel.device import Device
from accel.errors import DeviceLostError, OutOfMemoryError

__all__ = ["Faults"]


class Faults:
    """Lets an allocation or a copy fail, or a whole device, until `reset` or the end of a ``with`` block.

    Examples
    --------
    >>> import accel
    >>> faults = accel.memory.heap_of(accel.Device.SIM).backend.faults
    >>> with faults:
    ...     faults.fail_allocation(2)
    ...     first = accel.empty(3, device="sim")
    ...     second = accel.empty(3, device="sim")
    Traceback (most recent call last):
        ...
    accel.errors.OutOfMemoryError: 24 bytes were asked for on sim; this allocation was made to fail
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Let nothing fail any more."""
        self._allocations = self._copies = 0
        self._lost: set[Device] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.reset()

    @property
    def pending(self) -> bool:
        """Whether a failure was asked for that has not come; after a program, that it had fewer chances to fail."""
        return self._allocations > 0 or self._copies > 0

    def fail_allocation(self, k: int) -> None:
        """Let the ``k``-th allocation from now on fail, of memory or for the result of a computation; 1 is the next."""
        self._allocations = _turn(k)

    def fail_copy(self, k: int) -> None:
        """Let the ``k``-th copy that is submitted from now on fail when it runs; 1 is the next."""
        self._copies = _turn(k)

    def lose(self, device: Device) -> None:
        """Let everything fail on a device but giving memory back."""
        self._lost.add(device)

    def at_allocation(self, device: Device, nbytes: int) -> None:
        """Count an allocation; raises if it is to fail."""
        self.at_work(device)
        self._allocations -= 1
        if self._allocations == 0:
            raise OutOfMemoryError(f"{nbytes} bytes were asked for on {device}; this allocation was made to fail")

    def takes_copy(self) -> bool:
        """Count a copy, and tell whether it is to fail."""
        self._copies -= 1
        return self._copies == 0

    def at_work(self, device: Device) -> None:
        """Raise if a device is lost."""
        if device in self._lost:
            raise DeviceLostError(f"{device} was made to be lost; what is on the host can still be saved")


def _turn(k: int) -> int:
    if k < 1:
        raise ValueError(f"the next one is 1; found {k}")
    return k
