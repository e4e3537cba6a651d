"""The order of submissions explains random schedules of several threads; see `schedules`."""

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(("devices", "count"), [("cpu", 700), ("cpu,sim", 300)])
def test_some_order_explains_all_that_was_read_and_left(devices, count):
    command = [sys.executable, Path(__file__).with_name("schedules.py"), "--devices", devices, "--count", str(count)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
