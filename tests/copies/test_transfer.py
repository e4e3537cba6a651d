"""Transfers: what is guaranteed of a copy in flight."""

import asyncio
import gc
import threading

import numpy as np
import pytest

import accel
from accel.errors import CapabilityError, DeviceMismatchError, DTypeError, InFlightError, ReadOnlyError, ReleasedError
from accel.memory import heap_of, snapshot

SIZE = 100_000  # more than is copied in the caller's thread


def numbers():
    return accel.container(np.arange(SIZE))


def in_flight(stream):
    """Return source, target and transfer of a copy of numbers that is submitted to a stream."""
    source, target = numbers(), accel.zeros(SIZE, "int64")
    return source, target, target.copy_from_async(source, stream=stream)


def right(c):
    return np.array_equal(c.to_numpy(), np.arange(SIZE))


class TestTransfer:
    def test_says_what_it_is(self, stream, held):
        stream.timed = True
        _, target, transfer = in_flight(stream)
        assert (transfer.nbytes, transfer.done()) == (SIZE * 8, False)
        assert repr(transfer) == f"<Transfer of {SIZE * 8} bytes from cpu to cpu, under way>"
        assert not transfer.site
        held.set()
        transfer.wait()
        assert transfer.done()
        assert 0 < transfer.seconds < 30
        assert transfer.throughput == pytest.approx(transfer.nbytes / transfer.seconds)
        assert right(target)

    def test_says_where_it_was_submitted_in_debug_mode(self, stream):
        with accel.debug():
            assert "test_transfer.py" in in_flight(stream)[2].site

    def test_tells_no_time_that_nobody_asked_for(self, stream):
        _, _, transfer = in_flight(stream)
        with pytest.raises(CapabilityError, match=r"write stream=accel\.new_stream\('cpu', timed=True\)"):
            transfer.seconds  # noqa: B018 - a property

    def test_is_awaited(self, stream):
        source, target = numbers(), accel.empty(SIZE, "int64")

        async def both():
            await asyncio.gather(*(self.awaited(target, source, stream) for _ in range(2)))

        asyncio.run(both())
        assert right(target)

    async def awaited(self, target, source, stream):
        await target.copy_from_async(source, stream=stream)

    def test_reports_its_progress_while_it_is_waited_for(self, stream):
        told = []
        source, target = accel.full(10_000_000, 3.0), accel.empty(10_000_000)
        transfer = target.copy_from_async(source, stream=stream, progress=lambda *seen: told.append(seen))
        assert told == []
        transfer.wait()
        assert told[-1] == (80_000_000, 80_000_000)
        assert len(told) == 5
        assert told == sorted(told)
        assert target[-1] == 3.0

    def test_a_progress_that_raises_stops_the_wait_and_not_the_copy(self, stream):
        source, target = numbers(), accel.empty(SIZE, "int64")

        def progress(copied, nbytes):
            raise ZeroDivisionError

        transfer = target.copy_from_async(source, stream=stream, progress=progress)
        with pytest.raises(ZeroDivisionError):
            transfer.wait()
        assert right(target)

    def test_of_nothing(self, stream):
        transfer = accel.empty(0).copy_from_async(accel.empty(0), stream=stream)
        transfer.wait()
        assert transfer.nbytes == 0

    def test_small_ones_are_done_at_once_on_an_idle_stream(self, stream):
        assert accel.empty(100).copy_from_async(accel.zeros(100), stream=stream).done()


class TestOrder:
    def test_reading_the_target_waits(self, stream, held):
        _, target, _ = in_flight(stream)
        threading.Timer(0.05, held.set).start()
        assert target[SIZE - 1] == SIZE - 1

    @pytest.mark.parametrize(
        "read",
        [
            lambda c: c[5],
            lambda c: c.load(5),
            lambda c: c.to_numpy()[5],
            lambda c: np.asarray(c)[5],
            lambda c: c.memoryview()[5],
            lambda c: c.deep_copy()[5],
            lambda c: c.to("cpu", copy=True)[5],
            lambda c: accel.xp.asarray(c)[5],
            lambda c: accel.xp.sum(accel.xp.asarray(c)[5:6]),
        ],
    )
    def test_every_way_of_reading_waits(self, stream, held, read):
        _, target, _ = in_flight(stream)
        threading.Timer(0.02, held.set).start()
        assert read(target) == 5

    @pytest.mark.parametrize(
        "write",
        [
            lambda c: c.__setitem__(5, 0),
            lambda c: c.store(5, [0]),
            lambda c: c.fill(0),
            lambda c: c.copy_from(accel.zeros(SIZE, "int64")),
            lambda c: c.from_numpy(np.zeros(SIZE, "int64")),
            lambda c: np.asarray(c).fill(0),
            lambda c: accel.xp.asarray(c).__setitem__(5, 0),
            lambda c: accel.xp.asarray(c).__imul__(0),
        ],
    )
    def test_every_way_of_writing_the_source_waits(self, stream, held, write):
        source, target, _ = in_flight(stream)
        threading.Timer(0.02, held.set).start()
        write(source)
        assert source[5] == 0
        assert right(target)

    def test_reading_the_source_does_not_wait(self, stream, held):
        source, _, transfer = in_flight(stream)
        assert source[7] == 7
        assert not transfer.done()

    def test_transfers_on_two_streams_keep_the_order_of_their_uses(self, stream, held):
        other = accel.new_stream()
        source, middle, target = numbers(), accel.empty(SIZE, "int64"), accel.empty(SIZE, "int64")
        middle.copy_from_async(source, stream=stream)
        last = target.copy_from_async(middle, stream=other)
        again = source.copy_from_async(accel.zeros(SIZE, "int64"), stream=other)
        assert not last.done()
        held.set()
        again.wait()
        assert right(target)
        assert source[SIZE - 1] == 0
        other.close()

    def test_a_moved_container_is_used_when_it_is_there(self, stream, held):
        moved = numbers().to("cpu", copy=True, stream=stream)
        threading.Timer(0.02, held.set).start()
        assert right(moved)

    def test_strict_refuses_instead_of_waiting(self, stream, held):
        source, target, transfer = in_flight(stream)
        with accel.using(strict=True):
            with pytest.raises(InFlightError, match="in flight"):
                target[0]
            with pytest.raises(InFlightError, match="in flight"):
                source[0] = 1
            assert source[0] == 0
        held.set()
        transfer.wait()
        with accel.using(strict=True):
            assert target[1] == 1


class TestLifetime:
    def test_released_containers_live_until_the_copy_is_over(self, stream, held):
        gc.collect()
        before = snapshot().live_blocks
        source, target = numbers(), accel.empty(SIZE, "int64")
        look = np.asarray(target)
        transfer = target.copy_from_async(source, stream=stream)
        source.release()
        target.release()
        with pytest.raises(ReleasedError):
            target[0]
        assert snapshot().live_blocks == before + 2
        held.set()
        transfer.wait()
        assert np.array_equal(look, np.arange(SIZE))
        assert snapshot().live_blocks == before + 1
        del look
        assert snapshot().live_blocks == before

    def test_a_dropped_transfer_lets_go_by_itself(self, stream, held):
        gc.collect()
        before = snapshot().live_blocks
        accel.empty(SIZE, "int64").copy_from_async(numbers(), stream=stream)
        assert snapshot().live_blocks == before + 2
        held.set()
        stream.synchronize()
        assert snapshot().live_blocks == before

    def test_the_next_allocation_reaps(self, stream):
        accel.empty(SIZE).copy_from_async(accel.zeros(SIZE), stream=stream)
        stream.synchronize()
        accel.empty(1).release()
        assert not heap_of(accel.Device.CPU).pending_work

    def test_a_failed_copy_lets_go_and_is_raised_where_it_is_waited_for(self, stream, monkeypatch):
        gc.collect()
        before = snapshot().live_blocks
        source, target = numbers(), accel.empty(SIZE, "int64")

        def fails(*arguments, **keywords):
            raise accel.errors.DeviceLostError("the driver gave up")

        monkeypatch.setattr(heap_of(accel.Device.CPU).backend, "copy", fails)
        transfer = target.copy_from_async(source, stream=stream)
        with pytest.raises(accel.errors.DeviceLostError) as caught:
            transfer.wait()
        assert "test_transfer.py" in caught.value.__notes__[0]
        with pytest.raises(accel.errors.DeviceLostError):
            target[0]  # the target has its old values, not those of the source
        monkeypatch.undo()
        target.fill(0)
        assert target[0] == 0
        stream.synchronize()
        accel.zeros(1).copy_from_async(accel.zeros(1), stream=stream)
        del source, target, transfer, caught
        gc.collect()
        assert snapshot().live_blocks == before

    def test_ten_thousand_leave_nothing(self, stream):
        gc.collect()
        before = snapshot().live_bytes
        a, b = accel.zeros(10), accel.zeros(10)
        for _ in range(10_000):
            b.copy_from_async(a, stream=stream)
        stream.synchronize()
        del a, b
        assert snapshot().live_bytes == before


class TestBadInput:
    def test_sizes_dtypes_and_read_only(self, stream):
        c = accel.zeros(3)
        with pytest.raises(ValueError, match="4 elements"):
            c.copy_from_async(accel.zeros(4), stream=stream)
        with pytest.raises(DTypeError, match="float32"):
            c.copy_from_async(accel.zeros(3, "float32"), stream=stream)
        array = np.zeros(3)
        array.flags.writeable = False
        with pytest.raises(ReadOnlyError):
            accel.from_numpy(array).copy_from_async(c, stream=stream)

    @pytest.mark.usefixtures("toy")
    def test_a_stream_of_a_third_device(self):
        with pytest.raises(DeviceMismatchError, match=r"a stream of sim:1 cannot copy from cpu to sim"):
            accel.zeros(3, device="sim").copy_from_async(accel.zeros(3), stream=accel.new_stream("sim:1"))

    def test_no_stream(self, stream):
        with pytest.raises(TypeError, match="new_stream"):
            accel.zeros(3).copy_from_async(accel.zeros(3), stream=None)

    def test_a_closed_stream(self):
        stream = accel.new_stream()
        stream.close()
        gc.collect()
        before = snapshot().live_blocks
        source, target = numbers(), accel.empty(SIZE, "int64")
        with pytest.raises(RuntimeError, match="closed"):
            target.copy_from_async(source, stream=stream)
        del source, target
        gc.collect()
        assert snapshot().live_blocks == before


@pytest.mark.usefixtures("toy")
class TestDevicesWithoutStreams:
    """The library's threads copy for a backend without streams."""

    @pytest.mark.parametrize("where", ["cpu", "sim"])
    def test_copies_are_late_and_right(self, where):
        stream = accel.new_stream(where)
        gate = threading.Event()
        stream.submit(lambda: gate.wait(30))
        source, there, back = numbers(), accel.empty(SIZE, "int64", "sim"), accel.empty(SIZE, "int64")
        there.copy_from_async(source, stream=stream)
        last = back.copy_from_async(there, stream=stream)
        assert not last.done()
        gate.set()
        last.wait()
        assert right(back)
        stream.close()

    def test_two_backends_meet_on_the_host(self, monkeypatch):
        sim, other = accel.Device.SIM, accel.Device.SIM[1]
        monkeypatch.setattr(heap_of(other), "backend", type(heap_of(sim).backend)())
        stream = accel.new_stream("sim")
        source, target = accel.container(np.arange(SIZE), device="sim"), accel.empty(SIZE, "int64", "sim:1")
        target.copy_from_async(source, stream=stream).wait()
        assert right(target)
        stream.close()
