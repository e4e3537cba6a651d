"""`xp.from_dlpack` between all pairs of devices, from every kind of producer, with and without a copy."""

import numpy as np
import pytest

import accel
from accel import Device, Layout, xp
from accel.errors import InterchangeError
from accel.interchange.capsule import read_capsule

DEVICES = ["cpu", "sim", "sim:1"]
VALUES = np.arange(12.0).reshape(3, 4)


def array(device):
    return xp.asarray(VALUES, device=device, copy=True)


PRODUCERS = {
    "array": array,
    "column": lambda device: array(device)[:, 1],
    "reversed": lambda device: array(device)[::-1, ::2],
    "broadcast": lambda device: xp.broadcast_to(array(device), (2, 3, 4)),
    "no elements": lambda device: array(device)[:0, :],
    "no axes": lambda device: array(device)[1, 2],
    "container": lambda device: array(device).container(),
    "view": lambda device: array(device).container().view(Layout.row_major(3, 4)),
    "container without elements": lambda device: accel.empty(0, device=device),
    "storage": lambda device: accel.AcceleratorDataContainer.on(array(device).storage),
}
OTHERS = {
    "another library": lambda foreign: foreign(VALUES.copy()),
    "NumPy": lambda foreign: VALUES.copy(),
}


@pytest.fixture(params=PRODUCERS.values(), ids=PRODUCERS)
def produce(request):
    return request.param


def values_of(x):
    return np.asarray(x.to_device("cpu"))


def expected(produce):
    return values_of(xp.asarray(produce("cpu")))


@pytest.mark.parametrize("wrapped", [False, True], ids=["directly", "by a capsule"])
@pytest.mark.parametrize("copy", [None, True, False])
@pytest.mark.parametrize("target", [None, *DEVICES])
@pytest.mark.parametrize("source", DEVICES)
def test_elements_arrive_where_they_are_wanted(produce, source, target, copy, wrapped, foreign):
    x = produce(source)
    given = foreign(x) if wrapped else x
    moves = target not in (None, source)
    reverse = wrapped and isinstance(x, xp.Array) and min(x.__accel_operand__().strides or (0,)) < 0
    if copy is False and (moves or reverse):
        with pytest.raises(InterchangeError, match="copy"):
            xp.from_dlpack(given, device=target, copy=copy)
        return
    y = xp.from_dlpack(given, device=target, copy=copy)
    assert y.device is Device(target or source)
    np.testing.assert_array_equal(values_of(y), expected(produce))
    if y.size and not moves and not reverse:
        shares = y.__accel_operand__().address == x.__accel_operand__().address
        assert shares is (copy is not True)


@pytest.mark.parametrize("target", DEVICES)
@pytest.mark.parametrize("copy", [None, True])
@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
def test_arrays_of_other_libraries_arrive(foreign, make, copy, target):
    x = xp.from_dlpack(make(foreign), device=target, copy=copy)
    assert x.device is Device(target)
    np.testing.assert_array_equal(values_of(x), VALUES)


@pytest.mark.parametrize("make", OTHERS.values(), ids=OTHERS)
def test_arrays_of_other_libraries_on_the_host_are_no_device_arrays(foreign, make):
    with pytest.raises(InterchangeError, match="from cpu to sim are exchanged by a copy only; write copy=None"):
        xp.from_dlpack(make(foreign), device="sim", copy=False)


@pytest.mark.parametrize("source", DEVICES)
class TestTheHost:
    def test_gets_a_finished_copy_on_request(self, produce, source):
        x = produce(source)
        contents = read_capsule(capsule := x.__dlpack__(max_version=(1, 0), dl_device=(1, 0)))
        assert contents.device == (1, 0)
        assert contents.copied or source == "cpu"
        del capsule
        np.testing.assert_array_equal(np.from_dlpack(x, device="cpu"), expected(produce))

    def test_gets_no_view_of_a_device(self, produce, source):
        x = produce(source)
        if source != "cpu":
            with pytest.raises(InterchangeError, match=f"from {source} to cpu are exchanged by a copy only"):
                x.__dlpack__(dl_device=(1, 0), copy=False)

    def test_strides_are_never_negative(self, source):
        x = array(source)[::-1, ::-2]
        for asked in ({}, {"copy": True}, {"dl_device": (1, 0)}):
            assert min(read_capsule(x.__dlpack__(max_version=(1, 0), **asked)).strides) > 0
        with pytest.raises(InterchangeError):
            x.__dlpack__(copy=False)

    def test_other_devices_cannot_be_asked_for(self, produce, source):
        for dl_device in ((2, 0), (10, 0), (12, 7), (1, 1)):
            with pytest.raises(InterchangeError, match="can be exported there or to the host"):
                produce(source).__dlpack__(dl_device=dl_device)


@pytest.mark.parametrize("source", DEVICES)
@pytest.mark.parametrize("target", [None, *DEVICES])
def test_read_only_elements_stay_so_where_they_are_shared(source, target, foreign):
    y = xp.from_dlpack(foreign(xp.broadcast_to(array(source), (2, 3, 4))), device=target)
    if target in (None, source):
        with pytest.raises(ValueError, match="share memory"):
            y[0, 0, 0] = 1
    else:
        y[0, 0, 0] = 1
        assert float(y[0, 0, 0]) == 1
