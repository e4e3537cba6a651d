"""The order of a graph: depth first, so that values are used soon after they are made."""

from collections.abc import Hashable, Iterable, Mapping
from typing import TypeVar

from accel.errors import StoreValueError

__all__ = ["depth_first"]

Key = TypeVar("Key", bound=Hashable)


def depth_first(dependencies: Mapping[Key, Iterable[Key]], targets: Iterable[Key]) -> list[Key]:
    """Return the keys that targets depend on, and the targets: each after its dependencies.

    Raises
    ------
    KeyError
        If there is no node of some key.
    StoreValueError
        If nodes depend on each other.

    Examples
    --------
    >>> depth_first({"sum": ["a", "b"], "b": ["raw b"], "a": [], "raw b": [], "other": []}, ["sum"])
    ['a', 'raw b', 'b', 'sum']
    """
    ordered: dict[Key, None] = {}
    entered: set[Key] = set()
    for target in targets:
        path = [(target, iter(dependencies[target]))]
        while path:
            key, rest = path[-1]
            entered.add(key)
            below = next((each for each in rest if each not in ordered), None)
            if below is None:
                ordered.setdefault(key)
                path.pop()
            elif below in entered:
                raise StoreValueError(
                    f"the node {below!r} depends on itself: {_cycle([each for each, _ in path], below)}"
                )
            else:
                path.append((below, iter(dependencies[below])))
    return [*ordered]


def _cycle(path: list[Key], below: Key) -> str:
    return " <- ".join([repr(key) for key in [*path[path.index(below) :], below]])
