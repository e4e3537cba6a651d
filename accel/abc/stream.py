"""`Stream` and `Event`: queues of work on a device and points in them; and which stream is current."""

from abc import ABC, abstractmethod
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from types import TracebackType
from typing import Any, NoReturn, Protocol, Self, cast, runtime_checkable

from accel.device import Device

__all__ = [
    "CurrentStream",
    "DeferredEvent",
    "Event",
    "Stream",
    "TimedEvent",
    "as_event",
    "current_stream",
    "current_streams",
    "event_text",
    "is_stream",
    "raise_again",
]


@runtime_checkable
class Event(Protocol):
    """A point in a stream; it is reached when all work before it is done."""

    @property
    def device(self) -> Device:
        """The device of the stream."""
        ...

    @property
    def began(self) -> float | None:
        """Time at which the work just before it began, in seconds on its device's clock.

        None until it is reached, and if its stream is not timed.
        """
        ...

    @property
    def ended(self) -> float | None:
        """Time at which it was reached, in seconds on its device's clock.

        None until then, and if neither its stream is timed, nor its time was asked for when it was recorded.
        """
        ...

    @property
    def failed(self) -> bool:
        """Whether the work just before it ended with an error; reading this does not count as handling the error."""
        ...

    def done(self) -> bool:
        """Tell whether it was reached; never waits."""
        ...

    def settle(self) -> None:
        """Block until it is reached; never raises the errors of the work, which `wait` does."""
        ...

    def wait(self) -> None:
        """Block until it is reached; raises the error of the work just before it, if there is one."""
        ...


@runtime_checkable
class Stream(Protocol):
    """A queue of work on one device; it is done in order, and concurrently with other streams and the host."""

    @property
    def device(self) -> Device:
        """The device that does the work."""
        ...

    def record(self, *, timed: bool = False) -> Event:
        """Return an event that is reached when all work submitted so far is done; if ``timed``, it knows when.

        The events of a timed stream always do; see `CurrentStream`.

        Parameters
        ----------
        timed : bool, default False
            Whether the event knows when it was reached.
        """
        ...

    def wait_for(self, event: Event) -> None:
        """Let work submitted from now on start after an event, without blocking the caller.

        Parameters
        ----------
        event : Event
            The event.
        """
        ...

    def synchronize(self) -> None:
        """Block until all work submitted so far is done; raises the first error that no `Event.wait` raised."""
        ...

    def close(self) -> None:
        """Finish the work submitted so far and refuse new work; a second call does nothing."""
        ...

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class DeferredEvent(ABC):
    """Base class of events that are recorded in their stream when they are first asked for."""

    __slots__ = ()

    @abstractmethod
    def submitted(self) -> tuple[Event, ...]:
        """Return the recorded events that it stands for, and record them if that is not done."""


current_streams: ContextVar[tuple[Stream, ...]] = ContextVar("accel_streams", default=())
"""The streams whose ``with`` blocks this thread or task is in, innermost last."""


def current_stream(device: Device) -> Stream | None:
    """Return the stream of the innermost ``with stream:`` on a device, or None outside of any.

    Parameters
    ----------
    device : Device
        The device.

    Returns
    -------
    Stream, optional
        The stream.
    """
    streams = current_streams.get()
    return next((stream for stream in reversed(streams) if stream.device is device), None) if streams else None


def is_stream(value: object) -> bool:
    """Tell whether an object is a stream.

    Parameters
    ----------
    value : object
        The object.

    Returns
    -------
    bool
        Whether it is one.
    """
    return isinstance(value, (CurrentStream, Stream))  # in this order: isinstance with a protocol is slow


class TimedEvent:
    """Base class of events whose times are measured anyway; as on a GPU, they are told only if that was asked for.

    Attributes
    ----------
    timed : bool
        Whether its stream is timed.
    end_timed : bool
        Whether its time was asked for when it was recorded.
    measured : tuple of float, or None
        When the work just before it began and ended; None until it is reached.
    """

    __slots__ = ("end_timed", "measured", "timed")

    def __init__(self, timed: bool) -> None:
        self.timed: bool = timed
        self.end_timed: bool = False
        self.measured: tuple[float, float] | None = None

    @property
    def began(self) -> float | None:
        """When the work just before it began; None until it is reached, and if its stream is not timed."""
        return self.measured[0] if self.measured and self.timed else None

    @property
    def ended(self) -> float | None:
        """When it was reached; None until then, and if nobody asked for that."""
        return self.measured[1] if self.measured and (self.timed or self.end_timed) else None


def event_text(device: Device, *, done: bool, failed: bool) -> str:
    """Return the text that ``repr`` shows of an event."""
    return f"<event of {device}, {'failed' if failed else 'done' if done else 'under way'}>"


def as_event(value: Event) -> Event:
    """Return an event.

    Raises
    ------
    TypeError
        If it is something else, such as a stream.
    """
    try:
        value.settle  # noqa: B018 - isinstance with a protocol is slow
    except AttributeError:
        raise TypeError(
            f"a stream waits for an event; found {value!r}: write stream.wait_for(other.record())"
        ) from None
    return value


def raise_again(error: BaseException, trace: TracebackType | None) -> NoReturn:
    """Raise an error of finished work to one more caller that waits for it, with its original traceback.

    Each caller gets a copy if the error can be copied: an error that is raised keeps the frames of its caller alive,
    and the event keeps the original.

    Parameters
    ----------
    error : BaseException
        The error.
    trace : TracebackType, optional
        Its traceback, as it was at first.

    Returns
    -------
    NoReturn
        It does not return.

    Raises
    ------
    BaseException
        The error itself, always.
    """
    try:
        # As `copy` does, except that libraries such as tblib cannot replace what it calls.
        kind, arguments, *state = cast("tuple[Any, ...]", error.__reduce__())
        copy: BaseException = kind(*arguments)
        if state:
            copy.__setstate__(state[0])
    except Exception:  # its class takes other arguments than it passes to Exception
        copy = error
    if type(copy) is not type(error):
        copy = error
    copy.__cause__, copy.__context__ = error.__cause__, error.__context__
    copy.__suppress_context__ = error.__suppress_context__
    try:
        raise copy.with_traceback(trace)
    finally:
        del error, copy, trace  # the traceback refers to this frame: a cycle


_FREE = nullcontext()


class CurrentStream:
    """Base class of streams: ``with stream:`` makes it current inside the block, for this thread or task.

    Attributes
    ----------
    direct : bool
        Whether work reaches the device before the call that submits it returns. Only for such streams does accel keep
        work in order without events; see `FreesInOrder`.
    timed : bool
        Whether its events know when the work before them began and ended. It is set right after the stream is made.
    """

    __slots__ = ()
    direct: bool = False
    timed: bool = False

    @property
    def giving(self) -> AbstractContextManager[object]:
        """A context to hold while submitting work and recording the event after it.

        For a stream whose event could otherwise belong to work of another thread, this is a lock. Such a stream refuses
        to be used in a child of a fork, where the lock may stay locked for ever.
        """
        return _FREE

    def __enter__(self) -> Self:
        current_streams.set((*current_streams.get(), self))  # type: ignore[arg-type]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        streams = current_streams.get()
        last = len(streams) - 1 - streams[::-1].index(self)
        current_streams.set(streams[:last] + streams[last + 1 :])
