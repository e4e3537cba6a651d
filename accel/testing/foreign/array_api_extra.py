"""`ArrayApiExtra`: array-api-extra's tests, which take a member of its `Backend`."""

from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

from accel.device import Device
from accel.testing.foreign.suite import NAMESPACE, Parametrization, at, on_host
from accel.testing.places import Place
from accel.xp import Array

__all__ = ["ArrayApiExtra"]


class ArrayApiExtra:
    """Array-api-extra's tests, in which the fixture ``library`` has a member of the enumeration `Backend`.

    Parameters
    ----------
    places : sequence of Place
        Where the tests run.
    """

    def __init__(self, places: Sequence[Place]) -> None:
        self._places = places

    def loaded(self, _conftest: ModuleType, /) -> None:
        """Let its assertions copy arrays to the host for comparison, as for CuPy; the tested code cannot."""
        helpers = import_module("array_api_extra.testing._testing")
        to_numpy: Callable[..., Any] = helpers._as_numpy_array

        def _as_numpy_array(array: Any, *, xp: Any) -> Any:
            return on_host(array) if isinstance(array, Array) else to_numpy(array, xp=xp)

        helpers._as_numpy_array = _as_numpy_array  # type: ignore[attr-defined]

    def extended(self, parametrization: Parametrization, /) -> list[Any]:
        """Add our namespace, once for each place, to the backends that ``library`` has."""
        if parametrization.names != ["library"] or parametrization.package != "array_api_extra":
            return parametrization.values
        ours = [at(place, _Backend(place), id=f"{NAMESPACE}-{place.id}") for place in self._places]
        return parametrization.values + ours


class _Backend:
    """Our namespace as a member of `Backend`, which as an enumeration takes no more of them.

    It equals CuPy's member where NumPy cannot read the memory: so marks for CuPy skip tests that copy to the host.
    """

    modname = value = NAMESPACE
    name = "ACCEL"

    def __init__(self, place: Place) -> None:
        self._on_host = Device(place.device) is Device.CPU

    def __eq__(self, other: object) -> bool:
        return self is other or (not self._on_host and getattr(other, "name", None) == "CUPY")

    __hash__ = object.__hash__

    def like(self, *_others: object) -> bool:
        """Return that no library which the tests know is the same."""
        return False
