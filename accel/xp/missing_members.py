"""Names that arrays lack: to ask an array for one raises the error that says what to write instead.

Each is a descriptor of the class. With ``__getattr__`` in the class, Python 3.11 would read all attributes of arrays by
its slowest way: ``x + y`` would take a quarter longer.
"""

from collections.abc import Collection
from typing import Any, NoReturn

import numpy as np

from accel.device import Device
from accel.support.foreign_names import MEMBERS, of_array

__all__ = ["describe_missing", "listed"]


class _Missing:
    """A name that arrays lack, and that other libraries or `accel.xp` have."""

    __slots__ = ("_functions", "_name")

    def __init__(self, name: str, functions: Collection[str]) -> None:
        self._name = name
        self._functions = functions

    def __get__(self, x: Any, kind: type) -> NoReturn:
        name = self._name
        if x is None:
            raise AttributeError(f"type object {kind.__name__!r} has no attribute {name!r}", name=name, obj=kind)
        devices = (each for each in Device.available() if each is not Device.CPU) if name in {"cuda", "gpu"} else ()
        target, on_host = str(next(iter(devices), Device.CPU)), x.device is Device.CPU
        advice = of_array(name, self._functions, vars(np.ndarray), target, on_host=on_host)
        raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}{advice}", name=name, obj=x)


def describe_missing(kind: type, functions: Collection[str]) -> None:
    """Let a class of arrays say what to write for names that it lacks: of the functions, and of other libraries."""
    for name in {*functions, *MEMBERS, *vars(np.ndarray)}:
        if not name.startswith("_") and not any(name in vars(base) for base in kind.__mro__):
            setattr(kind, name, _Missing(name, functions))


def listed(x: object) -> list[str]:
    """Return the names that an array has: ``__dir__`` of arrays."""
    kind = type(x)
    return [name for name in object.__dir__(x) if type(vars(kind).get(name)) is not _Missing]
