"""The docstrings of the functions of `accel.xp` that are compiled or made: their examples, and what they describe."""

import doctest
import inspect

import pytest

from accel import xp
from accel.xp import functions, numpy_functions
from accel.xp.documentation import entries
from accel.xp.documentation.parameters import OF_SECTIONS, TEXTS
from accel.xp.numpy_rows import CORE, LINALG
from accel.xp.signatures import parsed

from ..docstrings import Docstring
from ..profiles import slow

SECTIONS = {
    "": [functions.core(), numpy_functions.core()],
    "fft.": [functions.fft()],
    "linalg.": [functions.linalg(), numpy_functions.linalg()],
    "special.": [functions.special()],
}
PATHS = [f"{section}{name}" for section, all_made in SECTIONS.items() for made in all_made for name in made]
DRAWS = xp.random._DISTRIBUTIONS.split()


def function(path):
    section, _, name = path.rpartition(".")
    return getattr(getattr(xp, section) if section else xp, name)


def test_each_function_has_an_entry_and_each_entry_a_function():
    assert sorted(entries.names()) == sorted([*PATHS, *(f"random.{name}" for name in DRAWS)])


@pytest.mark.parametrize("name", DRAWS)
def test_distributions_have_the_parameters_of_numpy(name):
    method = getattr(xp.random.Generator, name)
    assert list(entries.entry(f"random.{name}").parameters) == list(inspect.signature(method).parameters)[1:]
    assert f"numpy.random.Generator.{name}.html" in method.__doc__


@pytest.mark.parametrize("device", [*slow([("cpu",)]), "sim"])
def test_examples_show_what_the_functions_return(device):
    """On the simulated device too, where only the name of the device is another; on the host pytest runs most."""
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(verbose=False)
    for path in PATHS:
        text = inspect.getdoc(function(path)).replace("device=cpu", f"device={device}")
        test = parser.get_doctest(text, {}, path, None, None)
        assert f"xp.{path}(" in test.examples[-1].source or f"xp.{path}(" in test.examples[1].source
        with xp.default_device(device):
            runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_each_parameter_is_described_with_its_type():
    for path in PATHS:
        doc = Docstring(inspect.getdoc(function(path)))
        lines = doc.sections["Parameters"].strip().splitlines()
        heads = [index for index, line in enumerate(lines) if not line.startswith(" ")]
        for index in heads:
            name, _, kind = lines[index].partition(" : ")
            assert kind or name.startswith("**"), (path, name)
            assert lines[index + 1].startswith("    "), (path, name)
            assert lines[index + 1].strip().endswith((".", ",")) or index + 2 not in heads, (path, name)


def test_no_text_is_for_a_parameter_that_no_function_has():
    named = {path: {each.lstrip("*") for each in inspect.signature(function(path)).parameters} for path in PATHS}
    for path in PATHS:
        own = set(entries.entry(path).parameters)
        assert own <= named[path] | {"args"}, path
    everywhere = set().union(*named.values()) | {"device", "like"}
    assert TEXTS.keys() <= everywhere
    for section, texts in OF_SECTIONS.items():
        assert texts.keys() <= set().union(*(names for path, names in named.items() if path.startswith(section)))


@pytest.mark.parametrize("row", parsed(CORE), ids=lambda row: row.name)
def test_signatures_for_types_have_the_parameters_of_numpy(row):
    ours = [*row.args.posonlyargs, *row.args.args, *row.args.kwonlyargs]
    theirs = inspect.signature(function(row.name)).parameters.values()
    named = [each.name for each in theirs if each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)]
    assert [each.arg for each in ours] == named


def test_the_rows_are_those_of_the_functions():
    assert {each.name for each in parsed(CORE)} == set(numpy_functions.core())
    assert {each.name for each in parsed(LINALG)} == set(numpy_functions.linalg())
