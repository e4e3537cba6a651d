"""`AnyProject`: tests of any project, whose setting ``accel_namespaces`` names the parameters that take a namespace."""

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import accel.xp
from accel.testing.foreign.suite import NAMESPACE, Parametrization, at, named, parts
from accel.testing.places import Place

__all__ = ["AnyProject"]


class AnyProject:
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

    def loaded(self, _conftest: ModuleType, /) -> None:
        """Change nothing: the project itself asked for our namespace."""

    def extended(self, parametrization: Parametrization, /) -> list[Any]:
        """Add our namespace, once for each place, to the values of a parameter that takes a namespace."""
        if len(parametrization.names) != 1 or parametrization.names[0] not in self._parameters:
            return parametrization.values
        theirs = [parts(value)[0] for value in parametrization.values if parts(value)]
        text = bool(theirs) and all(isinstance(value, str) for value in theirs)
        ours = [
            at(place, _ours(text, parametrization.by_identity), id=f"{NAMESPACE}-{place.id}") for place in self._places
        ]
        return parametrization.values + ours


def _ours(text: bool, own: bool) -> Any:
    """Return our namespace or its name; on request as an object that no other parameter value is identical to."""
    if text:
        return "".join(NAMESPACE) if own else NAMESPACE
    return named(NAMESPACE) if own else accel.xp
