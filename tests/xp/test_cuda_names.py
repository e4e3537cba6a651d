"""`xp.cuda`: CuPy's names of devices, streams and events, for programs that read `accel.xp` as CuPy."""

from contextvars import copy_context

import pytest

import accel
from accel import xp


@pytest.fixture(autouse=True)
def default(device):
    with accel.using(device=str(device)):
        yield


def test_arrays_are_made_on_the_current_device(device):
    with xp.cuda.Device(0) as current:
        assert xp.ones(3).device is device
        assert (current.id, int(current), current) == (0, 0, xp.cuda.Device())
    current.synchronize()
    assert xp.cuda.is_available() is (device is not accel.Device.CPU)


def test_another_device_is_used_until_the_next(sim):
    copy_context().run(used, sim)  # what is used stays so in the thread


def used(sim):
    with accel.using(device=str(sim)):
        for number in (1, 0, 1):
            xp.cuda.Device(number).use()
            assert xp.ones(3).device is accel.Device(f"sim:{number}")
            assert xp.cuda.runtime.getDevice() == number
        xp.cuda.runtime.setDevice(0)
        assert xp.cuda.Device() == xp.cuda.Device(0)
        assert {xp.cuda.Device(0), xp.cuda.Device()} == {xp.cuda.Device(0)}


def test_work_on_streams_is_timed_and_waited_for():
    stream, start, end = xp.cuda.Stream(non_blocking=True), xp.cuda.Event(), xp.cuda.Event()
    start.record()
    with stream:
        x = xp.ones(10) + 1
        assert xp.cuda.get_current_stream() == stream
    stream.record(end)
    end.synchronize()
    stream.synchronize()
    xp.cuda.Stream.null.synchronize()
    xp.cuda.stream.get_current_stream().synchronize()
    assert start.done
    assert end.done
    assert stream.done
    assert xp.cuda.get_elapsed_time(start, end) >= 0
    assert x.tolist() == [2.0] * 10


def test_streams_wait_for_events():
    one, other, event = xp.cuda.Stream(), xp.cuda.Stream(), xp.cuda.Event()
    with one:
        x = xp.arange(4.0) * 2
    event.record(one)
    other.wait_event(event)
    with other:
        assert (x + 1).tolist() == [1.0, 3.0, 5.0, 7.0]
    xp.cuda.Stream.null.wait_event(event)


def test_the_time_of_events_that_are_not_recorded_is_unknown():
    with pytest.raises(RuntimeError, match=r"write end_event\.synchronize\(\)"):
        xp.cuda.get_elapsed_time(xp.cuda.Event(), xp.cuda.Event())


def test_what_the_runtime_says():
    runtime = xp.cuda.runtime
    assert runtime.getDeviceCount() >= 1
    free, total = runtime.memGetInfo()
    assert 0 < free <= total == runtime.getDeviceProperties(0)["totalGlobalMem"]
    runtime.deviceSynchronize()
