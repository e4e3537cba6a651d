"""Functions of the standard, compiled from the table of their signatures.

Each one finds the device of its arrays, hands the library's own arrays to the library's function, and wraps what
comes back.
"""

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from accel.dtypes import DType, DTypeLike, as_dtype
from accel.xp import results, signatures
from accel.xp.array import Array, live, native, native_array, wrap
from accel.xp.array_library import ArrayLibrary
from accel.xp.generated import run
from accel.xp.operators import Scalar
from accel.xp.refusals import failure

__all__ = ["core", "created", "dtype_or_none", "elementwise", "fft", "library_of", "linalg", "parsed"]

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
    found = ", ".join(type(value).__name__ for value in values) or "nothing"
    raise TypeError(f"at least one accel.xp array is needed; found {found}: write xp.asarray(values)")


def natives(library: ArrayLibrary, values: Iterable[Any]) -> list[Any]:
    """Return several arrays as the library takes them."""
    return [native_array(library, value) for value in values]


def native_or_none(library: ArrayLibrary, value: Any) -> Any:
    """Return an operand as the library takes it, if there is one."""
    return None if value is None else native(library, value)


def given(library: ArrayLibrary, **values: Any) -> dict[str, Any]:
    """Return those keywords that are given: not every library takes None for an array that is not."""
    return {name: native(library, value) for name, value in values.items() if value is not None}


def dtype_or_none(dtype: DTypeLike | None) -> DType | None:
    """Return the dtype that is meant, if one is given."""
    return None if dtype is None else as_dtype(dtype)


def created(library: ArrayLibrary, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Array:
    """Make an array by a function of the library."""
    try:
        return wrap(library, function(*arguments, **keywords))
    except (IndexError, MemoryError) as error:
        raise failure(error) from None


def wrap_all(library: ArrayLibrary, results: Iterable[Any], *sources: object) -> tuple[Array, ...]:
    """Make arrays of several that the library returned."""
    return tuple([wrap(library, result, *sources) for result in results])


_NAMES: Mapping[str, Any] = {
    # what the functions call
    "dtype_or_none": dtype_or_none,
    "failure": failure,
    "given": given,
    "library_of": library_of,
    "live": live,
    "native": native,
    "native_array": native_array,
    "native_or_none": native_or_none,
    "natives": natives,
    "wrap": wrap,
    "wrap_all": wrap_all,
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


def _annotation(parameter: ast.arg) -> str:
    return ast.unparse(parameter.annotation or ast.Constant(None))


def _passed_on(parameter: ast.arg) -> str:
    """Write how an argument is handed to the library, by what its signature says it is."""
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
        return f"**given(library, {name}={name})"
    return f"{name}={_passed_on(parameter)}"


def _arrays(takes: ast.arguments) -> str:
    """Write which arguments can be arrays."""
    parameters = (*takes.posonlyargs, *takes.args, *takes.kwonlyargs)
    found = [parameter for parameter in parameters if "Array" in _annotation(parameter)]
    names = [f"*{each.arg}" if _annotation(each) == "Sequence[Array]" else each.arg for each in found]
    return ", ".join([*names, f"*{takes.vararg.arg}"] if takes.vararg else names)


def _call(function: ast.FunctionDef, section: str) -> str:
    """Write the call of the library's function."""
    takes = function.args
    passed = [_passed_on(parameter) for parameter in (*takes.posonlyargs, *takes.args)]
    passed += [f"*natives(library, {takes.vararg.arg})"] if takes.vararg else []
    passed += [_keyword(parameter) for parameter in takes.kwonlyargs]
    returned = ast.unparse(function.returns or ast.Constant(None))
    make = "wrap" if returned == "Array" else "wrap_all"
    call = f"{make}(library, library.namespace.{section}{function.name}({', '.join(passed)}), {_arrays(takes)})"
    return f"{returned}(*{call})" if returned in results.__all__ else call


def _method_call(function: ast.FunctionDef) -> str:
    """Write the call of the array's own method; what it returns is never a view."""
    name, passed = function.name, ", ".join(map(_keyword, function.args.kwonlyargs))
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
