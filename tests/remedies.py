"""What error messages say to write instead, taken out of them and tried."""

import ast
import re
import warnings
from contextlib import AbstractContextManager, ExitStack, _GeneratorContextManager
from typing import Any

__all__ = ["follow", "suggestions"]

_ANNOUNCED = re.compile(r"(?:\b(?:write|or as|or|as in)|:)\s+")
_END = re.compile(r"(?=[\s,;:.]|$)")


def suggestions(message: str) -> list[str]:
    """Return the Python in a message: the longest there is after each of the words that announce some."""
    found = (_code(message[announced.end() :]) for announced in _ANNOUNCED.finditer(message))
    return [code for code in found if code]


def _code(text: str) -> str:
    sentence = text.partition(". ")[0]
    beginnings = (sentence[: end.start()].rstrip(",;") for end in reversed([*_END.finditer(sentence)]))
    return next((code for code in beginnings if _does_something(code)), "")


def _does_something(text: str) -> bool:
    try:
        [line] = ast.parse(text).body
    except (SyntaxError, ValueError):
        return False
    telling = (ast.Assign, ast.Attribute, ast.Call, ast.Subscript)
    return isinstance(line, ast.Assign | ast.Expr) and any(isinstance(node, telling) for node in ast.walk(line))


def follow(line: str, *names: "dict[str, Any]") -> list[str]:
    """Run a line that fails, and then what its error says to write; return that.

    What reads ``name=value`` is an argument of the line's call. In a context, as settings have it, the line runs again.

    Parameters
    ----------
    line : str
        Python.
    *names : dict
        What it and the suggestions may use; text is evaluated, anew for each of them, in this order.
    """
    found = suggestions(_message(line, _fresh(*names)))
    for code in found:
        _try(code, line, _fresh(*names))
    return found


def _message(line: str, names: dict[str, Any]) -> str:
    try:
        _run(line, names)
    except Exception as error:
        return str(error)
    raise AssertionError(f"{line} does not fail")


def _fresh(*names: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for each in names:
        for name, value in each.items():
            made[name] = eval(value, made) if isinstance(value, str) else value
    return made


def _try(code: str, line: str, names: dict[str, Any]) -> None:
    [tree] = ast.parse(code).body
    if isinstance(tree, ast.Assign) and isinstance(tree.targets[0], ast.Name):
        _run(_with_argument(line, tree.targets[0].id, tree.value), names)
        return
    given = _run(code, names)
    if isinstance(given, _GeneratorContextManager):
        _run(line, names, given)


def _with_argument(line: str, name: str, value: ast.expr) -> str:
    [tree] = ast.parse(line).body
    assert isinstance(tree, ast.Expr), line
    call = tree.value
    assert isinstance(call, ast.Call), line
    others = [keyword for keyword in call.keywords if keyword.arg != name]
    call.keywords = [*others, ast.keyword(name, value)]
    return ast.unparse(tree)


def _run(line: str, names: dict[str, Any], *contexts: "AbstractContextManager[Any]") -> object:
    with ExitStack() as stack:
        for context in contexts:  # which may warn, as the one of fallback="warn" does
            stack.enter_context(warnings.catch_warnings())
            warnings.simplefilter("ignore")
            stack.enter_context(context)
        [tree] = ast.parse(line).body
        if isinstance(tree, ast.Expr):
            return eval(line, names)
        exec(line, names)
        return None
