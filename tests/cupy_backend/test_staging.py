"""Pageable memory is copied through a ring of pinned pieces, whatever goes wrong, and nobody is held up by it."""

import gc
import random
import sys
import threading
from contextlib import contextmanager, suppress
from functools import partial
from itertools import count

import numpy as np
import pytest
from accel.backends.cupy import copies, staging
from accel.backends.cupy.pinned import Pages, is_pinned
from accel.backends.cupy.staging import Ring

import accel
from accel import Device
from accel.errors import AccelError, DeviceLostError
from accel.memory import Fill, Leaf, Operand, Plan, Span, Swizzling, heap_of, transfer
from accel.testing.blocks import host_span, lent, random_bytes, read, write
from accel.testing.plans import carry_out

from .standin.schedule import Mark

PIECE, COUNT = 1000, 4
LONG = 1 << 20


@pytest.fixture
def machine(gpu_machine):
    return gpu_machine


@pytest.fixture
def device(machine):
    return Device("gpu")


@pytest.fixture
def heap(device):
    return heap_of(device)


@pytest.fixture
def backend(heap):
    return heap.backend


@pytest.fixture
def ring(backend, monkeypatch):
    """A ring of small pieces, through which all goes that is longer than 100 bytes."""
    copier = backend._copier
    monkeypatch.setattr(copies, "_DIRECT", 100)
    copier._ring = copier._small = Ring(backend._driver, Pages(backend._driver), PIECE, COUNT)
    return copier._ring


def free_pieces(ring):
    return sum(map(len, ring._given.values()))


def nothing_is_lost(machine, ring):
    """Tell whether the ring has all that is pinned, and as the next copy leaves it, not too much."""
    gc.collect()  # an error keeps what its frames have
    ring._surplus()
    return len(machine.pinned) == free_pieces(ring) <= COUNT


@contextmanager
def tracing(trace):
    """Have a function called at each line."""
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def there_and_back(backend, block, given, stream, start=0):
    """Return what comes back of bytes; with a stream, when it is done with them."""
    found = np.zeros_like(given)
    span = Span(block, start, given.nbytes)
    backend.copy(span, host_span(given), stream=stream)
    backend.copy(host_span(found), span, stream=stream)
    stream = stream or backend.default_stream(heap_of(Device("gpu")).device)
    stream.record().wait()
    return found


def hold_up(machine, stream, work):
    """Give a stream something to do before all else."""
    with stream._driver.on(stream.device):
        machine.scheduler.submit(machine.scheduler.of(stream.native.ptr), work)


class TestBytes:
    @pytest.mark.parametrize("kind", ["new", "none"])
    @pytest.mark.parametrize("pieces", range(7))
    def test_any_number_goes_there_and_back_from_any_place(self, machine, heap, backend, device, ring, pieces, kind):
        stream = backend.new_stream(device) if kind == "new" else None
        with lent(heap, 8 * PIECE) as block:
            for more in (-1, 0, 1, 333):
                given = random_bytes(max(1, pieces * PIECE + more) + 3)[3:]
                assert np.array_equal(there_and_back(backend, block, given, stream, start=more + 1), given)
        assert nothing_is_lost(machine, ring)

    def test_many_threads_copy_at_once_on_streams_of_their_own_and_on_one(self, machine, heap, backend, device, ring):
        wrong, blocks = [], [heap.allocate(8 * PIECE, alignment=1) for _ in range(6)]
        one = backend.new_stream(device)

        def work(number, block):
            draw = random.Random(number)
            stream = [None, one, backend.new_stream(device)][number % 3]
            for _ in range(10):
                given = random_bytes(draw.randrange(1, 6 * PIECE))
                wrong.append(not np.array_equal(there_and_back(backend, block, given, stream), given))

        threads = [threading.Thread(target=work, args=each) for each in enumerate(blocks)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == [False] * 60
        for block in blocks:
            with heap.gate:
                heap.free(block)
        assert np.array_equal(
            there_and_back(backend, heap.allocate(PIECE, alignment=1), random_bytes(9), None), random_bytes(9)
        )
        assert nothing_is_lost(machine, ring)

    def test_a_stream_does_not_wait_for_the_pieces_of_one_that_is_held_up(self, machine, heap, backend, device, ring):
        one, other, held = backend.new_stream(device), backend.new_stream(device), Mark()
        with lent(heap, 9 * PIECE) as block, lent(heap, 9 * PIECE) as another:
            heap.synchronize()
            hold_up(machine, one, held)
            given = random_bytes(COUNT * PIECE)
            backend.copy(Span(block, 0, given.nbytes), host_span(given), stream=one)
            assert np.array_equal(
                there_and_back(backend, another, random_bytes(9 * PIECE), other), random_bytes(9 * PIECE)
            )
            held.time = 0.0
            one.synchronize()
            assert np.array_equal(read(heap, block, given.nbytes), given)
            there_and_back(backend, another, given, other)
        assert nothing_is_lost(machine, ring)

    def test_what_others_have_under_way_makes_nobody_pin_anew(self, machine, heap, backend, device, ring, monkeypatch):
        given, few = random_bytes(COUNT * PIECE), random_bytes(2 * PIECE)
        marks, streams = (Mark(), Mark()), [backend.new_stream(device) for _ in range(2)]
        with lent(heap, given.nbytes) as block, lent(heap, given.nbytes) as other:
            heap.synchronize()
            for mark, into, stream in zip(marks, (block, other), streams, strict=True):
                hold_up(machine, stream, mark)
                backend.copy(Span(into, 0, given.nbytes), host_span(given), stream=stream)
                stream._late.synchronize()
            marks[1].time = 0.0
            with monkeypatch.context() as patch:
                patch.setattr(ring._pages, "take", fail)
                for _ in range(10):
                    assert np.array_equal(there_and_back(backend, other, few, stream), few)
            marks[0].time = 0.0
            heap.synchronize()
        assert nothing_is_lost(machine, ring)

    def test_what_is_uploaded_may_go_at_once(self, machine, heap, backend, device, ring):
        machine.reads_pageable = True
        stream = backend.new_stream(device)
        for nbytes in (8, 80, 800, 8000):
            given = random_bytes(nbytes)
            with backend._driver.on(device):
                memory = backend._copier.upload(given, stream)
                given[:] = 0
            found = np.zeros(nbytes, np.uint8)
            with backend._driver.on(device):
                ring.download(found, memory.ptr, stream)
            assert np.array_equal(found, random_bytes(nbytes))
            del memory


class TestItems:
    @pytest.mark.parametrize("on", ["new", "none"])
    @pytest.mark.parametrize("extents", [(3, 5, 7), (5, 700), (700, 5), (3, 2, 300), (2999,), ()])
    def test_strided_items_come_in_pieces(self, machine, heap, backend, device, ring, extents, on, monkeypatch):
        sizes, take = [], ring._pages.take
        monkeypatch.setattr(ring._pages, "take", lambda nbytes, device: sizes.append(nbytes) or take(nbytes, device))
        values = np.arange(int(np.prod(extents)), dtype=np.int32).reshape(extents)
        found = np.zeros(tuple(3 * extent for extent in extents), np.int32)
        into = found[(..., *(slice(None, None, -3) for _ in extents))]
        start = into.__array_interface__["data"][0] - found.ctypes.data
        stream = backend.new_stream(device) if on == "new" else None
        with lent(heap, values.nbytes) as block:
            write(heap, block, values.reshape(-1).view(np.uint8))
            source = Operand(Span(block, 0, values.nbytes), 0, values.dtype, extents, values.strides)
            target = Operand(host_span(found.reshape(-1).view(np.uint8)), start, values.dtype, extents, into.strides)
            leaves = tuple(map(Leaf, extents, into.strides, values.strides))
            backend.copy_strided(target, source, Plan(leaves, 4), stream=stream)
            backend.synchronize(device)
        assert np.array_equal(into, values)
        assert found.sum(dtype=np.int64) == values.sum(dtype=np.int64)
        assert set(sizes) == {PIECE}
        assert nothing_is_lost(machine, ring)

    @pytest.mark.parametrize("fill", Fill)
    @pytest.mark.parametrize("swizzle", [None, Swizzling(0b111 << 7, 3)])
    def test_scattered_and_hidden_items_come_in_pieces(self, machine, heap, backend, device, ring, swizzle, fill):
        expected, given, dtype = random_bytes(8192), random_bytes(8192)[::-1].copy(), np.dtype(np.int32)
        found = expected.copy()
        with lent(heap, given.nbytes) as block:
            write(heap, block, given)
            source = Operand(Span(block, 0, given.nbytes), 0, dtype, (30, 60), (240, 4))
            target = Operand(host_span(found), 0, dtype, (30, 60), (4, 120), swizzle=swizzle)
            leaves = tuple(map(Leaf, source.extents, target.strides, source.strides))
            plan = Plan(leaves, 4, bound=5000, fill=fill)
            backend.copy_strided(target, source, plan, stream=None)
            backend.synchronize(device)
        carry_out(plan, target, expected, source, given)
        assert np.array_equal(found, expected)
        assert nothing_is_lost(machine, ring)

    def test_an_item_may_be_larger_than_a_piece(self, machine, heap, backend, device, ring):
        values = random_bytes(3 * 2500)
        found = np.zeros(3 * 5000, np.uint8)
        dtype = np.dtype("V2500")
        with lent(heap, values.nbytes) as block:
            write(heap, block, values)
            source = Operand(Span(block, 0, values.nbytes), 0, dtype, (3,), (2500,))
            target = Operand(host_span(found), 10_000, dtype, (3,), (-5000,))
            backend.copy_strided(target, source, Plan((Leaf(3, -5000, 2500),), 2500, target_start=0), stream=None)
            backend.synchronize(device)
        assert np.array_equal(found.reshape(3, 2, 2500)[::-1, 0].reshape(-1), values)
        assert nothing_is_lost(machine, ring)


class TestPinned:
    @pytest.mark.parametrize("refuses", [True, False])
    @pytest.mark.parametrize("reads", [True, False])
    def test_the_driver_is_asked_what_an_address_is(self, machine, backend, device, refuses, reads):
        machine.refuses_unregistered, machine.reads_pageable = refuses, reads
        block, ordinary = backend.allocate_pinned(device, LONG), random_bytes(LONG)
        with backend._driver.on(device):
            assert is_pinned(backend._driver, block.pointer + 5)
            assert not is_pinned(backend._driver, ordinary.ctypes.data)
        backend.free_pinned(device, block)

    def test_memory_that_anybody_pinned_is_copied_as_it_is(self, machine, heap, backend, device):
        host, stream = backend.allocate_pinned(device, LONG), backend.new_stream(device)
        host.native[:] = random_bytes(LONG)
        with lent(heap, LONG) as block:
            backend.copy(Span(block, 0, LONG), Span(host, 0, LONG), stream=stream)
            backend.copy(Span(host, 0, LONG), Span(block, 0, LONG), stream=stream)
            assert stream._late is None
            stream.synchronize()
            assert len(machine.pinned) == 1
        backend.free_pinned(device, host)

    def test_where_no_more_can_be_pinned_all_goes_on_with_one_warning(self, machine, heap, backend, device, ring):
        machine.room_to_pin = 0
        machine.reads_pageable = True
        given = random_bytes(5 * PIECE)
        with lent(heap, given.nbytes) as block:
            with pytest.warns(RuntimeWarning, match="copies go on through pageable memory: 1000 bytes") as caught:
                assert np.array_equal(there_and_back(backend, block, given, None), given)
            assert [warning.filename for warning in caught] == [__file__]
            assert np.array_equal(there_and_back(backend, block, given, None), given)
            machine.room_to_pin = 1 << 30
            assert np.array_equal(there_and_back(backend, block, given, None), given)
        assert nothing_is_lost(machine, ring)
        assert free_pieces(ring) > 0


class TestAsynchronous:
    """Who gives a copy to a stream is not held up by it."""

    @pytest.fixture
    def gate(self, machine):
        """What opens on the host; `opened` says whether in time, each time that a device came to it."""
        gate = threading.Event()
        gate.opened = []
        gate.pass_through = lambda: gate.opened.append(gate.wait(20))
        yield gate
        gate.set()
        assert gate.opened == [True]

    @pytest.mark.parametrize("nbytes", [16, LONG])
    def test_a_download(self, machine, heap, backend, device, gate, nbytes):
        given, found, stream = random_bytes(nbytes), np.zeros(nbytes, np.uint8), backend.new_stream(device)
        with lent(heap, nbytes) as block:
            write(heap, block, given)
            hold_up(machine, stream, gate.pass_through)
            backend.copy(host_span(found), Span(block, 0, nbytes), stream=stream)
            event = stream.record()
            assert not event.done()
            gate.set()
            event.wait()
            assert np.array_equal(found, given)

    def test_an_upload_of_more_than_the_ring_has(self, machine, heap, backend, device, gate, ring):
        given, stream = random_bytes(3 * COUNT * PIECE), backend.new_stream(device)
        with lent(heap, given.nbytes) as block:
            heap.synchronize()
            hold_up(machine, stream, gate.pass_through)
            backend.copy(Span(block, 0, given.nbytes), host_span(given), stream=stream)
            event = stream.record()
            assert not event.done()
            gate.set()
            event.wait()
            assert np.array_equal(read(heap, block, given.nbytes), given)

    def test_items_by_a_table_that_is_longer_than_the_ring(self, machine, heap, backend, device, gate, ring):
        given, dtype, stream = random_bytes(8 * PIECE), np.dtype(np.int32), backend.new_stream(device)
        table = np.arange(2 * PIECE)[::-1].copy()
        with lent(heap, given.nbytes) as block, lent(heap, given.nbytes) as other:
            write(heap, block, given)
            hold_up(machine, stream, gate.pass_through)
            source = Operand(Span(block, 0, given.nbytes), 0, dtype, table.shape, (0,), table=table)
            target = Operand(Span(other, 0, given.nbytes), 0, dtype, table.shape, (4,))
            backend.copy_strided(target, source, accel.copies.plan(target, source), stream=stream)
            event = stream.record()
            assert not event.done()
            gate.set()
            event.wait()
            found = read(heap, other, given.nbytes)
        assert np.array_equal(found.view(dtype), given.view(dtype)[::-1])

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
        monkeypatch.setattr(transfer, "_PIECE", 1 << 18)
        seen, host = [], accel.container(np.arange(float(LONG // 8)))
        there = accel.empty(LONG // 8, "float64", device=device)
        back = accel.empty(LONG // 8, "float64")
        stream = accel.new_stream(device)
        up = there.copy_from_async(host, stream=stream, progress=lambda *numbers: seen.append(numbers))
        down = back.copy_from_async(there, stream=accel.new_stream(device))
        up.wait()
        down.wait()
        assert seen == [(step << 18, LONG) for step in range(1, 5)]
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
        stream.synchronize()  # it was seen

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


class TestFaults:
    def test_a_fault_at_any_call_of_the_driver_loses_nothing(self, machine, heap, backend, device, ring, monkeypatch):
        given, check, calls, failures = random_bytes(6 * PIECE + 5), machine.check, [], []

        def fault(at, *devices):
            calls.append(devices)
            check(*devices)
            machine.require(len(calls) != at, 1)

        with lent(heap, given.nbytes) as block:
            for at in range(1, 1000):
                calls.clear()
                monkeypatch.setattr(machine, "check", partial(fault, at))
                try:
                    found = there_and_back(backend, block, given, None)
                except AccelError as error:
                    failures.append(str(error))
                else:
                    assert np.array_equal(found, given)
                monkeypatch.setattr(machine, "check", check)
                assert np.array_equal(there_and_back(backend, block, given, None), given)
                assert nothing_is_lost(machine, ring)
                if len(calls) < at:
                    break
        assert 40 < len(failures) < at

    @pytest.mark.parametrize("up", [True, False])
    def test_an_interrupt_at_any_line_loses_nothing(self, machine, heap, backend, device, ring, up):
        given, lines = random_bytes(6 * PIECE), []

        def trace(at, frame, event, argument):
            code = frame.f_code  # from finalisers nothing is raised
            if code.co_filename == staging.__file__ and code.co_name != "__del__" and event == "line":
                lines.append(frame.f_lineno)
                if len(lines) == at:
                    raise KeyboardInterrupt
            return partial(trace, at)

        with lent(heap, given.nbytes) as block:
            ends = Span(block, 0, given.nbytes), host_span(given.copy())
            for at in count(1):
                lines.clear()
                with suppress(KeyboardInterrupt), tracing(partial(trace, at)):
                    backend.copy(*(ends if up else ends[::-1]), stream=None)
                heap.synchronize()
                assert np.array_equal(there_and_back(backend, block, given, None), given)
                assert nothing_is_lost(machine, ring)
                if len(lines) < at:
                    break
        assert at > 100

    @pytest.mark.parametrize("after", range(1, 12))
    def test_when_a_device_is_lost_the_other_one_has_the_pieces(self, machine, heap, backend, device, ring, after):
        runtime, seen, other = backend._driver.runtime, [], heap_of(Device[device.type.upper()][1])
        call, given = runtime.memcpyAsync, random_bytes(6 * PIECE)

        def lose_later(*arguments):
            seen.append(arguments)
            if len(seen) == after:
                machine.lose(0)
            call(*arguments)

        block = heap.allocate(given.nbytes, alignment=1)
        runtime.memcpyAsync = lose_later
        with pytest.raises(DeviceLostError):
            there_and_back(backend, block, given, backend.new_stream(device))
        runtime.memcpyAsync = call
        with lent(other, given.nbytes) as kept:
            write(other, kept, given)
            assert np.array_equal(read(other, kept, given.nbytes), given)
        assert nothing_is_lost(machine, ring)

    @pytest.mark.parametrize("on", ["new", "none"])
    def test_a_child_of_a_fork_is_told_to_spawn(self, heap, backend, device, ring, on):
        given = random_bytes(5 * PIECE)
        with lent(heap, given.nbytes) as block:
            there_and_back(backend, block, given, None)
            stream = backend.new_stream(device) if on == "new" else None
            begun, backend._driver._process = backend._driver._process, -1  # what a child sees
            for target, source in ((Span(block, 0, given.nbytes), host_span(given)),) * 2:
                with pytest.raises(RuntimeError, match="start processes with 'spawn'"):
                    backend.copy(target, source, stream=stream)
            backend._driver._process = begun


def fail(*arguments):
    raise ZeroDivisionError
