"""`call_at_once`: calls a function of the library with arrays that have elements, while others are recorded."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from accel.tracing.symbols import Symbol
from accel.xp import large_functions
from accel.xp.array_base import ArrayBase, in_memory, live
from accel.xp.array_storage import may_overlap
from accel.xp.arrays import wrap
from accel.xp.recording import recorded

__all__ = ["call_at_once"]


class _Tracer(Protocol):
    """What such a call asks of the trace."""

    real: Any

    def array_of(self, x: Symbol) -> Any:
        """Return the array of `accel.xp` for a symbol, which has its elements."""
        ...

    def exists(self, array: Any, *, shared: bool = False, lent: bool = True) -> Symbol:
        """Return the symbol of an array that exists."""
        ...


def call_at_once(
    trace: _Tracer, function: Callable[..., Any], arguments: Sequence[Any], keywords: dict[str, Any]
) -> Any:
    """Call a function of the library, and return symbols of the arrays that it returns, also in tuples and lists."""
    operands: list[Any] = []
    natives = [_native(trace, each, operands) for each in arguments]
    named = {name: _native(trace, value, operands) for name, value in keywords.items()}
    result = recorded(None, _computed, trace.real, function, natives, named)
    return _symbols(trace, result, operands)


def _computed(library: Any, function: Callable[..., Any], arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
    if library.within is not None:
        return library.compute(function, *arguments, **keywords)
    if library.empty_array is not None and large_functions.is_known(function, keywords.keys()):
        return large_functions.called(function, library, *arguments, **keywords)
    return function(*arguments, **keywords)


def _native(trace: _Tracer, value: Any, operands: list[Any]) -> Any:
    """Return the library's array for a symbol, also in tuples and lists."""
    if type(value) in (tuple, list):
        return type(value)([_native(trace, each, operands) for each in value])
    if isinstance(value, ArrayBase):
        value = value._native
    if not isinstance(value, Symbol):
        return value
    operands.append(recorded(None, live, trace.array_of(value)))
    return operands[-1]


def _symbols(trace: _Tracer, result: Any, operands: Sequence[Any]) -> Any:
    if isinstance(result, tuple | list):
        found = [_symbols(trace, each, operands) for each in result]
        make: Any = type(result)
        return make(*found) if hasattr(result, "_fields") else make(found)
    if not isinstance(result, trace.real.array_type | np.generic):
        return result
    array = wrap(trace.real, result)
    return trace.exists(recorded(None, _apart, trace.real, array, operands), lent=False)


def _apart(library: Any, array: Any, operands: Sequence[Any]) -> Any:
    """Return an array, or a copy if its memory is that of an operand, or read-only."""
    native = in_memory(array)
    shares = library.backend.is_readonly(native) or any(may_overlap(library, native, each) for each in operands)
    return array.__copy__() if shares else array
