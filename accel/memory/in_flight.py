"""Work in flight, and what it keeps alive until it is over."""

from typing import NamedTuple, Protocol

from accel.memory.hazards import Submission, Traffic

__all__ = ["HeldMemory", "Noted", "PendingWork", "SupportsKeepAlive"]


class Noted(Protocol):
    """Whose use is noted: the owner of some memory."""

    @property
    def traffic(self) -> Traffic:
        """Where it is noted."""
        ...


class HeldMemory(Protocol):
    """What work in flight holds: a pin."""

    @property
    def owner(self) -> Noted | None:
        """What it keeps alive; None when it is released."""
        ...

    def release(self) -> None:
        """Let go."""
        ...


class SupportsKeepAlive(Protocol):
    """What work uses: a storage."""

    def keep_alive(self) -> HeldMemory:
        """Keep the bytes alive until the pin is released."""
        ...


class PendingWork(NamedTuple):
    """Work on a stream of the device, and what it holds until it is over."""

    event: Submission
    keep_alives: tuple[HeldMemory, ...]
