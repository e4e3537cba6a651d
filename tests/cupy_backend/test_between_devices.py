"""`xp.from_dlpack` between the host, the simulated device and those of the stand-in; implicit copies from these."""

import sys

import numpy as np
import pytest

import accel
from accel import Device, xp
from accel.errors import DeviceMismatchError, InterchangeError
from accel.interchange.capsule import read_capsule

from .standin.namespace import namespace

VALUES = np.arange(12.0).reshape(3, 4)
VIEWS = {"all": np.s_[...], "column": np.s_[:, 1], "reversed": np.s_[::-1, ::2], "no elements": np.s_[:0]}


class Wrapped:
    """An object of another library, which has nothing of ours but the protocol."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


@pytest.fixture
def gpu(gpu_machine, monkeypatch):
    """The first device of a machine whose arrays compute."""
    monkeypatch.setitem(sys.modules, "array_api_compat.cupy", namespace(sys.modules["cupy"]))
    return Device("gpu")


@pytest.fixture
def devices(gpu):
    return Device.CPU, Device.SIM, gpu, gpu[1]


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("copy", [None, True, False])
@pytest.mark.parametrize("wrap", [lambda x: x, Wrapped], ids=["directly", "by a capsule"])
def test_elements_arrive_where_they_are_wanted(devices, wrap, copy, view):
    for source in devices:
        x = xp.asarray(VALUES, device=source, copy=True)[VIEWS[view]]
        for target in devices:
            if copy is False and (target is not source or (wrap is Wrapped and view == "reversed")):
                with pytest.raises(InterchangeError, match="copy"):
                    xp.from_dlpack(wrap(x), device=target, copy=copy)
                continue
            y = xp.from_dlpack(wrap(x), device=target, copy=copy)
            assert y.device is target
            np.testing.assert_array_equal(np.asarray(y.to_device("cpu")), VALUES[VIEWS[view]])


def test_the_host_gets_a_copy_that_is_counted_if_copies_are_allowed(gpu):
    x = xp.asarray([1.0, 1.0, 1.0], device=gpu)
    before = xp.host_copies()
    with pytest.raises(DeviceMismatchError, match="NumPy cannot read it there"):
        np.asarray(x)
    with accel.using(host_copies="allow"):
        assert np.asarray(x).tolist() == [1.0, 1.0, 1.0]
    assert (xp.host_copies() - before).nbytes == 24


@pytest.mark.parametrize("setting", ["never", "allow"])
def test_dlpack_exchanges_what_other_libraries_can_read_without_a_copy(gpu, setting):
    x = xp.asarray([1.0, 1.0, 1.0], device=gpu)
    with accel.using(host_copies=setting):
        assert x.__dlpack_device__() == gpu.dlpack == read_capsule(x.__dlpack__(stream=-1)).device
        assert np.from_dlpack(x, device="cpu").tolist() == [1.0, 1.0, 1.0]
