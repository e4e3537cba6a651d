"""Lazy names: imported at their first use, then found by Python alone."""

import sys
from types import ModuleType

import pytest

from accel.support.lazy import LazyNames


@pytest.fixture
def package(monkeypatch):
    """A package with a lazy function, a lazy submodule, and a name of its own."""
    made = {name: ModuleType(name) for name in ("planted", "planted.room", "planted.late")}
    for name, module in made.items():
        monkeypatch.setitem(sys.modules, name, module)
    made["planted.late"].compute = lambda: 5
    package = made["planted"]
    package.own = 1
    names = LazyNames("planted", {"compute": "planted.late", "room": "planted.room"}, ["compute", "own", "room"])
    package.__getattr__, package.__dir__ = names.fetch, names.listed
    return package


def test_names_are_fetched_and_kept(package):
    assert not {"compute", "room"} & set(vars(package))
    assert package.compute() == 5
    assert package.room is sys.modules["planted.room"]
    assert vars(package)["compute"] is package.compute
    assert vars(package)["room"] is package.room


def test_names_are_listed_before_they_are_fetched(package):
    assert {"compute", "own", "room", "__name__"} <= set(dir(package))
    assert not {"compute", "room"} & set(vars(package))


def test_other_names_are_attribute_errors(package):
    with pytest.raises(AttributeError, match="module 'planted' has no attribute 'tensor'"):
        package.tensor  # noqa: B018 - the access is the test
    assert not hasattr(package, "late")


@pytest.mark.parametrize("name", ["accel", "accel.layout", "accel.memory", "accel.testing"])
def test_lazy_packages_list_every_public_name(name, python):
    code = f"import {name} as package; print(sorted(set(package.__all__) - set(dir(package))))"
    assert python(code) == "[]"
