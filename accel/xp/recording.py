"""`recorded`: calls a function whose computations a library records, in the place of that of their device.

Arrays that exist already are operands of what is recorded, and are read and written when that runs. So for a thread
that records, such an array has the library that records, and what that library has for its elements. Operators and
functions read both from fields of the array; these are properties while any thread records, and cost nothing otherwise.
"""

import threading
from collections.abc import Callable
from contextvars import copy_context
from typing import Any
from weakref import WeakSet

from accel import config
from accel.support.locks import in_child, open_after_fork
from accel.xp.array_base import ArrayBase
from accel.xp.array_library import recorder

__all__ = ["recorded"]

_FIELDS: Any = {name: vars(ArrayBase)[name] for name in ("_library", "_native")}
_library_of, _native_of = _FIELDS["_library"].__get__, _FIELDS["_native"].__get__
_lock = open_after_fork(threading.RLock())


class _Recording:
    """A call of `recorded`; the set of these forgets it also if an interrupt ends the call at any moment."""

    __slots__ = ("__weakref__",)


_recordings: WeakSet[_Recording] = WeakSet()
_class: Any = ArrayBase


def recorded(library: Any, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """Call a function; a library records what this thread computes meanwhile on its device.

    The call has a context of its own, so nothing is left to put back when an interrupt ends it.

    Parameters
    ----------
    library : ArrayLibrary or None
        With None nothing is recorded.
    """
    recording = _Recording()
    try:
        if library is not None:
            with _lock:
                _recordings.add(recording)
                _class._library, _class._native = _library, _native
        return copy_context().run(_call, library, function, arguments, keywords)
    finally:
        _recordings.discard(recording)
        _restore()


def _call(library: Any, function: Callable[..., Any], arguments: Any, keywords: Any) -> Any:
    recorder.set(library)
    # Not for the device: `library_on` remembers the library of the settings outside of blocks.
    config.enter({"device": config.current().device})
    return function(*arguments, **keywords)


def _restore() -> None:
    """Make the properties fields again if no thread records."""
    with _lock:
        if not _recordings:
            _class._library, _class._native = _FIELDS["_library"], _FIELDS["_native"]


def _recorder_of(x: ArrayBase) -> Any:
    """Return the library that records what is computed with an array; None if there is none."""
    library = _library_of(x)
    if library.capture is not None:  # an array of a trace
        return None
    records = recorder.get()
    if records is None and not _recordings:
        _restore()
    return None if records is None or library.device is not records.device else records


_library = property(lambda x: _recorder_of(x) or _library_of(x), _FIELDS["_library"].__set__)


def _set_native(x: Any, native: Any) -> None:
    _FIELDS["_native"].__set__(x, native)
    records = recorder.get()
    if records is not None and records.note is not None:
        records.note(x)


_native = property(
    lambda x: _native_of(x) if (records := _recorder_of(x)) is None else records.native_of(x), _set_native
)


def _start_child() -> None:
    """Forget the recordings of threads that are not in the child of a fork."""
    if recorder.get() is None:
        _recordings.clear()
        _restore()


in_child(_start_child)
