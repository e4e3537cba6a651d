"""A checkout of the array standard's tests that contains test functions of our own."""

__all__ = ["KNOWN", "OPTIONS", "STANDARD", "checkout"]

STANDARD = """
import os
import pytest

def test_the_namespace_and_the_device_are_chosen(max_examples):
    assert (os.environ["ARRAY_API_TESTS_MODULE"], os.environ["ACCEL_DEVICE"]) == ("accel.xp", "cuda:0")

@pytest.mark.parametrize("case", ["remainder(x1_i is +0 and x2_i < 0) -> -0"])
def test_binary(case):
    assert False
"""
KNOWN = "array_api_tests/test_special_cases.py::test_binary[remainder(x1_i is +0 and x2_i < 0) -> -0]"
# How the conftest.py of the standard's own tests uses its options.
OPTIONS = """
import pytest

def pytest_addoption(parser):
    parser.addoption("--max-examples", type=int)
    parser.addoption("--xfails-file")
    parser.addoption("--disable-deadline", action="store_true")

def pytest_collection_modifyitems(config, items):
    expected = open(config.getoption("--xfails-file")).read().splitlines()
    for item in items:
        if item.nodeid in expected:
            item.add_marker(pytest.mark.xfail(reason="known"))

@pytest.fixture
def max_examples(request):
    return request.config.getoption("--max-examples")
"""


def checkout(folder, tests):
    """Make a checkout of the standard's tests that contains test functions of our own."""
    (folder / "standard/array_api_tests").mkdir(parents=True)
    (folder / "standard/array_api_tests/test_special_cases.py").write_text(tests)
    (folder / "standard/conftest.py").write_text(OPTIONS)
    (folder / "standard/pytest.ini").write_text("[pytest]\n")
    return folder / "standard"
