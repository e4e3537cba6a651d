"""Functions of the standard, compiled from the table of their signatures.

Each one finds the device of its arrays, hands the library's own arrays to the library's function, and wraps what
comes back.
"""

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from accel.xp import results, signatures
from accel.xp.array import Array, live, native, wrap
from accel.xp.home import Home

__all__ = ["compiled", "core", "fft", "linalg"]

_TEMPLATE = '''
def {name}({parameters}) -> {returns}:
    """Compute `{name}` of the array standard on the device of the arrays.

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
    return rewrap(home, {call}, ({arrays},))
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


def rewrap(home: Home, result: Any, sources: tuple[Any, ...]) -> Any:
    """Make arrays of what the library returned: one, a tuple, or one of the named tuples in `results`."""
    if isinstance(result, tuple | list):
        parts = tuple(rewrap(home, part, sources) for part in result)
        named = _BY_FIELDS.get(getattr(result, "_fields", ()))
        return parts if named is None else named(*parts)
    recorded = (source for source in sources if type(source) is Array and source._record is not None)
    for source in recorded:
        wrapped = wrap(home, result, source)
        if wrapped._record is not None:
            return wrapped
    return wrap(home, result)


def _parameters(arguments: ast.arguments) -> Iterable[tuple[str, str, str]]:
    """Yield for each parameter its annotation, what to look at for a home, and how to pass it on."""
    for kind, found in (("", [*arguments.posonlyargs, *arguments.args]), ("{0}=", arguments.kwonlyargs)):
        for parameter in found:
            text, name = ast.unparse(parameter.annotation or ast.Constant(None)), parameter.arg
            prefix = kind.format(name)
            if text == "Sequence[Array]":
                yield text, f"*{name}", f"{prefix}natives(home, {name})"
            elif "Array" in text:
                yield text, name, f"{prefix}native(home, {name})"
            else:
                yield text, "", f"{prefix}{name}"
    if arguments.vararg is not None:
        yield "Array", f"*{arguments.vararg.arg}", f"*natives(home, {arguments.vararg.arg})"


def _source(function: ast.FunctionDef, callee: str) -> str:
    """Write the Python of one function; ``callee`` is ``"{...}"`` with the place of the library's function in it."""
    passed = list(_parameters(function.args))
    arrays = ", ".join(look for _, look, _ in passed if look)
    # Keyword-only arguments follow *arrays in a call as well.
    arguments = ", ".join(sorted((give for _, _, give in passed), key=lambda give: "=" in give))
    assert function.returns is not None, "every signature of the table says what it returns"
    return _TEMPLATE.format(
        name=function.name,
        parameters=ast.unparse(function.args),
        returns=ast.unparse(function.returns),
        arrays=arrays,
        call=f"{callee.format(name=function.name)}({arguments})",
    )


def _method_source(function: ast.FunctionDef) -> str:
    keywords = ", ".join(f"{parameter.arg}={parameter.arg}" for parameter in function.args.kwonlyargs)
    assert function.returns is not None, "every signature of the table says what it returns"
    return _TEMPLATE.format(
        name=function.name,
        parameters=ast.unparse(function.args),
        returns=ast.unparse(function.returns),
        arrays="x",
        call=f"live(x).{function.name}({keywords})",
    )


def parsed(table: str) -> list[ast.FunctionDef]:
    """Parse a table of signatures, one a line."""
    lines = "".join(f"def {line}: ...\n" for line in table.splitlines() if line)
    return [node for node in ast.parse(lines).body if isinstance(node, ast.FunctionDef)]


def compiled(sources: Iterable[str], module: str) -> dict[str, Callable[..., Any]]:
    """Compile functions that say they are of some module."""
    text = "from __future__ import annotations\n" + "".join(sources)
    scope: dict[str, Any] = {
        "home_of": home_of,
        "live": live,
        "native": native,
        "natives": natives,
        "rewrap": rewrap,
        "__name__": module,
    }
    helpers = set(scope)
    exec(compile(text, f"<{module}>", "exec", dont_inherit=True), scope)
    return {name: made for name, made in scope.items() if name not in helpers and callable(made)}


def unary_and_binary() -> str:
    unary = "".join(f"{name}(x: Array, /) -> Array\n" for name in signatures.UNARY.split())
    operands = "(x1: Array | Scalar, x2: Array | Scalar, /) -> Array"
    return unary + "".join(f"{name}{operands}\n" for name in signatures.BINARY.split())


def core() -> dict[str, Callable[..., Any]]:
    """Compile the functions of the standard's main namespace."""
    table = parsed(unary_and_binary() + signatures.FUNCTIONS)
    sources = [_source(function, "home.library.{name}") for function in table]
    return compiled([*sources, *map(_method_source, parsed(signatures.METHODS))], "accel.xp")


def linalg() -> dict[str, Callable[..., Any]]:
    """Compile the extension for linear algebra."""
    sources = (_source(function, "home.library.linalg.{name}") for function in parsed(signatures.LINALG))
    return compiled(sources, "accel.xp.linalg")


def fft() -> dict[str, Callable[..., Any]]:
    """Compile the extension for Fourier transforms."""
    sources = (_source(function, "home.library.fft.{name}") for function in parsed(signatures.FFT))
    return compiled(sources, "accel.xp.fft")
