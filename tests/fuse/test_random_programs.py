"""Random array programs do fused what they do unfused: results, arguments, and what shares memory.

``ACCEL_FUSE_PROGRAMS`` is the number of programs that are run on the host; a fifth as many run on the simulated device.
"""

import os
from random import Random

import numpy as np
import pytest

from ..profiles import QUICK
from .comparison import compared
from .programs import written

PROGRAMS = int(os.environ.get("ACCEL_FUSE_PROGRAMS", "30" if QUICK else "400"))
AT_ONCE = 10

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def check(first: int, device: str, *, rounded: bool = False) -> None:
    with np.errstate(all="ignore"):
        for seed in range(first, first + AT_ONCE):
            program = written(Random(seed), rounded=rounded)
            try:
                compared(program, device, ulps=16 if rounded else 0)
            except Exception as error:
                error.add_note(f"seed {seed}, {program.arguments}:\n{program.source}")
                raise


@pytest.mark.parametrize("first", range(0, PROGRAMS, AT_ONCE))
def test_programs_on_the_host(first: int) -> None:
    check(first, "cpu")


@pytest.mark.parametrize("first", range(0, PROGRAMS // 5, AT_ONCE))
def test_programs_on_the_simulated_device(first: int) -> None:
    check(first, "sim")
