"""The tree drawn in the docstring of accel.errors is the tree of its classes."""

import builtins
import pickle
import re

import pytest

from accel import errors

from .tables import rows

CLASSES = [getattr(errors, name) for name in errors.__all__ if name != "HostCopyWarning"]
BRANCH = re.compile(r"^ *([│ ]*)[├└]── (\w+)(?: \(([\w, ]+)\))?", re.MULTILINE)


def drawn():
    """Return name -> names of the bases, as the docstring draws them."""
    above = ["AccelError"]
    tree = {"AccelError": ["Exception"]}
    for indent, name, inherited in BRANCH.findall(errors.__doc__):
        del above[len(indent) // 4 + 1 :]
        tree[name] = [above[-1], *filter(None, inherited.split(", "))]
        above.append(name)
    return tree


def test_the_drawing_is_the_tree():
    assert drawn() == {each.__name__: [base.__name__ for base in each.__bases__] for each in CLASSES}


def test_every_class_of_the_module_is_exported_in_order():
    defined = [name for name, value in vars(errors).items() if isinstance(value, type)]
    assert errors.__all__ == sorted(defined)


def test_each_is_raised_or_caught_somewhere(sources):
    used = "".join(text for file, text in sources.items() if file != "accel/errors.py")
    assert [each.__name__ for each in CLASSES if not re.search(rf"\b{each.__name__}\b", used)] == []


@rows("error", CLASSES)
def test_a_stranger_catches_it_as_a_builtin(error):
    inherited = [base for base in error.__mro__ if vars(builtins).get(base.__name__) is base]
    assert set(inherited) > {Exception, BaseException, object} or error is errors.AccelError
    assert issubclass(error, errors.AccelError)


@rows("error", CLASSES)
def test_it_survives_pickling(error):
    restored = pickle.loads(pickle.dumps(error("asked, found, instead")))
    assert type(restored) is error
    assert str(restored) == "asked, found, instead"


@rows("error", CLASSES)
def test_it_survives_the_pickling_of_dask(error):
    reduce, arguments = pytest.importorskip("tblib.pickling_support").pickle_exception(error("asked, found, instead"))[
        :2
    ]
    restored = reduce(*arguments)
    assert type(restored) is error
    assert str(restored) == "asked, found, instead"


@rows("error", CLASSES)
def test_it_says_what_it_is(error):
    assert error.__doc__.endswith(".")
