"""Fixtures of the tests of `accel.testing`."""

import gc
import subprocess
import sys
import textwrap

import pytest

from accel import Device, using
from accel.testing.simulation import drop

# These few lines need no cache, no other order, and nothing that takes half of a second to load.
WITHOUT = [part for name in ("cacheprovider", "randomly", "hypothesispytest", "zarr") for part in ("-p", f"no:{name}")]


@pytest.fixture(autouse=True)
def nothing_is_in_flight():
    """Simulated devices are idle and garbage is collected before and after each test."""
    drop()
    gc.collect()
    yield
    drop()
    gc.collect()


@pytest.fixture(params=["cpu", "sim"])
def place(request):
    """The host, then a simulated device; the default device of the test."""
    with using(device=request.param):
        yield Device(request.param)


@pytest.fixture
def project(tmp_path):
    """Return a function that runs the tests of a project and returns the output of pytest."""

    def run(code, outcome, *options, settings="", status=None):
        (tmp_path / "test_it.py").write_text(textwrap.dedent(code))
        (tmp_path / "pytest.ini").write_text(f"[pytest]\nfilterwarnings = error\n{settings}\n")
        command = [sys.executable, "-m", "pytest", "-v", *WITHOUT, *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert f" {outcome} in " in done.stdout, done.stdout + done.stderr
        assert status in {None, done.returncode}
        return done.stdout

    return run
