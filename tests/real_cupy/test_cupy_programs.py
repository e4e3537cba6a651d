"""The real CuPy gives what the programs of `tests/cuda_on_sim` expect of the module that stands for it."""

import pytest

from ..cuda_on_sim.cupy_class_programs import CLASS_PROGRAMS
from ..cuda_on_sim.cupy_jit_programs import JIT_PROGRAMS
from ..cuda_on_sim.cupy_name_programs import NAME_PROGRAMS
from ..cuda_on_sim.cupy_programs import PROGRAMS
from ..cuda_on_sim.cupy_vectorize_programs import VECTORIZE_PROGRAMS

EVERY = {**PROGRAMS, **JIT_PROGRAMS, **CLASS_PROGRAMS, **NAME_PROGRAMS, **VECTORIZE_PROGRAMS}


@pytest.mark.filterwarnings("ignore:cupyx.jit.rawkernel is experimental")
@pytest.mark.parametrize("name", EVERY)
def test_cupy_gives_what_the_programs_expect(name):
    import cupy

    EVERY[name](cupy)
