"""The stage of `ci/gpu` that runs the array standard's own tests; here on tests of our own."""

import itertools
import json
import subprocess
import sys

import pytest

from .standard_checkout import KNOWN, STANDARD, checkout

pytestmark = pytest.mark.slow

MIXED = """
import pytest

@pytest.mark.parametrize("case", ["remainder(x1_i is +0 and x2_i < 0) -> -0", "of CuPy", "neither"])
def test_binary(case):
    assert case != "of CuPy"

def test_skipped():
    pytest.skip("not here")

@pytest.fixture
def broken():
    yield
    raise ValueError("too late")

def test_that_ends_badly(broken):
    pass
"""


def standard(root, folder, seconds=60, processes=1):
    """Run only the stage of the array standard; return its exit status, its record and its output."""
    how = ["--seconds", str(seconds), "--processes", str(processes)]
    command = [sys.executable, "-B", root / "ci/standard.py", folder, *how]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout), done.stderr


@pytest.mark.parametrize("processes", [1, 3])
def test_of_the_standards_tests_all_are_counted_and_what_is_not_expected_is_named(root, tmp_path, processes):
    status, report, said = standard(root, checkout(tmp_path, MIXED), processes=processes)
    counts = {"passed": 1, "failed": 2, "xfailed": 0, "xpassed": 1, "skipped": 1, "not run": 0}
    file = "array_api_tests/test_special_cases.py"
    failed = [f"{file}::test_binary[of CuPy]", f"{file}::test_that_ends_badly"]
    assert (status, report) == (1, {"counts": counts, "failed": failed, "xfailed": [], "xpassed": [KNOWN]})
    for name in failed:
        assert f"failed, and is not known to: {name}" in said
    assert f"passed, and is known to fail: {KNOWN}" in said
    assert said.splitlines()[-1] == "1 passed, 2 failed, 0 xfailed, 1 xpassed, 1 skipped, 0 not run"


def test_what_the_standards_tests_had_no_time_for_is_counted_and_no_success(root, tmp_path):
    status, report, _ = standard(root, checkout(tmp_path, STANDARD), seconds=0)
    assert (status, report["counts"]["not run"]) == (1, 1)  # a test that has started is finished


def test_a_checkout_without_tests_of_the_standard_is_no_success(root, tmp_path):
    status, report, _ = standard(root, checkout(tmp_path, ""), processes=2)
    assert (status, report["counts"]["passed"]) == (1, 0)


def test_tests_of_the_standard_that_cannot_be_loaded_are_no_success(root, tmp_path):
    status, report, _ = standard(root, checkout(tmp_path, "import nothing_of_this_name"))
    assert (status, report["failed"]) == (1, ["array_api_tests/test_special_cases.py"])


def test_each_known_failure_has_a_reason_above_it(root):
    text = (root / "ci/gpu_array_standard_xfails.txt").read_text()
    title, *groups = text.split("\n\n")
    assert title.startswith("#")
    for group in groups:
        reason, *lines = group.splitlines()
        assert reason.startswith("# ")
        tests = list(itertools.dropwhile(lambda line: line.startswith("# "), lines))
        assert tests
        assert all(test.startswith("array_api_tests/") for test in tests)
