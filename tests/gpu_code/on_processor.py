"""Device text on the processor, by `accel.backends.cuda_on_cpu`, with NumPy arguments and no device around it.

    module = on_processor.compile(text, ("-DACCEL_ITEM=4",), warp=64)
    module.launch("copy_items", 8, 256, (np.uint64(target.ctypes.data), ...), seed=3)

`compile` takes the text that NVRTC or hiprtc gets; ``ACCEL_WARP`` is defined. `Module.launch` returns when the kernel
has ended. The order of blocks and threads is by the seed. Arguments are those that CuPy passes by value: NumPy scalars,
arrays of one item (structures), and Python numbers; addresses are ``uint64``.
"""

import ctypes
import functools
from typing import NamedTuple

import numpy as np
from accel.backends.cuda_on_cpu.build.building import build, kernel_names
from accel.backends.cuda_on_cpu.launch.execution import run
from accel.backends.cuda_on_cpu.launch.module import Module as Loaded
from accel.backends.cuda_on_cpu.launch.structures import CHECKS, Kind, Range

from accel.errors import KernelLaunchError, KernelSyntaxError

__all__ = ["ALL", "KernelError", "Memory", "Module", "apart", "compile"]

ALL = ",".join(name for name in CHECKS if name != "banks")
"""The names of all checks."""

SECONDS = 120


class KernelError(RuntimeError):
    """A kernel does not compile, its arguments do not fit, or the launch has findings."""


class Memory(NamedTuple):
    """Bytes that a kernel with checks may use.

    Attributes
    ----------
    address, nbytes : int
        Where they are.
    written : numpy.ndarray, optional
        1 for each byte that was written, and 16 bytes more; by default all were.
    """

    address: int
    nbytes: int
    written: np.ndarray | None = None

    @classmethod
    def of(cls, array, *, written=True):
        """Return the bytes of an array."""
        address, nbytes = array.__array_interface__["data"][0], array.nbytes
        return cls(address, nbytes, None if written else np.zeros(nbytes + 16, np.uint8))

    @property
    def range(self):
        return Range(self.address, self.nbytes, None if self.written is None else self.written.ctypes.data, None, 0, 0)


def apart(bounds):
    """Return memory that contains ranges of addresses, of which some may have bytes in common."""
    joined = []
    for low, high in sorted(bounds):
        if joined and low <= joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], high)
        else:
            joined.append([low, high])
    return [Memory(low, high - low) for low, high in joined]


class Module:
    """Kernels that can be launched."""

    def __init__(self, loaded, warp):
        self._loaded, self._warp = loaded, warp
        self._entries = {}

    @property
    def shared_size(self):
        """Bytes of static shared memory of all its kernels."""
        return self._loaded.shared_size

    def launch(
        self, name, grid, block, arguments, shared_bytes=0, seed=0, *, checks="sync", memory=(), cooperative=False
    ):
        """Run a kernel with a grid and a block of up to three extents each.

        Checks other than ``sync`` are those of a module that is compiled with checks; `memory` is what it may use.
        """
        outcome = self._run(name, grid, block, arguments, shared_bytes, seed, checks, memory, cooperative)
        findings = [each for each in outcome.findings if not self._is_one_barrier(each)]
        if findings:
            raise KernelError(f"{name}: {'; '.join(map(self._said, findings))}")

    def conflicts(self, name, grid, block, arguments, shared_bytes=0, seed=0):
        """Run a kernel; return the passes over shared memory for each that is needed, of the line with the most."""
        outcome = self._run(name, grid, block, arguments, shared_bytes, seed, "banks", ())
        lines = {}
        for finding in outcome.findings:
            passes, fewest = lines.get(self._loaded.frames(finding.here.pc), (0, 0))
            lines[self._loaded.frames(finding.here.pc)] = passes + finding.passes[0], fewest + finding.passes[1]
        return max([passes / fewest for passes, fewest in lines.values()], default=1)

    def _run(self, name, grid, block, arguments, shared_bytes, seed, checks, memory, cooperative=False):
        values = [np.asarray(argument) for argument in arguments]
        sizes = [value.nbytes for value in values]
        if sizes != self.sizes(name):
            raise KernelError(f"{name} takes arguments of {self.sizes(name)} bytes; found {sizes}")
        ranges = self._ranges(memory)
        outcome = run(
            self._loaded, self._entries[name], values, grid=three(grid), block=three(block), shared=shared_bytes,
            warp=self._warp, ranges=ranges, checks=checks, seed=seed, limit=SECONDS,
            cooperative=cooperative,
        )  # fmt: skip
        for shadow in [each.cells for each in ranges if each.cells]:
            self._loaded.runtime.accel_sim_drop_cells(ctypes.c_void_p(shadow))
        return outcome

    def sizes(self, name):
        """Return the bytes of each argument of a kernel."""
        if name not in self._entries:
            try:
                self._entries[name] = self._loaded.entry(name)
            except KernelLaunchError as error:
                raise KernelError(str(error)) from None
        return list(self._entries[name].sizes)

    def _ranges(self, memory):
        variables = [Memory(each.offset, each.size) for each in self._loaded.globals] if memory else []
        ranges = [each.range for each in sorted([*memory, *variables], key=lambda each: each.address)]
        return (Range * len(ranges))(*ranges)

    def _is_one_barrier(self, finding):
        """Tell whether threads wait at copies of one barrier, which compilers make."""
        frames, others = (self._loaded.frames(place.pc) for place in (finding.here, finding.other))
        return finding.kind == Kind.DIVERGENT_BARRIER and frames == others

    def _said(self, finding):
        places = [frame for place in (finding.here, finding.other) for frame in self._loaded.frames(place.pc)[:1]]
        lines = ", ".join([f"{frame.file}:{frame.line}" for frame in places])
        return f"{Kind(finding.kind).name} at {lines} ({finding.count} times)"


def three(extents):
    return (extents, 1, 1) if isinstance(extents, int) else (*extents, 1, 1)[:3]


@functools.cache
def compile(source, options=(), warp=32, *, checked=False):
    """Compile a source text to a module of its kernels; see the docstring of this file."""
    names = kernel_names(source)
    # A text of several kernels for copies has a macro for each, and a module has the kernels whose macros are defined.
    kernels = tuple([name for name in names if f"-DACCEL_{name.upper()}=1" in options]) or names
    try:
        built = build(source, options=(*options, f"-DACCEL_WARP={warp}"), warp=warp, checked=checked, kernels=kernels)
    except KernelSyntaxError as error:
        raise KernelError(str(error)) from None
    return Module(Loaded.load(built, "tests"), warp)
