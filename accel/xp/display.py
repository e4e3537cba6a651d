"""An array as text, and as HTML for notebooks."""

from typing import Any

import numpy as np

from accel.device import Device
from accel.dtypes import DType
from accel.xp.array_base import ArrayBase, live

__all__ = ["html", "representation", "text"]

_SHOWN = 200  # elements; of larger arrays the first and last ones


def representation(x: ArrayBase) -> str:
    """Return the elements, dtype and device."""
    about = f"dtype={x.dtype.name}, device={x.device}"
    if x._library.capture is not None:
        return f"Array(traced, shape={x.shape}, {about})"
    if _is_released(x):
        return f"Array(released, shape={x.shape}, {about})"
    values = np.array2string(_on_host(x), separator=", ", prefix="Array(")
    return f"Array({values}, shape={x.shape}, {about})" if x.size == 0 else f"Array({values}, {about})"


def text(x: ArrayBase) -> str:
    """Return the number of an array of no axes, as for a scalar of NumPy, and of any other what `representation` does.

    Programs make keys of numbers so, such as the names of the chunks of a zarr array.
    """
    return representation(x) if x.ndim or _is_released(x) or x._library.capture is not None else str(_on_host(x)[()])


def html(x: ArrayBase) -> str:
    """Return the elements below the shape, dtype, device and size."""
    from accel.pictures.html import card, preformatted

    facts = f"shape {x.shape}, dtype {x.dtype.name}, device {x.device}, {x.nbytes:,} bytes"
    return card("Array", facts, preformatted(_values_as_text(x)))


def _values_as_text(x: ArrayBase) -> str:
    return "released" if _is_released(x) else np.array2string(_on_host(x), threshold=_SHOWN)


def _is_released(x: ArrayBase) -> bool:
    return x._shared is not None and x._shared.handle is not None and x._shared.handle.released


def _on_host(x: ArrayBase) -> np.ndarray[Any, DType]:
    values: np.ndarray[Any, DType] = live(x.to_device(Device.CPU))
    return values
