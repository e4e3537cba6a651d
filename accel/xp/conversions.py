"""`Conversions`: an array as a Python number, as text, as a NumPy array, and as a Python buffer."""

from typing import Any

import numpy as np

from accel.device import Device
from accel.dtypes import DType, DTypeLike
from accel.errors import DeviceMismatchError, DTypeError
from accel.xp.array_base import ArrayBase, live

__all__ = ["Conversions"]


class Conversions(ArrayBase):
    """Conversions of an array to types of Python and NumPy."""

    __slots__ = ()

    def _item(self, kind: str) -> Any:
        if self.ndim:
            raise TypeError(
                f"only an array of no axes becomes a Python {kind}, and this one has shape {self.shape}; "
                f"write x[index] for one element, or xp.any(x), xp.all(x), xp.sum(x)"
            )
        array, library = live(self), self._library
        return array.item() if library.within is None else library.compute(library.array_type.item, array)

    def __bool__(self) -> bool:
        return bool(self._item("bool"))

    def __int__(self) -> int:
        return int(self._item("int"))

    def __float__(self) -> float:
        return float(self._item("float"))

    def __complex__(self) -> complex:
        return complex(self._item("complex"))

    def __index__(self) -> int:
        if self.dtype.kind not in "iu":
            raise TypeError(f"only an array of integers is an index, and this one has dtype {self.dtype.name}")
        return int(self._item("index"))

    def __format__(self, spec: str) -> str:
        return format(str(self) if self.ndim else self._item("number"), spec)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> np.ndarray[Any, DType]:
        if self.device is not Device.CPU:
            raise DeviceMismatchError(
                f"this array is on {self.device}, and NumPy cannot read it there; write x.to_device('cpu')"
            )
        array = live(self, writing=not copy)
        if not copy:
            _ = self.storage  # registers it: an Array made from NumPy's array then shares this storage
        return np.asarray(array, dtype=dtype, copy=copy)

    def __buffer__(self, flags: int, /) -> memoryview:
        try:
            return self.__array__().data
        except ValueError:
            raise DTypeError(f"Python's buffers cannot carry {self.dtype.name}; write x.__dlpack__()") from None
