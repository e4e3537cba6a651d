"""The functions of the standard, compiled from the table of their signatures.

Each function finds the library of its arrays, calls the library's function with the library's arrays, and wraps the
result.
"""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from accel.dtypes import DType, DTypeLike, as_dtype
from accel.errors import DeviceMismatchError
from accel.xp import results, signatures, special_signatures
from accel.xp.array import Array, native, native_array, wrap
from accel.xp.array_base import live
from accel.xp.array_library import ArrayLibrary
from accel.xp.generated import run
from accel.xp.operators import Scalar
from accel.xp.refusals import failure

__all__ = ["core", "created", "dtype_or_none", "elementwise", "fft", "library_of", "linalg", "parsed", "special"]

_TEMPLATE = '''
def {name}({parameters}) -> {returns}:
    """Compute `{name}` of {origin} on the device of the arrays.

    {page}{name}.html

    Raises
    ------
    TypeError
        If no argument is an `Array`.
    DeviceMismatchError
        If the arrays are on different devices.
    ReleasedError
        If the memory of an array was released.
    """
    library = library_of({arrays})
    try:
        return {call}
    except (IndexError, MemoryError, OverflowError) as error:
        raise failure(error) from None
    except DeviceMismatchError as error:
        raise mixed_devices(error, {arrays}) from None
'''

_STANDARD = "the array standard", "https://data-apis.org/array-api/latest/API_specification/generated/array_api."
_SCIPY = "SciPy", "https://docs.scipy.org/doc/scipy/reference/generated/scipy.special."


def library_of(*values: Any) -> ArrayLibrary:
    """Return the library of the first array among the arguments of a function."""
    for value in values:
        if type(value) is Array:
            return value._library
    types = ", ".join(type(value).__name__ for value in values) or "nothing"
    raise TypeError(f"at least one accel.xp array is needed; found {types}: write xp.asarray(values)")


def mixed_devices(error: DeviceMismatchError, *values: object) -> DeviceMismatchError:
    """Return the error for the arguments of a function on several devices, with the devices of all arrays."""
    devices = [str(value.device) for value in values if type(value) is Array]
    if len(devices) < 3 or len({*devices}) == 1:
        return error
    places = f"{', '.join(devices[:-1])} and {devices[-1]}"
    return DeviceMismatchError(f"the operands are on {places}; move them, as in x.to_device('{devices[0]}')")


def natives(library: ArrayLibrary, values: Iterable[Any]) -> list[Any]:
    """Return several operands as arrays of the library."""
    return [native_array(library, value) for value in values]


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
    return tuple([wrap(library, result, *sources) for result in results])


_NAMES: Mapping[str, Any] = {
    # called by the compiled functions
    "dtype_or_none": dtype_or_none,
    "failure": failure,
    "library_of": library_of,
    "live": live,
    "DeviceMismatchError": DeviceMismatchError,
    "mixed_devices": mixed_devices,
    "native": native,
    "native_array": native_array,
    "native_or_none": native_or_none,
    "natives": natives,
    "not_none": not_none,
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


def _annotation(parameter: ast.arg) -> str:
    return ast.unparse(parameter.annotation or ast.Constant(None))


def _converted(parameter: ast.arg) -> str:
    """Write the expression that converts an argument for the library, by the argument's annotation."""
    name, annotation = parameter.arg, _annotation(parameter)
    if annotation == "Array":
        return f"native_array(library, {name})"
    if annotation == "Sequence[Array]":
        return f"natives(library, {name})"
    if "DTypeLike" in annotation:
        return f"dtype_or_none({name})"
    if "Array" in annotation:
        return f"native_or_none(library, {name})" if "None" in annotation else f"native(library, {name})"
    return name


def _keyword(parameter: ast.arg) -> str:
    name = parameter.arg
    if "Array" in _annotation(parameter):
        return f"**not_none(library, {name}={name})"
    return f"{name}={_converted(parameter)}"


def _arrays(signature: ast.arguments) -> str:
    """Write the names of the parameters that can be arrays."""
    parameters = (*signature.posonlyargs, *signature.args, *signature.kwonlyargs)
    arrays = [parameter for parameter in parameters if "Array" in _annotation(parameter)]
    names = [f"*{each.arg}" if _annotation(each) == "Sequence[Array]" else each.arg for each in arrays]
    return ", ".join([*names, f"*{signature.vararg.arg}"] if signature.vararg else names)


def _call(function: ast.FunctionDef, namespace: str) -> str:
    """Write the call of the library's function."""
    signature = function.args
    passed = [_converted(parameter) for parameter in (*signature.posonlyargs, *signature.args)]
    passed += [f"*natives(library, {signature.vararg.arg})"] if signature.vararg else []
    passed += [_keyword(parameter) for parameter in signature.kwonlyargs]
    returned = ast.unparse(function.returns or ast.Constant(None))
    make = "wrap" if returned == "Array" else "wrap_all"
    call = f"{make}(library, {namespace}.{function.name}({', '.join(passed)}), {_arrays(signature)})"
    return f"{returned}(*{call})" if returned in results.__all__ else call


def _method_call(function: ast.FunctionDef) -> str:
    """Write the call of the array's method, whose result is never a view."""
    name, passed = function.name, ", ".join(map(_keyword, function.args.kwonlyargs))
    within = f"library.compute(library.array_type.{name}, live(x), {passed})"
    return f"wrap(library, live(x).{name}({passed}) if library.within is None else {within})"


def _source(function: ast.FunctionDef, call: str, origin: str, page: str) -> str:
    """Write the Python of one function."""
    return _TEMPLATE.format(
        name=function.name,
        origin=origin,
        page=page,
        parameters=ast.unparse(function.args),
        returns=ast.unparse(function.returns or ast.Constant(None)),
        arrays=_arrays(function.args),
        call=call,
    )


def parsed(table: str) -> list[ast.FunctionDef]:
    """Parse a table with one signature on each line."""
    lines = "".join(f"def {line}: ...\n" for line in table.splitlines() if line)
    return [node for node in ast.parse(lines).body if isinstance(node, ast.FunctionDef)]


def elementwise() -> str:
    """Return the table of the elementwise functions of one and of two operands."""
    operands = "x1: Array | Scalar, x2: Array | Scalar, /"
    rows = [f"{name}(x: Array, /) -> Array" for name in signatures.UNARY.split()]
    rows += [f"{name}({operands}) -> Array" for name in signatures.BINARY.split()]
    return "\n".join(rows)


def core() -> dict[str, Callable[..., Any]]:
    """Compile the functions of the standard's main namespace."""
    called = parsed(elementwise() + signatures.FUNCTIONS)
    sources = [_source(function, _call(function, "library.namespace"), *_STANDARD) for function in called]
    sources += [_source(function, _method_call(function), *_STANDARD) for function in parsed(signatures.METHODS)]
    return run("".join(sources), "accel.xp", _NAMES)


def linalg() -> dict[str, Callable[..., Any]]:
    """Compile the extension for linear algebra."""
    return _extension(signatures.LINALG, "linalg")


def fft() -> dict[str, Callable[..., Any]]:
    """Compile the extension for Fourier transforms."""
    return _extension(signatures.FFT, "fft")


def special() -> dict[str, Callable[..., Any]]:
    """Compile the special functions."""
    functions = parsed(special_signatures.table())
    sources = (_source(function, _call(function, "library.special"), *_SCIPY) for function in functions)
    return run("".join(sources), "accel.xp.special", _NAMES)


def _extension(table: str, name: str) -> dict[str, Callable[..., Any]]:
    origin, page = _STANDARD
    calls = ((function, _call(function, f"library.namespace.{name}")) for function in parsed(table))
    sources = (_source(function, call, origin, f"{page}{name}.") for function, call in calls)
    return run("".join(sources), f"accel.xp.{name}", _NAMES)
