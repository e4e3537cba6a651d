"""`TracingLibrary`: the library of a trace, in the place of that of its device."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np

from accel.abc import Operand
from accel.errors import FuseError
from accel.tracing.functions import Functions
from accel.tracing.namespace import Namespace
from accel.tracing.numbers import TracedNumber
from accel.tracing.selections import Selection
from accel.tracing.symbols import Symbol
from accel.tracing.trace import Trace
from accel.xp.array_base import ArrayBase, is_number
from accel.xp.array_library import ArrayLibrary
from accel.xp.arrays import Array, wrap
from accel.xp.creation import asarray
from accel.xp.host_reductions import UFUNCS

__all__ = ["TracingLibrary"]


class TracingLibrary(ArrayLibrary):
    """The library of the arrays of a trace; what it computes is recorded.

    Attributes
    ----------
    trace : Trace
        Where to.
    native_of : callable
        Returns the symbol of an array of the device.
    """

    __slots__ = ("native_of", "trace")

    def __init__(self, trace: Trace, functions: type[Functions] = Functions) -> None:
        self.trace: Trace = trace
        trace.functions = functions(trace)
        trace.namespace = Namespace(trace, trace.real.namespace)
        self.device: Any = trace.real.device
        self.backend: _Backend = _Backend(trace)
        self.namespace: Any = trace.namespace
        self.array_type: Any = Symbol
        self.based: Any = None
        self.of_numpy: type[np.ndarray[Any, Any]] | None = None
        self.scalar_types: frozenset[Any] = frozenset()
        self.native_types: frozenset[type[Symbol | Selection]] = frozenset({Symbol, Selection})
        self.as_array: Any = trace.functions.asarray
        self.members: dict[str, Callable[..., Any]] = {}
        self.special_functions: Any = _Special(trace)
        self.within: Callable[..., AbstractContextManager[None]] | None = None
        self.compute: Callable[..., Any] = self._compute
        self.stream: Any = None
        self.block_of: Any = None
        self.reductions: Any = SimpleNamespace(**self._methods(UFUNCS))
        self.large: int = sys.maxsize
        self.looped: int = sys.maxsize
        self.empty_array: Any = None
        self.share: Any = None
        self.capture: Callable[[Any], Any] | None = self._captured
        self.note: Callable[[Any], None] | None = None
        self.lend: Callable[[Callable[[Any], Any], Any], Any] | None = self._lent
        self.native_of: Callable[[Any], Symbol] = trace.existing.capture

    def _captured(self, x: Any) -> ArrayBase:
        """Return an array of NumPy or a number of the host as an operand; refuse arrays of other devices."""
        if isinstance(x, np.ndarray):
            return self.array(self.trace.existing.of_numpy(x))
        if not is_number(x):
            self.refuse(x._library)
        number = TracedNumber(lambda _: x.__array__().item(), x.__array__().item())
        return self.array(self.trace.scalar(number, x.dtype))

    def _lent(self, function: Callable[[Any], Any], x: Any) -> Any:
        """Call a function of the memory of an array, if the trace computes that."""
        return self.trace.lend(function, x._native, "the memory of an array")

    def refuse(self, other: ArrayLibrary) -> NoReturn:
        """Raise the error for operands on two devices, or of two traces."""
        for library in (self, other):
            if isinstance(library, TracingLibrary) and library.trace.finished:
                raise library.trace.needs_value("an operand")
        super().refuse(other)

    def array(self, symbol: Symbol) -> Array:
        """Return the array of a symbol."""
        array = Array()
        array._native, array._library, array._shared = symbol, self, None
        return array

    def accept(self, value: object) -> Any:
        """Return an operand of another type as a symbol, or NotImplemented."""
        if isinstance(value, TracedNumber):
            return self.trace.operand(value)
        if isinstance(value, np.ndarray) and self.trace.real.of_numpy is not None:
            return self.trace.of_numpy(value)
        if isinstance(value, np.generic):
            return self.trace.operand(value)
        try:
            accepted = super().accept(value)
        except FuseError:  # of a list of arrays of the trace
            return asarray(value, device=self.device)._native
        return self.trace.operand(accepted) if isinstance(accepted, np.ndarray | np.generic) else accepted


class _Special:
    """The special functions of the device, which are called between the fused parts."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def __getattr__(self, name: str) -> Any:
        trace = self._trace
        function = getattr(trace.real.special, name)
        return lambda *operands, **options: trace.call(f"special.{name}", function, operands, options)


class _Backend:
    """What `accel.xp` asks a backend for arrays; there is no memory."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def root(self, symbol: Symbol | Selection) -> Any:
        """Return what stands for the memory of a symbol."""
        if isinstance(symbol, Selection):
            return symbol
        while symbol.parent is not None:
            symbol, _ = symbol.parent
        return symbol.base

    def is_readonly(self, symbol: Symbol) -> bool:
        """Tell whether a symbol must not be written."""
        return symbol.readonly

    def array(self, operand: Operand, keep: object) -> Symbol:
        """Return the symbol of an array that was made on the device from numbers."""
        real = self._trace.real
        return self._trace.copied(wrap(real, real.backend.array(operand, keep)))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self._needs_memory()

    def _needs_memory(self) -> FuseError:
        return self._trace.needs_value("the memory of an array")
