"""Run kernels with the checks of the simulated device, below `RawKernel`: a test sees what the runtime finds.

With ACCEL_CORPUS_SEEDS in the environment, tests run with all compilers, widths of warps and orders; else with a few.
"""

import mmap
import os
import shutil
from functools import cache
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from accel.backends.cuda_on_cpu.build.building import build, kernel_names
from accel.backends.cuda_on_cpu.launch.execution import run
from accel.backends.cuda_on_cpu.launch.module import Module
from accel.backends.cuda_on_cpu.launch.structures import CHECKS, Kind, Range

__all__ = ["ALL", "ROOM", "THOROUGH", "Memory", "Setup", "floats", "ints", "kinds", "ran", "setups"]

ALL = ",".join(name for name in CHECKS if name not in ("banks", "same-value"))
THOROUGH = "ACCEL_CORPUS_SEEDS" in os.environ
ROOM = 1 << 16


class Memory:
    """An allocation of a device: pages of its own, with room around it, so that an access that misses it hits nothing.

    Its address is a multiple of 256.
    """

    def __init__(self, values, *, written=True, readonly=False, released=False):
        values = np.asarray(values)
        pages = np.frombuffer(mmap.mmap(-1, values.nbytes + 2 * ROOM), np.uint8)
        content = pages[ROOM : ROOM + values.nbytes]
        content[:] = 0xFF  # as new memory has
        self.values = content.view(values.dtype).reshape(values.shape)
        self.marks = None if written else np.zeros(values.nbytes + 16, np.uint8)
        if written:
            self.values[...] = values
        self.range = Range(
            self.address, values.nbytes, None if written else self.marks.ctypes.data, None, readonly, released
        )

    @property
    def address(self):
        return self.values.ctypes.data


def ints(count=64, **options):
    """Return memory of zeros; `options` are those of `Memory`."""
    return Memory(np.zeros(count, np.int32), **options)


def floats(count=64, **options):
    """Return memory of zeros; `options` are those of `Memory`."""
    return Memory(np.zeros(count, np.float32), **options)


class Setup(NamedTuple):
    """What a test compiles with: a compiler, and the threads of a warp."""

    compiler: str
    warp: int

    def __str__(self):
        return f"{self.compiler.split()[-1].rpartition('/')[2]}-{self.warp}"


def setups():
    """Return the compilers of this machine, each with a width of a warp; with both, if tests are thorough."""
    compilers = [path for path in map(shutil.which, ("g++", "clang++")) if path]
    zig = find_spec("ziglang")
    if zig:  # its program itself, which starts sooner than its module
        compilers.append(f"{zig.submodule_search_locations[0]}/zig c++")
    if THOROUGH or len(compilers) == 1:
        return [Setup(compiler, warp) for compiler in compilers for warp in (32, 64)]
    return [Setup(compiler, 32 << (place % 2)) for place, compiler in enumerate(compilers)]


@cache
def module(source, setup, checked=True):
    before = os.environ.get("ACCEL_KERNEL_COMPILER")
    os.environ["ACCEL_KERNEL_COMPILER"] = setup.compiler
    try:
        kernels = kernel_names(source)
        return Module.load(build(source, warp=setup.warp, checked=checked, kernels=kernels), "tests")
    finally:
        del os.environ["ACCEL_KERNEL_COMPILER"]
        if before is not None:
            os.environ["ACCEL_KERNEL_COMPILER"] = before


def ran(source, kernel, grid, block, *arguments, setup, checks=ALL, **settings):
    """Launch a kernel, and return the outcome. Memories are passed as their addresses, Python integers as ints."""
    loaded = module(source, setup, bool(checks))
    used = [each for each in arguments if isinstance(each, Memory)]
    variables = [Range(each.offset, each.size, None, None, each.readonly, 0) for each in loaded.globals]
    ranges = sorted([each.range for each in used] + variables, key=lambda each: each.begin)
    table = (Range * len(ranges))(*ranges)
    settings.setdefault("seed", 0)
    settings.setdefault("limit", 30)
    outcome = run(
        loaded, loaded.entry(kernel), [_value(each) for each in arguments], grid=(*_dim(grid),), block=(*_dim(block),),
        warp=setup.warp, ranges=table, checks=checks, **settings,
    )  # fmt: skip
    for own, changed in zip(ranges, table, strict=True):
        own.cells = changed.cells
    return outcome


def kinds(outcome):
    """Return the kinds of what was found."""
    return [Kind(finding.kind).name for finding in outcome.findings]


def _value(argument):
    if isinstance(argument, Memory):
        return np.uint64(argument.address)
    return np.int32(argument) if isinstance(argument, int) else argument


def _dim(extents):
    return (extents, 1, 1) if isinstance(extents, int) else (*extents, 1, 1)[:3]
