"""Operators and functions of large arrays on the host: the result has the memory of a temporary operand, or of others.

Temporary is the product in ``a * b + c``. That an operand has a single reference is not enough to know it. Code in C,
such as NumPy's loop over an array of objects, may have that reference and read the operand again; NumPy examines the
stack of C for that. Here an operand is temporary if all three hold:

* In the bytecode of the function of Python that runs, the operand is the result of another operator or call of the
  expression.
* That operator, or the function that was called, computed this very array, which has a note of it.
* Nothing but the expression refers to the array.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from accel.xp import large_functions, large_results
from accel.xp.array_base import ArrayBase, new_array
from accel.xp.array_library import ArrayLibrary
from accel.xp.expressions import Operator, operators_of
from accel.xp.refusals import failure

__all__ = ["computed", "note_call"]


def computed(
    function: Any,
    library: ArrayLibrary,
    arrays: Sequence[Any],
    operands: Sequence[Any],
    otherwise: Callable[..., Any],
) -> Any:
    """Return the result of an operator or function; only the function that Python called for it may call this.

    Parameters
    ----------
    function : callable
        Computes the result from arrays of the library.
    library : ArrayLibrary
        That of the arrays.
    arrays : sequence
        The operands as they stand in the expression.
    operands : sequence
        The operands as the function takes them.
    otherwise : callable
        Returns the result if the function is not elementwise, or should allocate the result.
    """
    form = large_results.form_of(function, operands)
    if form is None:
        return otherwise(function, library, *operands)
    caller = sys._getframe(2)
    operator = operators_of(caller.f_code).get(caller.f_lasti)
    result = None if operator is None else _temporary(arrays, operator, id(caller), form)
    try:
        if result is None:
            memory = library.empty_array(*form)
            if memory is None:
                return otherwise(function, library, *operands)
            result = new_array(arrays[0] if isinstance(arrays[0], ArrayBase) else arrays[1], memory)
        large_functions.elementwise(function, library, operands, result._native)
    except (MemoryError, OverflowError) as error:
        raise failure(error) from None
    if operator is not None and operator.feeds:
        result._origin = id(caller), caller.f_lasti
    return result


def note_call(array: Any, depth: int) -> None:
    """Note that a function computed an array; its caller is so many frames above the function that notes it."""
    caller = sys._getframe(depth + 1)
    array._origin = id(caller), caller.f_lasti


def _temporary(arrays: Sequence[Any], operator: Operator, caller: int, form: large_results.Form) -> Any:
    """Return a temporary operand whose memory has the form of the result; None if there is none."""
    temporary = _ARGUMENT if operator.is_call else _OPERAND
    for array, offset, count in zip(arrays, operator.operands, _references(arrays), strict=False):
        if offset is not None and count == temporary and isinstance(array, ArrayBase):
            is_origin = getattr(array, "_origin", None) == (caller, offset)
            if is_origin and array._shared is None and _has_form(array._native, *form):
                return array
    return None


def _has_form(array: Any, shape: tuple[int, ...], dtype: Any, order: str) -> bool:
    if type(array) is not np.ndarray or array.shape != shape or array.dtype != dtype:
        return False
    return bool(array.flags.c_contiguous if order == "C" else array.flags.f_contiguous)


def _references(arrays: Sequence[Any]) -> list[int]:
    counts = []
    for array in arrays:
        counts.append(sys.getrefcount(array))  # noqa: PERF401 - a comprehension may have references of its own
    return counts


class _Probe:
    """Its operator counts the references to its operand as the operators of arrays do."""

    def __neg__(self) -> int:
        return _references((self,))[0]


def _probe(x: object) -> int:
    return _references((x,))[0]


_OPERAND: int = -_Probe()
"""How many references an operand of an operator has that nothing but an expression refers to."""

_ARGUMENT = _probe(_Probe())
"""How many references an argument of a function has that nothing but the function refers to."""
