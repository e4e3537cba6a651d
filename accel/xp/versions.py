"""The namespaces of older versions of the array standard: `accel.xp` without the names that came later.

Their functions are those of `accel.xp`, but for the few that returned lists before 2025.12, and tuples since.
"""

import sys
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

__all__ = ["API_VERSIONS", "namespace"]

API_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
"""The versions of the array standard that the namespace implements."""

_ADDED = {
    "2022.12": "complex64 complex128 conj fft imag isdtype real take",
    "2023.12": "__array_namespace_info__ clip copysign cumulative_sum hypot maximum minimum moveaxis repeat "
    "searchsorted signbit tile unstack",
    "2024.12": "count_nonzero cumulative_prod diff nextafter reciprocal take_along_axis",
    "2025.12": "broadcast_shapes isin linalg.eig linalg.eigvals",
}
_SINCE = {name: version for version, names in _ADDED.items() for name in names.split()}
_EXTENSIONS = ("fft", "linalg")
_RETURN_LISTS = ("broadcast_arrays", "meshgrid")


def namespace(version: str) -> ModuleType:
    """Return the namespace of a version: always the same object.

    Raises
    ------
    ValueError
        If the version is not one of `API_VERSIONS`.
    """
    if version not in API_VERSIONS:
        raise ValueError(f"version {version!r} of the standard is not known; {', '.join(API_VERSIONS)} are")
    return _section(version, "")


_namespaces: dict[tuple[str, str], ModuleType] = {}


def _section(version: str, section: str) -> ModuleType:
    """Return the namespace of a version, or its extension ``fft`` or ``linalg``."""
    whole = sys.modules[__package__]
    module: ModuleType = getattr(whole, section) if section else whole
    if version == API_VERSIONS[-1]:
        return module
    cached = _namespaces.get((version, section))
    # Another thread may be first; all get the same object.
    return cached or _namespaces.setdefault((version, section), _OlderNamespace(module, version, section))


class _OlderNamespace(ModuleType):
    """The attributes of a module that are of a version of the standard, or not of the standard at all."""

    def __init__(self, module: ModuleType, version: str, section: str) -> None:
        super().__init__(module.__name__, module.__doc__)
        self._module, self._version, self._section = module, version, section
        if not section:
            self.__array_api_version__ = version

    def __getattr__(self, name: str) -> Any:
        # Called once for each name, as the result becomes an attribute.
        if not self._has(name):
            since = _SINCE[self._path(name)]
            raise AttributeError(
                f"{self._path(name)} is in the array standard since {since}, and this is its version {self._version}; "
                f"write accel.xp.{self._path(name)}",
                name=name,
                obj=self,
            )
        value = self._older(name, getattr(self._module, name))
        setattr(self, name, value)
        return value

    def _older(self, name: str, value: Any) -> Any:
        """Return the attribute of the module as it is in this version."""
        if name == "__all__":
            return self.__dir__()
        if self._section:
            return value
        if name in _EXTENSIONS:
            return _section(self._version, name)
        if name == "__array_namespace_info__":
            return wraps(value)(lambda: _OlderInfo(value()))
        return _listing(value) if name in _RETURN_LISTS else value

    def _path(self, name: str) -> str:
        return f"{self._section}.{name}" if self._section else name

    def _has(self, name: str) -> bool:
        return _SINCE.get(self._path(name), "") <= self._version

    def __dir__(self) -> list[str]:
        return [name for name in self._module.__all__ if self._has(name)]

    def __repr__(self) -> str:
        return f"<{self.__name__} of version {self._version} of the array standard>"

    def __reduce__(self) -> tuple[object, ...]:
        return _section, (self._version, self._section)


class _OlderInfo:
    """The inspection interface, whose ``devices`` returns a list."""

    def __init__(self, info: Any) -> None:
        self._info = info

    def devices(self) -> list[Any]:
        """Return the devices of this machine."""
        return list(self._info.devices())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._info, name)


def _listing(function: Callable[..., Any]) -> Callable[..., list[Any]]:
    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> list[Any]:
        return list(function(*arguments, **keywords))

    return call
