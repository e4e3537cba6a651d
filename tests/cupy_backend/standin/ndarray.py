"""`cupy.ndarray` of the stand-in: NumPy on the memory of a device, late, in the order of the current stream."""

from functools import partial, partialmethod

import numpy as np

from .space import bytes_at

ARITHMETIC = {"add": np.add, "sub": np.subtract, "mul": np.multiply}
COMPARISONS = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def array_type(machine, cuda):
    """Return the class; an array may only be used while its device is current, on the current stream."""

    class ndarray:
        __array_ufunc__ = None

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
        itemsize = property(lambda self: self._values.itemsize)
        flags = property(lambda self: self._values.flags)  # those that CuPy's have are equal
        device = property(lambda self: cuda.Device(self.data.device_id))

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
            into, (given,) = self._values, values_of(value)
            np.broadcast_shapes(into[key].shape, np.shape(given))  # raises if the key is wrong
            run(lambda: into.__setitem__(key, given), self, value)

        def reshape(self, shape):
            values = self._values.reshape(shape)
            machine.demand(np.shares_memory(values, self._values) or not values.size, "a reshape that must copy")
            return self._view(values)

        def sum(self, **how):
            return computed(partial(np.sum, **how), self)

        def item(self):
            return settled(self).item()

        def __bool__(self):
            return bool(self.item())

        def __int__(self):
            return int(self.item())

        def __float__(self):
            return float(self.item())

        def _computed(self, function, *others):
            return computed(function, self, *others)

        def _reflected(self, function, other):
            return computed(function, other, self)

        def _in_place(self, function, other):
            values = values_of(self, other)
            like = _like(values)
            function(*like, out=like[0])  # raises if shapes or dtypes do not fit
            run(lambda: function(*values, out=values[0]), self, other)
            return self

        def _view(self, values):
            made = object.__new__(ndarray)
            made.dtype, made._values = values.dtype, values
            made.base = self if self.base is None else self.base
            made.data = self.data + (_address(values) - _address(self._values))
            return made

    def values_of(*operands):
        return [each._values if isinstance(each, ndarray) else each for each in operands]

    def here(*operands):
        for each in operands:
            if isinstance(each, ndarray):
                place = each.data.device_id
                machine.demand(place == machine.device, "an array of another device than the current one")

    def run(work, *operands):
        """Submit a function to the current stream that keeps no array alive; kernels do not either."""
        here(*operands)
        machine.scheduler.submit(machine.scheduler.current(), work)

    def settled(array):
        here(array)
        machine.scheduler.drive_stream(machine.scheduler.current())
        return array._values

    def computed(function, *operands):
        values = values_of(*operands)
        expected = function(*_like(values))
        made = ndarray(expected.shape, expected.dtype)
        out = made._values
        run(lambda: function(*values, out=out), *operands)
        return made

    def gathered(array, key):
        values = settled(array)[key]
        made = ndarray(values.shape, values.dtype)
        made[...] = values
        return made

    for name, function in (ARITHMETIC | COMPARISONS).items():
        setattr(ndarray, f"__{name}__", partialmethod(ndarray._computed, function))
    for name, function in ARITHMETIC.items():
        setattr(ndarray, f"__r{name}__", partialmethod(ndarray._reflected, function))
        setattr(ndarray, f"__i{name}__", partialmethod(ndarray._in_place, function))
    ndarray.__neg__ = partialmethod(ndarray._computed, np.negative)
    ndarray.__hash__ = None
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
