"""`cupy_on_sim`: a ``with`` block in which ``import cupy`` gives a module for a simulated device."""

import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import Context
from types import ModuleType
from typing import NamedTuple

from accel.config import configure, current, using
from accel.device import Device
from accel.support.locks import open_after_fork
from accel.testing.child_processes import entered_in_children
from accel.testing.cupy_simulation.array_members import array_members
from accel.testing.cupy_simulation.modules import modules
from accel.testing.cupy_simulation.places import forget_used, show
from accel.testing.cupy_simulation.pools import Pool, limit_allocations
from accel.testing.simulation import finish
from accel.testing.visible_devices import visible_devices

__all__ = ["cupy_on_sim"]


class _Block(NamedTuple):
    """What a block gives the process: modules by their names, a default device, visible devices, and a memory pool."""

    modules: dict[str, ModuleType]
    device: str
    visible: tuple[Device, ...]
    pool: Pool | None = None


class _Blocks:
    """The blocks that run, in any threads. The last to begin has what it gives the process.

    Each change is made while the lock is held; what was there before the first block comes back after the last.
    """

    def __init__(self) -> None:
        self._lock = open_after_fork(threading.Lock())
        self._running: list[_Block] = []
        self._earlier = _Block({}, "", ())

    def begin(self, block: _Block) -> None:
        """Give a block its modules and its device."""
        with self._lock:
            if not self._running:
                self._earlier = _Block(_imported(), Context().run(current).device, ())
            self._running.append(block)
            _install(block)

    def end(self, block: _Block) -> None:
        """Restore the modules and the device of the last block that runs, or those before the first block."""
        with self._lock:
            self._running = [other for other in self._running if other is not block]
            _install(self._running[-1] if self._running else self._earlier)


_OURS = re.compile(r"(cupy|cupyx|cupy_backends)(\.|$)|(.*\.)?array_api_compat\.cupy(\.|$)")
"""Names of modules that are CuPy, or have functions of it."""


def _imported() -> dict[str, ModuleType]:
    return {name: module for name, module in [*sys.modules.items()] if _OURS.match(name)}


def _forget_classes() -> None:
    """Let array-api-compat, and the copies of it in other libraries, look again at what is an array of CuPy."""
    for name, module in [*sys.modules.items()]:
        if name.endswith("array_api_compat.common._helpers"):
            for function in [*vars(module).values()]:
                getattr(function, "cache_clear", lambda: None)()
        elif name.endswith("array_api_compat"):
            vars(module).pop("cupy", None)


def _install(block: _Block) -> None:
    for name in _imported():
        del sys.modules[name]
    _forget_classes()
    sys.modules.update(block.modules)
    configure(device=block.device)
    show(block.visible)
    limit_allocations(block.pool)


_blocks = _Blocks()


@contextmanager
def cupy_on_sim(device: str | None = None, devices: int | None = None) -> Iterator[ModuleType]:
    """Run code that uses CuPy on a simulated device, without CuPy and without a GPU.

    Inside the block ``import cupy`` gives a module whose arrays are those of `accel.xp` on the device, and whose
    ``RawKernel`` and ``RawModule`` run there, checked as ``kernel_checks`` says. As with CuPy, launches are ordered by
    their streams only. The guide about CuPy says how far the module goes. A module ``cupy`` that was imported before is
    replaced inside the block, in all threads; modules that hold it already keep it. At the end of the block all work in
    flight is run, and errors of kernels that were not raised before are raised.

    Parameters
    ----------
    device : str, optional
        A simulated device, by default the first. It is the default device inside the block, also of threads that start
        in it.
    devices : int, optional
        How many devices there are, up to the four that are simulated. ``CUDA_VISIBLE_DEVICES`` hides and orders them as
        it does GPUs.

    Yields
    ------
    module
        What stands for CuPy.

    Raises
    ------
    ValueError
        If the device is not simulated, or is hidden, or if there are not as many devices.

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
    visible = visible_devices(devices)
    where = Device(device) if device is not None else visible[0] if visible else Device("sim")
    if where.type != "sim":
        raise ValueError(f"CuPy is simulated on simulated devices, as in cupy_on_sim('sim:1'); found {device!r}")
    if device is not None and where not in visible:
        seen = ", ".join(map(str, visible)) or "none"
        raise ValueError(f"cupy_on_sim({device!r}): devices= or CUDA_VISIBLE_DEVICES hides it; visible are: {seen}")
    cupy_modules = modules()
    block = _Block(cupy_modules, str(where), visible, cupy_modules["cupy"].get_default_memory_pool())
    _blocks.begin(block)
    try:
        with using(device=str(where)), array_members(), entered_in_children(__name__, "cupy_on_sim", device, devices):
            yield block.modules["cupy"]
            finish()
    finally:
        forget_used()
        _blocks.end(block)
