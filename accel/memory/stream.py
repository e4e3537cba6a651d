"""What a `Stream` is to whoever passes one on."""

from typing import Protocol, runtime_checkable

from accel.device import Device

__all__ = ["Stream"]


@runtime_checkable
class Stream(Protocol):
    """A queue of work on one device, done in order."""

    @property
    def device(self) -> Device:
        """The device that does the work."""
        ...

    def synchronize(self) -> None:
        """Wait until all work submitted so far is done."""
        ...
