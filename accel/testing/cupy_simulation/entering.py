"""`cupy_on_sim`: a ``with`` block in which ``import cupy`` gives a module for a simulated device."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType

from accel.config import using
from accel.device import Device
from accel.testing.cupy_simulation.arrays import array_members
from accel.testing.cupy_simulation.modules import modules

__all__ = ["cupy_on_sim"]


@contextmanager
def cupy_on_sim(device: str = "sim") -> Iterator[ModuleType]:
    """Run code that uses CuPy on a simulated device, without CuPy and without a GPU.

    Inside the block ``import cupy`` gives a module whose arrays are those of `accel.xp` on the device, and whose
    ``RawKernel`` and ``RawModule`` run there, checked as ``kernel_checks`` says. Like those of CuPy, launches are ordered
    by their streams only. The guide about CuPy says how far the module goes. A module ``cupy`` that was imported before
    is replaced inside the block, in all threads; modules that hold it already keep it.

    Parameters
    ----------
    device : str
        A simulated device.

    Yields
    ------
    module
        What stands for CuPy.

    Raises
    ------
    ValueError
        If the device is not simulated.

    Examples
    --------
    >>> from accel.testing import cupy_on_sim
    >>> with cupy_on_sim():
    ...     import cupy as cp
    ...     twice = cp.RawKernel(
    ...         'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }', "twice"
    ...     )
    ...     x = cp.arange(4, dtype=cp.float32)
    ...     twice((1,), (4,), (x,))
    ...     print(x.get())
    [0. 2. 4. 6.]
    """
    where = Device(device)
    if where.type != "sim":
        raise ValueError(f"CuPy is simulated on simulated devices, as in cupy_on_sim('sim:1'); found {device!r}")
    made = modules(where)
    earlier = {name: module for name, module in sys.modules.items() if name.split(".")[0] in ("cupy", "cupyx")}
    for name in earlier:
        del sys.modules[name]
    sys.modules.update(made)
    try:
        with using(device=str(where)), array_members():
            yield made["cupy"]
    finally:
        for name in [name for name in sys.modules if name.split(".")[0] in ("cupy", "cupyx")]:
            del sys.modules[name]
        sys.modules.update(earlier)
