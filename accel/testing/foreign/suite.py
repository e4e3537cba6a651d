"""`Suite`: what the plug-in must know of another project's tests."""

from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any, Protocol

import pytest

from accel.testing.places import MARK, Place

__all__ = ["NAMESPACE", "Suite", "at"]

NAMESPACE = "accel.xp"
"""The name under which tests import our namespace."""


class Suite(Protocol):
    """Another project's tests, which run with each of a list of array namespaces."""

    def loaded(self, conftest: ModuleType) -> None:
        """Prepare the project's helpers for tests, when its ``conftest`` was imported and before its tests are."""
        ...

    def extended(self, names: Sequence[str], values: Iterable[Any], package: str) -> list[Any]:
        """Return the values of a parametrization, with ours among them, each marked with its place.

        Parameters
        ----------
        names : sequence of str
            The parameters.
        values : iterable
            Their values, as pytest takes them.
        package : str
            The name of the module whose test is parametrized.
        """
        ...


def at(place: Place, *values: Any, id: str | None = None) -> Any:
    """Return values for the parameters of a test, which make it run at a place."""
    return pytest.param(*values, id=id, marks=getattr(pytest.mark, MARK)(*place))
