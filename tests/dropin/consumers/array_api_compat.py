"""array-api-compat: how libraries find the namespace, the device and the size of an array."""

import array_api_compat as compat
import numpy as np

X = np.arange(6.0).reshape(2, 3)


def of_both(function):
    """Return a function that gives ``True`` if ours is classified as NumPy's array is."""
    return lambda a: function(a(X)) == function(X)


def moved(a):
    x = a(X)
    return compat.to_device(x, compat.device(x))


RETURNS_OURS = {
    "array_namespace": lambda a: compat.array_namespace(a(X)).asarray(a(X)),
    "array_namespace with numbers": lambda a: compat.array_namespace(a(X), 1, 2.0, None).sin(a(X)),
    "to_device": moved,
}
RETURNS_VALUES = {
    "is_array_api_obj": of_both(compat.is_array_api_obj),
    "is_lazy_array": of_both(compat.is_lazy_array),
    "is_writeable_array": of_both(compat.is_writeable_array),
    "size": of_both(compat.size),
    "device": lambda a: str(compat.device(a(X))) == a.device,
}
