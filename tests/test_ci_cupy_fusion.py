"""`ci/cupy_fusion.py`, here on a checkout that contains tests of our own."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.slow

TESTS = """
import cupy
import numpy
import pytest
from cupy import testing

@pytest.mark.parametrize("xp", [numpy, cupy])
def test_a_fused_function(xp):
    @cupy.fuse(kernel_name="scaled")
    def scaled(x, factor):
        assert cupy.get_array_module(x) is xp
        return xp.sum(x * factor, axis=0)

    x = xp.ones((2, 3))
    assert scaled.__name__ == "scaled"
    assert isinstance(scaled(x, 2.0), xp.ndarray)
    assert cupy.asnumpy(scaled(x, 2.0)).tolist() == [4.0, 4.0, 4.0]
    assert testing.OF_THE_CHECKOUT

def test_that_fails():
    assert not hasattr(cupy, "fuse")
"""


@pytest.fixture
def checkout(tmp_path):
    """A checkout of CuPy, as far as the script needs it."""
    (tmp_path / "cupy/testing").mkdir(parents=True)
    (tmp_path / "cupy/testing/__init__.py").write_text("OF_THE_CHECKOUT = True")
    tests = tmp_path / "tests/cupy_tests/core_tests/fusion_tests"
    tests.mkdir(parents=True)
    (tests / "test_own.py").write_text(TESTS)
    return tmp_path


def run(root, checkout, known):
    """Run the script with known failures; return its exit status and what it printed."""
    (checkout / "known.txt").write_text(known)
    command = [sys.executable, "-B", root / "ci/cupy_fusion.py", checkout, "--known", checkout / "known.txt"]
    done = subprocess.run([*map(str, command)], check=False, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("known", "status", "counts"),
    [
        ("# The reason.\ntest_own.py::test_that_fails\n", 0, "2 passed, 1 xfailed"),
        ("", 1, "1 failed, 2 passed"),
        ("# The reason.\ntest_own.py::test_a_fused_function\n", 1, "3 failed"),
    ],
)
def test_surprises(root, checkout, known, status, counts):
    found, said = run(root, checkout, known)
    assert found == status, said
    assert said.count(counts) == 2, said  # on each device


def test_a_folder_that_is_no_checkout_is_refused(root, tmp_path):
    status, said = run(root, tmp_path, "")
    assert status == 1
    assert "is needed as a checkout of cupy/cupy" in said
