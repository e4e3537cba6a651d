"""The layers of kernels: a program is interpreted, run as code of the host, and as the text for GPUs on the processor.

They share no code that computes, so what they agree on is what a kernel means.
"""

from typing import Any, NamedTuple

import numpy as np
from accel.backends.common.host_kernels import host_kernel
from accel.backends.cupy.device_code import device_source
from accel.backends.sim.kernels import Interpreter
from accel.backends.sim.kernels.interpreter import cells_of
from accel.backends.sim.kernels.memories import Cells
from accel.backends.sim.kernels.runs import Run

from accel.abc.kernels import Failure
from accel.ir import Program, View
from accel.kernels.argument_types import Leaf
from accel.memory.host_arrays import bytes_at

from ..gpu_code import on_processor
from ..gpu_code.programs import run_module

__all__ = ["Case", "Outcome", "Texts", "agree", "by_host", "by_interpreter", "case_of"]

ONE = (1, 1, 1)


class Outcome(NamedTuple):
    """What a launch has done: the first failed check, the results, and the memory afterwards."""

    failure: Failure | None
    results: tuple[Any, ...]
    memories: list[np.ndarray]


class Case(NamedTuple):
    """A program, its arguments, and the memory that these are in, which no layer changes.

    Attributes
    ----------
    program : Program
        The program.
    leaves : list of Leaf
        What is passed for its parameters.
    memories : dict of int to numpy.ndarray
        A copy of each memory, by its address.
    grid, block : tuple of three ints
        The explicit grid.
    """

    program: Program
    leaves: list[Leaf]
    memories: dict[int, np.ndarray]
    grid: tuple[int, int, int] = ONE
    block: tuple[int, int, int] = ONE


class Copied:
    """The memory of a case for one layer."""

    def __init__(self, case):
        self.held = {address: aligned(array) for address, array in case.memories.items()}

    def place(self, leaf):
        """Return the memory of an argument, and the byte of it where the argument begins."""
        storage = leaf.memory.storage
        return self.held[storage.pointer], leaf.numbers[0] - storage.pointer

    def address(self, leaf):
        """Return where an argument begins."""
        array, place = self.place(leaf)
        return address(array) + place

    def outcome(self, found):
        return Outcome(*found, list(self.held.values()))


def aligned(array):
    """Return a copy at a multiple of 64 bytes, as the memory of accel is."""
    room = np.zeros(array.nbytes + 64, np.uint8)
    start = -address(room) % 64
    result = room[start : start + array.nbytes].view(array.dtype)
    result[:] = array
    return result


def address(array):
    return array.__array_interface__["data"][0]


def case_of(program, leaves, grid=ONE, block=ONE):
    """Return a case with the memory as it is now."""
    memories = {}
    for leaf in leaves:
        if leaf.memory is not None:
            storage = leaf.memory.storage
            memories[storage.pointer] = bytes_at(storage.pointer, storage.nbytes).view(storage.dtype).copy()
    return Case(program, leaves, memories, grid, block)


def pairs(case):
    return zip(case.program.parameters, case.leaves, strict=True)


def by_interpreter(case, seed=0, warp=32):
    """Run a case in plain Python; an access outside of what a view has is an error there."""
    copied = Copied(case)
    cells = {each.name: _cells(each, leaf, copied) for each, leaf in pairs(case) if isinstance(each, View)}
    numbers = {each.name: each.dtype.type(leaf.numbers[0]) for each, leaf in pairs(case) if leaf.memory is None}
    run = Run(case.program, cells, numbers, grid=case.grid, block=case.block, seed=seed, warp=warp)
    return copied.outcome(Interpreter(case.program).run(run, races=False))


def _cells(view, leaf, copied):
    array, place = copied.place(leaf)
    _, *numbers = leaf.numbers
    if view.rank:
        strides = [stride * view.dtype.itemsize for stride in numbers[view.rank :]]
        return cells_of(view, np.ndarray(numbers[: view.rank], view.dtype, array, place, strides))
    values = array.view(np.uint8)[place % view.dtype.itemsize :]
    values = values[: values.size // view.dtype.itemsize * view.dtype.itemsize].view(view.dtype)
    origin = place // view.dtype.itemsize
    if view.span is not None:
        values, origin = values[origin + view.span[0] : origin + view.span[1]], -view.span[0]
    return Cells(view.name, values, origin, address(values), (), ())


def by_host(case):
    """Run a case as code of the host."""
    copied, numbers = Copied(case), []
    for leaf in case.leaves:
        first = leaf.numbers[0] if leaf.memory is None else copied.address(leaf)
        numbers += [first, *leaf.numbers[1:]]
    return copied.outcome(host_kernel(case.program).run(numbers, case.grid, case.block))


class Texts:
    """The texts of programs for GPUs, which are compiled all at once.

    Attributes
    ----------
    programs : dict of Program to Program
        The programs with names that differ.
    text : str
        Their text.
    """

    def __init__(self, programs, warp=32):
        each = enumerate(dict.fromkeys(programs))
        self.programs = {program: program._replace(name=f"{program.name}_{number}") for number, program in each}
        self.text = device_source(*self.programs.values())
        self._warp = warp

    def run(self, case, bits, seed=0, checks=""):
        """Run a case, with distances of 32 or 64 bits; what checks find is an error."""
        program, copied, values = self.programs[case.program], Copied(case), []
        for parameter, leaf in pairs(case):
            if isinstance(parameter, View):
                extents, strides = leaf.numbers[1 : 1 + parameter.rank], leaf.numbers[1 + parameter.rank :]
                values += [np.uint64(copied.address(leaf)), *map(np.int64, extents)]
                values += map(np.int32 if bits == 32 else np.int64, strides)
            else:
                values.append(np.asarray(leaf.numbers[0]).astype(parameter.dtype)[()])
        module = on_processor.compile(self.text, (f"-DACCEL_INDEX={bits}",), self._warp, checked=bool(checks))
        held = [np.lib.array_utils.byte_bounds(array) for array in copied.held.values() if checks and array.size]
        how = {"checks": checks or "sync", "memory": on_processor.apart(held)}
        return copied.outcome(run_module(module, program, values, case.grid, case.block, seed, **how))


def agree(found, expected, tolerance=0, what=""):
    """Compare outcomes; only where several checks fail may layers find another one first."""
    assert (found.failure is None) == (expected.failure is None), (what, found.failure, expected.failure)
    if expected.failure is not None:
        assert found.failure.failures == expected.failure.failures, (what, found.failure, expected.failure)
        if expected.failure.failures == 1:
            assert found.failure == expected.failure, what
    assert [each.dtype for each in found.results] == [each.dtype for each in expected.results]
    for one, other in zip([*found.results, *found.memories], [*expected.results, *expected.memories], strict=True):
        np.testing.assert_allclose(_comparable(one), _comparable(other), tolerance, tolerance, err_msg=what)


def _comparable(array):
    return array.astype(np.float32) if array.dtype.kind == "V" or array.dtype.name == "bfloat16" else array
