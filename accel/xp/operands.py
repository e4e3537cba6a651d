"""Operands and results of the compiled functions: from arrays to the library's, and back."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from accel.device import Device
from accel.dtypes import KNOWN, DType, DTypeLike, as_dtype
from accel.xp import compiled_functions, functions, large_operators, reductions, results
from accel.xp.array_base import is_number
from accel.xp.array_library import ArrayLibrary, library_on
from accel.xp.arrays import Array, large_result, wrap
from accel.xp.natives import native, native_array
from accel.xp.refusals import failure

__all__ = [
    "REFUSALS",
    "array_of",
    "created",
    "dtype_or_none",
    "library_of",
    "loop_result",
    "native_or_none",
    "new",
    "wrap_all",
]

REFUSALS = (IndexError, MemoryError, OverflowError)
"""The errors of libraries that `accel.xp.refusals.failure` says in words of ours."""

_NUMBERS = (bool, int, float, complex, np.generic)


def library_of(*values: Any) -> ArrayLibrary:
    """Return the library of the first array among the arguments of a function; that of the default device for numbers.

    An array of no axes on the host is a number for arrays of other devices. NumPy's arrays and sequences are operands
    where the default device is the host, as they are beside arrays there.
    """
    first = number = None
    for value in values:
        if type(value) is Array:
            if value._library.capture is not None:
                return value._library
            if first is None and not is_number(value):
                first = value._library
            number = value._library
    if first is not None or number is not None:
        return first or number  # type: ignore[return-value]
    default = library_on(None)
    if any(_is_operand(default, value) for value in values):
        return default
    types = ", ".join(type(value).__name__ for value in values) or "nothing"
    raise TypeError(f"at least one accel.xp array is needed; found {types}: write xp.asarray(values)")


def _is_operand(library: ArrayLibrary, value: Any) -> bool:
    if isinstance(value, np.ndarray) and not value.ndim:
        return True
    return isinstance(value, (*_NUMBERS, np.ndarray, list, tuple) if library.device is Device.CPU else _NUMBERS)


def array_of(value: Any) -> Array:
    """Return an operand as an array, as functions take it: an array of NumPy or a sequence on the host, or a number."""
    if type(value) is Array:
        return value
    library = library_of(value)
    return wrap(library, native_array(library, value))


def natives(library: ArrayLibrary, values: Iterable[Any]) -> list[Any]:
    """Return several operands as arrays of the library."""
    operands = []
    for value in values:
        if (
            type(value) is Array
            and value._library is library
            and (
                (shared := value._shared) is None
                or (handle := shared.handle) is None
                or ((owner := handle._owner) is not None and owner.hazard_record.hazards is None)
            )
            and type(value._native) is library.array_type
        ):
            operands.append(value._native)
        else:
            operands.append(native_array(library, value))
    return operands


def among(result: object, operands: Iterable[object]) -> bool:
    """Tell whether a result is one of the operands itself; ``in`` would compare elements."""
    for operand in operands:  # noqa: SIM110 - `any` takes three times as long
        if operand is result:
            return True
    return False


def native_or_none(library: ArrayLibrary, value: Any) -> Any:
    """Return an operand as the library takes it; None stays None."""
    return None if value is None else native(library, value)


def not_none(library: ArrayLibrary, **values: Any) -> dict[str, Any]:
    """Return the keywords that are not None; not every library takes None for an array that is optional."""
    return {name: native(library, value) for name, value in values.items() if value is not None}


def dtype_or_none(dtype: DTypeLike | None) -> DType | None:
    """Return the dtype for any spelling of it; None stays None."""
    return None if dtype is None else as_dtype(dtype)


def created(library: ArrayLibrary, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Array:
    """Call a function of the library that returns a new array, and wrap the result."""
    try:
        return new(library, function(*arguments, **keywords))
    except REFUSALS as error:
        raise failure(error) from None


def new(library: ArrayLibrary, result: Any) -> Array:
    """Make an array of a new array of the library."""
    if type(result) is not library.based or result.dtype not in KNOWN:
        return wrap(library, result)
    array = Array()
    array._native, array._library, array._shared = result, library, None
    return array


def wrap_all(library: ArrayLibrary, results: Iterable[Any], *sources: object) -> tuple[Array, ...]:
    """Make arrays of several results of the library."""
    roots: list[Any] = []
    for source in sources:
        if type(source) is Array and type(source._native) is np.ndarray:
            roots += source._native, source._native.base
    wrapped = []
    for result in results:
        # `wrap` is written out here for new memory, which saves a call for each result.
        if (
            type(result) is np.ndarray
            and type(root := result if result.base is None else result.base) is np.ndarray
            and root.base is None
            and result.dtype in KNOWN
            and not among(root, roots)
        ):
            array = Array()
            array._native, array._library, array._shared = result, library, None
        else:
            array = wrap(library, result, *sources)
        wrapped.append(array)
    return tuple(wrapped)


def large_reduction(name: str, library: ArrayLibrary, array: Any, **options: Any) -> Array | None:
    """Return the result of a reduction that threads share, or that loops compute; None if NumPy should."""
    try:
        result = None
        if name in compiled_functions.WHOLE:
            result = compiled_functions.computed(name, library, array, options)
        if result is None:
            result = reductions.reduced(name, library, array, **options)
    except MemoryError as error:
        raise failure(error) from None
    return None if result is None else wrap(library, result)


def loop_result(name: str, library: ArrayLibrary, array: Any, **options: Any) -> Array | None:
    """Return the result of a function that compiled loops compute; None if the library should compute it."""
    try:
        result = compiled_functions.computed(name, library, array, options)
    except MemoryError as error:
        raise failure(error) from None
    return None if result is None else wrap(library, result)


functions.bind(
    Array=Array,
    large_reduction=large_reduction,
    loop_result=loop_result,
    large_operator=large_operators.computed,
    large_result=large_result,
    library_of=library_of,
    native=native,
    native_array=native_array,
    native_or_none=native_or_none,
    natives=natives,
    not_none=not_none,
    wrap=wrap,
    wrap_all=wrap_all,
    **{name: getattr(results, name) for name in results.__all__},
)
