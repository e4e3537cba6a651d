"""`FunctionSource`: the syntax tree of a Python function, its parameters, and the values of the names in it."""

import __future__

import ast
import builtins
import inspect
import linecache
from collections.abc import Iterator
from functools import cached_property, lru_cache
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from accel.errors import KernelSyntaxError

__all__ = ["FunctionSource"]

_KEY = "__accel_source__"
_SUSPENDED = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
_FUTURES = sum(getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
_IN_A_FILE = "write it with def in a file, and import it"
_KEPT = {
    "<stdin>": "Python's prompt keeps none before version 3.13",
    "<string>": "exec and python -c keep none",
}


class FunctionSource:
    """A Python function whose source was found; make one by `of`.

    Attributes
    ----------
    function : function
        The function.
    name : str
        Its name.
    file : str
        The file it is in, as tracebacks show it.
    tree : ast.FunctionDef
        Its syntax tree; line numbers are those of the file.
    """

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.name: str = function.__name__
        self.file: str = function.__code__.co_filename
        _refuse_kind(function)
        self._lines = _lines(function)
        self.tree: ast.FunctionDef = _tree(function, "".join(self._lines))
        _refuse_variadic(self)

    @classmethod
    def of(cls, function: Any) -> "FunctionSource":
        """Return the source of a function; it is read once.

        Raises
        ------
        KernelSyntaxError
            If it is not a function that was defined by ``def`` outside of a class, its source is not available, or its
            source has changed since it was imported.
        """
        if not isinstance(function, FunctionType):
            raise KernelSyntaxError(
                f"kernels are made of Python functions; found {type(function).__name__} {function!r:.100}: {_IN_A_FILE}"
            )
        cached = vars(function).get(_KEY)
        if cached is not None and cached.function is function:  # functools.wraps copies the attributes of a function
            return cached  # type: ignore[no-any-return]
        source = cls(function)
        setattr(function, _KEY, source)
        return source

    @cached_property
    def parameters(self) -> tuple[inspect.Parameter, ...]:
        """The parameters; annotations that are text are resolved in the globals, then in the closure.

        Raises
        ------
        NameError
            If an annotation has a name that is not defined yet.
        TypeError
            If an annotation is no Python expression, or its evaluation fails; the message has the parameter.
        """
        parameters = inspect.signature(self.function).parameters.values()
        return tuple([each.replace(annotation=self._annotation(each)) for each in parameters])

    def _annotation(self, parameter: inspect.Parameter) -> Any:
        text = parameter.annotation
        if not isinstance(text, str):
            return text
        try:
            return eval(text, {**self._cells(), **self.function.__globals__})  # noqa: S307 - it is the user's code
        except NameError:
            raise
        except Exception as error:
            raise TypeError(
                f"the annotation {text!r} of the parameter {parameter.name} of {self.name} cannot be evaluated: {error}"
            ) from error

    def resolve(self, name: str) -> Any:
        """Return the value of a name that is not local: from the closure, the globals, or Python's builtins.

        Raises
        ------
        KeyError
            If the name has no value.
        """
        cells = self._cells()
        if name in cells:
            return cells[name]
        values = self.function.__globals__
        return values[name] if name in values else vars(builtins)[name]

    def _cells(self) -> dict[str, Any]:
        """Return the values of the closure; a cell may still be empty, and has none then."""
        pairs = zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True)
        return {name: value for name, cell in pairs for value in _contents(cell)}

    def error(self, node: ast.AST, message: str) -> KernelSyntaxError:
        """Return the error for a part of the syntax tree: with file, line, column, and the text of the line."""
        line = getattr(node, "lineno", self.tree.lineno)
        text = self._lines[line - 1]
        column = len(text.encode()[: getattr(node, "col_offset", 0)].decode()) + 1
        return KernelSyntaxError(message, (self.file, line, column, text))

    def __repr__(self) -> str:
        return f"<FunctionSource {self.name} ({self.file}:{self.tree.lineno})>"


def _contents(cell: Any) -> list[Any]:
    try:
        return [cell.cell_contents]
    except ValueError:
        return []


def _refuse_kind(function: FunctionType) -> None:
    name, code = function.__name__, function.__code__
    if code.co_name == "<lambda>":
        raise KernelSyntaxError(f"a lambda ({_place(code)}) cannot be a kernel; {_IN_A_FILE}")
    if code.co_flags & _SUSPENDED:
        raise KernelSyntaxError(
            f"{name} ({_place(code)}) is a generator or asynchronous; kernels neither yield nor await: "
            f"write results to a view"
        )
    around = code.co_qualname.rpartition(".")[0]
    if around and not around.endswith("<locals>"):
        raise KernelSyntaxError(
            f"{name} ({_place(code)}) is defined in the class {around}; move it out of the class, and pass what it "
            f"needs as arguments"
        )


def _place(code: CodeType) -> str:
    return f"{code.co_filename}:{code.co_firstlineno}"


def _lines(function: FunctionType) -> list[str]:
    file = function.__code__.co_filename
    linecache.checkcache(file)
    lines = linecache.getlines(file, function.__globals__) or _interactive(function)
    if not lines:
        why = _KEPT.get(file, "the interpreter keeps none")
        raise KernelSyntaxError(
            f"the source of {function.__name__} is not available ({file}); {_IN_A_FILE}, or write it in IPython or "
            f"Jupyter: {why}"
        )
    return lines


def _interactive(function: FunctionType) -> list[str]:
    """Return the input that defined a function at a prompt; Python keeps it from version 3.13 on, and inspect knows."""
    try:
        return inspect.findsource(function)[0]
    except OSError:
        return []


class _Module(NamedTuple):
    """The functions of a file, by name and first line: their syntax trees, and what Python compiles them to."""

    trees: dict[tuple[str, int], ast.AST]
    codes: dict[tuple[str, int], CodeType]


def _tree(function: FunctionType, text: str) -> ast.FunctionDef:
    code = function.__code__
    key = code.co_name, code.co_firstlineno
    try:
        module = _parsed(text, code.co_filename, code.co_flags & _FUTURES)
        tree, compiled = module.trees[key], module.codes[key]
    except (SyntaxError, ValueError, KeyError):
        raise _changed(function) from None
    if not isinstance(tree, ast.FunctionDef) or not _same(code, compiled):
        raise _changed(function)
    return tree


@lru_cache(16)
def _parsed(text: str, file: str, flags: int) -> _Module:
    tree = ast.parse(text, file)
    definitions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    trees: dict[tuple[str, int], ast.AST] = {(node.name, _first_line(node)): node for node in definitions}
    codes = _codes(compile(tree, file, "exec", flags, dont_inherit=True))
    return _Module(trees, {(code.co_name, code.co_firstlineno): code for code in codes})


def _first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]])


def _codes(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _codes(constant)


def _same(imported: CodeType, compiled: CodeType) -> bool:
    if any(name.startswith("@") for name in (*imported.co_names, *imported.co_varnames)):
        return True  # pytest has rewritten an assert
    return (imported.co_code, imported.co_consts, imported.co_names) == (
        compiled.co_code,
        compiled.co_consts,
        compiled.co_names,
    )


def _changed(function: FunctionType) -> KernelSyntaxError:
    name, code = function.__name__, function.__code__
    return KernelSyntaxError(f"the source of {name} ({_place(code)}) changed since it was imported; import it again")


def _refuse_variadic(source: FunctionSource) -> None:
    arguments = source.tree.args
    for stars, starred in (("*", arguments.vararg), ("**", arguments.kwarg)):
        if starred is not None:
            raise source.error(
                starred,
                f"{source.name} has the parameter {stars}{starred.arg}; a kernel has a fixed number: write each",
            )
