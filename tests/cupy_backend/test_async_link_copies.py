"""Asynchronous copies between a GPU and the host: without an event, and what comes in between two of their steps."""

import numpy as np
import pytest
from accel.backends.cupy.streams import CupyStream

import accel
from accel import Device, LayoutTensor
from accel.copies import over_link
from accel.copies import transfer as transfers
from accel.errors import CapabilityError, InFlightError
from accel.layout import row_major
from accel.memory import async_link_copies, hazards, heap_of, pinned

from .test_driver_calls import calls  # noqa: F401 - a fixture
from .test_link_copies import NUMBERS, SIZE, idle, on_host, ones, page_locked, pageable  # noqa: F401 - fixtures

pytestmark = pytest.mark.usefixtures("calls", "cuda_machine")

TIMES = 6
"""Streams work late in a random order: each repetition halves the chance that a missing wait is not seen."""


@pytest.fixture
def direct(monkeypatch):
    """The copies that went without an event: True for uploads."""
    done, submitted = [], async_link_copies.submitted_over_link

    def recorded(*arguments, **keywords):
        result = submitted(*arguments, **keywords)
        if result is not None:
            done.append(keywords["upload"])
        return result

    monkeypatch.setattr(transfers, "submitted_over_link", recorded)
    monkeypatch.setattr(over_link, "submitted", recorded)
    return done


@pytest.fixture
def stream():
    """A stream of the GPU."""
    return accel.new_stream("cuda")


def zeros():
    return accel.AcceleratorDataContainer.on(pinned(SIZE, "float32", "cuda"))


class TestTheDirectWay:
    def test_is_that_of_containers(self, on_host, direct, stream):  # noqa: F811
        host, there, back = on_host(), ones(), zeros()
        there.copy_from_async(host, stream=stream)
        transfer = back.copy_from_async(there, stream=stream)
        assert np.array_equal(back.to_numpy(), NUMBERS)
        transfer.wait()
        assert direct == [True, False]
        assert (transfer.source, transfer.target, transfer.nbytes) == (Device.CUDA, Device.CPU, 4 * SIZE)

    def test_is_that_of_rows_of_pinned_memory(self, direct, stream):
        host, back = page_locked(), zeros()
        whole = accel.zeros(SIZE * 4, "float32", device="cuda")
        part = LayoutTensor(whole, row_major(8, 32))[2:6, 8:24]
        part.copy_from_async(host.view(row_major(4, 16)), stream=stream)
        back.view(row_major(4, 16)).copy_from_async(part, stream=stream)
        assert np.array_equal(back.to_numpy(), NUMBERS)
        assert direct == [True, False]

    def test_to_pageable_memory_is_taken_if_the_stream_is_idle(self, direct, stream):
        host, there = pageable(), ones()
        stream.synchronize()
        assert host.copy_from_async(there, stream=stream).done() or not direct
        assert set(host.to_numpy()) == {1}

    def test_records_no_event(self, on_host, stream, calls):  # noqa: F811
        host, there, back = on_host(), ones(), zeros()
        for _ in range(2):
            there.copy_from_async(host, stream=stream)
            back.copy_from_async(there, stream=stream)
            before, recorded = calls["memcpyAsync"], calls["eventRecord"]
        for _ in range(9):
            there.copy_from_async(host, stream=stream)
            back.copy_from_async(there, stream=stream)
        assert calls["memcpyAsync"] == before + 18
        assert calls["eventRecord"] == recorded

    @pytest.mark.parametrize("settings", [{"debug": True}, {"strict": True}])
    def test_is_not_taken_in_debug_and_strict_mode(self, on_host, direct, stream, settings):  # noqa: F811
        host, there = on_host(), ones()
        with accel.using(**settings):
            transfer = there.copy_from_async(host, stream=stream)
            assert ("test_async_link_copies" in transfer.site) is ("debug" in settings)
            transfer.wait()
        assert np.array_equal(there.to_numpy(), NUMBERS)
        assert not direct

    def test_is_not_taken_on_timed_streams(self, on_host, direct):  # noqa: F811
        host, there = on_host(), ones()
        transfer = there.copy_from_async(host, stream=accel.new_stream("cuda", timed=True))
        assert transfer.seconds >= 0
        assert not direct

    def test_is_refused_on_a_stream_that_another_library_captures(self, on_host, stream):  # noqa: F811
        host, there = on_host(), ones()
        stream.native.begin_capture()
        with pytest.raises(CapabilityError, match="captured"):
            there.copy_from_async(host, stream=stream)
        stream.native.end_capture()


class TestOrder:
    @pytest.mark.parametrize("repetition", range(TIMES))
    def test_the_host_writes_a_source_after_the_copy(self, on_host, direct, stream, repetition):  # noqa: F811
        host, there = on_host(), ones()
        there.copy_from_async(host, stream=stream)
        host.fill(9)
        assert np.array_equal(there.to_numpy(), NUMBERS)
        assert direct

    @pytest.mark.parametrize("repetition", range(TIMES))
    def test_the_host_reads_and_writes_a_target_after_the_copy(self, stream, direct, repetition):
        host, there = zeros(), ones()
        host.copy_from_async(there, stream=stream)
        assert set(host.to_numpy()) == {1}
        host.copy_from_async(there, stream=stream)
        host.fill(9)
        stream.synchronize()
        assert set(host.to_numpy()) == {9}
        assert len(direct) == 2

    def test_strict_mode_reports_the_use_of_memory_in_flight(self, on_host, direct, stream):  # noqa: F811
        host, there = on_host(), ones()
        transfer = there.copy_from_async(host, stream=stream)
        with accel.using(strict=True), pytest.raises(InFlightError, match="would write"):
            host.fill(9)
        transfer.wait()
        assert direct

    @pytest.mark.parametrize("repetition", range(TIMES))
    def test_another_stream_waits_for_it(self, on_host, direct, stream, repetition):  # noqa: F811
        host, there, back = on_host(), ones(), zeros()
        there.copy_from_async(host, stream=stream)
        back.copy_from_async(there, stream=accel.new_stream("cuda"))
        assert np.array_equal(back.to_numpy(), NUMBERS)

    def test_is_certain_after_work_that_was_found_done(self, direct, stream):
        host, there, back = page_locked(), ones(), zeros()
        for _ in range(3):
            there.copy_from_async(host, stream=stream)
            back.copy_from_async(there, stream=stream)
            stream.synchronize()
            heap_of(Device.CUDA).retire_finished()
        assert len(direct) == 6

    def test_parts_of_one_buffer_are_recorded_in_one_range(self, direct, stream):
        parts, n = accel.AcceleratorDataContainer.on(pinned(64 * SIZE, "float32", "cuda")), 64
        parts.from_numpy(np.arange(64 * SIZE, dtype="float32"))
        there = accel.zeros(64 * SIZE, "float32", device="cuda")
        for i in range(n):
            part = slice(i * SIZE, (i + 1) * SIZE)
            LayoutTensor(there, row_major(SIZE), i * SIZE).copy_from_async(
                LayoutTensor(parts, row_major(SIZE), i * SIZE), stream=stream
            )
            assert len(parts.storage.owner.hazards[1]) <= 17, part
        parts.fill(0)
        assert np.array_equal(there.to_numpy(), np.arange(64 * SIZE))


class TestMemory:
    def test_is_kept_until_the_copy_is_done(self, on_host, direct, stream):  # noqa: F811
        heap = heap_of(Device.CPU)
        for _ in range(TIMES):
            host, there = on_host(), ones()
            owner = host.storage.owner
            transfer = there.copy_from_async(host, stream=stream)
            host.release()
            assert owner.allocation is not None
            transfer.wait()
            assert owner.allocation is None
            assert np.array_equal(there.to_numpy(), NUMBERS)
        assert not heap.table.kept
        assert len(direct) == TIMES

    def test_of_many_buffers_is_released_with_few_records(self, on_host, direct, stream):  # noqa: F811
        heap, there, most, alive = heap_of(Device.CUDA), ones(), 0, heap_of(Device.CPU).live_blocks
        for _ in range(500):
            there.copy_from_async(on_host(), stream=stream)
            most = max(most, len(heap.pending_work))
        assert most <= 17
        stream.synchronize()
        heap.retire_finished()
        assert not heap.pending_work
        assert heap_of(Device.CPU).live_blocks == alive
        assert len(direct) == 500

    def test_is_not_asked_for_by_allocations_in_a_way_that_records_events(self, on_host, stream, calls):  # noqa: F811
        host, there = on_host(), ones()
        there.copy_from_async(host, stream=stream)
        before = calls["eventRecord"]
        for _ in range(5):
            accel.empty(SIZE, "float32", device="cuda").release()
        assert calls["eventRecord"] == before

    def test_is_released_by_whoever_waits(self, on_host, direct, stream):  # noqa: F811
        host, there = on_host(), ones()
        for _ in range(3):
            transfer = there.copy_from_async(host, stream=stream)
        transfer.wait()
        host.fill(0)
        assert not heap_of(Device.CUDA).pending_work
        assert not host.storage.owner.keep_alives
        assert len(direct) == 3
        there.to_numpy()
        assert idle(host, there)


class TestInBetween:
    def test_a_signal_handler_asks_for_the_event(self, on_host, direct, stream, monkeypatch):  # noqa: F811
        host, there = on_host(), ones()
        there.copy_from_async(host, stream=stream)
        copy_bytes, acts = CupyStream.copy_bytes, [lambda: host.fill(9)]

        def interrupted(*arguments):
            while acts:
                acts.pop()()
            copy_bytes(*arguments)

        monkeypatch.setattr(CupyStream, "copy_bytes", interrupted)
        there.copy_from_async(host, stream=stream)
        host.fill(5)
        assert set(there.to_numpy()) == {9}
        assert len(direct) == 2

    def test_work_that_comes_while_its_stream_is_found_idle_is_waited_for(self, monkeypatch, stream):
        """What is open covers later work, so what is done must be closed."""
        host, source = zeros(), page_locked()
        there = accel.zeros(SIZE, "float32", device="cuda")
        there.copy_from_async(source, stream=stream)
        host.copy_from_async(there, stream=stream)
        source.fill(7)
        for _ in range(2):
            there.copy_from_async(source, stream=stream)
            host.copy_from_async(there, stream=stream)
            stream.synchronize()
        idle_now, acts = CupyStream.idle, [lambda: host.copy_from_async(there, stream=stream)]

        def idle_before(queue):
            result = idle_now(queue)
            while acts:
                acts.pop()()
            return result

        host.storage.array[:] = 0  # as nobody is told
        monkeypatch.setattr(CupyStream, "idle", idle_before)
        hazards.forget(host.storage.owner.hazard_record)
        assert not acts
        assert set(host.to_numpy()) == {7}
