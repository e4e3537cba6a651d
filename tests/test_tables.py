"""A table is one test, and each of its rows is run and told apart."""

import subprocess
import sys

import pytest

TESTS = """
import pytest
from tests.tables import rows

@pytest.mark.parametrize("device", ["cpu", "sim"])
@rows("a, b", [(1, 1), (2, 3), (4, 4)])
def test_equal(tmp_path, device, a, b):
    assert a == b

class TestClass:
    @rows("word", ["", "x"])
    def test_empty(self, word):
        assert not word
"""


@pytest.mark.slow
def test_each_row_that_fails_is_named_and_those_after_it_are_run(root, tmp_path):
    (tmp_path / "test_ours.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "2", "-rA", tmp_path]
    environment = {"PATH": "", "PYTHONPATH": str(root), "HOME": str(tmp_path)}
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.stdout.count("SUBFAILED[2 3] test_ours.py::test_equal") == 2
    assert done.stdout.count("SUBFAILED[x] test_ours.py::TestClass::test_empty") == 1
    assert "[1 1]" not in done.stdout.replace("SUBPASSED[1 1]", "")
    assert done.returncode == 1
