"""`NamespacePlugin`: the part of the plug-in that adds our namespace to the parameters of other projects' tests."""

from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import Any

import pytest

from accel.testing.foreign.suite import Parametrization, Suite

__all__ = ["NamespacePlugin"]


class NamespacePlugin:
    """Hooks of pytest that extend each parametrization of a test.

    Parameters
    ----------
    suites : mapping of str to Suite
        The tests that are extended, by the name of the conftest whose import announces them.
    """

    def __init__(self, suites: dict[str, Suite]) -> None:
        self._suites = suites

    @pytest.hookimpl(tryfirst=True)
    def pytest_plugin_registered(self, plugin: object) -> None:
        """Prepare the helpers of a project, once its conftest is there, and before pytest reads its fixtures."""
        suite = self._suites.get(getattr(plugin, "__name__", ""))
        if suite is not None and isinstance(plugin, ModuleType):
            suite.loaded(plugin)

    @pytest.hookimpl(tryfirst=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Extend the values of each parametrization, be it of a mark, of a fixture, or of another hook."""
        parametrize, package = metafunc.parametrize, metafunc.module.__name__.partition(".")[0]

        def extended(names: str | Sequence[str], values: Iterable[Any], *arguments: Any, **options: Any) -> None:
            listed = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
            by_identity = bool(options.get("indirect")) and options.get("scope") not in (None, "function")
            parametrization = Parametrization(listed, list(values), package, by_identity)
            more = parametrization
            for suite in self._suites.values():
                more = more._replace(values=suite.extended(more))
            if isinstance(options.get("ids"), list | tuple):  # one for each value; the added values have their own
                options["ids"] = [*options["ids"], *(None for _ in more.values[len(parametrization.values) :])]
            parametrize(names, more.values, *arguments, **options)

        metafunc.parametrize = extended  # type: ignore[assignment, method-assign]
