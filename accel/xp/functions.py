"""The functions of the standard, compiled from the table of their signatures.

Each function finds the library of its arrays, calls the library's function with the library's arrays, and wraps the
result.
"""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from accel.dtypes import DType, DTypeLike, as_dtype
from accel.xp import results, signatures
from accel.xp.array import Array, native, native_array, wrap
from accel.xp.array_base import live
from accel.xp.array_library import ArrayLibrary
from accel.xp.generated import run
from accel.xp.operators import Scalar
from accel.xp.refusals import failure

__all__ = ["core", "created", "dtype_or_none", "elementwise", "fft", "library_of", "linalg", "parsed"]

_TEMPLATE = '''
def {name}({parameters}) -> {returns}:
    """Compute `{name}` of the array standard on the device of the arrays.

    https://data-apis.org/array-api/latest/API_specification/generated/array_api.{section}{name}.html

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
    except (IndexError, MemoryError) as error:
        raise failure(error) from None
'''


def library_of(*values: Any) -> ArrayLibrary:
    """Return the library of the first array among the arguments of a function."""
    for value in values:
        if type(value) is Array:
            return value._library
    types = ", ".join(type(value).__name__ for value in values) or "nothing"
    raise TypeError(f"at least one accel.xp array is needed; found {types}: write xp.asarray(values)")


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
    except (IndexError, MemoryError) as error:
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


def _by_keyword(signature: ast.arguments) -> list[ast.arg]:
    """Return the parameters that are passed by keyword: ours can be given by position where the library's cannot."""
    options = signature.args[len(signature.args) - len(signature.defaults) :]
    return [each for each in options if "Array" not in _annotation(each)] + signature.kwonlyargs


def _call(function: ast.FunctionDef, section: str) -> str:
    """Write the call of the library's function."""
    signature, named = function.args, _by_keyword(function.args)
    passed = [_converted(each) for each in (*signature.posonlyargs, *signature.args) if each not in named]
    passed += [f"*natives(library, {signature.vararg.arg})"] if signature.vararg else []
    passed += map(_keyword, named)
    returned = ast.unparse(function.returns or ast.Constant(None))
    make = "wrap" if returned == "Array" else "wrap_all"
    call = f"{make}(library, library.namespace.{section}{function.name}({', '.join(passed)}), {_arrays(signature)})"
    return f"{returned}(*{call})" if returned in results.__all__ else call


def _method_call(function: ast.FunctionDef) -> str:
    """Write the call of the array's method, whose result is never a view."""
    name, passed = function.name, ", ".join(map(_keyword, _by_keyword(function.args)))
    within = f"library.compute(library.array_type.{name}, live(x), {passed})"
    return f"wrap(library, live(x).{name}({passed}) if library.within is None else {within})"


def _source(function: ast.FunctionDef, call: str, section: str = "") -> str:
    """Write the Python of one function."""
    return _TEMPLATE.format(
        name=function.name,
        section=section,
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
    sources = [_source(function, _call(function, "")) for function in parsed(elementwise() + signatures.FUNCTIONS)]
    sources += [_source(function, _method_call(function)) for function in parsed(signatures.METHODS)]
    return run("".join(sources), "accel.xp", _NAMES)


def linalg() -> dict[str, Callable[..., Any]]:
    """Compile the extension for linear algebra."""
    return _extension(signatures.LINALG, "linalg")


def fft() -> dict[str, Callable[..., Any]]:
    """Compile the extension for Fourier transforms."""
    return _extension(signatures.FFT, "fft")


def _extension(table: str, name: str) -> dict[str, Callable[..., Any]]:
    section = f"{name}."
    sources = (_source(function, _call(function, section), section) for function in parsed(table))
    return run("".join(sources), f"accel.xp.{name}", _NAMES)
