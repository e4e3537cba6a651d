"""`Conversions`: an array as a Python number, as text, as a NumPy array, and as a Python buffer."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from accel.device import Device, DeviceLike
from accel.dtypes import DType, DTypeLike
from accel.errors import ConversionError, DeviceMismatchError, DTypeError
from accel.xp.array_base import ArrayBase, live
from accel.xp.host_access import on_host

__all__ = ["Conversions"]


class Conversions(ArrayBase):
    """Conversions of an array to types of Python and NumPy."""

    __slots__ = ()

    if TYPE_CHECKING:

        def to_device(self, device: DeviceLike, /) -> Self:
            """See `Array`."""

    def _item(self, kind: str) -> Any:
        if self.ndim:
            raise ConversionError(
                f"only an array of no axes becomes a Python {kind}, and this one has shape {self.shape}; "
                f"write x[index] for one element, or xp.sum(x)"
            )
        return self._only_element()

    def _only_element(self) -> Any:
        array, library = live(self), self._library
        return array.item() if library.within is None else library.compute(library.array_type.item, array)

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ConversionError(
                f"the truth value of an array of shape {self.shape} is ambiguous; write xp.any(x) or xp.all(x), or "
                f"x[index] for one element"
            )
        return bool(self._only_element())

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
            return self._copied_to_numpy(dtype, copy)
        array = live(self, writing=not copy)
        if not copy:
            _ = self.storage  # registers it: an Array made from NumPy's array then shares this storage
        return np.asarray(array, dtype=dtype, copy=copy)

    def _copied_to_numpy(self, dtype: DTypeLike | None, copy: bool | None) -> np.ndarray[Any, DType]:
        if copy is False:
            raise DeviceMismatchError(f"NumPy gets an array on {self.device} only by a copy; write copy=None")
        # Writable: compiled code, such as SciPy's sosfilt, refuses read-only memory even where it only reads.
        return on_host(self, "NumPy", writable=True).astype(dtype or self.dtype, copy=False)

    def __buffer__(self, flags: int, /) -> memoryview:
        values = self.__array__()
        try:
            return values.data if self.device is Device.CPU else values.data.toreadonly()
        except ValueError:
            raise DTypeError(f"Python's buffers cannot carry {self.dtype.name}; write x.__dlpack__()") from None
