"""Rows 25 to 27: copies in flight whose source is written, whose containers are dropped, whose stream is closed."""

import gc
import threading
import weakref

import numpy as np
import pytest

import accel
from accel import xp
from accel.errors import InFlightError, ReleasedError

pytestmark = pytest.mark.usefixtures("no_leaks")

SIZE = 10_000  # more than is copied in the caller's thread

WRITES = {
    "fill": lambda c, other: c.fill(9),
    "copy": lambda c, other: c.copy_from(other),
    "from NumPy": lambda c, other: c.from_numpy(np.full(SIZE, 9.0)),
    "element": lambda c, other: xp.asarray(c).__setitem__(5, 9),
    "part": lambda c, other: xp.asarray(c)[::2].__setitem__(..., 9),
    "in place": lambda c, other: xp.asarray(c).__iadd__(9),
    "later": lambda c, other: c.copy_from_async(other, stream=accel.new_stream()),
}


def numbers():
    return accel.container(np.arange(float(SIZE)))


def right(c):
    return np.array_equal(c.to_numpy(), np.arange(float(SIZE)))


@pytest.mark.parametrize("where", [None, "cpu", "sim:1"])
def test_a_source_that_is_written_was_copied_before(device, hold, where):
    other = accel.full(SIZE, 9)
    for write in WRITES.values():
        source, target, gate = numbers(), accel.empty(SIZE, device=where), threading.Event()
        target.copy_from_async(source, stream=hold(accel.new_stream(), gate))
        threading.Timer(0.02, gate.set).start()
        write(source, other)
        assert right(target)
        assert not right(source)


def test_or_in_strict_mode_may_not_be_written(device, hold, gate):
    source, other, target = numbers(), accel.full(SIZE, 9), accel.empty(SIZE)
    transfer = target.copy_from_async(source, stream=hold(accel.new_stream()))
    with accel.using(strict=True):
        for write in [write for name, write in WRITES.items() if name != "later"]:
            with pytest.raises(InFlightError, match="wait for its transfer"):
                write(source, other)
        gate.set()
        transfer.wait()
        assert right(target)
        assert right(source)


@pytest.mark.parametrize("drop", ["release", "forget"])
def test_what_is_dropped_lives_until_the_copy_is_over(device, hold, gate, drop):
    source, middle, last, stream = numbers(), accel.empty(SIZE), accel.empty(SIZE), hold(accel.new_stream())
    addresses = {source.unsafe_ptr(), middle.unsafe_ptr()}
    middle.copy_from_async(source, stream=stream)
    last.copy_from_async(middle, stream=stream)
    if drop == "release":
        source.release()
        middle.release()
        with pytest.raises(ReleasedError):
            middle.to_numpy()
    del source, middle
    gc.collect()
    others = [accel.empty(SIZE) for _ in range(4)]  # would get the same memory if it were free
    assert addresses.isdisjoint(other.unsafe_ptr() for other in others)
    gate.set()
    assert right(last)


class TestClosing:
    def test_finishes_the_work(self, device, hold, soon):
        source, target, stream = numbers(), accel.empty(SIZE), accel.new_stream()
        transfer = target.copy_from_async(source, stream=hold(stream))
        soon()
        stream.close()
        assert transfer.done()
        assert right(target)

    def test_takes_no_more_and_leaves_what_there_is(self, device):
        source, target = numbers(), accel.full(SIZE, 5.0)
        stream = accel.new_stream()
        target.copy_from_async(target.deep_copy(), stream=stream)
        stream.close()
        with pytest.raises(RuntimeError, match=r"closed and takes no more work; make another: accel\.new_stream"):
            target.copy_from_async(source, stream=stream)
        assert (target.to_numpy() == 5).all()
        target.copy_from_async(source, stream=accel.new_stream()).wait()
        assert right(target)

    def test_that_follows_a_failure_does_not_spoil_what_is_refused_later(self, device, fault):
        source, target, stream = numbers(), accel.full(SIZE, 5.0), accel.new_stream()
        with fault.copy(1):
            accel.empty(SIZE).copy_from_async(source, stream=stream)
            with pytest.raises(accel.errors.DeviceLostError):
                stream.close()
        with pytest.raises(RuntimeError, match="closed"):
            target.copy_from_async(source, stream=stream)
        assert (target.to_numpy() == 5).all()

    def test_a_stream_that_is_dropped_finishes_its_work(self, device):
        source, target = numbers(), accel.empty(SIZE)
        stream = accel.new_stream()
        target.copy_from_async(source, stream=stream)
        alive = weakref.ref(stream)
        del stream
        assert right(target)
        source.fill(0)
        del source, target
        gc.collect()
        assert alive() is None


class TestSeveral:
    def test_streams_that_write_one_container_keep_the_order_of_submission(self, device, hold, gate):
        first, second, target = accel.full(SIZE, -1.0), numbers(), accel.empty(SIZE)
        target.copy_from_async(first, stream=hold(accel.new_stream()))
        last = target.copy_from_async(second, stream=accel.new_stream())
        assert not last.done()
        gate.set()
        last.wait()
        assert right(target)

    @pytest.mark.parametrize("where", ["cpu", "sim", "sim:1"])
    def test_a_stream_waits_for_an_event_of_another_device(self, device, hold, gate, where):
        source, target, other = numbers(), accel.empty(SIZE), accel.new_stream(where)
        copied = target.copy_from_async(source, stream=hold(accel.new_stream()))
        other.wait_for(copied.event)
        after = other.record()
        assert not after.done()
        gate.set()
        after.wait()
        assert copied.done()
        other.close()

    def test_a_stream_of_a_third_device_copies_nothing(self, device):
        target = accel.full(SIZE, 5.0)
        with pytest.raises(accel.errors.DeviceMismatchError, match=r"a stream of sim:2 cannot copy .*new_stream\("):
            target.copy_from_async(numbers(), stream=accel.new_stream("sim:2"))
        assert (target.to_numpy() == 5).all()
