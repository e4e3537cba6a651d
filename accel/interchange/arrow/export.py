"""Columns become capsules, which share the memory of the columns."""

import ctypes

import numpy as np

from accel.device import Device
from accel.errors import DeviceMismatchError, InterchangeError
from accel.interchange.arrow.abi import ArrowArray, ArrowDeviceArray
from accel.interchange.arrow.callbacks import callbacks
from accel.interchange.arrow.columns import Column, Lists, Strings, Struct, Values, storages_of
from accel.interchange.arrow.fields import field_of, schema_capsule
from accel.interchange.arrow.nodes import capsule_of, children_of
from accel.interchange.arrow.transfers import on_device, on_host
from accel.memory.any_storage import AnyStorage
from accel.memory.host_storage import HostStorage

__all__ = ["array_capsules", "device_array_capsules"]


def array_capsules(column: Column) -> tuple[object, object]:
    """Return the two capsules of ``__arrow_c_array__``: type and elements.

    The elements are not copied, but for masks and booleans, which have a bit each in Arrow.

    Raises
    ------
    DeviceMismatchError
        If the column is not on the host.
    DTypeError
        If Arrow has no type for the elements.
    """
    device = _device_of(column)
    if device is not Device.CPU:
        raise DeviceMismatchError(
            f"the column is on {device}, and __arrow_c_array__ is for memory of the host; take "
            f"__arrow_c_device_array__, or move it first with offload_to('cpu')"
        )
    schema = schema_capsule(field_of(column))
    references: list[object] = []
    return schema, capsule_of(_array(column, device, references), references, b"arrow_array", callbacks().destroy_array)


def device_array_capsules(column: Column) -> tuple[object, object]:
    """Return the two capsules of ``__arrow_c_device_array__``: type and elements; as `array_capsules` otherwise.

    Pending work on the memory is done on return, so there is no event to wait for.
    """
    device = _device_of(column)
    schema = schema_capsule(field_of(column))
    kind, number = device.dlpack
    references: list[object] = []
    structure = ArrowDeviceArray(_array(column, device, references), -1 if device is Device.CPU else number, kind)
    return schema, capsule_of(structure, references, b"arrow_device_array", callbacks().destroy_array)


def _device_of(column: Column) -> Device:
    devices = {storage.device for storage in storages_of(column)} or {Device.CPU}
    if len(devices) > 1:
        raise InterchangeError(f"Arrow needs a column on one device; this is on {', '.join(map(str, devices))}")
    return devices.pop()


def _array(column: Column, device: Device, references: list[object]) -> ArrowArray:
    nulls, bitmap = (0, None) if column.mask is None else _bits(column.mask, device, invert=True)
    buffers: list[AnyStorage | None]
    children: list[Column]
    match column:
        case Values() if column.values.dtype == np.bool_:
            buffers, children = [bitmap, _bits(column.values, device)[1]], []
        case Values():
            buffers, children = [bitmap, column.values], []
        case Strings():
            buffers, children = [bitmap, column.offsets, column.chars], []
        case Lists():
            buffers, children = [bitmap, column.offsets], [column.child]
        case Struct():
            buffers, children = [bitmap], [child for _, child in column.fields]
    return _node(column.length, nulls, buffers, [_array(child, device, references) for child in children], references)


def _node(
    length: int, nulls: int, buffers: list[AnyStorage | None], children: list[ArrowArray], references: list[object]
) -> ArrowArray:
    addresses = (ctypes.c_void_p * len(buffers))(
        *(None if each is None else _lend(each, references) for each in buffers)
    )
    table = ctypes.cast(addresses, ctypes.POINTER(ctypes.c_void_p))
    array = ArrowArray(length, nulls, 0, len(buffers), len(children), table, children_of(children, references))
    array.release, array.private_data = callbacks().release_array, id(references)
    references.extend((addresses, array))
    return array


def _lend(storage: AnyStorage, references: list[object]) -> int | None:
    """Keep memory alive, and return its address, once pending work on it is done; None if there are no bytes."""
    storage.settle(writing=False)
    references.append(storage.keep_alive())
    return storage.pointer or None


def _bits(storage: AnyStorage, device: Device, *, invert: bool = False) -> tuple[int, AnyStorage]:
    """Return booleans with a bit each, and how many are true, or false if ``invert``."""
    flags = on_host(storage)
    count = int(np.count_nonzero(flags))
    packed = HostStorage.on_array(np.packbits(flags, bitorder="little"))
    return flags.size - count if invert else count, on_device(packed, device)
