"""`DeviceFlags`: what NumPy's ``flags`` say of an array on a device."""

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from accel.errors import CapabilityError
from accel.xp.array_library import ArrayLibrary
from accel.xp.refusals import refuse_read_only

__all__ = ["DeviceFlags"]


class DeviceFlags:
    """NumPy's flags of an array on a device, which can be read as attributes and by name.

    They cannot be changed: CuPy has no read-only arrays, and what runs on the simulated device is to run on a GPU.
    """

    __slots__ = ("_array", "_flags", "_library")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, library: ArrayLibrary, array: Any) -> None:
        self._library = library
        self._array = array
        writable = not library.backend.is_readonly(array)
        # NumPy computes them from the strides alone.
        self._flags = as_strided(np.empty((), array.dtype), array.shape, array.strides, writeable=writable).flags

    @property
    def writeable(self) -> bool:
        """Whether elements can be written."""
        return self._flags.writeable

    @writeable.setter
    def writeable(self, value: bool) -> None:
        if value:
            refuse_read_only(self._library, self._array)
        elif self._flags.writeable:
            raise CapabilityError(
                f"arrays on {self._library.device} cannot be made read-only; write xp.asarray(x, copy=True), and give "
                f"the copy away"
            )

    def __getattr__(self, name: str) -> Any:
        return getattr(self._flags, name)

    def __getitem__(self, name: str) -> bool:
        return self._flags[name]  # type: ignore[index]

    def __setitem__(self, name: str, value: bool) -> None:
        if name not in {"W", "WRITEABLE"}:
            raise ValueError(f"the flag {name!r} is not set; only 'WRITEABLE' is")
        self.writeable = value

    def __eq__(self, other: object) -> bool:
        return self._flags == (other._flags if isinstance(other, DeviceFlags) else other)

    def __repr__(self) -> str:
        return repr(self._flags)
