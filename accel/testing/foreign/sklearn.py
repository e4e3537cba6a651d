"""`ScikitLearn`: its tests that run for combinations of a namespace, a device and a dtype."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from accel.testing.foreign.suite import NAMESPACE, at
from accel.testing.places import Place

__all__ = ["ScikitLearn"]

_DTYPES = ("float64", "float32")
_NAMES = ("array_namespace", "namespace")


class ScikitLearn:
    """Scikit-learn's tests, which take the name of a namespace, mostly with a device and a dtype.

    Parameters
    ----------
    places : sequence of Place
        Where the tests run.
    """

    def __init__(self, places: Sequence[Place]) -> None:
        self._places = {place.device: place for place in places}

    def loaded(self, conftest: ModuleType) -> None:
        """Extend the combinations that its tests, and its checks of estimators, ask for."""
        helpers = import_module("sklearn.utils._array_api")
        theirs: Callable[..., Iterator[Any]] = helpers.yield_namespace_device_dtype_combinations

        def combinations(include_numpy_namespaces: bool = True) -> Iterator[Any]:
            yield from theirs(include_numpy_namespaces)
            yield from ((NAMESPACE, device, dtype) for device in self._places for dtype in _DTYPES)

        helpers.yield_namespace_device_dtype_combinations = combinations  # type: ignore[attr-defined]

    def extended(self, names: Sequence[str], values: Iterable[Any], package: str) -> list[Any]:
        """Mark the values with our namespace; a test that takes a namespace alone gets ours for each place."""
        listed = list(values)
        if package.partition(".")[0] != "sklearn":
            return listed
        if len(names) == 1 and names[0] in _NAMES:
            return listed + [at(place, NAMESPACE, id=f"{NAMESPACE}-{place.device}") for place in self._places.values()]
        return [self._marked(value) for value in listed]

    def _marked(self, value: Any) -> Any:
        given = tuple(getattr(value, "values", value)) if isinstance(value, tuple) else (value,)
        for part in given:
            chosen = part.keywords if isinstance(part, partial) else {}
            if chosen.get("array_namespace") == NAMESPACE:
                return at(self._places[chosen["device_name"]], *given)
        if given[:1] == (NAMESPACE,) and len(given) > 1:
            return at(self._places[given[1]], *given, id="-".join(map(str, given)))
        return value
