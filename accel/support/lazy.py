"""Public names of a package that are imported at their first use (PEP 562).

This module imports nothing that Python has not loaded at its start, because ``import accel`` imports this module.
"""

import sys
from _collections_abc import Callable, Iterable  # collections.abc loads nine modules more

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["LazyNames", "listing"]


def _import(name: str) -> "ModuleType":
    return __import__(name, fromlist=("__name__",))  # without a fromlist it returns the outermost package


def listing(package: str, public: Iterable[str]) -> Callable[[], list[str]]:
    """Make the ``__dir__`` of a module, by which prompts complete names: its public names, not what it imports.

    Parameters
    ----------
    package : str
        The module's ``__name__``.
    public : iterable of str
        Its ``__all__``.
    """

    def listed() -> list[str]:
        return sorted({*public, *(name for name in vars(sys.modules[package]) if name.startswith("__"))})

    return listed


class LazyNames:
    """The lazy names of one package; its methods are the package's ``__getattr__`` and ``__dir__``.

    Parameters
    ----------
    package : str
        The package's ``__name__``.
    modules : dict of str to str
        For each lazy name the module that defines it. A submodule is entered under its own full name, as in
        ``"layout": "accel.layout"``.
    public : list of str
        The package's ``__all__``.
    hint : str, optional
        The module with a function ``advice`` of the package and a name that it lacks, which returns what to write.

    Examples
    --------
    >>> package = LazyNames("accel", {"Device": "accel.device", "device": "accel.device"}, ["Device", "device"])
    >>> package.fetch("Device") is package.fetch("device").Device
    True
    """

    __slots__ = ("_hint", "_modules", "_package", "listed")

    def __init__(self, package: str, modules: dict[str, str], public: list[str], hint: str = "") -> None:
        self._package = package
        self._modules = modules
        self._hint = hint
        self.listed: Callable[[], list[str]] = listing(package, public)

    def __contains__(self, name: str) -> bool:
        return name in self._modules

    def fetch(self, name: str) -> object:
        """Import a name and store it in the package, so that Python finds it there from then on.

        Raises
        ------
        AttributeError
            If the package has no such name.
        """
        if name not in self._modules:
            asked = self._hint and not name.startswith("_")
            advice = _import(self._hint).advice(self._package, name) if asked else ""
            raise AttributeError(f"module {self._package!r} has no attribute {name!r}{advice}")
        module = _import(self._modules[name])
        value = module if module.__name__ == f"{self._package}.{name}" else getattr(module, name)
        setattr(sys.modules[self._package], name, value)
        return value
