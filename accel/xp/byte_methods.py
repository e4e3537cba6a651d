"""The methods of NumPy's arrays about the bytes of elements: in another order, and copied to files."""

from pathlib import Path
from pickle import dumps as pickled_bytes
from typing import Any, TypeVar

from accel.device import Device
from accel.xp.array_base import ArrayBase, live
from accel.xp.shape_methods import Order

__all__ = ["byteswap", "dump", "dumps", "tobytes", "tofile"]

_Array = TypeVar("_Array", bound=ArrayBase)


def byteswap(x: _Array, inplace: bool = False) -> _Array:
    """Return the elements with their bytes in reverse order, of complex numbers those of each part.

    With ``inplace`` the array itself, which is changed.
    """
    array: Any = x
    size = x.dtype.itemsize // (2 if x.dtype.kind == "c" else 1)
    octets = array.flatten().view("uint8").reshape(-1, size)[:, ::-1].copy()
    swapped = octets.reshape(-1).view(x.dtype).reshape(x.shape)
    if not inplace:
        return swapped  # type: ignore[no-any-return]
    array[...] = swapped
    return x


def tobytes(x: ArrayBase, order: Order = "C") -> bytes:
    """Return the bytes of the elements, copied to the host."""
    return _on_host(x).tobytes(order)  # type: ignore[no-any-return]


def tofile(x: ArrayBase, fid: Any, sep: str = "", format: str = "%s") -> None:
    """Write the elements to a file in C order: their bytes, or with a separator text."""
    _on_host(x).tofile(fid, sep, format)


def dumps(x: ArrayBase) -> bytes:
    """Return the array as a pickle, which `pickle.loads` makes an array of."""
    return pickled_bytes(x)


def dump(x: ArrayBase, file: Any) -> None:
    """Write the array as a pickle to a file, or to the file of a name."""
    pickled = dumps(x)  # before a file is opened: it stays as it is after an error
    if hasattr(file, "write"):
        file.write(pickled)
    else:
        Path(file).write_bytes(pickled)


def _on_host(x: Any) -> Any:
    return live(x.to_device(Device.CPU))
