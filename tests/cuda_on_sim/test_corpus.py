"""The corpus against NumPy, with all checks on: no report, for warps of 32 and of 64 lanes, in several orders.

ACCEL_CORPUS_SEEDS is the number of orders for each program; 1 by default, another one for each width.
"""

import os

import pytest

from ..profiles import drawn
from .corpus.cases import OPTIONS, every_program
from .gpu import Gpu

SEEDS = range(int(os.environ.get("ACCEL_CORPUS_SEEDS", "1")))
PROGRAMS = every_program()


@pytest.mark.parametrize("name", drawn([*PROGRAMS], "corpus"))
def test_a_program_computes_what_numpy_does_and_nothing_is_reported(name, warp):
    program = PROGRAMS[name]
    for seed in SEEDS:
        program.run(Gpu(program.source, seed=seed + warp, warp=warp, options=OPTIONS))


def test_every_kernel_of_the_corpus_is_used():
    for program in PROGRAMS.values():
        assert program.kernels(), program.name
    used = {kernel for program in PROGRAMS.values() for kernel in program.kernels()}
    assert used == {kernel for program in PROGRAMS.values() for kernel in program.every_kernel()}
