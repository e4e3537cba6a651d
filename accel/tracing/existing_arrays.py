"""`ExistingArrays`: arrays that a traced function refers to, besides its arguments; they are read in each call."""

from typing import Any, Protocol

import numpy as np

from accel.dtypes import DType
from accel.tracing.symbols import Symbol
from accel.tracing.view_bases import HostBase
from accel.xp.array_base import in_memory
from accel.xp.creation import asarray
from accel.xp.recording import recorded

__all__ = ["ExistingArrays"]


class _Tracer(Protocol):
    """What these arrays ask of their trace."""

    real: Any

    def argument(self, native: Any, name: str, *, readonly: bool) -> Symbol:
        """Return the symbol of an argument."""
        ...


class ExistingArrays:
    """Arrays that a traced function refers to.

    Attributes
    ----------
    captured : list of Array
        One for each input after the arguments; on devices NumPy's are there as they are.
    masks : list of numpy.ndarray
        Arrays of NumPy whose elements decided a shape.
    """

    def __init__(self, trace: _Tracer) -> None:
        self.captured: list[Any] = []
        self.masks: list[np.ndarray[Any, DType]] = []
        self._trace = trace
        self._symbols: dict[int, Symbol] = {}
        self._of_numpy: dict[int, tuple[Any, Symbol]] = {}

    def capture(self, array: Any) -> Symbol:
        """Return the symbol of an array of `accel.xp` on the device of the trace."""
        symbol = self._symbols.get(id(array))
        if symbol is None:
            native = recorded(None, in_memory, array)
            readonly = self._trace.real.backend.is_readonly(native)
            symbol = self._trace.argument(native, f"captured array {len(self.captured) + 1}", readonly=readonly)
            self._symbols[id(array)] = symbol
            self.captured.append(array)
        return symbol

    def of_numpy(self, values: np.ndarray[Any, DType]) -> Symbol:
        """Return the symbol of an array of NumPy, which is not written."""
        kept = self._of_numpy.get(id(values))
        if kept is None:
            symbol = self.capture(self.on_device(values))
            if self._trace.real.of_numpy is None:
                self.captured[-1] = values  # whose elements are copied in each call
            kept = self._of_numpy[id(values)] = values, Symbol(symbol.tracer, HostBase(symbol.base))
        return kept[1]

    def on_device(self, values: Any) -> Any:
        """Return an array of `accel.xp` with the elements of an array of NumPy, or with numbers."""
        return recorded(None, asarray, np.asarray(values), device=self._trace.real.device)

    def selected(self, mask: np.ndarray[Any, DType]) -> tuple[Any, ...]:
        """Return the indices that a mask of NumPy selects; the function is traced anew for another mask."""
        self.masks.append(mask)
        return mask.nonzero()
