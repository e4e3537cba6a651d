"""The functions of the standard, compiled from the table of their signatures when they are first asked for.

Each function finds the library of its arrays, calls the library's function with the library's arrays, and wraps the
result.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, Literal

import numpy as np

from accel.dtypes import KNOWN, DType, DTypeLike, as_dtype
from accel.xp import results, signatures, special_signatures
from accel.xp.array_base import live
from accel.xp.array_library import ArrayLibrary
from accel.xp.arrays import Array, native, native_array, wrap
from accel.xp.function_source import method_source, parsed, source
from accel.xp.generated_code import Compiled
from accel.xp.operators import Scalar
from accel.xp.refusals import failure, refuse_dtype

__all__ = [
    "core",
    "created",
    "dtype_or_none",
    "elementwise",
    "fft",
    "library_of",
    "linalg",
    "parsed",
    "special",
    "where",
]

_STANDARD = "the array standard", "https://data-apis.org/array-api/latest/API_specification/generated/array_api."
_SCIPY = "SciPy", "https://docs.scipy.org/doc/scipy/reference/generated/scipy.special."


def library_of(*values: Any) -> ArrayLibrary:
    """Return the library of the first array among the arguments of a function."""
    for value in values:
        if type(value) is Array:
            return value._library
    types = ", ".join(type(value).__name__ for value in values) or "nothing"
    raise TypeError(f"at least one accel.xp array is needed; found {types}: write xp.asarray(values)")


def natives(library: ArrayLibrary, values: Iterable[Any]) -> list[Any]:
    """Return several operands as arrays of the library."""
    operands = []
    for value in values:
        if type(value) is Array and value._library is library and value._shared is None:
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
        return wrap(library, function(*arguments, **keywords))
    except (IndexError, MemoryError, OverflowError) as error:
        raise failure(error) from None


def wrap_all(library: ArrayLibrary, results: Iterable[Any], *sources: object) -> tuple[Array, ...]:
    """Make arrays of several results of the library."""
    operands = [source._native for source in sources if type(source) is Array]
    wrapped = []
    for result in results:
        if type(result) is np.ndarray and result.base is None and result.dtype in KNOWN and not among(result, operands):
            # `wrap` is written out here for new memory, which saves a call for each result.
            array = Array()
            array._native, array._library, array._shared = result, library, None
        else:
            array = wrap(library, result, *sources)
        wrapped.append(array)
    return tuple(wrapped)


_NAMES: Mapping[str, Any] = {
    # called by the compiled functions
    "KNOWN": KNOWN,
    "as_dtype": as_dtype,
    "failure": failure,
    "library_of": library_of,
    "live": live,
    "native": native,
    "native_array": native_array,
    "native_or_none": native_or_none,
    "natives": natives,
    "ndarray": np.ndarray,
    "not_none": not_none,
    "refuse_dtype": refuse_dtype,
    "wrap": wrap,
    "wrap_all": wrap_all,
    # used in their signatures
    "Array": Array,
    "Axes": Sequence[int] | None,
    "Axis": int | tuple[int, ...] | None,
    "DTypeLike": DTypeLike,
    "Literal": Literal,
    "Norm": Literal["backward", "ortho", "forward"],
    "Scalar": Scalar,
    "Sequence": Sequence,
    **{name: getattr(results, name) for name in results.__all__},
}


def elementwise() -> str:
    """Return the table of the elementwise functions of one and of two operands."""
    operands = "x1: Array | Scalar, x2: Array | Scalar, /"
    rows = [f"{name}(x: Array, /) -> Array" for name in signatures.UNARY.split()]
    rows += [f"{name}({operands}) -> Array" for name in signatures.BINARY.split()]
    return "\n".join(rows)


@cache
def core() -> Compiled:
    """Return the functions of the standard's main namespace; all callers share them, so each is compiled once."""
    origin, page = _STANDARD
    call = partial(source, namespace="library.namespace", origin=origin, page=page)
    sources = {name: partial(call, row) for name, row in _rows(elementwise() + signatures.FUNCTIONS)}
    sources |= {name: partial(method_source, row, origin, page) for name, row in _rows(signatures.METHODS)}
    return Compiled("accel.xp", sources, _NAMES)


@cache
def where() -> Callable[..., Array]:
    """Return `where` of three operands."""
    operands = "condition: Array | Scalar, x1: Array | Scalar, x2: Array | Scalar, /"
    row = f"where({operands}) -> Array"
    return Compiled("accel.xp", {"where": partial(source, row, "library.namespace", *_STANDARD)}, _NAMES)["where"]


def linalg() -> Compiled:
    """Return the extension for linear algebra."""
    return _extension(signatures.LINALG, "linalg")


def fft() -> Compiled:
    """Return the extension for Fourier transforms."""
    return _extension(signatures.FFT, "fft")


def special() -> Compiled:
    """Return the special functions."""
    origin, page = _SCIPY
    call = partial(source, namespace="library.special", origin=origin, page=page)
    return Compiled(
        "accel.xp.special", {name: partial(call, row) for name, row in _rows(special_signatures.table())}, _NAMES
    )


def _extension(table: str, name: str) -> Compiled:
    origin, page = _STANDARD
    call = partial(source, namespace=f"library.namespace.{name}", origin=origin, page=f"{page}{name}.")
    return Compiled(f"accel.xp.{name}", {each: partial(call, row) for each, row in _rows(table)}, _NAMES)


def _rows(table: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the signature on each line of a table."""
    return ((line.partition("(")[0], line) for line in table.splitlines() if line)
