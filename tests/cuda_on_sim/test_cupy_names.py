"""Names of CuPy that other projects use in their tests."""

import sys

import pytest

from accel.errors import CapabilityError
from accel.testing import cupy_on_sim
from accel.testing.simulation import drop


@pytest.fixture
def cp():
    """The module that stands for CuPy."""
    drop()
    with cupy_on_sim() as cupy:
        yield cupy
    drop()


def test_the_error_of_the_runtime_is_found_where_projects_look_for_it(cp):
    from cupy_backends.cuda.api.runtime import CUDARuntimeError

    assert CUDARuntimeError is cp.cuda.runtime.CUDARuntimeError
    assert sys.modules["cupy_backends"].cuda.api.runtime.CUDARuntimeError is CUDARuntimeError


def test_cupy_backends_is_gone_after_the_block():
    with cupy_on_sim():
        pass
    assert "cupy_backends" not in sys.modules


def test_subclasses_of_ndarray_are_refused(cp):
    class Mesh(cp.ndarray):
        pass

    with pytest.raises(CapabilityError, match="Mesh is a subclass of"):
        Mesh(3)


def test_functions_take_a_device_of_cupy(cp):
    xp = cp.empty(0).__array_namespace__()
    for number in (0, 2):
        device = cp.cuda.Device(number)
        for x in (xp.asarray([1, 2], device=device), xp.zeros(2, device=device), cp.empty(0).to_device(device)):
            assert x.device.index == number
