"""`Suite`: what the plug-in must know of another project's tests."""

from types import ModuleType
from typing import Any, NamedTuple, Protocol

import numpy as np
import pytest

import accel.xp
from accel.device import Device
from accel.testing.places import MARK, Place

__all__ = ["NAMESPACE", "Parametrization", "Suite", "at", "named", "on_host", "parts"]

NAMESPACE = "accel.xp"
"""The name under which tests import our namespace."""


_MARKED = type(pytest.param())


class Parametrization(NamedTuple):
    """Parameters of a test or of a fixture, with their values.

    Attributes
    ----------
    names : list of str
        The parameters.
    values : list
        Their values, as pytest takes them.
    package : str
        The package whose test is parametrized.
    by_identity : bool
        Whether pytest keeps the result of a fixture for all tests of a module or more, by the identity of the value;
        each place then needs a value of its own.
    """

    names: list[str]
    values: list[Any]
    package: str
    by_identity: bool


class Suite(Protocol):
    """Another project's tests, which run with each of a list of array namespaces."""

    def loaded(self, conftest: ModuleType, /) -> None:
        """Prepare the project's helpers for tests, when its ``conftest`` was imported and before its tests are."""
        ...

    def extended(self, parametrization: Parametrization, /) -> list[Any]:
        """Return the values of a parametrization, with ours among them, each marked with its place."""
        ...


def parts(value: Any) -> tuple[Any, ...]:
    """Return what a value of a parametrization has for each of the parameters."""
    if isinstance(value, _MARKED):
        return tuple(value.values)
    return value if isinstance(value, tuple) else (value,)


def at(place: Place, *values: Any, id: str | None, marks: Any = ()) -> Any:
    """Return values for the parameters of a test, which make it run at a place."""
    return pytest.param(*values, id=id, marks=[*marks, getattr(pytest.mark, MARK)(*place)])


class _Copy(ModuleType):
    """A copy of our namespace: equal to it, as tests compare it with that of an array, and to no other copy."""

    def __eq__(self, other: object) -> bool:
        return other is self or other is accel.xp

    def __hash__(self) -> int:
        return hash(accel.xp)


def named(name: str) -> ModuleType:
    """Return a copy of our namespace with a name of its own."""
    namespace = _Copy(name)
    namespace.__dict__.update({key: value for key, value in vars(accel.xp).items() if key != "__name__"})
    return namespace


def on_host(x: Any) -> Any:
    """Return an array of ours as one of NumPy, for a test's own comparison; other objects as they are."""
    return np.asarray(x.to_device(Device.CPU)) if isinstance(x, accel.xp.Array) else x
