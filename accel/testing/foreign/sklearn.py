"""`ScikitLearn`: its tests that run for combinations of a namespace, a device and a dtype."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from accel.testing.foreign.suite import NAMESPACE, Parametrization, at, on_host, parts
from accel.testing.places import Place
from accel.xp import Array

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

    def loaded(self, _conftest: ModuleType, /) -> None:
        """Extend the combinations that its tests and checks ask for, and the helper that copies results to NumPy."""
        helpers = import_module("sklearn.utils._array_api")
        to_numpy: Callable[..., Any] = helpers._convert_to_numpy
        theirs: Callable[..., Iterator[Any]] = helpers.yield_namespace_device_dtype_combinations

        def combinations(include_numpy_namespaces: bool = True) -> Iterator[Any]:
            yield from theirs(include_numpy_namespaces)
            yield from ((NAMESPACE, device, dtype) for device in self._places for dtype in _DTYPES)

        def _convert_to_numpy(array: Any, xp: Any) -> Any:
            return on_host(array) if isinstance(array, Array) else to_numpy(array, xp)

        helpers.yield_namespace_device_dtype_combinations = combinations  # type: ignore[attr-defined]
        helpers._convert_to_numpy = _convert_to_numpy  # type: ignore[attr-defined]

    def extended(self, parametrization: Parametrization, /) -> list[Any]:
        """Mark the values with our namespace; a test that takes a namespace alone gets ours for each place."""
        if parametrization.package != "sklearn":
            return parametrization.values
        if (
            len(parametrization.names) == 1
            and parametrization.names[0] in _NAMES
            and "array_api_strict" in parametrization.values
        ):
            ours = [at(place, NAMESPACE, id=f"{NAMESPACE}-{place.device}") for place in self._places.values()]
            return parametrization.values + ours
        return [self._marked(value) for value in parametrization.values]

    def _marked(self, value: Any) -> Any:
        """Return a value with its place, if our namespace and a device are in it, or are bound to a check in it."""
        value_parts = parts(value)
        for part in (value_parts, *(_bound(each) for each in value_parts if isinstance(each, partial))):
            if len(part) > 1 and isinstance(part[0], str) and part[0] == NAMESPACE:
                text = "-".join(map(str, value_parts)) if part is value_parts else None
                return at(self._places[part[1]], *value_parts, id=text, marks=getattr(value, "marks", ()))
        return value


def _bound(check: "partial[Any]") -> tuple[Any, ...]:
    return check.keywords.get("array_namespace"), check.keywords.get("device_name")
