"""Pageable memory is copied through a ring of pinned buffers."""

import random
import threading

import numpy as np
import pytest
from accel.backends.cupy.pinned import is_pinned

from accel.abc import Fill, Leaf, Operand, Plan, Span, Swizzling
from accel.testing.blocks import host_span, lent, random_bytes, read, write
from accel.testing.plans import carry_out

from ..standin.schedule import Work
from . import rings
from .rings import COUNT, LONG, PIECE, fail, free_pieces, hold_up, nothing_is_lost, there_and_back


class TestBytes:
    @pytest.mark.parametrize("kind", ["new", "none"])
    @pytest.mark.parametrize("pieces", range(7))
    def test_any_number_goes_there_and_back_from_any_place(self, machine, heap, backend, device, ring, pieces, kind):
        stream = backend.new_stream(device) if kind == "new" else None
        with lent(heap, 8 * PIECE) as block:
            for more in (-1, 0, 1, 333):
                data = random_bytes(max(1, pieces * PIECE + more) + 3)[3:]
                assert np.array_equal(there_and_back(backend, block, data, stream, start=more + 1), data)
        assert nothing_is_lost(machine, ring)

    def test_many_threads_copy_at_once_on_streams_of_their_own_and_on_one(self, machine, heap, backend, device, ring):
        wrong, blocks = [], [heap.allocate(8 * PIECE, alignment=1) for _ in range(6)]
        one = backend.new_stream(device)

        def work(number, block):
            draw = random.Random(number)
            stream = [None, one, backend.new_stream(device)][number % 3]
            for _ in range(10):
                data = random_bytes(draw.randrange(1, 6 * PIECE))
                wrong.append(not np.array_equal(there_and_back(backend, block, data, stream), data))

        threads = [threading.Thread(target=work, args=each) for each in enumerate(blocks)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == [False] * 60
        for block in blocks:
            with heap.lock:
                heap.free(block)
        assert np.array_equal(
            there_and_back(backend, heap.allocate(PIECE, alignment=1), random_bytes(9), None), random_bytes(9)
        )
        assert nothing_is_lost(machine, ring)

    def test_a_stream_does_not_wait_for_the_pieces_of_one_that_is_held_up(self, machine, heap, backend, device, ring):
        one, other, blocker = backend.new_stream(device), backend.new_stream(device), Work()
        with lent(heap, 9 * PIECE) as block, lent(heap, 9 * PIECE) as another:
            heap.synchronize()
            hold_up(machine, one, after=blocker)
            data = random_bytes(COUNT * PIECE)
            backend.copy(Span(block, 0, data.nbytes), host_span(data), stream=one)
            assert np.array_equal(
                there_and_back(backend, another, random_bytes(9 * PIECE), other), random_bytes(9 * PIECE)
            )
            blocker.end(0.0)
            one.synchronize()
            assert np.array_equal(read(heap, block, data.nbytes), data)
            there_and_back(backend, another, data, other)
        assert nothing_is_lost(machine, ring)

    def test_what_others_have_under_way_makes_nobody_pin_anew(self, machine, heap, backend, device, ring, monkeypatch):
        data, few = random_bytes(COUNT * PIECE), random_bytes(2 * PIECE)
        marks, streams = (Work(), Work()), [backend.new_stream(device) for _ in range(2)]
        with lent(heap, data.nbytes) as block, lent(heap, data.nbytes) as other:
            heap.synchronize()
            for mark, into, stream in zip(marks, (block, other), streams, strict=True):
                hold_up(machine, stream, after=mark)
                backend.copy(Span(into, 0, data.nbytes), host_span(data), stream=stream)
                stream._late.synchronize()
            marks[1].end(0.0)
            with monkeypatch.context() as patch:
                patch.setattr(ring._memory, "take", fail)
                for _ in range(10):
                    assert np.array_equal(there_and_back(backend, other, few, stream), few)
            marks[0].end(0.0)
            heap.synchronize()
        assert nothing_is_lost(machine, ring)

    def test_what_is_uploaded_may_go_at_once(self, machine, heap, backend, device, ring):
        machine.reads_pageable = True
        stream = backend.new_stream(device)
        for nbytes in (8, 80, 800, 8000):
            data = random_bytes(nbytes)
            with backend._driver.on(device):
                memory = backend._copier.upload(data, stream)
                data[:] = 0
            result = np.zeros(nbytes, np.uint8)
            with backend._driver.on(device):
                ring.download(result, memory.ptr, stream)
            assert np.array_equal(result, random_bytes(nbytes))
            del memory


class TestItems:
    @pytest.mark.parametrize("on", ["new", "none"])
    @pytest.mark.parametrize("extents", [(3, 5, 7), (5, 700), (700, 5), (3, 2, 300), (2999,), ()])
    def test_strided_items_come_in_pieces(self, machine, heap, backend, device, ring, extents, on, monkeypatch):
        sizes, take = [], ring._memory.take
        monkeypatch.setattr(ring._memory, "take", lambda nbytes, device: sizes.append(nbytes) or take(nbytes, device))
        values = np.arange(int(np.prod(extents)), dtype=np.int32).reshape(extents)
        result = np.zeros(tuple(3 * extent for extent in extents), np.int32)
        into = result[(..., *(slice(None, None, -3) for _ in extents))]
        start = into.__array_interface__["data"][0] - result.ctypes.data
        stream = backend.new_stream(device) if on == "new" else None
        with lent(heap, values.nbytes) as block:
            write(heap, block, values.reshape(-1).view(np.uint8))
            source = Operand(Span(block, 0, values.nbytes), 0, values.dtype, extents, values.strides)
            target = Operand(host_span(result.reshape(-1).view(np.uint8)), start, values.dtype, extents, into.strides)
            leaves = tuple(map(Leaf, extents, into.strides, values.strides))
            backend.copy_strided(target, source, Plan(leaves, 4), stream=stream)
            backend.synchronize(device)
        assert np.array_equal(into, values)
        assert result.sum(dtype=np.int64) == values.sum(dtype=np.int64)
        assert set(sizes) == {PIECE}
        assert nothing_is_lost(machine, ring)

    @pytest.mark.parametrize("fill", Fill)
    @pytest.mark.parametrize("swizzle", [None, Swizzling(0b111 << 7, 3)])
    def test_scattered_and_hidden_items_come_in_pieces(self, machine, heap, backend, device, ring, swizzle, fill):
        expected, data, dtype = random_bytes(8192), random_bytes(8192)[::-1].copy(), np.dtype(np.int32)
        result = expected.copy()
        with lent(heap, data.nbytes) as block:
            write(heap, block, data)
            source = Operand(Span(block, 0, data.nbytes), 0, dtype, (30, 60), (240, 4))
            target = Operand(host_span(result), 0, dtype, (30, 60), (4, 120), swizzle=swizzle)
            leaves = tuple(map(Leaf, source.extents, target.strides, source.strides))
            plan = Plan(leaves, 4, bound=5000, fill=fill)
            backend.copy_strided(target, source, plan, stream=None)
            backend.synchronize(device)
        carry_out(plan, target, expected, source, data)
        assert np.array_equal(result, expected)
        assert nothing_is_lost(machine, ring)

    def test_an_item_may_be_larger_than_a_piece(self, machine, heap, backend, device, ring):
        values = random_bytes(3 * 2500)
        result = np.zeros(3 * 5000, np.uint8)
        dtype = np.dtype("V2500")
        with lent(heap, values.nbytes) as block:
            write(heap, block, values)
            source = Operand(Span(block, 0, values.nbytes), 0, dtype, (3,), (2500,))
            target = Operand(host_span(result), 10_000, dtype, (3,), (-5000,))
            backend.copy_strided(target, source, Plan((Leaf(3, -5000, 2500),), 2500, target_start=0), stream=None)
            backend.synchronize(device)
        assert np.array_equal(result.reshape(3, 2, 2500)[::-1, 0].reshape(-1), values)
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
        data = random_bytes(5 * PIECE)
        with lent(heap, data.nbytes) as block:
            with pytest.warns(RuntimeWarning, match="copies go on through pageable memory: 1000 bytes") as caught:
                assert np.array_equal(there_and_back(backend, block, data, None), data)
            assert [warning.filename for warning in caught] == [rings.__file__]
            assert np.array_equal(there_and_back(backend, block, data, None), data)
            machine.room_to_pin = 1 << 30
            assert np.array_equal(there_and_back(backend, block, data, None), data)
        assert nothing_is_lost(machine, ring)
        assert free_pieces(ring) > 0
