"""Checks of the sources of buffers: one axis, contiguous, a range in bounds, host memory."""

from typing import Any, SupportsIndex

from accel.errors import BoundsError, DeviceMismatchError, LayoutError
from accel.memory import AnyStorage, HostStorage
from accel.views.index_checks import as_whole
from accel.views.sources import Source, source_of

__all__ = ["as_host_storage", "checked_range", "flat_source"]


def flat_source(x: Any, what: str) -> Source:
    """Return the elements of a contiguous source of one axis; ``what`` names the view in messages.

    Raises
    ------
    TypeError
        If it does not have one axis.
    LayoutError
        If it is not contiguous.
    """
    source = source_of(x)
    if len(source.shape) != 1:
        raise TypeError(
            f"a {what} needs a source of one axis, and this {type(x).__name__} has shape {source.shape}; write "
            f"NDBuffer(x).flatten() for a view of its elements in row-major order"
        )
    if not source.contiguous:
        raise LayoutError(
            f"a {what} needs a contiguous source, and this {type(x).__name__} has stride {source.strides[0]}; "
            f"write NDBuffer(x).copy() for a contiguous copy"
        )
    return source


def checked_range(offset: SupportsIndex, size: SupportsIndex | None, available: int, parent: str) -> tuple[int, int]:
    """Return an offset and a size after checking them; by default, the size is all elements from the offset on.

    Raises
    ------
    BoundsError
        If the range reaches outside the ``available`` elements.
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
    """Return the storage if it is host memory; ``what`` is the operation for the error message.

    Raises
    ------
    DeviceMismatchError
        If it is on another device.
    """
    if isinstance(storage, HostStorage):
        return storage
    raise DeviceMismatchError(
        f"{what} needs host memory, and this memory is on {storage.device}: "
        f"write x.to_numpy() for a copy, or c.to('cpu') for a container there"
    )
