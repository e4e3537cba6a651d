"""Functions of libraries of the host, called with arrays of a simulated device: each copy to the host is counted."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Protocol, runtime_checkable

import numpy as np

from accel import xp
from accel.testing.cupy_simulation.arrays import asnumpy
from accel.xp.arrays import Array
from accel.xp.host_access import count

__all__ = ["HostObject", "OfHost", "adopters", "on_device", "on_host", "through_host"]


@runtime_checkable
class OfHost(Protocol):
    """An object that stands for one of a library of the host."""

    def __accel_host__(self, what: str) -> Any:
        """Return the object of the library; what needs it is named in the count of copies."""
        ...


adopters: list[Callable[[Any], Any]] = []
"""Functions that return what stands for an object of a library on the device, or None."""


def on_host(value: Any, what: str) -> Any:
    """Return a value with its arrays copied to the host.

    Parameters
    ----------
    value
        An array, a collection of values, a function of arrays, or another object.
    what : str
        What needs it there, for the count of copies.
    """
    if isinstance(value, Array):
        count(value, what)
        return asnumpy(value)
    if isinstance(value, OfHost):
        return value.__accel_host__(what)
    if type(value) in (list, tuple):
        return type(value)([on_host(each, what) for each in value])
    if type(value) is dict:
        return {key: on_host(each, what) for key, each in value.items()}
    if callable(value) and not isinstance(value, type) and type(value).__module__ != "numpy":
        return _called_back(value, what)
    return value


def _called_back(function: Callable[..., Any], what: str) -> Callable[..., Any]:
    """Return a function for the library that calls one which takes and returns arrays of the device."""

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        keywords = {name: on_device(each) for name, each in keywords.items()}
        return on_host(function(*map(on_device, arguments), **keywords), what)

    return call


def on_device(value: Any) -> Any:
    """Return a result with its arrays copied to the device. Numbers of NumPy become arrays of no axes, as in CuPy."""
    if isinstance(value, np.ndarray | np.generic):
        return xp.asarray(np.asarray(value)) if value.dtype.kind in "biufc" else value
    for adopted in (adopt(value) for adopt in adopters):
        if adopted is not None:
            return adopted
    if type(value) in (list, tuple):
        return type(value)([on_device(each) for each in value])
    if type(value) is dict:
        return {key: on_device(each) for key, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_make"):
        return value._make(map(on_device, value))
    plain = value is None or isinstance(value, Array | bool | int | float | complex | str | bytes | slice)
    return value if plain or type(value).__module__.startswith("accel.") else HostObject(value)


def through_host(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function that copies arrays to the host, calls a function there, and copies the results back.

    Arrays for results, ``out=`` and ``output=``, are set afterwards.
    """

    @wraps(function)
    def call(*arguments: Any, **keywords: Any) -> Any:
        place = next((key for key in ("out", "output") if isinstance(keywords.get(key), Array)), "")
        out = keywords.pop(place, None)
        if out is not None and place == "output":
            keywords["output"] = out.dtype
        given = on_host((arguments, keywords), name)
        result = on_device(function(*given[0], **given[1]))
        if out is None:
            return result
        out[...] = result.astype(out.dtype)
        return out

    return call


class HostObject:
    """Stands for an object of a library of the host; its methods take and return arrays of the device."""

    def __init__(self, native: Any) -> None:
        self._native = native

    def __accel_host__(self, what: str) -> Any:
        """Return the object of the library."""
        return self._native

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        member = getattr(self._native, name)
        return through_host(member, _name_of(self._native, name)) if callable(member) else on_device(member)

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return through_host(self._native.__call__, _name_of(self._native, "__call__"))(*arguments, **keywords)

    def __matmul__(self, other: Any) -> Any:
        return through_host(self._native.__matmul__, _name_of(self._native, "__matmul__"))(other)

    __mul__ = __matmul__

    def __repr__(self) -> str:
        return f"<{self._native!r} for arrays of a simulated device>"


def _name_of(native: Any, name: str) -> str:
    return f"{type(native).__module__.partition('._')[0]}.{type(native).__name__}.{name}"
