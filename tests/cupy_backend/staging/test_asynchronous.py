"""Copies of pageable memory block neither the caller nor other streams."""

import threading

import numpy as np
import pytest

import accel
from accel.abc import Leaf, Operand, Plan, Span
from accel.copies import thresholds
from accel.testing.blocks import host_span, lent, random_bytes, read, write

from .rings import COUNT, LONG, PIECE, fail, hold_up


class TestAsynchronous:
    """The thread that submits a copy is not blocked by it."""

    @pytest.fixture
    def gate(self, machine):
        """An event that the host sets; `opened` records, for each device that waited for it, whether it was in time."""
        gate = threading.Event()
        gate.opened = []
        gate.pass_through = lambda: gate.opened.append(gate.wait(20))
        yield gate
        gate.set()
        assert gate.opened == [True]

    @pytest.mark.parametrize("nbytes", [16, LONG])
    def test_a_download(self, machine, heap, backend, device, gate, nbytes):
        data, result, stream = random_bytes(nbytes), np.zeros(nbytes, np.uint8), backend.new_stream(device)
        with lent(heap, nbytes) as block:
            write(heap, block, data)
            hold_up(machine, stream, gate.pass_through)
            backend.copy(host_span(result), Span(block, 0, nbytes), stream=stream)
            event = stream.record()
            assert not event.done()
            gate.set()
            event.wait()
            assert np.array_equal(result, data)

    def test_an_upload_of_more_than_the_ring_has(self, machine, heap, backend, device, gate, ring):
        data, stream = random_bytes(3 * COUNT * PIECE), backend.new_stream(device)
        with lent(heap, data.nbytes) as block:
            heap.synchronize()
            hold_up(machine, stream, gate.pass_through)
            backend.copy(Span(block, 0, data.nbytes), host_span(data), stream=stream)
            event = stream.record()
            assert not event.done()
            gate.set()
            event.wait()
            assert np.array_equal(read(heap, block, data.nbytes), data)

    def test_items_by_a_table_that_is_longer_than_the_ring(self, machine, heap, backend, device, gate, ring):
        data, dtype, stream = random_bytes(8 * PIECE), np.dtype(np.int32), backend.new_stream(device)
        table = np.arange(2 * PIECE)[::-1].copy()
        with lent(heap, data.nbytes) as block, lent(heap, data.nbytes) as other:
            write(heap, block, data)
            hold_up(machine, stream, gate.pass_through)
            source = Operand(Span(block, 0, data.nbytes), 0, dtype, table.shape, (0,), table=table)
            target = Operand(Span(other, 0, data.nbytes), 0, dtype, table.shape, (4,))
            backend.copy_strided(target, source, accel.copies.plan(target, source), stream=stream)
            event = stream.record()
            assert not event.done()
            gate.set()
            event.wait()
            result = read(heap, other, data.nbytes)
        assert np.array_equal(result.view(dtype), data.view(dtype)[::-1])

    @pytest.mark.parametrize(("strides", "pinned"), [((4, 80), False), ((4, 80), True), ((800, 4), False)])
    def test_items_that_are_unpacked_here_and_rows(self, machine, heap, backend, device, gate, strides, pinned):
        values, stream = np.arange(200, dtype=np.int32), backend.new_stream(device)
        host = backend.allocate_pinned(device, 16_000) if pinned else host_span(np.zeros(16_000, np.uint8)).block
        with lent(heap, values.nbytes) as block:
            write(heap, block, values.view(np.uint8))
            hold_up(machine, stream, gate.pass_through)
            source = Operand(Span(block, 0, values.nbytes), 0, values.dtype, (10, 20), (80, 4))
            target = Operand(Span(host, 0, 16_000), 0, values.dtype, (10, 20), strides)
            plan = Plan((Leaf(10, strides[0], 80), Leaf(20, strides[1], 4)), 4)
            backend.copy_strided(target, source, plan, stream=stream)
            event = stream.record()
            assert not event.done()
            gate.set()
            event.wait()
        assert np.array_equal(np.ndarray((10, 20), np.int32, host.native, 0, strides), values.reshape(10, 20))

    def test_a_transfer_tells_its_time_and_its_progress(self, device, monkeypatch):
        monkeypatch.setattr(thresholds, "PIECE", 1 << 18)
        reports, host = [], accel.container(np.arange(float(LONG // 8)))
        there = accel.empty(LONG // 8, "float64", device=device)
        back = accel.empty(LONG // 8, "float64")
        stream = accel.new_stream(device, timed=True)
        up = there.copy_from_async(host, stream=stream, progress=lambda *numbers: reports.append(numbers))
        down = back.copy_from_async(there, stream=accel.new_stream(device, timed=True))
        up.wait()
        down.wait()
        assert reports == [(step << 18, LONG) for step in range(1, 5)]
        assert min(up.seconds, down.seconds) > 0
        assert np.array_equal(back.to_numpy(), host.to_numpy())

    def test_what_fails_is_raised_by_the_wait_with_its_place_however_soon_it_failed(self, backend, device, monkeypatch):
        host, there = accel.zeros(LONG, "uint8"), accel.zeros(LONG, "uint8", device=device)
        stream = accel.new_stream(device)
        submit = stream.submit

        def submit_and_let_it_fail(self, work, **how):
            submit(work, **how)
            stream._late.record().settle()

        with monkeypatch.context() as patch:
            patch.setattr(type(stream), "submit", submit_and_let_it_fail)
            patch.setattr(backend._copier, "copy", fail)
            moved = there.copy_from_async(host, stream=stream)
        for _ in range(2):
            with pytest.raises(ZeroDivisionError) as caught:
                moved.wait()
            assert len([note for note in caught.value.__notes__ if __file__ in note]) == 1
        stream.synchronize()  # the error was reported already

    def test_later_work_that_succeeds_is_not_blamed(self, backend, device, heap, monkeypatch):
        stream = backend.new_stream(device)
        with lent(heap, LONG) as block:
            with monkeypatch.context() as patch:
                patch.setattr(backend._copier, "copy", fail)
                backend.copy(Span(block, 0, LONG), host_span(random_bytes(LONG)), stream=stream)
                failed = stream.record()
                failed.settle()
            backend.copy(Span(block, 0, 10), host_span(random_bytes(10)), stream=stream)
            stream.record().wait()
            with pytest.raises(ZeroDivisionError):
                failed.wait()
