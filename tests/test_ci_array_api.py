"""`ci/array_api.py`, here on a checkout that contains tests of our own."""

import subprocess
import sys

import pytest

from .cupy_backend.standard_checkout import OPTIONS

pytestmark = pytest.mark.slow

TESTS = """
import os
from pathlib import Path

NEWEST = {"2025.12": "accel.xp"}

def test_device_version_and_standard():
    version, module = os.environ["ARRAY_API_TESTS_VERSION"], os.environ["ARRAY_API_TESTS_MODULE"]
    assert os.environ["ACCEL_DEVICE"] in ("cpu", "sim")
    if version == "2025.12":
        assert module == "accel.xp"
    else:
        names = {}
        exec(module[6:-2], names)
        assert names["xp"].__array_api_version__ == version
    assert (Path(__file__).parent.parent / "array-api" / "spec" / version).is_dir()

def test_on_sim():
    assert os.environ["ACCEL_DEVICE"] != "sim"
"""
KNOWN = "array_api_tests/test_own.py::test_on_sim\n"


@pytest.fixture(params=["inside", "beside"])
def checkout(request, tmp_path):
    """A checkout of the standard's tests, with the standard inside it or beside it, and lists of known failures."""
    tests = tmp_path / "tests"
    (tests / "array_api_tests").mkdir(parents=True)
    (tests / "array_api_tests/test_own.py").write_text(TESTS)
    (tests / "conftest.py").write_text(OPTIONS)
    (tests / "pytest.ini").write_text("[pytest]\n")
    if request.param == "beside":
        (tests / "array-api").mkdir()  # as git leaves a submodule that was not fetched
    standard = tests if request.param == "inside" else tmp_path
    for version in ("2024.12", "2025.12"):
        (standard / "array-api/spec" / version).mkdir(parents=True)
    (tmp_path / "xfails").mkdir()
    for device, known in (("cpu", ""), ("sim", KNOWN)):
        (tmp_path / "xfails" / f"{device}.txt").write_text(known)
    return tests


def run(root, checkout, *options):
    """Run the script; return its exit status and what it printed."""
    command = [sys.executable, "-B", root / "ci/array_api.py", checkout, "--version", "2025.12", "2024.12"]
    command += ["--xfails", checkout.parent / "xfails", "--examples", "1", "--processes", "1", *options]
    done = subprocess.run([*map(str, command)], check=False, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def files(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*"))


def test_what_is_listed_may_fail_and_nothing_is_written_into_the_checkout(root, checkout):
    before = files(checkout)
    status, said = run(root, checkout)
    lines = [f"cpu {version}: 2 passed" for version in ("2025.12", "2024.12")]
    lines += [f"sim {version}: 1 passed, 1 xfailed" for version in ("2025.12", "2024.12")]
    assert (status, said.splitlines()) == (0, lines)
    assert files(checkout) == before


def test_what_is_not_listed_fails(root, checkout):
    (checkout.parent / "xfails/sim.txt").write_text("")
    status, said = run(root, checkout, "--device", "sim", "--version", "2025.12")
    assert status == 1
    assert "sim 2025.12: 1 passed, 1 failed" in said
    assert f"    failed, and is not known to: {KNOWN}" in said


def test_what_is_listed_and_passes_fails(root, checkout):
    (checkout.parent / "xfails/cpu.txt").write_text(KNOWN)
    status, said = run(root, checkout, "--device", "cpu", "--version", "2025.12")
    assert (status, said) == (1, f"cpu 2025.12: 1 passed, 1 xpassed\n    passed, and is known to fail: {KNOWN}")


def test_a_folder_that_is_no_checkout_is_refused(root, tmp_path):
    status, said = run(root, tmp_path / "empty")
    assert status == 1
    assert "is needed as a checkout of data-apis/array-api-tests" in said


@pytest.mark.parametrize(
    ("name", "start"),
    [(name, "array_api_tests/") for name in ("cpu", "sim", "cpu-fused", "sim-fused")] + [("cupy_fusion", "test_")],
)
def test_each_known_failure_has_a_reason_above_it(root, name, start):
    title, *groups = (root / f"ci/xfails/{name}.txt").read_text().split("\n\n")
    assert title.startswith("# ")
    for group in groups:
        reason, *tests = group.splitlines()
        assert reason.startswith("# ")
        assert all(test.startswith((start, "# ")) for test in tests)
        assert tests[-1].startswith(start)


FUSED = """
import os

names = {}
exec(os.environ["ARRAY_API_TESTS_MODULE"][6:-2], names)
xp = names["xp"]

def test_functions_and_operators_are_fused():
    x = xp.ones(3)
    explained = []
    import fused_namespace
    fuse = fused_namespace.accel.fuse

    def counting(function):
        explained.append(function)
        return fuse(function)

    fused_namespace.accel.fuse = counting
    try:
        assert float(xp.sum(x + 1)) == 6.0
        assert x[x > 0].shape == (3,)
        assert xp.linalg.vector_norm(x).shape == ()
    finally:
        fused_namespace.accel.fuse = fuse
    assert len(explained) == 4
"""


def test_with_fused_each_function_that_a_test_calls_is_fused(root, checkout):
    (checkout / "array_api_tests/__init__.py").touch()
    (checkout / "array_api_tests/test_own.py").write_text(FUSED)
    (checkout.parent / "xfails/cpu-fused.txt").write_text("")
    status, said = run(root, checkout, "--device", "cpu", "--fused")
    assert (status, said) == (0, "cpu 2025.12, fused: 1 passed\n")
