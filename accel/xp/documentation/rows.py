"""Docstrings of the rows of tables of signatures."""

import ast
from functools import cache

from accel.xp import numpy_rows
from accel.xp.documentation.docstrings import Parameter, docstring
from accel.xp.documentation.entries import entry
from accel.xp.signatures import parsed

__all__ = ["about", "of_draws", "of_numpy"]

_DRAWS_PAGE = "https://numpy.org/doc/stable/reference/random/generated/numpy.random.Generator."
_NUMPYS_PAGE = "https://numpy.org/doc/stable/reference/generated/numpy."


def about(function: ast.FunctionDef, section: str, origin: str, page: str) -> str:
    """Compose the docstring of a function.

    Parameters
    ----------
    function : ast.FunctionDef
        Its signature.
    section : str
        The part of `accel.xp` that it belongs to, such as ``linalg``; empty for the main namespace.
    origin, page : str
        What describes the function, and the address of its page there without the name.
    """
    path = f"{section}.{function.name}".lstrip(".")
    returns = ast.unparse(function.returns or ast.Constant(None))
    return docstring(path, _parameters(function.args), returns, origin, f"{page}{function.name}.html")


def of_numpy(path: str) -> str:
    """Compose the docstring of a function of NumPy's that is called with its arguments as they are.

    Parameters
    ----------
    path : str
        Its name in `accel.xp`, such as ``linalg.cond``.
    """
    section, dot, _ = path.rpartition(".")
    (function,) = parsed(_of_numpy()[path])
    return about(function, section, "NumPy", f"{_NUMPYS_PAGE}{section}{dot}")


def of_draws(name: str) -> str:
    """Compose the docstring of a method that draws random numbers.

    Parameters
    ----------
    name : str
        Its name in `numpy.random.Generator`.
    """
    described = entry(f"random.{name}")
    lines = [f"{each} : {kind}\n    {text}" for each, (kind, text) in described.parameters.items()]
    page = f"`{name}` of NumPy's generators: {_DRAWS_PAGE}{name}.html"
    parameters = "\n".join(["Parameters", "----------", *lines])
    returns = "Returns\n-------\nArray\n    The numbers, on the device of the generator."
    return f"{described.summary}\n\n{page}\n\n{parameters}\n\n{returns}"


@cache
def _of_numpy() -> dict[str, str]:
    tables = {"": numpy_rows.CORE, "linalg.": numpy_rows.LINALG}
    rows = [(section, row) for section, table in tables.items() for row in table.splitlines() if row]
    return {f"{section}{row.partition('(')[0]}": row for section, row in rows}


def _parameters(signature: ast.arguments) -> list[Parameter]:
    positional = [*signature.posonlyargs, *signature.args]
    defaults = [None] * (len(positional) - len(signature.defaults)) + signature.defaults
    found = [_parameter(each, default) for each, default in zip(positional, defaults, strict=True)]
    if signature.vararg:
        found.append(_parameter(signature.vararg, None, "*"))
    found += [_parameter(*each) for each in zip(signature.kwonlyargs, signature.kw_defaults, strict=True)]
    return [*found, _parameter(signature.kwarg, None, "**")] if signature.kwarg else found


def _parameter(parameter: ast.arg, default: ast.expr | None, stars: str = "") -> Parameter:
    annotation = ast.unparse(parameter.annotation or ast.Constant(None))
    return Parameter(f"{stars}{parameter.arg}", annotation, ast.unparse(default) if default else "")
