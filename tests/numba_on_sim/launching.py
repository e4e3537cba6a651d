"""Kernels of numba-cuda, compiled by its own compiler and launched on the simulated device."""

from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any
from unittest import mock

import numpy as np
import pytest

import accel
from accel.memory import heap_of

__all__ = ["compiled", "launched"]


def compiled(function: Callable[..., Any], types: Sequence[Any], *, debug: bool = False) -> Any:
    """Return a kernel for the types of its arguments."""
    pytest.importorskip("numba_cuda")
    from numba import cuda  # noqa: F401 - registers the target
    from numba.cuda import types as kinds
    from numba.cuda.compiler import compile_cuda, kernel_fixup

    from accel.testing.numba_simulation.kernels import kernel_of

    device = SimpleNamespace(compute_capability=(8, 0))
    with mock.patch("numba.cuda.dispatcher.get_current_device", return_value=device):
        result = compile_cuda(function, kinds.void, tuple(types), lineinfo=not debug, debug=debug, cc=(8, 0))
    library = result.library
    library._entry_name = result.fndesc.llvm_func_name
    kernel_fixup(library.get_function(library._entry_name), debug)
    return kernel_of(library)


def launched(
    function: Callable[..., Any],
    grid: Sequence[int],
    block: Sequence[int],
    *arguments: Any,
    shared: int = 0,
    debug: bool = False,
) -> list[np.ndarray[Any, Any]]:
    """Run a kernel; return what its arrays hold afterwards, which are given as those of NumPy."""
    from numba.cuda.typing.typeof import typeof

    kernel = compiled(function, [typeof(each) for each in arguments], debug=debug)
    arrays = [_on_sim(each) if isinstance(each, np.ndarray) else each for each in arguments]
    stream = heap_of(accel.Device("sim")).stream
    kernel.launch([part for each in arrays for part in _members(each)], _xyz(grid), _xyz(block), stream, shared)
    stream.synchronize()
    return [np.asarray(each.to_device("cpu")) for each in arrays if hasattr(each, "__accel_operand__")]


def _on_sim(array: np.ndarray[Any, Any]) -> Any:
    """Return an array with the same layout."""
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        return accel.xp.asarray(array.T, device="sim").T
    return accel.xp.asarray(array, device="sim")


def _members(argument: Any) -> list[Any]:
    """Return what numba passes of an argument."""
    if not hasattr(argument, "__accel_operand__"):
        return [argument.real, argument.imag] if isinstance(argument, np.complexfloating) else [argument]
    operand = argument.__accel_operand__()
    size = int(np.prod(operand.extents))
    return [0, 0, size, operand.dtype.itemsize, operand.address, *operand.extents, *operand.strides]


def _xyz(extents: Sequence[int]) -> tuple[int, ...]:
    return (*extents, 1, 1)[:3]
