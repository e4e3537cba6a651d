"""Programs in the typed form, run on a device through its backend, like `programs.run_text`."""

import numpy as np

import accel
from accel.ir import View
from accel.memory import heap_of
from accel.memory.host_arrays import bytes_at

from .programs import flattened

__all__ = ["run_on"]

ONE = (1, 1, 1)


class FoundError(Exception):
    """Carries the `Failure` of a launch."""


def run_on(device, program, arguments, grid=ONE, block=ONE, **_):
    """Run a program on NumPy arrays, which it changes, and numbers, on a device; return the failure and the results."""
    backend = heap_of(device).backend
    stream, copies, numbers = backend.default_stream(device), [], []
    for parameter, value in zip(program.parameters, arguments, strict=True):
        values = flattened(parameter, value, 64)
        if isinstance(parameter, View):
            low, high = np.lib.array_utils.byte_bounds(value)
            bytes_here = bytes_at(low, high - low)
            there = accel.from_numpy(bytes_here.copy()).to(device)
            copies.append((bytes_here, there))
            values[0] = int(values[0]) - low + there.storage.owner.block.pointer
        numbers += [number.item() if isinstance(number, np.generic) else number for number in values]
    failure, results = None, ()
    finish = backend.compile_kernel(device, program).launch(
        numbers, grid=grid, block=block, stream=stream, explain=FoundError
    )
    try:
        results = () if finish is None else finish()
        stream.synchronize()
    except FoundError as found:
        (failure,) = found.args
    for bytes_here, there in copies:
        bytes_here[:] = there.to_numpy()
    return failure, results
