"""array-api-compat, and its copies in SciPy and scikit-learn, know without a computation that arrays are not lazy."""

from importlib import import_module
from types import ModuleType

import numpy as np
import pytest

from accel import xp
from accel.memory import heap_of
from accel.xp.registrations.array_api_compat import register

LIBRARIES = ["array_api_compat", "scipy._lib.array_api_compat", "sklearn.externals.array_api_compat"]
SHAPES = [(), (0,), (3, 4)]


@pytest.fixture(params=LIBRARIES)
def compat(request):
    return import_module(f"{request.param}.common")


@pytest.fixture
def work(sim, monkeypatch):
    """The devices on which work was done since the start of the test."""
    devices = []
    monkeypatch.setattr(heap_of(sim).backend.faults, "at_work", devices.append)
    return devices


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float64", "bool", "complex64", "bfloat16"])
def test_nothing_is_computed_to_find_out(sim, compat, work, shape, dtype):
    x = xp.ones(shape, dtype=dtype, device=sim)
    work.clear()
    assert compat.is_lazy_array(x) is False
    assert work == []
    assert bool(xp.all(x)) is True
    assert work != []


def test_nor_by_the_other_helpers(sim, compat, work):
    x = xp.ones((2, 3), device=sim)
    work.clear()
    assert compat.array_namespace(x, 1.0, None) is xp
    assert (compat.device(x), compat.size(x)) == (sim, 6)
    assert compat.is_array_api_obj(x)
    assert compat.is_writeable_array(x)
    assert not compat.is_numpy_array(x)
    assert compat.to_device(x, sim) is x
    assert work == []
    assert compat.to_device(x, xp.Device.CPU).device is xp.Device.CPU


def test_other_classes_are_asked_about_as_before(compat):
    class Stranger:
        shape = (None,)

        def __array_namespace__(self, api_version=None):
            return xp

    assert compat.is_lazy_array(np.ones(3)) is False
    assert compat.is_lazy_array([1, 2]) is False
    assert compat.is_lazy_array(Stranger()) is True


def test_a_version_that_does_not_ask_about_classes_is_left_alone():
    helpers = ModuleType("helpers")
    register(helpers)
    assert not hasattr(helpers, "_is_lazy_cls")
