"""What a `Stream` and an `Event` are on every device, and the streams that are current."""

from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from copy import copy
from types import TracebackType
from typing import NoReturn, Protocol, Self, runtime_checkable

from accel.device import Device

__all__ = ["CurrentStream", "Event", "Stream", "current_stream", "is_stream", "raise_again"]


@runtime_checkable
class Event(Protocol):
    """A point in a stream, reached when all work before it is done."""

    @property
    def device(self) -> Device:
        """The device of the stream."""
        ...

    @property
    def began(self) -> float | None:
        """When the work right before it began, in seconds on the clock of its device; None until it is reached."""
        ...

    @property
    def ended(self) -> float | None:
        """When it was reached, in seconds on the clock of its device; None before."""
        ...

    @property
    def failed(self) -> bool:
        """Whether the work right before it is over and raised something; to ask does not count as being told."""
        ...

    def done(self) -> bool:
        """Tell whether it was reached; never waits."""
        ...

    def settle(self) -> None:
        """Block until it is reached; failures are left to those who `wait`."""
        ...

    def wait(self) -> None:
        """Block until it is reached; raises what the work right before it raised."""
        ...


@runtime_checkable
class Stream(Protocol):
    """A queue of work on one device, done in order and beside everything else."""

    @property
    def device(self) -> Device:
        """The device that does the work."""
        ...

    def record(self) -> Event:
        """Return an event that is reached when all work submitted so far is done."""
        ...

    def wait_for(self, event: Event) -> None:
        """Let work submitted from now on start after an event, without blocking the caller."""
        ...

    def synchronize(self) -> None:
        """Block until all work submitted so far is done; raises what failed and was not waited for yet."""
        ...

    def close(self) -> None:
        """Finish the work and take no more; doing so again is harmless."""
        ...

    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


_current: ContextVar[tuple[Stream, ...]] = ContextVar("accel_streams", default=())


def current_stream(device: Device) -> Stream | None:
    """Return the stream of the innermost ``with stream:`` on a device, or None outside of any."""
    streams = _current.get()
    return next((stream for stream in reversed(streams) if stream.device is device), None) if streams else None


def is_stream(found: object) -> bool:
    """Tell whether something is a stream; those of the house are known at once, for to ask a protocol is slow."""
    return isinstance(found, (CurrentStream, Stream))


def raise_again(error: BaseException, trace: TracebackType | None) -> NoReturn:
    """Raise what late work raised, with the traceback it had there, to one more of those who wait for it.

    Each is given a copy where the error can be copied: its traceback will lead to what that one's frames hold, and the
    error itself is kept as long as somebody may ask what became of the work.
    """
    try:
        given = copy(error)
    except Exception:  # its class takes other arguments than it says
        given = error
    if type(given) is not type(error):
        given = error
    given.__cause__, given.__context__ = error.__cause__, error.__context__
    given.__suppress_context__ = error.__suppress_context__
    raise given.with_traceback(trace)


_FREE = nullcontext()


class CurrentStream:
    """Makes a stream current inside ``with stream:``, for this thread or task; for streams to inherit."""

    __slots__ = ()

    @property
    def giving(self) -> AbstractContextManager[object]:
        """To be held by whoever gives the stream work and then records the event after it.

        Where that would else be the event of what another thread gave it meanwhile, this is a lock; such a stream
        refuses to be used in a child of a fork, which may find that lock closed for ever.
        """
        return _FREE

    def __enter__(self) -> Self:
        _current.set((*_current.get(), self))  # type: ignore[arg-type]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        streams = _current.get()
        last = len(streams) - 1 - streams[::-1].index(self)
        _current.set(streams[:last] + streams[last + 1 :])
