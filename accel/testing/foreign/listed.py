"""`Listed`: tests of any project, whose setting ``accel_namespaces`` names the parameters that take a namespace."""

from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

import accel.xp
from accel.testing.foreign.suite import NAMESPACE, at
from accel.testing.places import Place

__all__ = ["Listed"]


class Listed:
    """Tests with a parameter for a namespace, or a fixture with parameters, of a given name.

    If all namespaces of a list are texts, ours is the text ``accel.xp``; otherwise it is the module.

    Parameters
    ----------
    places : sequence of Place
        Where the tests run.
    parameters : sequence of str
        The names of the parameters.
    """

    def __init__(self, places: Sequence[Place], parameters: Sequence[str]) -> None:
        self._places = places
        self._parameters = frozenset(parameters)

    def loaded(self, conftest: ModuleType) -> None:
        """Change nothing: the project itself asked for our namespace."""

    def extended(self, names: Sequence[str], values: Iterable[Any], package: str) -> list[Any]:
        """Add our namespace, once for each place, to the values of a parameter that takes a namespace."""
        listed = list(values)
        if len(names) != 1 or names[0] not in self._parameters:
            return listed
        theirs = [getattr(value, "values", (value,))[0] for value in listed]
        ours = NAMESPACE if theirs and all(isinstance(value, str) for value in theirs) else accel.xp
        return listed + [at(place, ours, id=f"{NAMESPACE}-{place.id}") for place in self._places]
