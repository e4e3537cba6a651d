"""array-api-compat: how libraries find the namespace, the device and the size of an array."""

import array_api_compat as compat
import numpy as np
from array_api_compat.common import _helpers as helpers

X = np.arange(6.0).reshape(2, 3)


def of_both(function):
    """Return a function that gives ``True`` if ours is classified as NumPy's array is."""
    return lambda a: function(a(X)) == function(X)


def moved(a):
    x = a(X)
    return compat.to_device(x, compat.device(x))


def taken_for(a, value, what):
    """Return the other libraries that something is taken for."""
    of_any = {"is_lazy_array", "is_writeable_array"} | ({f"is_numpy_{what}"} if a.xp is np else set())
    names = [
        name for name in helpers.__all__ if name.startswith("is_") and name.endswith(f"_{what}") and name not in of_any
    ]
    assert len(names) > 5
    return [name for name in names if getattr(compat, name)(value)]


RETURNS_OURS = {
    "array_namespace": lambda a: compat.array_namespace(a(X)).asarray(a(X)),
    "array_namespace with numbers": lambda a: compat.array_namespace(a(X), 1, 2.0, None).sin(a(X)),
    "array_namespace of a version": lambda a: compat.array_namespace(a(X), api_version="2024.12").sin(a(X)),
    "array_namespace without wrappers": lambda a: compat.array_namespace(a(X), use_compat=False).sin(a(X)),
    "get_namespace": lambda a: compat.get_namespace(a(X)).sin(a(X)),
    "to_device": moved,
}
RETURNS_VALUES = {
    "is_array_api_obj": of_both(compat.is_array_api_obj),
    "is_lazy_array": of_both(compat.is_lazy_array),
    "is_writeable_array": of_both(compat.is_writeable_array),
    "is_..._array of other libraries": lambda a: taken_for(a, a(X), "array"),
    "is_..._namespace of other libraries": lambda a: taken_for(a, compat.array_namespace(a(X)), "namespace"),
    "size": of_both(compat.size),
    "device": lambda a: str(compat.device(a(X))) == a.device,
    "to_device, to the host": lambda a: compat.to_device(a(X), "cpu"),
}
