"""The stand-in for array-api-compat's CuPy namespace, and for CuPy's functions that create arrays: a small part."""

import operator

import numpy as np

from .cuda import module, named


def creating(cupy):
    """Return CuPy's functions that create arrays, by name."""

    def empty(shape, dtype=None):
        return cupy.ndarray(shape, dtype or float)

    def full(shape, value, dtype=None):
        result = empty(shape, dtype)
        result[...] = value
        return result

    def array(obj, dtype=None, copy=True, order="K"):
        like = obj if isinstance(obj, cupy.ndarray) else np.asarray(obj)
        return full(like.shape, obj, dtype or like.dtype)

    def asarray(obj, dtype=None, order=None):
        same = (
            isinstance(obj, cupy.ndarray) and dtype in (None, obj.dtype) and (order is None or obj.flags.c_contiguous)
        )
        return obj if same else array(obj, dtype)

    return named(empty, full, array, asarray)


def namespace(cupy):
    """Return the module; its functions compute on the stand-in's arrays."""

    def concat(arrays, axis=0):
        result, start = cupy.empty(sum(map(len, arrays)), arrays[0].dtype), 0
        for each in arrays:
            result[start : start + len(each)] = each
            start += len(each)
        return result

    return module("array_api_compat.cupy", add=operator.add, **named(concat))
