"""The pickled state of a storage. Containers and arrays are pickled as their storages."""

from pickle import PickleBuffer
from typing import Any, NamedTuple

import numpy as np

from accel.device import Device
from accel.dtypes import DType, as_dtype
from accel.errors import FormatError, reading_pickled

__all__ = ["VERSION", "Bytes", "Contents", "contents_of", "state_of"]

VERSION = 1
"""The version of the state that is written, and the newest that is read."""

Bytes = np.ndarray[Any, np.dtype[np.uint8]]

State = tuple[int, str, str, int, PickleBuffer | bytes | str]


class Contents(NamedTuple):
    """A state that was read: the device, dtype and number of the elements, and their bytes."""

    device: Device
    dtype: DType
    size: int
    elements: Bytes


def state_of(contents: Contents, protocol: int) -> State:
    """Return version, device, dtype, size and bytes; from protocol 5 on the bytes may be out-of-band."""
    device, dtype, size, elements = contents
    return VERSION, str(device), dtype.name, size, _encoded(elements, protocol)


def _encoded(elements: Bytes, protocol: int) -> PickleBuffer | bytes | str:
    """Return bytes in the form for a protocol: before protocol 3 text, because bytes would be pickled as a call."""
    if protocol >= 5:
        return PickleBuffer(elements.data)
    return elements.tobytes() if protocol >= 3 else elements.tobytes().decode("latin-1")


def contents_of(state: tuple[object, ...]) -> Contents:
    """Read a state.

    Raises
    ------
    FormatError
        If a newer release wrote the state, or it is inconsistent.
    """
    match state:
        case (int(version), str(device), str(dtype), int(size), data) if version == VERSION:
            return _decoded(device, dtype, size, data)
        case (int(version), *_) if VERSION < version < 1 << 31:
            raise FormatError(f"pickled by a newer release, in form {version}; this one reads up to {VERSION}: upgrade")
    raise FormatError(f"this is no pickled storage: found a state of {len(state)} parts; pickle the container again")


def _decoded(device: str, dtype: str, size: int, data: object) -> Contents:
    with reading_pickled("storage"):
        element_type, target = as_dtype(dtype), Device(device)
        encoded: Any = data.encode("latin-1") if isinstance(data, str) else data
        elements = np.frombuffer(encoded, np.uint8)
        if elements.size != size * element_type.itemsize:
            raise ValueError(f"{elements.size} bytes for {size} elements of {element_type.name}")
    return Contents(target, element_type, size, elements)
