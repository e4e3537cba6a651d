"""`PartFunctions`: the functions of a `PartTrace`; what elements select or write is done at once."""

from typing import Any

from accel.tracing.functions import Functions
from accel.tracing.part_traces import PartTrace
from accel.tracing.symbols import Symbol

__all__ = ["PartFunctions"]


class PartFunctions(Functions):
    """Functions of a trace that computes in parts."""

    _trace: PartTrace

    def _selected(self, x: Symbol, key: Any) -> Any:
        """Return what a mask or arrays of indices select."""
        selected = self._trace.evaluate(lambda array: array[self._arrays(key)], x, "an index with elements")
        return self._trace.exists(selected, lent=False)

    def _set_at_indices(self, x: Symbol, key: Any, value: Any) -> None:
        def write(array: Any) -> None:
            array[self._arrays(key)] = self._arrays(value)

        self._trace.change(x, write)

    def _arrays(self, value: Any) -> Any:
        """Return arrays with elements in the place of symbols, also in tuples and lists."""
        if type(value) in (tuple, list):
            return type(value)([self._arrays(each) for each in value])
        return self._trace.array_of(value) if isinstance(value, Symbol) else value
