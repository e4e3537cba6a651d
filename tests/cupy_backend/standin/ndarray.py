"""`cupy.ndarray` of the stand-in: NumPy on the memory of a device, after what its stream has before."""

import numpy as np

from .space import bytes_at


def array_type(machine, cuda):
    """Return the class; its arrays are used on the device that has them, and on the current stream."""

    class ndarray:
        __array_ufunc__ = None
        __hash__ = None

        def __init__(self, shape, dtype=float, memptr=None, strides=None):
            self.dtype = np.dtype(dtype)
            made = np.empty(shape, self.dtype)
            self.data = cuda.alloc(made.nbytes) if memptr is None else memptr
            self.base = None
            self._values = _on(self.data, made.shape, self.dtype, made.strides if strides is None else strides)

        shape = property(lambda self: self._values.shape)
        strides = property(lambda self: self._values.strides)
        ndim = property(lambda self: self._values.ndim)
        size = property(lambda self: self._values.size)
        nbytes = property(lambda self: self._values.nbytes)
        device = property(lambda self: cuda.Device(self.data.device_id))

        def __array__(self, *arguments, **keywords):
            raise TypeError("Implicit conversion to a NumPy array is not allowed.")

        def __getitem__(self, key):
            values = self._values[key]
            shared = np.shares_memory(values, self._values) or not values.size
            return self._view(values) if shared else wrap(values)

        def __setitem__(self, key, value):
            def assign():
                self._values[key] = value._values if isinstance(value, ndarray) else value

            run(self, assign)

        def _view(self, values):
            made = object.__new__(ndarray)
            made.dtype, made._values = values.dtype, values
            made.base = self if self.base is None else self.base
            made.data = self.data + (_address(values) - _address(self._values))
            return made

    def run(array, work):
        machine.demand(array.data.device_id == machine.device, "an array of another device than the current one")
        machine.scheduler.drive_stream(machine.scheduler.current())
        return work()

    def wrap(values):
        made = ndarray(values.shape, values.dtype)
        machine.scheduler.drive_stream(machine.scheduler.current())
        made._values[...] = values
        return made

    return ndarray


def _on(memory, shape, dtype, strides):
    """Return what NumPy sees of some elements; addresses of bytes below the first one are allowed."""
    ends = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    if 0 in shape:
        return np.empty(shape, dtype)
    below = -sum(end for end in ends if end < 0)
    above = sum(end for end in ends if end > 0) + dtype.itemsize
    return np.ndarray(shape, dtype, bytes_at(memory.ptr - below, below + above), below, strides)


def _address(values):
    return values.__array_interface__["data"][0]
