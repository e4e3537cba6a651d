"""Random array programs do fused what they do unfused: results, arguments, and what shares memory.

``ACCEL_FUSE_PROGRAMS`` is the number of programs that are run on the host; a fifth as many run on the simulated device,
and in debug mode.
"""

import os
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import accel
from accel.errors import FuseError, NanError

from ..profiles import QUICK
from .by_operation import compared_by_operation
from .comparison import Run, compared, same
from .programs import written

PROGRAMS = int(os.environ.get("ACCEL_FUSE_PROGRAMS", "30" if QUICK else "400"))
AT_ONCE = 10

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def check(first: int, device: str, *, rounded: bool = False, fuse: Any = accel.fuse) -> None:
    with np.errstate(all="ignore"):
        for seed in range(first, first + AT_ONCE):
            program = written(Random(seed), rounded=rounded)
            try:
                compared(program, device, ulps=16 if rounded else 0, fuse=fuse)
            except Exception as error:
                error.add_note(f"seed {seed}, {program.arguments}:\n{program.source}")
                raise


@pytest.mark.parametrize("first", range(0, PROGRAMS, AT_ONCE))
def test_programs_on_the_host(first: int) -> None:
    check(first, "cpu")


@pytest.mark.parametrize("first", range(0, PROGRAMS // 5, AT_ONCE))
def test_programs_on_the_simulated_device(first: int) -> None:
    check(first, "sim")


@pytest.mark.parametrize("first", range(0, PROGRAMS, AT_ONCE))
def test_functions_and_sums_are_those_of_single_operations(first: int) -> None:
    with np.errstate(all="ignore"):
        for seed in range(first, first + AT_ONCE):
            program = written(Random(seed), inexact=True)
            try:
                compared_by_operation(program, accel.fuse(program.function))
            except Exception as error:
                error.add_note(f"seed {seed}, {program.arguments}:\n{program.source}")
                raise


def test_programs_of_equal_templates_are_equal() -> None:
    found: dict[str, Any] = {}
    with np.errstate(all="ignore"):
        for seed in range(PROGRAMS):
            program = written(Random(seed), inexact=seed % 2 == 0)
            fused = accel.fuse(program.function, kernel_name="program")
            try:
                traced = fused._trace(*fused._bound((*program.arguments.made("cpu").values.values(),), {}))
            except (FuseError, TypeError, ValueError, IndexError, OverflowError):
                continue  # the program has an error
            for kernel in [step.kernel for step in traced.plan.steps if step.kernel is not None]:
                program_of_it = repr(kernel.program)
                assert found.setdefault(kernel.template.key, program_of_it) == program_of_it


def without_arguments(function: Any) -> Any:
    """Return a function that binds its arguments to names, to which a fused function without arguments refers."""
    state = SimpleNamespace(fused=None)

    def call(*values: Any) -> Any:
        names = [f"value{place}" for place in range(len(values))]
        vars(state).update(zip(names, values, strict=True))
        if state.fused is None:
            passed = ", ".join(f"state.{name}" for name in names)
            of_names = eval(f"lambda: function({passed})", {"function": function, "state": state})
            state.fused = accel.fuse(of_names)
        return state.fused()

    return call


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("first", range(0, PROGRAMS // 5, AT_ONCE))
def test_programs_that_refer_to_their_operands(first: int, device: str) -> None:
    check(first, device, fuse=without_arguments)


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("first", range(0, PROGRAMS // 5, AT_ONCE))
def test_no_loop_leaves_its_memory(first: int, device: str) -> None:
    """On the simulated device, races are found too: no iteration accesses what another one writes."""
    with accel.debug():
        check(first, device)


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("first", range(0, PROGRAMS // 5, AT_ONCE))
def test_a_nan_in_results_is_found_where_operands_have_none(first: int, device: str) -> None:
    with np.errstate(all="ignore"):
        for seed in range(first, first + AT_ONCE):
            program = written(Random(seed))
            if len(program.arguments.memories) < len(program.arguments.views):
                continue  # it may run unfused
            expected = Run(program, program.function, device)
            with accel.debug(nan=True):
                found = Run(program, accel.fuse(program.function), device)
            before = program.arguments.made(device).memories
            if isinstance(found.error, NanError):
                assert has_nan([*expected.results, *expected.memories]), f"seed {seed}: {found.error}"
                same(found.memories, before, 0, f"seed {seed}: an argument")
            elif found.error is None:
                same(found.results, expected.results, 0, f"seed {seed}: a result")
                assert has_nan(before) or not has_nan([*expected.results, *expected.memories]), f"seed {seed}"


def has_nan(arrays: list[Any]) -> bool:
    """Tell whether an element of arrays is NaN."""
    return any(np.isnan(np.asarray(each.to_device("cpu"))).any() for each in arrays if each.dtype.kind in "fc")
