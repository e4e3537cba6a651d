"""`cupy.ndarray` of the stand-in: NumPy on the memory of a device, late, in the order of the current stream."""

from functools import partial
from operator import attrgetter

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from .allocations import bytes_at

ATTRIBUTES = "shape", "strides", "ndim", "size", "nbytes", "itemsize", "flags"


def array_type(machine, cuda):
    """Return the class; an array may only be used while its device is current, on the current stream."""

    class ndarray(NDArrayOperatorsMixin):
        def __init__(self, shape, dtype=float, memptr=None, strides=None):
            self.dtype = np.dtype(dtype)
            like = np.empty(shape, self.dtype)
            self.data = cuda.alloc(like.nbytes) if memptr is None else memptr
            self.base = None
            self._values = _on(self.data, like.shape, self.dtype, like.strides if strides is None else strides)

        device = property(lambda self: cuda.Device(self.data.device_id))

        def __array_ufunc__(self, ufunc, method, *operands, out=()):
            """Compute late: the operators and SciPy's functions are ufuncs."""
            if method != "__call__" or any(isinstance(each, np.ndarray) and each.ndim for each in operands):
                raise TypeError("Unsupported type <class 'numpy.ndarray'>")
            return computed(ufunc, *operands, out=out)

        def __array__(self, *arguments, **keywords):
            raise TypeError("Implicit conversion to a NumPy array is not allowed.")

        def __len__(self):
            return len(self._values)

        def __getitem__(self, key):
            parts = key if type(key) is tuple else (key,)
            values = self._values[parts if any(part is Ellipsis for part in parts) else (*parts, ...)]
            shared = np.shares_memory(values, self._values) or not values.size
            return self._view(values) if shared else gathered(self, parts)

        def __setitem__(self, key, value):
            into, (source,) = self._values, values_of(value)
            np.broadcast_shapes(into[key].shape, np.shape(source))  # raises if the key is wrong
            run(lambda: into.__setitem__(key, source), self, value)

        def reshape(self, shape):
            values = self._values.reshape(shape)
            machine.demand(np.shares_memory(values, self._values) or not values.size, "a reshape that must copy")
            return self._view(values)

        def copy(self, order="C"):
            result = ndarray(self.shape, self.dtype)
            result[...] = self
            return result

        def sum(self, axis=None, **how):
            return computed(partial(np.sum, axis=axis, **how), self)

        def item(self):
            return settled(self).item()

        def __bool__(self):
            return bool(self.item())

        def __int__(self):
            return int(self.item())

        def __float__(self):
            return float(self.item())

        def _view(self, values):
            view = object.__new__(ndarray)
            view.dtype, view._values = values.dtype, values
            view.base = self if self.base is None else self.base
            view.data = self.data + (_address(values) - _address(self._values))
            return view

    def values_of(*operands):
        return [each._values if isinstance(each, ndarray) else each for each in operands]

    def run(work, *operands):
        """Submit a function to the current stream that keeps no array alive; kernels do not either."""
        places = {each.data.device_id for each in operands if isinstance(each, ndarray)}
        machine.demand(places <= {machine.device}, "an array of another device than the current one")
        return machine.scheduler.submit(machine.scheduler.current(), work)

    def settled(array):
        machine.scheduler.finish(run(None, array))
        return array._values

    def computed(function, *operands, out=()):
        values, targets = values_of(*operands), values_of(*out)
        like = function(*_like(values), out=tuple(_like(targets)) or None)  # raises if shapes or dtypes do not fit
        result = out[0] if out else ndarray(like.shape, like.dtype)
        into = result._values
        run(lambda: function(*values, out=into), result, *operands)
        return result

    def gathered(array, key):
        values = settled(array)[key]
        result = ndarray(values.shape, values.dtype)
        result[...] = values
        return result

    for name in ATTRIBUTES:
        setattr(ndarray, name, property(attrgetter(f"_values.{name}")))
    return ndarray


def _like(values):
    """Return uninitialised operands of the same shapes and dtypes."""
    return [np.zeros_like(each) if isinstance(each, np.ndarray) else each for each in values]


def _on(memory, shape, dtype, strides):
    """Return elements as a NumPy array; negative strides are allowed."""
    ends = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    if 0 in shape:
        return np.empty(shape, dtype)
    below = -sum(end for end in ends if end < 0)
    above = sum(end for end in ends if end > 0) + dtype.itemsize
    return np.ndarray(shape, dtype, bytes_at(memory.ptr - below, below + above), below, strides)


def _address(values):
    return values.__array_interface__["data"][0]
