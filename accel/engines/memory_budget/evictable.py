"""`Evictable`: a value in memory that can wait in a file."""

from abc import ABC, abstractmethod
from typing import Any

from accel.device import Device
from accel.engines.memory_budget.ledger import Buffers
from accel.engines.memory_budget.spill_file import SpillFile
from accel.support.enums import PlainEnum

__all__ = ["Evictable", "State"]


class State(PlainEnum):
    """Where a value is."""

    PLANNED = "planned"  # there is no value yet
    HELD = "held"  # in memory
    AWAY = "away"  # in the file, or dropped because it can be computed again
    MOVING = "moving"  # a thread writes it, reads it or computes it again
    GONE = "gone"  # nothing needs it any more


class Evictable(ABC):
    """A value that `Admission` counts, and moves to the file and back.

    The lock of the admission guards all attributes. `write` and `read` are called without it, while the state is
    MOVING.

    Attributes
    ----------
    device : Device
        The device whose memory it takes.
    state : State
        Where the value is.
    buffers : dict of int to int
        What it takes in memory: the bytes of each buffer, by the identity of its owner.
    pins : int
        Number of works that use it now; it does not move meanwhile.
    needed : bool
        Whether anything will use it; if not it is freed as soon as no work uses it.
    movable : bool
        Whether it can leave the memory.
    token : object
        The place of the value in the file, if the file has its current elements; None otherwise.
    """

    __slots__ = ("buffers", "device", "movable", "needed", "pins", "state", "token")

    def __init__(self, device: Device = Device.CPU) -> None:
        self.device: Device = device
        self.state: State = State.PLANNED
        self.buffers: Buffers = {}
        self.pins: int = 0
        self.needed: bool = True
        self.movable: bool = True
        self.token: Any = None

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Bytes that the value takes when it comes back into memory."""

    @property
    def next_use(self) -> int:
        """When it is used next; values with the same number leave the memory in the order of their last use."""
        return 0

    @property
    def clean(self) -> bool:
        """Whether it can leave the memory without being written."""
        return self.token is not None

    @abstractmethod
    def write(self, file: SpillFile) -> Any:
        """Write the value to a file, and return its place there."""

    @abstractmethod
    def read(self, file: SpillFile) -> None:
        """Read the value from its place in a file into new memory."""

    @abstractmethod
    def clear(self) -> None:
        """Drop the memory."""

    @abstractmethod
    def discard(self, file: SpillFile) -> None:
        """Give back the place in a file."""
