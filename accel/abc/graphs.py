"""`SupportsGraphs`: a stream that records work in a graph instead of doing it; `CapturedEvent`: a point in a graph."""

import threading
from typing import Any, Generic, NoReturn, Protocol, TypeVar, runtime_checkable

from accel.abc.stream import Event
from accel.device import Device
from accel.errors import CapabilityError

__all__ = ["CapturedEvent", "DeviceGraph", "Recording", "SupportsGraphs", "refuse_captured"]

_Work = TypeVar("_Work")


class DeviceGraph(Protocol):
    """The work that a stream has recorded. It does not keep memory alive; its user does."""

    def launch(self, stream: Any) -> None:
        """Submit all the work to a stream of the same device and backend, in the order in which it was recorded.

        While that stream is captured, the work becomes a part of the other graph.

        Parameters
        ----------
        stream : Any
            The stream.
        """
        ...


@runtime_checkable
class SupportsGraphs(Protocol):
    """A stream that can be captured.

    While it is, the work that it is given is recorded and not done, and `record` returns a `CapturedEvent`. What cannot
    be recorded is refused with a `CapabilityError`, and leaves the capture as it was: to wait for the stream or for an
    event, to close it, to allocate or copy in a way that the host takes part in.
    """

    def begin_capture(self) -> Event:
        """Record work from now on; return an event after all work that was submitted before.

        Raises
        ------
        CapabilityError
            If the stream cannot be captured, as a default stream, or is captured already.
        RuntimeError
            If the stream is closed.
        """
        ...

    def end_capture(self) -> DeviceGraph:
        """Return what was recorded, and do later work again, also if this raises.

        Raises
        ------
        CapabilityError
            If the platform has ended the capture, because something was called that it forbids meanwhile.
        """
        ...


class CapturedEvent:
    """A point in a graph that is being recorded: no work there is under way that could be waited for.

    Attributes
    ----------
    device : Device
        The device of the stream.
    failed : bool
        False.
    """

    __slots__ = ("device",)
    failed = False

    def __init__(self, device: Device) -> None:
        self.device: Device = device

    def __repr__(self) -> str:
        return f"<event of {self.device}, in a graph>"

    @property
    def began(self) -> float | None:
        """Not known: this raises as `wait` does."""
        self._refuse()

    @property
    def ended(self) -> float | None:
        """Not known: this raises as `wait` does."""
        self._refuse()

    def done(self) -> bool:
        """Raise as `wait` does."""
        self._refuse()

    def settle(self) -> None:
        """Raise as `wait` does."""
        self._refuse()

    def wait(self) -> None:
        """Raise `CapabilityError`: the work is done by launches of the graph."""
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise CapabilityError(
            "this work was recorded in a graph, and is done when the graph is launched; wait for the event that "
            "graph.launch() returns"
        )


class Recording(Generic[_Work]):
    """The work that a captured stream has recorded, for streams whose platform does not record by itself.

    Attributes
    ----------
    work : list
        The work, in the order in which it was submitted.
    """

    __slots__ = ("_thread", "work")

    def __init__(self) -> None:
        self.work: list[_Work] = []
        self._thread = threading.get_ident()

    def add(self, stream: Any, work: _Work) -> CapturedEvent:
        """Record work of a stream; raise `CapabilityError` in another thread than the one that captures.

        Parameters
        ----------
        stream : Any
            The stream.
        work : _Work
            The work.
        """
        if self._thread != threading.get_ident():  # the capture began while that thread submitted the work
            refuse_captured(stream, "have work of another thread", "use a stream of this thread")
        self.work.append(work)
        return CapturedEvent(stream.device)


def refuse_captured(stream: object, what: str, remedy: str) -> NoReturn:
    """Raise `CapabilityError` for what a stream cannot record.

    Parameters
    ----------
    stream : Stream
        The stream, which is being captured.
    what : str
        What was asked for, as in "wait for an event".
    remedy : str
        What to write instead.

    Returns
    -------
    NoReturn
        It does not return.

    Raises
    ------
    CapabilityError
        Always.
    """
    raise CapabilityError(f"{stream!r} is being captured into a graph, and cannot {what} meanwhile; {remedy}")
