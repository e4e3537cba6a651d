"""`SciPy`: its tests that take the fixture ``xp``."""

import inspect
import os
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

import accel.xp
from accel.device import Device
from accel.testing.foreign.suite import NAMESPACE, Parametrization, at, named, on_host
from accel.testing.places import Place

__all__ = ["SciPy"]


class SciPy:
    """SciPy's tests, in which the fixture ``xp`` has a namespace as its parameter.

    Tests that SciPy marks as ``cpu_only`` are skipped where NumPy cannot read the device's memory, as for CuPy.

    Parameters
    ----------
    places : sequence of Place
        Where the tests run.
    """

    def __init__(self, places: Sequence[Place]) -> None:
        self._namespaces = {place: named(f"{NAMESPACE} on {place.id}") for place in places}

    def loaded(self, conftest: ModuleType, /) -> None:
        """Make our namespace known to SciPy's marks, and let its assertions read each device.

        Raises
        ------
        pytest.UsageError
            If SciPy's support of other namespaces is off.
        """
        if not os.environ.get("SCIPY_ARRAY_API"):
            raise pytest.UsageError("SciPy takes arrays of other libraries only if SCIPY_ARRAY_API=1 is set; set it")
        for place, namespace in self._namespaces.items():
            conftest.xp_known_backends.add(namespace.__name__)
            if Device(place.device) is not Device.CPU:
                conftest.xp_skip_cpu_only_backends.add(namespace.__name__)
        _let_assertions_read(import_module("scipy._lib._array_api"))
        _let_tests_use_devices_of_the_place(conftest)

    def extended(self, parametrization: Parametrization, /) -> list[Any]:
        """Add our namespace, once for each place, to the parameters of ``xp``."""
        if parametrization.names != ["xp"] or parametrization.package != "scipy":
            return parametrization.values
        marks = [pytest.mark.array_api_backends]
        return parametrization.values + [
            at(place, namespace, id=f"{NAMESPACE}-{place.id}", marks=marks)
            for place, namespace in self._namespaces.items()
        ]


def _let_assertions_read(helpers: ModuleType) -> None:
    """Let SciPy's assertions copy arrays to the host for comparison, as for CuPy; the tested code cannot."""
    check: Callable[..., Any] = helpers._strict_check
    to_numpy: Callable[..., Any] = helpers._xp_copy_to_numpy

    def _strict_check(actual: Any, desired: Any, xp: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        actual, desired, xp = check(actual, desired, xp, **options)
        return on_host(actual), on_host(desired), xp

    def _xp_copy_to_numpy(x: Any) -> Any:
        return on_host(x).copy() if isinstance(x, accel.xp.Array) else to_numpy(x)

    close: Callable[..., Any] = helpers.xp_assert_close

    def xp_assert_close(actual: Any, desired: Any, **options: Any) -> Any:
        __tracebackhide__ = True
        return close(actual, desired, **{name: on_host(value) for name, value in options.items()})

    helpers.xp_assert_close = xp_assert_close  # type: ignore[attr-defined]
    helpers._strict_check, helpers._xp_copy_to_numpy = _strict_check, _xp_copy_to_numpy  # type: ignore[attr-defined]


def _let_tests_use_devices_of_the_place(conftest: ModuleType) -> None:
    """Let the fixture ``devices`` return those of the kind of the default device; SciPy marks what needs the CPU."""
    theirs: Callable[..., Any] = inspect.unwrap(conftest.devices)

    @pytest.fixture
    def devices(xp: Any) -> Any:
        return [*Device.available(Device.default().type), None] if xp is accel.xp else theirs(xp)

    conftest.devices = devices  # type: ignore[attr-defined]
