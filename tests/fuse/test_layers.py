"""The loops of fused functions do the same in all layers: interpreted, as code of the host, and as text for GPUs."""

from typing import Any

import pytest

import accel
from accel import xp
from accel.kernels.argument_types import Leaf, Memory

from ..kernels.layers import Texts, agree, by_host, by_interpreter, case_of
from .test_fused_functions import PROGRAMS, arrays

TOLERANCE = 2e-15  # of functions, which are within 4 units in the last place on the host


def leaves_of(kernel: Any, memories: Any, numbers: Any) -> list[Any]:
    """Return the arguments of a loop, from the library's arrays and the number of each scalar."""
    leaves = []
    for each in kernel.accesses:
        array = xp.asarray(memories[each.memory])
        start = array._native.ctypes.data + each.offset * array.dtype.itemsize
        memory = Memory(array.storage, False, "Array", 0, array.dtype)
        leaves.append(Leaf("array", (start, *each.extents, *each.strides), memory))
    passed = [each.dtype.type(numbers[each.number]).item() for each in kernel.scalars]
    return [*leaves, *[Leaf("number", (each,), None) for each in (*passed, *kernel.integers)]]


def cases_of(function: Any, operands: Any) -> list[Any]:
    """Return a case for each loop of a function, with the memory that it has when it runs."""
    fused = accel.fuse(function)
    plan = fused._trace(*fused._bound(operands, {})).plan
    memories = dict(zip(plan.inputs, [each._native for each in operands], strict=False))
    memories |= {buffer: plan.empty(buffer) for buffer in plan.buffers}
    cases = []
    for step in plan.steps:
        if step.kernel is not None:
            leaves = leaves_of(step.kernel, memories, ())
            cases.append((case_of(step.kernel.program, leaves), leaves, [*memories.values()]))
        step.run(memories, ())
    return cases


@pytest.mark.parametrize("name", PROGRAMS)
def test_code_of_the_host_does_what_the_interpreter_does(name: str) -> None:
    for case, *_ in cases_of(PROGRAMS[name], arrays("cpu")):
        agree(by_host(case), by_interpreter(case), TOLERANCE, name)


def test_the_text_for_gpus_does_what_the_interpreter_does() -> None:
    found = [(name, *each) for name, function in PROGRAMS.items() for each in cases_of(function, arrays("cpu"))]
    texts = Texts([case.program for _, case, *_ in found])
    for name, case, *_ in found:
        for bits in (32, 64):
            agree(texts.run(case, bits), by_interpreter(case), TOLERANCE, name)
