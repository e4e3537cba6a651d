"""The public names of the library: those of its public modules, each documented in one place."""

import inspect
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple

__all__ = ["MODULES", "Name", "aliases", "names"]

MODULES = (
    "accel",
    "accel.xp",
    "accel.xp.linalg",
    "accel.xp.fft",
    "accel.xp.special",
    "accel.xp.random",
    "accel.xp.cuda",
    "accel.layout",
    "accel.views",
    "accel.memory",
    "accel.copies",
    "accel.interchange",
    "accel.kernels",
    "accel.store",
    "accel.engines",
    "accel.testing",
    "accel.device",
    "accel.dtypes",
    "accel.config",
    "accel.errors",
    "accel.abc",
    "accel.ir",
)
"""In the order of the reference. A name of several modules is documented with the first of them."""


class Name(NamedTuple):
    """A public name."""

    module: str
    name: str
    kind: str
    """``class``, ``exception``, ``function`` or ``data``."""
    value: Any
    home: str
    """Where it is documented: this module and name, or an earlier one of the same object."""

    @property
    def path(self) -> str:
        """Return the name with its module."""
        return f"{self.module}.{self.name}"


@cache
def names() -> dict[str, list[Name]]:
    """Return the names of each module, in the order of its ``__all__``."""
    homes: dict[int, str] = {}
    return {module: list(_names(module, homes)) for module in MODULES}


def _names(module: str, homes: dict[int, str]) -> Iterator[Name]:
    found = import_module(module)
    for name in sorted(each for each in found.__all__ if not each.startswith("_")):
        value = getattr(found, name)
        if inspect.ismodule(value):
            continue
        kind = _kind(value)
        # Numbers and texts that are equal may be one object, though their names are not.
        home = f"{module}.{name}" if kind == "data" else homes.setdefault(id(value), f"{module}.{name}")
        yield Name(module, name, kind, value, home)


def _kind(value: object) -> str:
    if not getattr(value, "__module__", "").startswith("accel") or not hasattr(value, "__qualname__"):
        return "data"
    if inspect.isclass(value):
        return "exception" if issubclass(value, BaseException) else "class"
    return "function" if callable(value) else "data"


def aliases() -> dict[str, str]:
    """Return where each object is documented, by all names that annotations and docstrings may have for it."""
    found: dict[str, str] = {}
    for name in (each for of_module in names().values() for each in of_module):
        found.setdefault(name.path, name.home)
        if name.kind != "data":
            found.setdefault(f"{name.value.__module__}.{name.value.__qualname__}", name.home)
            found.setdefault(name.value.__qualname__, name.home)
    return found
