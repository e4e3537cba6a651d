"""The stand-in for array-api-compat's CuPy namespace: a small part of it, as the real one needs all of CuPy."""

import operator
from types import ModuleType


def namespace(cupy):
    """Return the module; its functions compute on the stand-in's arrays."""

    def empty(shape, dtype=None):
        return cupy.ndarray(shape, dtype or float)

    def full(shape, value, dtype=None):
        made = empty(shape, dtype)
        made[...] = value
        return made

    def asarray(array, copy=None, order=None):
        made = empty(array.shape, array.dtype)
        made[...] = array
        return made

    def concat(arrays, axis=0):
        made, start = empty(sum(map(len, arrays)), arrays[0].dtype), 0
        for each in arrays:
            made[start : start + len(each)] = each
            start += len(each)
        return made

    module = ModuleType("array_api_compat.cupy")
    for function in (empty, full, asarray, concat):
        setattr(module, function.__name__, function)
    module.add = operator.add
    return module
