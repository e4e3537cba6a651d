import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/guide/fake_gpu.md"

CONFTEST = """
import numpy as np
import pytest
from numba import cuda

ONES = cuda.to_device(np.ones(64, np.float32))


@pytest.fixture
def ones():
    return ONES
"""

TESTS = """
import numpy as np
from numba import cuda


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@cuda.jit
def racing(x):
    x[0] += 1


def test_right(ones):
    double[2, 32](ones)
    assert (ones.copy_to_host() == 2).all()


def test_wrong(ones):
    racing[2, 32](ones)
"""


@pytest.mark.slow
def test_the_command_of_the_recipe_runs_the_tests_of_a_project(tmp_path):
    [step] = re.findall(r"^\| `numba.cuda` \|.*`(pytest .*)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/conftest.py").write_text(CONFTEST)
    (tmp_path / "tests/test_kernels.py").write_text(TESTS)
    ended = subprocess.run(
        [sys.executable, "-m", *shlex.split(step), "-p", "accel.testing.plugin", "-p", "no:cacheprovider"],
        check=False,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(PAGE.parents[2]), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    assert "1 failed, 1 passed" in ended.stdout, ended.stdout + ended.stderr
    assert "KernelRaceError: race in kernel racing" in ended.stdout
    assert "repeat: pytest tests/test_kernels.py::test_wrong" in ended.stdout
    assert "--accel-numba-cuda-on-sim" in ended.stdout.rpartition("repeat: ")[2]
