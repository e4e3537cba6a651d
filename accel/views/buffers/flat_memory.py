"""Checks of what buffers are made from: one axis, consecutive elements, a range within them, memory of the host."""

from typing import Any, SupportsIndex

from accel.errors import BoundsError, DeviceMismatchError, LayoutError
from accel.memory import AnyStorage, HostStorage
from accel.views.checks import as_whole
from accel.views.sources import Source, source_of

__all__ = ["as_host_storage", "checked_range", "flat_source"]


def flat_source(x: Any, what: str) -> Source:
    """Return the elements of what has one axis and is contiguous.

    Raises
    ------
    TypeError
        If it has another number of axes.
    LayoutError
        If it is not contiguous.
    """
    source = source_of(x)
    if len(source.shape) != 1:
        raise TypeError(
            f"a {what} looks at one axis, and this {type(x).__name__} has shape {source.shape}; write "
            f"NDBuffer(x).flatten() for a view of its elements by rows"
        )
    if not source.contiguous:
        raise LayoutError(
            f"a {what} looks at consecutive elements, and this {type(x).__name__} has stride {source.strides[0]}; "
            f"write NDBuffer(x).copy() for consecutive ones"
        )
    return source


def checked_range(offset: SupportsIndex, size: SupportsIndex | None, available: int, parent: str) -> tuple[int, int]:
    """Return an offset and a size that lie within a parent; the size is by default all the rest.

    Raises
    ------
    BoundsError
        If they do not.
    """
    start = as_whole(offset, "an offset")
    count = available - start if size is None else as_whole(size, "a size")
    if start < 0 or count < 0 or start + count > available:
        raise BoundsError(
            f"{'no' if count < 0 else count} elements from offset {start} are required, and {parent} has {available} "
            f"available: 0 <= offset and offset + size <= {available}"
        )
    return start, count


def as_host_storage(storage: AnyStorage, what: str) -> HostStorage:
    """Return the storage, if the host can read it.

    Raises
    ------
    DeviceMismatchError
        If it cannot.
    """
    if isinstance(storage, HostStorage):
        return storage
    raise DeviceMismatchError(
        f"{what} can be had on the cpu only, and this memory is on {storage.device}: "
        f"write x.to_numpy() for a copy, or c.to('cpu') for a container there"
    )
