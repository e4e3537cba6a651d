"""Apply a function to the arrays inside the arguments and results of other functions."""

from collections.abc import Callable
from typing import Any

__all__ = ["map_leaves"]


def map_leaves(value: Any, function: Callable[[Any], Any]) -> Any:
    """Return a value with ``function`` applied to its leaves; lists, tuples and dicts are entered.

    Examples
    --------
    >>> map_leaves({"axes": (1, [2, 3])}, str)
    {'axes': ('1', ['2', '3'])}
    """
    if isinstance(value, list):
        return [map_leaves(each, function) for each in value]
    if isinstance(value, dict):
        return {key: map_leaves(each, function) for key, each in value.items()}
    if isinstance(value, tuple):
        return _like(value, [map_leaves(each, function) for each in value])
    return function(value)


def _like(example: tuple[Any, ...], values: list[Any]) -> tuple[Any, ...]:
    return type(example)(*values) if hasattr(example, "_fields") else tuple(values)
