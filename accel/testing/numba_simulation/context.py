"""`numba_cuda_on_sim`: a ``with`` block in which `numba.cuda` runs on simulated devices."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from accel.support.locks import open_after_fork
from accel.testing.child_processes import entered_in_children
from accel.testing.simulation import finish
from accel.testing.visible_devices import visible_devices

__all__ = ["numba_cuda_on_sim"]

_INSTALL = 'pip install "accel-container[numba-cuda]"'


class _Blocks:
    """The blocks that run, in any threads: as long as there is one, the simulated driver is installed.

    Each change is made while the lock is held.
    """

    def __init__(self) -> None:
        self._lock = open_after_fork(threading.Lock())
        self._running = 0
        self._devices: int | None = None
        self._simulation: Any = None

    def begin(self, devices: int | None) -> None:
        """Install the driver for the first block.

        Raises
        ------
        RuntimeError
            If the blocks that run have another number of devices.
        """
        with self._lock:
            if not self._running:
                patches = _patches()
                visible_devices(devices)
                if self._simulation is None:
                    self._simulation = patches.Simulation()
                self._simulation.install(devices)
                self._devices = devices
            elif devices not in (None, self._devices):
                raise RuntimeError(
                    f"numba_cuda_on_sim(devices={devices}) was asked for inside of a block with devices={self._devices}"
                    "; the devices are those of the first block: give it the number"
                )
            self._running += 1

    def end(self) -> None:
        """Remove the driver after the last block."""
        with self._lock:
            self._running -= 1
            if not self._running:
                self._simulation.remove()


def _patches() -> Any:
    """Import numba-cuda and what replaces its parts.

    Raises
    ------
    ModuleNotFoundError
        If numba-cuda is not installed.
    RuntimeError
        If it is switched to its own simulator, or has used a GPU.
    """
    if find_spec("numba_cuda") is None or find_spec("numba") is None:
        raise ModuleNotFoundError(
            f"numba.cuda on simulated devices needs the package numba-cuda, which compiles the kernels: {_INSTALL}; "
            f"the numba.cuda inside of numba itself is not supported",
            name="numba_cuda",
        )
    config = import_module("numba.cuda").config
    if config.ENABLE_CUDASIM:
        raise RuntimeError(
            "numba.cuda was imported with its own simulator, NUMBA_ENABLE_CUDASIM=1: unset it before numba is imported"
        )
    patches = import_module("accel.testing.numba_simulation.patches")
    patches.refuse_real_driver()
    return patches


_blocks = _Blocks()


@contextmanager
def numba_cuda_on_sim(devices: int | None = None) -> Iterator[ModuleType]:
    """Run code that uses `numba.cuda` on simulated devices, unchanged and without a GPU.

    Inside the block the package numba-cuda works on a driver of ours: its own classes type and compile kernels, which
    run on the processor and are checked as ``kernel_checks`` says; memory, streams and events are those of the
    simulated devices ``sim`` to ``sim:3``, whose work runs late. It may have been imported before, and functions that
    were decorated before may be launched. Processes that begin inside the block have devices of their own (start them
    with ``spawn``, as for a GPU). In all threads the driver is replaced until the last of these blocks ends; then all
    work in flight is run, and errors of kernels that were not raised before are raised.

    Parameters
    ----------
    devices : int, optional
        How many devices there are, up to the four that are simulated. ``CUDA_VISIBLE_DEVICES`` hides and orders them as
        it does GPUs.

    Yields
    ------
    module
        `numba.cuda`.

    Raises
    ------
    ModuleNotFoundError
        If numba-cuda is not installed.
    ValueError
        If there are not as many devices.
    RuntimeError
        If numba-cuda has used a GPU in this process, or is switched to its own simulator, or if a block that runs has
        another number of devices.

    Examples
    --------
    >>> from accel.testing import numba_cuda_on_sim
    >>> with numba_cuda_on_sim() as cuda:  # doctest: +SKIP
    ...     @cuda.jit
    ...     def double(x):
    ...         x[cuda.grid(1)] *= 2
    ...     x = cuda.to_device([1.0, 2.0, 3.0])
    ...     double[1, 3](x)
    ...     print(x.copy_to_host())
    [2. 4. 6.]
    """
    _blocks.begin(devices)
    try:
        with entered_in_children(__name__, "numba_cuda_on_sim", devices):
            yield import_module("numba.cuda")
        finish()
    finally:
        _blocks.end()
