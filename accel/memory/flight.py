"""What a heap is told of: work in flight, and who watches."""

from typing import NamedTuple, Protocol

from accel.memory.hazards import Submission, Traffic

__all__ = ["Flight", "Noted", "Pinnable", "Releasable", "Watch"]


class Noted(Protocol):
    """Whose use is noted: the owner of some memory."""

    @property
    def traffic(self) -> Traffic:
        """Where it is noted."""
        ...


class Releasable(Protocol):
    """What work in flight holds: a pin."""

    @property
    def owner(self) -> Noted | None:
        """What it keeps alive; None when it is released."""
        ...

    def release(self) -> None:
        """Let go."""
        ...


class Pinnable(Protocol):
    """What work uses: a storage."""

    def pin(self) -> Releasable:
        """Keep the bytes alive until the pin is released."""
        ...


class Watch(Protocol):
    """Who sees what is allocated and freed; told with the gate closed."""

    def see_allocated(self, nbytes: int) -> None:
        """Take notice of a new block."""
        ...

    def see_freed(self, nbytes: int) -> None:
        """Take notice of one that goes."""
        ...


class Flight(NamedTuple):
    """Work on a stream of the device, and what it holds until it is over."""

    event: Submission
    pins: tuple[Releasable, ...]
