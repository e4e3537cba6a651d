"""The order of submissions explains random schedules of several threads; see `schedules`."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ..profiles import repeats
from .schedules import Bench, Entry, Operation

IN_FLIGHT = ["host unrecorded in flight", "host freed in flight"]
"""Bugs of asynchronous copies from and to the host."""


def schedules(*options):
    """Run schedules; return how they ended."""
    command = [sys.executable, Path(__file__).with_name("schedules.py"), *map(str, options)]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize(("devices", "count"), [("cpu", 700), ("cpu,sim", 300)])
def test_some_order_explains_all_that_was_read_and_left(devices, count):
    done = schedules("--devices", devices, "--count", repeats(count))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("devices", ["cpu,cuda:0", "cpu,cuda:0,cuda:1"])
def test_some_order_explains_what_gpus_read_and_left_that_keep_work_in_order_without_events(devices, seed):
    done = schedules("--devices", devices, "--standin", seed, "--seed", 1000 * seed, "--count", repeats(300))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_covered_work_is_placed_after_what_wrote_its_source_and_before_what_uses_its_target():
    """Both may be recorded between the two checks of a copy."""
    source, target = object(), object()
    bench, copy = object.__new__(Bench), Operation("copy")
    checks = [(Entry(None, ()), (target, 0, 9, True, False)), (Entry(None, ()), (source, 0, 9, False, False))]
    read, written = Entry("read", [(target, 0, 9, False, False)]), Entry("write", [(source, 0, 9, True, False)])
    bench.log, bench.doing = [checks[0][0], read, written, checks[1][0]], {threading.get_ident(): copy}
    bench.place(checks)
    assert [operation for operation, _ in bench.log] == ["write", copy, "read", None]


@pytest.mark.slow
@pytest.mark.parametrize("bug", ["no gate", "no use", "closed is open", "host unrecorded", *IN_FLIGHT])
def test_a_planted_bug_is_seen(bug):
    done = schedules("--devices", "cpu,cuda:0", "--standin", 4, "--count", 6000, "--plant", bug)
    assert "no order explains" in done.stdout
