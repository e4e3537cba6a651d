"""`FaultPoints`: where a simulated device asks whether something is to fail."""

from accel.device import Device

__all__ = ["FaultPoints"]


class FaultPoints:
    """Nothing fails of itself; `accel.testing` puts faults in the place of these methods."""

    def at_allocation(self, device: Device, nbytes: int) -> None:
        """Raise if an allocation is to fail, of memory or for the result of a computation."""

    def takes_copy(self) -> bool:
        """Tell whether the copy that is being submitted is to fail when it runs."""
        return False

    def at_work(self, device: Device) -> None:
        """Raise if work on a device is to fail."""
