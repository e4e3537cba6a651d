"""Programs in the typed form, run on the processor as the text that GPUs get; see `on_processor`."""

import numpy as np
from accel.backends.cupy import device_code

from accel.abc.kernels import Failure
from accel.ir import SLOT, Loop, Threads, View

from . import on_processor
from .on_processor import Memory

__all__ = ["run_module", "run_text"]

FEW_BLOCKS = (3, 1, 1)


def run_text(program, arguments, grid=None, block=None, seed=0, warp=32, bits=64, checks=on_processor.ALL):
    """Run a program on NumPy arrays, which it changes, and numbers, one for each parameter; a finding is an error.

    Grid and block are needed for a program with an explicit grid; else the grid is small, so that threads do several
    iterations. Distances have 32 or 64 bits. Returns the `Failure`, or None; and the results as NumPy scalars.
    """
    options = (f"-DACCEL_INDEX={bits}",)
    module = on_processor.compile(device_code.device_source(program), options, warp, checked=True)
    values = [each for pair in zip(program.parameters, arguments, strict=True) for each in flattened(*pair, bits)]
    arrays = [array for array in arguments if isinstance(array, np.ndarray) and array.size]
    memory = on_processor.apart([np.lib.array_utils.byte_bounds(array) for array in arrays])
    return run_module(module, program, values, grid, block, seed, checks=checks, memory=memory)


def run_module(module, program, values, grid=None, block=None, seed=0, *, checks="sync", memory=()):
    """Run a program that was compiled; the values are those of a launch, flattened as `flattened` does."""
    values = [values[each.place] for each in device_code.kernel_parameters(program)]
    frame = aligned(SLOT * len(device_code.kept(program)), seed)
    scratch = aligned(device_code.PARTIAL * FEW_BLOCKS[0] * device_code.reductions(program), seed)
    record = np.zeros(len(Failure._fields), np.int64)
    unwritten = [Memory.of(each, written=False) for each in (frame, scratch) if each.nbytes]
    how = {"seed": seed, "checks": checks, "memory": [*memory, *unwritten, Memory.of(record)]}
    if device_code.kept(program):
        values.append(address(frame))
    if device_code.reductions(program):
        values += [address(scratch), np.uint32(FEW_BLOCKS[0])]
    if program.debug:
        values.append(address(record))
    for number in device_code.launched(program):
        step = program.steps[number]
        name = device_code.kernel_name(program, number)
        if isinstance(step, Threads):
            module.launch(name, grid, block, values, device_code.shared_bytes(program), **how)
        elif isinstance(step, Loop):
            module.launch(name, FEW_BLOCKS, device_code.THREADS, values, **how)
            if step.reductions:
                module.launch(device_code.totals_name(program, number), 1, device_code.THREADS, values, **how)
        else:
            module.launch(name, 1, 1, values, **how)
    return failure_of(record), results_of(program, frame)


def flattened(parameter, value, bits):
    """Return an argument as a launch has it: an address, extents and strides, or a number."""
    if not isinstance(parameter, View):
        return [np.asarray(value).astype(parameter.dtype)[()]]
    assert value.dtype == parameter.dtype
    strides = [stride // value.itemsize for stride in value.strides]
    if not parameter.rank:
        return [address(value)]
    return [address(value), *map(np.int64, value.shape), *map(np.int32 if bits == 32 else np.int64, strides)]


def address(array):
    return np.uint64(array.__array_interface__["data"][0])


def aligned(nbytes, seed):
    """Return arbitrary bytes at a multiple of 16."""
    room = np.random.default_rng(seed).integers(0, 256, nbytes + 16, np.uint8)
    return room[-int(address(room)) % 16 :][:nbytes]


def failure_of(record):
    failure = Failure._make(record.tolist())
    return failure if failure.failures else None


def results_of(program, frame):
    names = [local.name for local in program.frame]
    starts = [SLOT * names.index(local.name) for local in program.results]
    return tuple(
        frame[start : start + local.dtype.itemsize].view(local.dtype)[0].copy()
        for start, local in zip(starts, program.results, strict=True)
    )
