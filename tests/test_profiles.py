"""What the profile quick leaves out, on tests of our own."""

import subprocess
import sys

import pytest

TESTS = """
import pytest
from hypothesis import given, settings, strategies as st

COUNT = []

@pytest.mark.slow
def test_slow():
    pass

@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("row", range(20))
def test_many(row, device):
    pass

@pytest.mark.parametrize(("a", "b"), [(0, 1), (1, 0), *[(n, n) for n in range(20)]])
def test_rows_of_a_table(a, b):
    pass

@settings(max_examples=80)
@given(st.integers())
def test_property(number):
    COUNT.append(number)

def test_count():
    print("examples:", len(COUNT))
"""

COMPILED = """
import pytest
from tests.profiles import QUICK, keep_one_value

@pytest.hookimpl(wrapper=True, trylast=True)
def pytest_generate_tests(metafunc):
    yield
    if QUICK:
        keep_one_value(metafunc, "width", metafunc.definition.path.name)

@pytest.fixture(params=[32, 64])
def width(request):
    return request.param
"""
TESTS_OF_COMPILED = """
import pytest

def test_width(width):
    pass

@pytest.mark.parametrize("width", [32, 64])
def test_width_of_its_own(width):
    pass
"""


@pytest.fixture
def run(root, tmp_path):
    """A function that runs the tests in a profile, and returns what pytest printed."""
    (tmp_path / "test_ours.py").write_text(TESTS)
    (tmp_path / "conftest.py").write_text(
        "from tests.conftest import pytest_collection_modifyitems, pytest_generate_tests\n"
    )

    (tmp_path / "compiled").mkdir()
    (tmp_path / "compiled/conftest.py").write_text(COMPILED)
    (tmp_path / "compiled/test_compiled.py").write_text(TESTS_OF_COMPILED)

    def output(profile):
        options = ["-p", "no:cacheprovider", "-p", "no:randomly", "-rA", "--import-mode=importlib"]
        command = [sys.executable, "-m", "pytest", *options, tmp_path]
        environment = {"PATH": "", "PYTHONPATH": str(root), "ACCEL_TEST_PROFILE": profile, "HOME": str(tmp_path)}
        return subprocess.run(
            command, check=False, capture_output=True, text=True, cwd=tmp_path, env=environment
        ).stdout

    return output


def test_quick_has_each_value_of_each_parameter_and_each_row_of_a_table(run):
    printed = run("quick")
    assert "test_slow" not in printed
    assert printed.count("PASSED test_ours.py::test_rows_of_a_table") == 22
    many = [line for line in printed.splitlines() if line.startswith("PASSED test_ours.py::test_many")]
    assert 20 <= len(many) <= 21
    assert all(any(f"[{row}-" in line or f"-{row}]" in line for line in many) for row in range(20))
    assert all(any(device in line for line in many) for device in ("cpu", "sim"))
    assert printed.count("::test_width[") == 1
    assert printed.count("::test_width_of_its_own[") == 2


@pytest.mark.slow
def test_quick_has_an_eighth_of_the_examples(run):
    assert "examples: 10\n" in run("quick")


@pytest.mark.slow
def test_full_has_all(run):
    printed = run("full")
    assert "examples: 80\n" in printed
    assert "PASSED test_ours.py::test_slow" in printed
    assert printed.count("PASSED test_ours.py::test_many") == 40
    assert printed.count("::test_width[") == 2
