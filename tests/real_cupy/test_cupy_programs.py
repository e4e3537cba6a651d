"""The real CuPy gives what the programs of `tests/cuda_on_sim` expect of the module that stands for it."""

import pytest

from ..cuda_on_sim.cupy_programs import PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_cupy_gives_what_the_programs_expect(name):
    import cupy

    PROGRAMS[name](cupy)
