"""Apply a function to the arrays inside the arguments and results of other functions."""

from collections.abc import Callable
from typing import Any

__all__ = ["mapped"]


def mapped(value: Any, function: Callable[[Any], Any]) -> Any:
    """Return a value with ``function`` applied to its leaves; lists, tuples and dicts are entered.

    Examples
    --------
    >>> mapped({"axes": (1, [2, 3])}, str)
    {'axes': ('1', ['2', '3'])}
    """
    if isinstance(value, list):
        return [mapped(each, function) for each in value]
    if isinstance(value, dict):
        return {key: mapped(each, function) for key, each in value.items()}
    if isinstance(value, tuple):
        return _like(value, [mapped(each, function) for each in value])
    return function(value)


def _like(example: tuple[Any, ...], values: list[Any]) -> tuple[Any, ...]:
    return type(example)(*values) if hasattr(example, "_fields") else tuple(values)
