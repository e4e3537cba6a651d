"""`FaultPoints`: the calls by which a simulated device asks whether something should fail."""

from accel.device import Device

__all__ = ["FaultPoints"]


class FaultPoints:
    """By default nothing fails; `accel.testing` replaces these methods."""

    def at_allocation(self, device: Device, nbytes: int) -> None:
        """Raise if an allocation should fail, including one for the result of a computation."""

    def takes_copy(self) -> bool:
        """Return whether the copy that is being submitted should fail when it runs."""
        return False

    def at_work(self, device: Device) -> None:
        """Raise if work on a device should fail."""
