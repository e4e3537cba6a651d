"""Tests of the fake driver, and of CuPy on it: collected by `ci/real_cupy` only."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from .fake_driver import FakeDriver


def pytest_configure(config):
    """Do not turn warnings of CuPy into errors; all other warnings are errors."""
    config.addinivalue_line("filterwarnings", "default:::cupy")


def pytest_ignore_collect(config):
    """Ignore this folder where CuPy is not on the fake driver."""
    return None if "ACCEL_FAKE_CUDA" in os.environ else True


@pytest.fixture
def driver():
    """The fake driver, which does work at once; its settings are restored."""
    fake = FakeDriver()
    fake.run_at_once()
    yield fake
    fake.restore()


@pytest.fixture
def cupy(driver):
    """The real CuPy, with device 0 current and no stream that is left from another test."""
    import cupy

    cupy.cuda.runtime.setDevice(0)
    yield cupy
    driver.run_at_once()
    assert cupy.cuda.get_current_stream() is cupy.cuda.Stream.null
    cupy.cuda.runtime.setDevice(0)


@pytest.fixture
def runtime(cupy):
    """The functions of CUDA's runtime."""
    return cupy.cuda.runtime


@pytest.fixture
def python_on_the_driver():
    """Run a program in a new process, with this driver; return what it prints."""

    def run(text, **environment):
        command = [sys.executable, "-c", textwrap.dedent(text)]
        root = Path(__file__).parents[2]
        variables = {**os.environ, "FAKE_GPUS": "2", **environment}
        return subprocess.run(command, cwd=root, env=variables, check=True, stdout=subprocess.PIPE, text=True).stdout

    return run
