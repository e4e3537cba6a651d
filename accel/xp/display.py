"""`Display`: an array as text, and as HTML for notebooks."""

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from accel.device import Device, DeviceLike
from accel.dtypes import DType
from accel.xp.array_base import ArrayBase, live

__all__ = ["Display"]

_SHOWN = 200  # elements; of larger arrays the first and last ones


class Display(ArrayBase):
    """The text of an array."""

    __slots__ = ()

    if TYPE_CHECKING:

        def to_device(self, device: DeviceLike, /) -> Self: ...

    def __repr__(self) -> str:
        about = f"dtype={self.dtype.name}, device={self.device}"
        if self._is_released():
            return f"Array(released, shape={self.shape}, {about})"
        values = np.array2string(self._on_host(), separator=", ", prefix="Array(")
        return f"Array({values}, shape={self.shape}, {about})" if self.size == 0 else f"Array({values}, {about})"

    def _repr_html_(self) -> str:
        from html import escape

        facts = f"shape {self.shape}, dtype {self.dtype.name}, device {self.device}, {self.nbytes:,} bytes"
        return (
            f'<div><div style="margin-bottom: 4px"><b>Array</b> {escape(facts)}</div>'
            f'<pre style="margin: 0">{escape(self._values_as_text())}</pre></div>'
        )

    def _values_as_text(self) -> str:
        return "released" if self._is_released() else np.array2string(self._on_host(), threshold=_SHOWN)

    def _is_released(self) -> bool:
        return self._shared is not None and self._shared.handle is not None and self._shared.handle.released

    def _on_host(self) -> np.ndarray[Any, DType]:
        values: np.ndarray[Any, DType] = live(self.to_device(Device.CPU))
        return values
