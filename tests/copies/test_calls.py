"""A copy passes through few Python functions; `benchmarks/calls.py` says how they are counted."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "calls.py"


@pytest.fixture(scope="module")
def counted():
    """The numbers of calls, counted in a process of its own: settings and debug modes of other tests add calls."""
    done = subprocess.run([sys.executable, str(SCRIPT)], check=True, capture_output=True, text=True, timeout=200)
    return json.loads(done.stdout)


def test_a_small_copy_on_the_host_makes_at_most_10_calls(counted):
    assert counted["4 x 4"]["calls"] <= 10


def test_a_transpose_by_a_compiled_kernel_makes_at_most_60_calls(counted):
    pytest.importorskip("llvmlite")
    assert counted["1024 x 1024 transposed"]["calls"] <= 60
