"""Pickles of storages: the elements, and where they were. Containers and arrays are pickled as their storages."""

from pickle import PickleBuffer

import numpy as np

from accel.device import Device, resolve
from accel.dtypes import as_dtype
from accel.errors import DTypeError, FormatError
from accel.memory.copying import AnyStorage, allocate, copy_elements
from accel.memory.host_export import export
from accel.memory.host_storage import HostArray, HostStorage
from accel.memory.storage import Storage

__all__ = ["VERSION", "state_of", "unpickled_storage"]

VERSION = 1
"""The newest form of state that is written and read here."""

State = tuple[int, str, str, int, PickleBuffer | bytes]


def state_of(storage: Storage, protocol: int) -> State:
    """Return version, device, dtype, size and bytes; from protocol 5 on the bytes may travel apart from the pickle."""
    elements = _bytes_of(storage)
    data = PickleBuffer(elements.data) if protocol >= 5 else elements.tobytes()
    return VERSION, str(storage.device), storage.dtype.name, storage.size, data


def _bytes_of(storage: Storage) -> HostArray:
    """Return the bytes on the host, which keep the memory alive."""
    if isinstance(storage, HostStorage):
        storage.settle(writing=False)
        return export(storage.__accel_operand__(), storage.pin()).view(np.uint8)
    array = np.empty(storage.nbytes, np.uint8)
    copy_elements(HostStorage.on_array(array), storage)
    return array


def unpickled_storage(*state: object) -> AnyStorage:
    """Return managed memory with pickled elements, on their device or where the fallback policy says.

    Raises
    ------
    FormatError
        If a newer release wrote the state, or it does not fit together.
    DeviceUnavailableError
        If the device is not here and ``fallback`` is ``raise``.
    """
    match state:
        case (1, str(device), str(dtype), int(size), data):
            return _rebuilt(device, dtype, size, data)
        case (int(version), *_) if version > VERSION:
            raise FormatError(f"pickled by a newer release, in form {version}; this one reads up to {VERSION}: upgrade")
    raise FormatError(f"this is no pickled storage: found a state of {len(state)} parts; pickle the container again")


def _rebuilt(device: str, dtype: str, size: int, data: object) -> AnyStorage:
    try:
        found, target = as_dtype(dtype), Device(device)
        elements = np.frombuffer(data, np.uint8)  # type: ignore[call-overload]
    except (DTypeError, ValueError, TypeError, BufferError) as error:
        raise FormatError(f"this is no pickled storage: {error}") from None
    if elements.size != size * found.itemsize:
        raise FormatError(f"this is no pickled storage: {elements.size} bytes for {size} elements of {found.name}")
    made = allocate(resolve(target), size, found)
    copy_elements(made, HostStorage.on_array(elements))
    return made
