"""Functions that need elements while they run: with ``fallback="parts"`` they do what they do unfused."""

import re
from random import Random
from typing import Any

import numpy as np
import pytest

import accel
from accel.tracing import runs_in_parts
from accel.tracing.traced import library_of

from ..profiles import QUICK
from .comparison import Run, same
from .programs import Program, written

DEVICES = ("cpu", "sim")
PROGRAMS = 40 if QUICK else 400
AT_ONCE = 20


def in_parts(function: Any) -> Any:
    """Return a function that always runs in parts, also where it could be fused as a whole."""
    fused = accel.fuse(function, fallback="parts")
    kept: dict[Any, Any] = {}

    def call(*arguments: Any) -> Any:
        bound, leaves = fused._bound(arguments, {})
        return runs_in_parts.run_in_parts(function, bound, library_of(leaves.arrays, "f"), "f", kept)

    return call


def probed(random: Random, program: Program) -> Program:
    """Return a program that needs elements between its lines, and lends its arrays to NumPy, which writes to them."""
    head, *lines, result = program.source.rstrip().split("\n")
    lines = [line.strip() for line in lines]
    found, names = ["lent = []"], [each.strip() for each in head[head.index("(") + 1 : -2].split(",")]
    for line in lines:
        found.append(line)
        names += re.findall(r"^(v\d+) = ", line)
        found += [probe.format(random.choice(names)) for probe in PROBES if random.random() < 0.15]
    returned = result.strip().removeprefix("return ")
    found.append(f"return {returned}, [{', '.join(names)}], [xp.asarray(each, copy=True) for each in lent]")
    return program._replace(source="\n    ".join([head, *found]) + "\n")


PROBES = [
    "if isinstance({0}, xp.Array) and {0}.size: bool(xp.any({0} == {0}))",
    "if isinstance({0}, xp.Array): {0}.tolist()",
    "if isinstance({0}, xp.Array) and str({0}.device) == 'cpu': lent.append({0}.__array__())",
    "for each in lent: each.flags.writeable and each.ndim and each.__setitem__(..., (each == 0) + each[..., ::-1])",
    "if isinstance({0}, xp.Array) and {0}.ndim and {0}.dtype.kind in 'iuf' and {0}.flags.writeable: {0}[{0} > 1] = 1",
    "if isinstance({0}, xp.Array) and {0}.ndim: {0} = xp.sort({0})",
]


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("first", range(0, PROGRAMS, AT_ONCE))
def test_programs_do_in_parts_what_they_do_unfused(first: int, device: str) -> None:
    for seed in range(first, first + (AT_ONCE if device == "cpu" else AT_ONCE // 4)):
        program = probed(Random(seed), written(Random(seed)))
        function = in_parts(program.function)
        with np.errstate(all="ignore"), accel.using(host_copies="allow"):
            expected = Run(program, program.function, device)
            for _ in range(2):
                found = Run(program, function, device)
                try:
                    assert type(found.error) is type(expected.error), f"{found.error!r}, not {expected.error!r}"
                    same(found.memories, expected.memories, 0, "an argument")
                    same(found.results, expected.results, 256, "a result")
                except Exception as error:
                    error.add_note(f"seed {seed}, {program.arguments}:\n{program.source}")
                    raise
