"""The commands of the recipe for CI, in projects of each kind; that for numba.cuda is tested beside its other tests."""

import re
import shlex
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/guide/fake_gpu.md"

pytestmark = pytest.mark.slow


def words(kind):
    """Return the words of the command for a kind of project."""
    [command] = re.findall(rf"^\| {re.escape(kind)} \|.*`(.*)` \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return shlex.split(command)


def test_a_parameter_gets_the_namespace_on_each_device(project):
    code = """
        import numpy
        import pytest

        @pytest.mark.parametrize("xp", [numpy])
        def test_it(xp):
            assert float(xp.sum(xp.ones(3))) == 3
    """
    pytest_, *options = words("arrays of any library, by a parameter or fixture `xp`")
    assert pytest_ == "pytest"
    project(code, "2 passed, 1 deselected", *options)


def test_a_variable_names_the_namespace_and_another_the_device(project, monkeypatch):
    code = """
        import importlib
        import os

        def test_it():
            xp = importlib.import_module(os.environ["YOUR_VARIABLE"])
            assert str(xp.ones(3).device) == "sim"
    """
    *variables, pytest_ = words("arrays of any library, named by a variable of the environment")
    assert pytest_ == "pytest"
    for variable in variables:
        monkeypatch.setenv(*variable.split("="))
    project(code, "1 passed")


def test_a_project_for_cupy_is_told_that_there_is_a_gpu(project):
    code = """
        from importlib.util import find_spec
        import pytest

        def test_it():
            assert find_spec("cupy")
            cupy = pytest.importorskip("cupy")
            assert cupy.is_available()
            assert cupy.ones(3).sum().get() == 3
    """
    pytest_, *options = words("CuPy")
    assert pytest_ == "pytest"
    project(code, "1 passed", *options)
