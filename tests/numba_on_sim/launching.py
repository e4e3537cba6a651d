"""Kernels of numba.cuda, launched on the simulated device."""

from collections.abc import Callable, Sequence
from typing import Any
from unittest import mock

import numpy as np
from numba import cuda
from numba.cuda.core import config

from accel.testing import numba_cuda_on_sim

__all__ = ["launched"]


def launched(
    function: Callable[..., Any],
    grid: Sequence[int],
    block: Sequence[int],
    *arguments: Any,
    shared: int = 0,
    debug: bool = False,
) -> list[np.ndarray[Any, Any]]:
    """Run a kernel; return what its arrays hold afterwards, which are given as those of NumPy."""
    with mock.patch.object(config, "CUDA_LOW_OCCUPANCY_WARNINGS", 0), numba_cuda_on_sim():
        kernel = cuda.jit(debug=debug, opt=not debug)(function)
        values = [cuda.to_device(each) if isinstance(each, np.ndarray) else each for each in arguments]
        kernel[tuple(grid), tuple(block), 0, shared](*values)
        cuda.synchronize()
        return [each.copy_to_host() for each in values if hasattr(each, "copy_to_host")]
