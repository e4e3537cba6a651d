"""The loops of fused functions do the same in all layers: interpreted, as code of the host, and as text for GPUs.

The text runs on the processor, where accesses, races, barriers and memory that was never written are checked.

``ACCEL_FUSE_TEXTS`` is the number of random programs whose loops are run in all of them.
"""

import os
from random import Random
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import FuseError
from accel.kernels.argument_types import Leaf, Memory

from ..gpu_code.on_processor import ALL
from ..kernels.layers import Texts, agree, by_host, by_interpreter, case_of
from ..profiles import QUICK
from .comparison import bits_of
from .programs import written
from .test_fused_functions import PROGRAMS, arrays

TOLERANCE = 2e-15  # of functions, which are within 4 units in the last place on the host
TEXTS = int(os.environ.get("ACCEL_FUSE_TEXTS", "20" if QUICK else "60"))
AT_ONCE = 20


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


def cases_of(function: Any, operands: list[Any]) -> list[Any]:
    """Return a case for each loop of a function, with the memory that it has when it runs."""
    fused = accel.fuse(function)
    bound, leaves = fused._bound(tuple(operands), {})
    traced = fused._trace(bound, leaves)
    plan, numbers = traced.plan, [each.evaluate(leaves.numbers) for each in traced.numbers]
    natives = [xp.asarray(each)._native for each in (*leaves.arrays, *traced.captured)]
    memories = dict(zip(plan.inputs, natives, strict=True))
    memories |= {buffer: plan.empty(buffer) for buffer in plan.buffers}
    for each in plan.buffers:
        memories[each][...] = 0
    cases = []
    for step in plan.steps:
        if step.kernel is not None:
            passed = leaves_of(step.kernel, memories, numbers)
            cases.append((case_of(step.kernel.program, passed), passed, [*memories.values()]))
        step.run(memories, numbers)
    return cases


def compared(found: list[tuple[str, Any]], tolerance: float, bits: tuple[int, ...] = (32, 64)) -> None:
    texts = Texts([case.program for _, case in found])
    for name, case in found:
        expected = by_interpreter(case)
        for outcome in (by_host(case), *(texts.run(case, each, checks=ALL) for each in bits)):
            agree(outcome, expected, tolerance, name)
            pairs = zip(outcome.memories, expected.memories, strict=True)
            assert tolerance or all(np.array_equal(bits_of(one), bits_of(other)) for one, other in pairs), name


def test_all_layers_do_what_the_interpreter_does() -> None:
    found = [(name, *each) for name in PROGRAMS for each in cases_of(PROGRAMS[name], arrays("cpu"))]
    compared([(name, case) for name, case, *_ in found], TOLERANCE)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("first", range(0, TEXTS, AT_ONCE))
def test_all_layers_do_the_same_for_random_programs(first: int) -> None:
    """Bit for bit, but for the payloads of NaN: these programs call no functions that are rounded."""
    found = []
    with np.errstate(all="ignore"):
        for seed in range(first, first + AT_ONCE):
            program = written(Random(seed))
            try:
                cases = cases_of(program.function, [*program.arguments.made("cpu").values.values()])
            except (FuseError, TypeError, ValueError, IndexError, OverflowError):
                continue  # the program has an error
            found += [(f"seed {seed}:\n{program.source}", *each) for each in cases]
        compared([(name, case) for name, case, *_ in found], 0, (32,))
