"""Columns of other libraries, taken over from their capsules."""

import ctypes
from collections.abc import Mapping
from typing import Any

from accel.device import Device
from accel.errors import DTypeError, FormatError, InterchangeError
from accel.interchange.arrow.abi import ArrowArray, ArrowDeviceArray, ArrowSchema
from accel.interchange.arrow.columns import Column
from accel.interchange.arrow.ownership import Moved, move
from accel.interchange.arrow.reader import Node, Reader
from accel.interchange.arrow.streams import chunks_of
from accel.interchange.from_dlpack import _device_of

__all__ = ["receive_column", "receive_columns"]

_METHODS = "__arrow_c_device_array__", "__arrow_c_array__", "__arrow_c_stream__"


def receive_column(x: Any) -> Column:
    """Import the column of an object with ``__arrow_c_array__`` or ``__arrow_c_device_array__``.

    Numbers, text and offsets are not copied; they are read-only. Masks and booleans are copied, as Arrow has a bit for
    each. The memory of the other library is released after its last use.

    Parameters
    ----------
    x : object
        An array or a record batch of any Arrow library. A record batch is a struct of its columns.

    Raises
    ------
    TypeError
        If it has none of the methods.
    InterchangeError
        If the other library refuses or breaks Arrow's rules, or if it gives more or less than one piece.
    FormatError
        If offsets decrease or are out of range, or text is no UTF-8; nothing of the column was used then.
    DTypeError
        If the type has no counterpart here.
    """
    columns = receive_columns(x)
    if len(columns) != 1:
        raise InterchangeError(f"one piece is needed, and {_name(x)} has {len(columns)}; combine its chunks first")
    return columns[0]


def receive_columns(x: Any) -> list[Column]:
    """Import all pieces of an object, also of one with ``__arrow_c_stream__``; as `receive_column` otherwise."""
    method = next((name for name in _METHODS if hasattr(x, name)), None)
    if method is None:
        raise TypeError(
            f"an object with one of {', '.join(_METHODS)} is needed; found {_name(x)}: write pyarrow.array(x)"
        )
    try:
        capsules = getattr(x, method)()
    except Exception as error:  # another library's code
        raise InterchangeError(f"{method} of {_name(x)} failed: {error!r}") from error
    try:
        return _pieces(method, capsules, _sizes_of(x))
    except (InterchangeError, FormatError, DTypeError) as error:
        raise type(error)(f"Arrow from {_name(x)}: {error}") from error.__cause__


def _pieces(method: str, capsules: Any, sizes: Mapping[int, int]) -> list[Column]:
    if method == _METHODS[2]:
        schema, arrays = chunks_of(capsules)
        return [_read(schema, array, Device.CPU, sizes) for array in arrays]
    is_device = method == _METHODS[0]
    schema_capsule, array_capsule = capsules
    name, kind = (b"arrow_device_array", ArrowDeviceArray) if is_device else (b"arrow_array", ArrowArray)
    schema, array = move(schema_capsule, b"arrow_schema", ArrowSchema), move(array_capsule, name, kind)
    return [_read(schema, array, _device_there(array.structure) if is_device else Device.CPU, sizes)]


def _read(schema: Moved, array: Moved, device: Device, sizes: Mapping[int, int]) -> Column:
    structure = array.structure
    root = structure.array if isinstance(structure, ArrowDeviceArray) else structure
    try:
        return Reader(array, device, sizes).column(Node(schema.structure, root, "the column"), 0, root.length)
    except BaseException:
        array.release()  # now: the error may be kept for long
        raise


def _device_there(structure: ArrowDeviceArray) -> Device:
    if structure.sync_event:
        raise InterchangeError(
            f"the memory is ready after the event at {structure.sync_event:#x}, and accel cannot wait for events of "
            f"other libraries; synchronise its stream and export again"
        )
    return _device_of((structure.device_type, structure.device_id))


def _sizes_of(x: Any) -> Mapping[int, int]:
    """Return the sizes in bytes of buffers by address, where the library tells them, as pyarrow does."""
    sizes: dict[int, int] = {}
    try:
        for column in getattr(x, "columns", [x]):
            for piece in getattr(column, "chunks", [column]):
                for buffer in (each for each in piece.buffers() if each is not None):
                    # Buffers may share their first byte; the longest tells what can be read.
                    sizes[buffer.address] = max(buffer.size, sizes.get(buffer.address, 0))
    except Exception:  # another library's code, and other methods of these names
        return {}
    return sizes


def _name(x: object) -> str:
    return f"{type(x).__module__}.{type(x).__qualname__}"


assert ctypes.sizeof(ArrowArray) == 80, "pointers have 64 bits"
