"""The functions of the standard, compiled from the table of their signatures when they are first asked for.

Each function finds the library of its arrays, calls the library's function with the library's arrays, and wraps the
result.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from typing import Any, Literal

import numpy as np

from accel.dtypes import KNOWN, DTypeLike, as_dtype
from accel.xp import numpy_signatures, signatures, special_signatures
from accel.xp.array_base import in_memory, live, shared_of
from accel.xp.calls import call_with, method
from accel.xp.function_source import method_source, source
from accel.xp.generated_code import Compiled
from accel.xp.host_reductions import UFUNCS
from accel.xp.operators import Scalar
from accel.xp.refusals import failure, refuse_dtype

__all__ = ["FunctionAsMethod", "bind", "core", "fft", "inner", "linalg", "special", "standard"]

_STANDARD = "the array standard", "https://data-apis.org/array-api/latest/API_specification/generated/array_api."
_NUMPY = "NumPy", "https://numpy.org/doc/stable/reference/generated/numpy."
_SCIPY = "SciPy", "https://docs.scipy.org/doc/scipy/reference/generated/scipy.special."

_NAMES: dict[str, Any] = {
    # called by the compiled functions
    "KNOWN": KNOWN,
    "SEQUENCES": frozenset({list, tuple}),
    "as_dtype": as_dtype,
    "failure": failure,
    "in_memory": in_memory,
    "live": live,
    "ndarray": np.ndarray,
    "refuse_dtype": refuse_dtype,
    "shared_of": shared_of,
    # used in their signatures
    "Any": Any,
    "Axes": Sequence[int] | None,
    "Axis": int | tuple[int, ...] | None,
    "DTypeLike": DTypeLike,
    "Literal": Literal,
    "Norm": Literal["backward", "ortho", "forward"],
    "Scalar": Scalar,
    "Sequence": Sequence,
}


def bind(**names: Any) -> None:
    """Set more globals of the functions, which are defined after this module: the class of arrays and its functions."""
    _NAMES.update(names)


@cache
def core() -> Compiled:
    """Return the functions of the main namespace; all callers share them, so each is compiled once."""
    return Compiled("accel.xp", _core_sources(), _NAMES)


@cache
def _methods() -> Compiled:
    """Return the functions of the main namespace as methods: ``out=`` is written as an assignment is."""
    return Compiled("accel.xp.methods", _core_sources(), _NAMES | {"with_keywords": _by_method})


def _by_method(ours: Callable[..., Any], operands: tuple[Any, ...], named: dict[str, Any], options: Any) -> Any:
    """Call what computes a method with keywords of NumPy's: a reduction of the library has more as a method."""
    keywords = named | options
    dtype = keywords.pop("dtype", None)
    if dtype is not None:
        keywords["dtype"] = as_dtype(dtype)
    x, *others = operands
    return (method if ours.__name__ in UFUNCS else call_with)(x, ours.__name__, *others, **keywords)


def _core_sources() -> dict[str, Callable[[], str]]:
    sources = _sources(signatures.FUNCTIONS, signatures.elementwise(), *_STANDARD)
    sources |= {name: partial(method_source, row, *_STANDARD) for name, row in _rows(signatures.METHODS)}
    elementwise = signatures.elementwise(numpy_signatures.UNARY, numpy_signatures.BINARY)
    return sources | _sources(numpy_signatures.FUNCTIONS, elementwise, *_NUMPY)


def _sources(functions: str, elementwise: str, origin: str, page: str) -> dict[str, Callable[[], str]]:
    """Return for each name in two tables the function that writes the source."""
    call = partial(source, namespace="library.namespace", section="", origin=origin, page=page)
    sources: dict[str, Callable[[], str]] = {
        name: partial(call, row, views=name not in signatures.NEW, sized=name == "take", loops=name in signatures.LOOPS)
        for name, row in _rows(functions)
    }
    return sources | {name: partial(call, row, views=name in signatures.PARTS) for name, row in _rows(elementwise)}


@cache  # two look-ups less
def standard(name: str) -> Callable[..., Any]:
    """Return a function of the main namespace."""
    return core()[name]


class FunctionAsMethod:
    """A method of arrays with the text of the function of the main namespace; compiled at its first use."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._owner, self._name = owner, name

    def __get__(self, x: object, kind: type | None = None) -> Any:
        setattr(self._owner, self._name, _methods()[self._name])  # in place of this
        return getattr(kind if x is None else x, self._name)


@cache
def inner(name: str) -> Callable[..., Any]:
    """Return the part of a function of the main namespace that is compiled: the rest of it is in `array_functions`."""
    row = signatures.INNER[name]
    write = partial(source, row, "library.namespace", "", "", "", views=name not in signatures.NEW)
    return Compiled("accel.xp", {name: write}, _NAMES)[name]


def linalg() -> Compiled:
    """Return the extension for linear algebra."""
    return _extension("linalg", (signatures.LINALG, _STANDARD), (numpy_signatures.LINALG_FUNCTIONS, _NUMPY))


def fft() -> Compiled:
    """Return the extension for Fourier transforms."""
    return _extension("fft", (signatures.FFT, _STANDARD))


def special() -> Compiled:
    """Return the special functions."""
    origin, page = _SCIPY
    call = partial(source, namespace="library.special", section="special", origin=origin, page=page)
    return Compiled(
        "accel.xp.special", {name: partial(call, row) for name, row in _rows(special_signatures.table())}, _NAMES
    )


def _extension(name: str, *tables: tuple[str, tuple[str, str]]) -> Compiled:
    sources: dict[str, Callable[[], str]] = {}
    for table, (origin, page) in tables:
        sources |= {
            each: partial(
                source, row, f"library.namespace.{name}", name, origin, f"{page}{name}.", loops=each in signatures.LOOPS
            )
            for each, row in _rows(table)
        }
    return Compiled(f"accel.xp.{name}", sources, _NAMES)


def _rows(table: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the signature on each line of a table."""
    return ((line.partition("(")[0], line) for line in table.splitlines() if line)
