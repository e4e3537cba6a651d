"""Functions of the standard, compiled from the table of their signatures.

Each one finds the device of its arrays, hands the library's own arrays to the library's function, and wraps what
comes back.
"""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from accel.dtypes import DType, DTypeLike, as_dtype
from accel.xp import results, signatures
from accel.xp.array import Array, live, native, wrap
from accel.xp.generated import run
from accel.xp.home import Home
from accel.xp.operators import Scalar

__all__ = ["core", "dtype_or_none", "elementwise", "fft", "linalg", "parsed"]

_TEMPLATE = '''
def {name}({parameters}) -> {returns}:
    """Compute `{name}` of the array standard, on the device of the arrays.

    https://data-apis.org/array-api/latest/API_specification/generated/array_api.{section}{name}.html

    Raises
    ------
    TypeError
        If no argument that can be an array is one.
    DeviceMismatchError
        If the arrays are on different devices.
    ReleasedError
        If the memory of one was released.
    """
    home = home_of({arrays})
    return rewrap(home, {callee}({arguments}), {arrays})
'''

_BY_FIELDS: Mapping[tuple[str, ...], Callable[..., Any]] = {
    found._fields: found
    for found in (
        results.UniqueAll,
        results.UniqueCounts,
        results.UniqueInverse,
        results.Eigh,
        results.QR,
        results.Slogdet,
        results.SVD,
    )
}


def home_of(*values: Any) -> Home:
    """Return the home of the first array among the arguments of a function."""
    for value in values:
        if type(value) is Array:
            return value._home
    found = ", ".join(type(value).__name__ for value in values) or "nothing"
    raise TypeError(f"at least one accel.xp array is needed; found {found}: write xp.asarray(values)")


def natives(home: Home, values: Iterable[Any]) -> list[Any]:
    """Return several operands as the library takes them."""
    return [native(home, value) for value in values]


def native_or_none(home: Home, value: Any) -> Any:
    """Return an operand as the library takes it, if there is one."""
    return None if value is None else native(home, value)


def dtype_or_none(dtype: DTypeLike | None) -> DType | None:
    """Return the dtype that is meant, if one is given."""
    return None if dtype is None else as_dtype(dtype)


def rewrap(home: Home, result: Any, *sources: Any) -> Any:
    """Make arrays of what the library returned: one, a tuple, or one of the named tuples in `results`."""
    if isinstance(result, tuple | list):
        parts = tuple(rewrap(home, part, *sources) for part in result)
        named = _BY_FIELDS.get(getattr(result, "_fields", ()))
        return parts if named is None else named(*parts)
    for source in sources:
        if type(source) is Array and source._record is not None:
            wrapped = wrap(home, result, source)
            if wrapped._record is not None:
                return wrapped
    return wrap(home, result)


_NAMES: Mapping[str, Any] = {
    # what the functions call
    "dtype_or_none": dtype_or_none,
    "home_of": home_of,
    "live": live,
    "native": native,
    "native_or_none": native_or_none,
    "natives": natives,
    "rewrap": rewrap,
    # what their signatures say
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


def _passed_on(annotation: str, name: str) -> str:
    """Write how an argument is handed to the library, by what its signature says it is."""
    if annotation == "Sequence[Array]":
        return f"natives(home, {name})"
    if "DTypeLike" in annotation:
        return f"dtype_or_none({name})"
    if "Array" in annotation:
        return f"native_or_none(home, {name})" if "None" in annotation else f"native(home, {name})"
    return name


def _source(function: ast.FunctionDef, section: str, *, method: bool = False) -> str:
    """Write the Python of one function, computed by the library's function of that name, or by the array's method."""
    given = function.args
    looked_at, places, keywords = [], [], []
    for parameter in (*given.posonlyargs, *given.args, *given.kwonlyargs):
        name, annotation = parameter.arg, ast.unparse(parameter.annotation or ast.Constant(None))
        if "Array" in annotation:
            looked_at.append(f"*{name}" if annotation == "Sequence[Array]" else name)
        if parameter in given.kwonlyargs:
            keywords.append(f"{name}={_passed_on(annotation, name)}")
        else:
            places.append(_passed_on(annotation, name))
    if given.vararg is not None:
        looked_at.append(f"*{given.vararg.arg}")
        places.append(f"*natives(home, {given.vararg.arg})")
    return _TEMPLATE.format(
        name=function.name,
        section=section,
        parameters=ast.unparse(given),
        returns=ast.unparse(function.returns or ast.Constant(None)),
        arrays=", ".join(looked_at),
        callee=f"live(x).{function.name}" if method else f"home.library.{section}{function.name}",
        arguments=", ".join(keywords if method else places + keywords),
    )


def parsed(table: str) -> list[ast.FunctionDef]:
    """Parse a table of signatures, one a line."""
    lines = "".join(f"def {line}: ...\n" for line in table.splitlines() if line)
    return [node for node in ast.parse(lines).body if isinstance(node, ast.FunctionDef)]


def elementwise() -> str:
    """Return the table of the functions of one and of two operands."""
    operands = "x1: Array | Scalar, x2: Array | Scalar, /"
    rows = [f"{name}(x: Array, /) -> Array" for name in signatures.UNARY.split()]
    rows += [f"{name}({operands}) -> Array" for name in signatures.BINARY.split()]
    return "\n".join(rows)


def core() -> dict[str, Callable[..., Any]]:
    """Compile the functions of the standard's main namespace."""
    sources = [_source(function, "") for function in parsed(elementwise() + signatures.FUNCTIONS)]
    sources += [_source(function, "", method=True) for function in parsed(signatures.METHODS)]
    return run("".join(sources), "accel.xp", _NAMES)


def linalg() -> dict[str, Callable[..., Any]]:
    """Compile the extension for linear algebra."""
    sources = (_source(function, "linalg.") for function in parsed(signatures.LINALG))
    return run("".join(sources), "accel.xp.linalg", _NAMES)


def fft() -> dict[str, Callable[..., Any]]:
    """Compile the extension for Fourier transforms."""
    sources = (_source(function, "fft.") for function in parsed(signatures.FFT))
    return run("".join(sources), "accel.xp.fft", _NAMES)
