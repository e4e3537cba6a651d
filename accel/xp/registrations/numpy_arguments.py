"""Functions of other libraries that look for NumPy's own class: they get our arrays as NumPy arrays."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from accel.xp.arrays import Array
from accel.xp.host_access import on_host

__all__ = ["takes_ours"]


def takes_ours(owner: Any, name: str, library: str) -> None:
    """Let a function of a module or class take our arrays: on the host by their memory, else as ``host_copies`` says.

    Parameters
    ----------
    owner : module or class
        What has the function.
    name : str
        Its name there.
    library : str
        The library, for errors and for the count of copies.
    """
    original: Callable[..., Any] = getattr(owner, name)

    def converted(value: Any) -> Any:
        if type(value) is Array:
            elements = on_host(value, library)
            return elements if elements.ndim else elements[()]
        if type(value) is list and value and type(value[0]) is Array:
            return [converted(part) for part in value]
        return value

    @wraps(original)
    def function(*arguments: Any, **keywords: Any) -> Any:
        return original(*map(converted, arguments), **{key: converted(value) for key, value in keywords.items()})

    setattr(owner, name, function)
