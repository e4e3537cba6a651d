"""`DeviceFlags`: NumPy's ``flags`` for an array on a device."""

from typing import Any, ClassVar

import numpy as np
from numpy.lib.stride_tricks import as_strided

from accel.errors import ReadOnlyError
from accel.xp.refusals import refuse_read_only, repeats

__all__ = ["DeviceFlags"]


class DeviceFlags:
    """NumPy's flags of an array on a device, as attributes and by name; ``writeable`` can be set."""

    __slots__ = ("_array",)
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __init__(self, array: Any) -> None:
        self._array = array

    @property
    def writeable(self) -> bool:
        """Whether elements can be written."""
        return not self._array._library.backend.is_readonly(self._array._native)

    @writeable.setter
    def writeable(self, value: bool) -> None:
        """Make the array, and views that are made of it later, read-only; or writable again.

        Raises
        ------
        ReadOnlyError
            If it is a view of a read-only array, or its memory is read-only.
        OverlapError
            If elements share memory.
        """
        x, writable = self._array, bool(value)
        if writable == self.writeable or not x.size:
            return
        if writable:
            _refuse_to_write(x)
        operand = x.__accel_operand__()._replace(writable=writable)
        x._native = x._library.backend.array(operand, x.storage.keep_alive())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._of_numpy(), name)

    def __getitem__(self, name: str) -> bool:
        return self._of_numpy()[name]  # type: ignore[no-any-return]

    def __setitem__(self, name: str, value: bool) -> None:
        if name not in {"W", "WRITEABLE"}:
            raise ValueError(f"the flag {name!r} is not set; only 'WRITEABLE' is")
        self.writeable = value

    def __eq__(self, other: object) -> bool:
        return self._of_numpy() == (other._of_numpy() if isinstance(other, DeviceFlags) else other)  # type: ignore[no-any-return]

    def __repr__(self) -> str:
        return repr(self._of_numpy())

    def _of_numpy(self) -> Any:
        """Return the flags that NumPy computes from the strides alone."""
        x = self._array
        return as_strided(np.empty((), x.dtype), x.shape, x._native.strides, writeable=self.writeable).flags


def _refuse_to_write(x: Any) -> None:
    """Refuse to make a read-only array writable, unless it is one that was made read-only itself."""
    library, native = x._library, x._native
    root = library.backend.root(native)
    if repeats(x.shape, native.strides) or (root is not native and library.backend.is_readonly(root)):
        refuse_read_only(library, native)
    if x.storage.readonly:
        raise ReadOnlyError(f"{x.storage} is read-only; write to a copy of it: xp.asarray(x, copy=True)")
