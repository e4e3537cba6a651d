"""After a storm of interrupts nothing is lost, overwritten, leaked or left waiting; see `storm`."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs POSIX signals")


def storm(device, *options):
    """Run a storm in a process of its own, and return what it found."""
    command = [sys.executable, "-W", "error", Path(__file__).with_name("storm.py"), "--device", str(device), *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@pytest.mark.slow
def test_at_random_moments(device):
    assert storm(device, "--seconds", "2") == ""


@pytest.mark.slow
@pytest.mark.parametrize(("device", "step"), [("cpu", 3), ("sim", 7)])
def test_at_each_moment_of_each_operation(device, step):
    assert storm(device, "--moments", str(step)) == ""
