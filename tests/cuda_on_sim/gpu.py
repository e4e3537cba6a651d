"""Run CUDA and HIP kernels on the simulated device, checked.

y, = launch(SOURCE, "scale", 4, 256, y, 2.0, 1000)[:1]      # arrays go there and come back

gpu = Gpu(SOURCE, seed=3, warp=64)                          # programs of several launches
x, y = gpu.array(numbers), gpu.empty(1000, "f4")
gpu.launch("scale", 4, 256, x, y, 1000)
gpu.expect(y, 2 * numbers)
"""

from contextlib import contextmanager

import numpy as np

import accel
from accel import RawKernel, xp

__all__ = ["Gpu", "launch"]


def launch(source, name, grid, block, *arguments, shared=0, **settings):
    """Run a kernel; return the arguments, with the arrays as NumPy arrays of what they are afterwards."""
    gpu = Gpu(source, **settings)
    values = [gpu.array(each) if isinstance(each, np.ndarray) else each for each in arguments]
    gpu.launch(name, grid, block, *values, shared=shared)
    return tuple([gpu.numpy(each) if isinstance(each, xp.Array) else each for each in values])


class Gpu:
    """A simulated GPU for one program: its kernels, its arrays, the order of its threads by a seed."""

    def __init__(self, source, *, seed=0, warp=32, checks="all", options=(), limit=60):
        self.source, self.options = source, options
        self.settings = {"sim_seed": seed, "sim_warp": warp, "kernel_checks": checks, "kernel_limit": limit}
        self.random = np.random.default_rng(seed)
        self.warp = warp
        self._kernels = {}

    def array(self, values):
        """Return a copy on the device."""
        return xp.asarray(values, device="sim")

    def empty(self, shape, dtype):
        """Return an array that was never written."""
        return xp.empty(shape, dtype=dtype, device="sim")

    def zeros(self, shape, dtype):
        """Return an array that the host has set to zero."""
        array = self.empty(shape, dtype)
        array[...] = 0
        return array

    def launch(self, name, grid, block, *arguments, shared=0):
        """Run a kernel and wait for it; what a check finds is raised here."""
        with self.using():
            self.kernel(name)(*arguments, grid=grid, block=block, shared=shared).wait()

    def expect(self, array, value, rtol=0.0, atol=0.0):
        """Compare an array with what NumPy computes."""
        values = array if isinstance(array, np.ndarray) else self.numpy(array)
        np.testing.assert_allclose(values, value, rtol=rtol, atol=atol)

    def numpy(self, array):
        """Return the values of an array."""
        with self.using():
            return np.asarray(array.to_device("cpu"))

    def kernel(self, name):
        """Return a kernel of the source; launched only within `using`."""
        if name not in self._kernels:
            self._kernels[name] = RawKernel.from_source(self.source, name, options=self.options)
        return self._kernels[name]

    @contextmanager
    def using(self):
        """Use the settings of this GPU."""
        with accel.using(**self.settings):
            yield
