"""Pickles of storages: the elements and their device. Containers and arrays are pickled as their storages."""

from pickle import PickleBuffer
from typing import Any

import numpy as np

from accel.device import Device, resolve
from accel.dtypes import as_dtype
from accel.errors import FormatError, reading_pickled
from accel.memory.any_storage import AnyStorage, allocate
from accel.memory.byte_copies import copy_elements
from accel.memory.host_arrays import export
from accel.memory.host_storage import HostArray, HostStorage
from accel.memory.storage import Storage

__all__ = ["VERSION", "state_of", "unpickled_storage"]

VERSION = 1
"""The version of the state that is written, and the newest that is read."""

State = tuple[int, str, str, int, PickleBuffer | bytes | str]


def state_of(storage: Storage, protocol: int) -> State:
    """Return version, device, dtype, size and bytes; from protocol 5 on the bytes may be out-of-band."""
    return VERSION, str(storage.device), storage.dtype.name, storage.size, _carried(_bytes_of(storage), protocol)


def _carried(elements: HostArray, protocol: int) -> PickleBuffer | bytes | str:
    """Return bytes in the form for a protocol: before protocol 3 text, because bytes would be pickled as a call."""
    if protocol >= 5:
        return PickleBuffer(elements.data)
    return elements.tobytes() if protocol >= 3 else elements.tobytes().decode("latin-1")


def _bytes_of(storage: Storage) -> HostArray:
    """Return the bytes as an array of the host, which keeps the memory alive."""
    if isinstance(storage, HostStorage):
        storage.settle(writing=False)
        return export(storage.__accel_operand__(), storage.keep_alive()).view(np.uint8)
    array = np.empty(storage.nbytes, np.uint8)
    copy_elements(HostStorage.on_array(array), storage)
    return array


def unpickled_storage(*state: object) -> AnyStorage:
    """Return managed memory with pickled elements, on their device or, by the fallback policy, another.

    Raises
    ------
    FormatError
        If a newer release wrote the state, or it is inconsistent.
    DeviceUnavailableError
        If the device is not here and ``fallback`` is ``raise``.
    """
    match state:
        case (int(version), str(device), str(dtype), int(size), data) if version == VERSION:
            return _rebuilt(device, dtype, size, data)
        case (int(version), *_) if VERSION < version < 1 << 31:
            raise FormatError(f"pickled by a newer release, in form {version}; this one reads up to {VERSION}: upgrade")
    raise FormatError(f"this is no pickled storage: found a state of {len(state)} parts; pickle the container again")


def _rebuilt(device: str, dtype: str, size: int, data: object) -> AnyStorage:
    with reading_pickled("storage"):
        element_type, target = as_dtype(dtype), Device(device)
        carried: Any = data.encode("latin-1") if isinstance(data, str) else data
        elements = np.frombuffer(carried, np.uint8)
        if elements.size != size * element_type.itemsize:
            raise ValueError(f"{elements.size} bytes for {size} elements of {element_type.name}")
    storage = allocate(resolve(target), size, element_type)
    copy_elements(storage, HostStorage.on_array(elements))
    return storage
