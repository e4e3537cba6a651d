"""Run kernels with the checks of the simulated device, below `RawKernel`: a test sees what the runtime finds."""

import ctypes
from functools import cache

import numpy as np

from accel.backends.sim.cuda.building import build
from accel.backends.sim.cuda.launching import CHECKS, Kind, Range, run
from accel.backends.sim.cuda.module import Module

__all__ = ["ALL", "Memory", "kinds", "ran"]

ALL = ",".join(CHECKS)


class Memory:
    """An allocation of a device: bytes at an address that is a multiple of 256."""

    def __init__(self, values, *, written=True, readonly=False, released=False):
        values = np.asarray(values)
        self._bytes = np.full(values.nbytes + 512, 0xFF, np.uint8)
        begin = -self._bytes.ctypes.data % 256
        self.values = self._bytes[begin : begin + values.nbytes].view(values.dtype).reshape(values.shape)
        self.marks = None if written else np.zeros(values.nbytes + 16, np.uint8)
        if written:
            self.values[...] = values
        self.range = Range(
            self.address, values.nbytes, None if written else self.marks.ctypes.data, None, readonly, released
        )

    @property
    def address(self):
        return self.values.ctypes.data


@cache
def module(source, kernels, warp, checked):
    return Module.load(build(source, warp=warp, checked=checked, kernels=kernels), "tests")


def ran(source, kernel, grid, block, *arguments, warp=32, checks=ALL, kernels=None, memories=(), **settings):
    """Launch a kernel, and return the outcome. Memories are passed as their addresses, Python integers as ints."""
    loaded = module(source, kernels or (kernel,), warp, bool(checks))
    used = [each for each in arguments if isinstance(each, Memory)] + list(memories)
    variables = [Range(each.offset, each.size, None, None, each.readonly, 0) for each in loaded.globals]
    ranges = sorted([each.range for each in used] + variables, key=lambda each: each.begin)
    settings.setdefault("seed", 0)
    settings.setdefault("limit", 30)
    return run(
        loaded, loaded.entry(kernel), [_value(each) for each in arguments], grid=(*_dim(grid),), block=(*_dim(block),),
        warp=warp, ranges=ranges, checks=checks, **settings,
    )  # fmt: skip


def kinds(outcome):
    """Return the kinds of what was found."""
    return [Kind(finding.kind).name for finding in outcome.findings]


def _value(argument):
    if isinstance(argument, Memory):
        return np.uint64(argument.address)
    return np.int32(argument) if isinstance(argument, int) else argument


def _dim(extents):
    return (extents, 1, 1) if isinstance(extents, int) else (*extents, 1, 1)[:3]
