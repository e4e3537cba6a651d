"""Streams of a GPU together with those of the host and of CuPy, also when the device is lost."""

import asyncio
import gc
import threading

import numpy as np
import pytest
from accel.backends.cupy import driver, streams

import accel
from accel import Device
from accel.abc import Span
from accel.errors import DeviceLostError, DeviceMismatchError
from accel.memory import heap_of
from accel.memory.thread_stream import ThreadStream
from accel.testing.blocks import host_span, lent, random_bytes, read, write

SIZE, LONG = 4096, 1 << 20


@pytest.fixture
def heap(cuda_machine):
    return heap_of(Device.CUDA)


@pytest.fixture
def backend(heap):
    return heap.backend


class TestForeign:
    def test_a_stream_of_the_host_is_refused(self, heap):
        with lent(heap, SIZE) as block, pytest.raises(DeviceMismatchError, match="is not a stream of cuda:0"):
            heap.backend.copy(Span(block, 0, 10), Span(block, 100, 10), stream=ThreadStream())

    def test_a_stream_of_another_device_is_refused(self, heap, backend):
        other = backend.new_stream(Device.CUDA[1])
        with (
            lent(heap, SIZE) as block,
            pytest.raises(DeviceMismatchError, match=r"of cuda:1> is not a stream of cuda:0"),
        ):
            backend.copy(Span(block, 0, 10), host_span(random_bytes(10)), stream=other)

    def test_it_takes_work_directly_while_the_host_has_none_for_it(self, cuda_machine, backend):
        stream, gate = backend.new_stream(Device.CUDA), threading.Event()
        for _ in range(3):
            assert stream.direct
            assert stream.awaitable
            gate.clear()
            stream.submit(gate.wait, blocks=True)
            assert [stream.direct, stream.awaitable, stream.idle()] == [False, False, False]
            stream.record()
            assert not stream.direct
            gate.set()
            stream.synchronize()
            assert stream.idle()
        with accel.capture(stream):
            assert [stream.direct, stream.awaitable] == [False, False]
        assert stream.direct
        stream.close()
        stream.record()
        assert [stream.direct, stream.awaitable] == [False, False]

    def test_whether_it_is_awaitable_is_asked_on_its_device(self, cuda_machine, heap):
        stream = heap.backend.new_stream(Device.CUDA)
        for array in (accel.zeros(SIZE, "uint8", device="cuda:1"), accel.zeros(SIZE, "uint8", device="cuda:0")):
            cuda_machine.set_device(array.device.index)
            array.fill(1)  # the thread has a context
            assert stream.awaitable
        cuda_machine.set_device(1)
        into = accel.zeros(SIZE, "uint8", device="cuda:0")
        into.copy_from_async(accel.full(SIZE, 3, "uint8", device="cpu"), stream=stream).wait()
        assert set(into.to_numpy()) == {3}
        stream.close()

    def test_work_is_done_whatever_device_is_current(self, cuda_machine, heap):
        data = random_bytes(SIZE)
        cuda_machine.set_device(1)
        with lent(heap, SIZE) as block:
            write(heap, block, data)
            heap.backend.fill(whole(block)._replace(extents=(5,)), np.uint8(3), stream=None)
            result = read(heap, block, SIZE)
        assert cuda_machine.device == 1
        assert np.array_equal(result[5:], data[5:])
        assert set(result[:5]) == {3}

    def test_a_current_stream_is_not_cupys_outside_of_computations(self, cuda_machine, backend):
        stream = backend.new_stream(Device.CUDA)
        with stream:
            assert cuda_machine.scheduler.current().handle == 0
            with backend.computing(Device.CUDA)():
                assert cuda_machine.scheduler.current().handle == stream.native.ptr
            assert cuda_machine.scheduler.current().handle == 0

    def test_tasks_that_share_a_thread_compute_each_on_its_own_stream(self, cuda_machine, backend):
        async def task(stream):
            result = []
            for _ in range(3):
                with stream:
                    await asyncio.sleep(0)
                    with backend.computing(Device.CUDA)():
                        result.append(cuda_machine.scheduler.current().handle)
                    await asyncio.sleep(0)
            return result

        async def both():
            return await asyncio.gather(*map(task, streams))

        streams = [backend.new_stream(Device.CUDA) for _ in range(2)]
        assert asyncio.run(both()) == [[stream.native.ptr] * 3 for stream in streams]
        assert cuda_machine.scheduler.current().handle == 0

    def test_an_allocation_keeps_the_stream_that_cupy_was_told_to_use(self, cuda_machine, backend):
        import cupy

        own, stream = cupy.cuda.Stream(non_blocking=True), backend.new_stream(Device.CUDA)
        own.use()
        block = backend.allocate(Device.CUDA, SIZE, alignment=1, stream=stream)
        assert cupy.cuda.get_current_stream() is own
        cupy.cuda.Stream.null.use()
        backend.free(block, stream=None)


class TestLate:
    """Work that waits for the host is submitted by a host thread."""

    def test_the_caller_is_not_held_up_and_all_stays_in_order(self, heap, backend):
        stream, thread, gate = backend.new_stream(Device.CUDA), ThreadStream(), threading.Event()
        data, result = np.zeros(SIZE, np.uint8), np.zeros(SIZE, np.uint8)

        def prepare():
            gate.wait(30)
            data[:] = 5

        with lent(heap, SIZE) as block:
            stream.wait_for(thread.submit(prepare))
            backend.copy(Span(block, 0, SIZE), host_span(data), stream=stream)
            backend.fill(whole(block)._replace(extents=(9,)), np.uint8(7), stream=stream)
            backend.copy(host_span(result), Span(block, 0, SIZE), stream=stream)
            event = stream.record()
            assert not event.done()
            assert not stream.direct
            gate.set()
            event.wait()
        assert result.tolist() == [7] * 9 + [5] * (SIZE - 9)
        stream.synchronize()
        assert stream.direct
        thread.close()

    def test_another_stream_waits_for_what_is_still_to_be_handed_on(self, heap, backend):
        one, other, thread = backend.new_stream(Device.CUDA), backend.new_stream(Device.CUDA), ThreadStream()
        gate, result = threading.Event(), np.zeros(SIZE, np.uint8)
        with lent(heap, SIZE) as block:
            one.wait_for(thread.submit(lambda: gate.wait(30)))
            backend.fill(whole(block), np.uint8(7), stream=one)
            other.wait_for(one.record())
            backend.copy(host_span(result), Span(block, 0, SIZE), stream=other)
            gate.set()
            other.synchronize()
        assert set(result) == {7}
        thread.close()

    def test_memory_is_given_back_after_what_is_still_to_be_handed_on(self, heap, backend):
        home, thread, gate = backend.new_stream(Device.CUDA), ThreadStream(), threading.Event()
        block = backend.allocate(Device.CUDA, SIZE, alignment=1, stream=home)
        home.wait_for(thread.submit(lambda: gate.wait(30)))
        backend.fill(whole(block), np.uint8(7), stream=home)
        backend.free(block, stream=None)
        gate.set()
        home.synchronize()
        thread.close()

    def test_what_fails_there_is_raised_by_those_who_wait(self, heap, backend, monkeypatch):
        stream, thread, gate = backend.new_stream(Device.CUDA), ThreadStream(), threading.Event()
        with lent(heap, SIZE) as block:
            stream.wait_for(thread.submit(lambda: gate.wait(30)))
            monkeypatch.setattr(backend._copier, "fill", fail)
            backend.fill(whole(block), np.uint8(7), stream=stream)
            event = stream.record()
            gate.set()
            with pytest.raises(ZeroDivisionError):
                event.wait()
            stream.synchronize()  # the error was reported already
        thread.close()


class TestCollected:
    """A garbage collection that frees memory while a stream starts its thread does not wait for that."""

    @pytest.mark.parametrize(("where", "what"), [(threading, "Thread"), (streams, "ThreadStream")])
    def test_while_a_stream_gets_its_thread(self, heap, backend, monkeypatch, where, what):
        data, function = random_bytes(LONG), getattr(where, what)
        stream, other, gate = backend.new_stream(Device.CUDA), backend.new_stream(Device.CUDA), threading.Event()

        def collect_and_make(*arguments, **named):
            monkeypatch.setattr(where, what, function)
            gc.collect()
            return function(*arguments, **named)

        def copy():
            backend.copy(Span(block, 0, LONG), host_span(data), stream=stream)

        with ThreadStream() as thread, lent(heap, LONG) as block:
            other.wait_for(thread.submit(lambda: gate.wait(30)))
            drop_a_knot(backend, stream, other)
            caller = threading.Thread(target=copy, daemon=True)
            monkeypatch.setattr(where, what, collect_and_make)
            caller.start()
            caller.join(60)
            assert not caller.is_alive()
            gate.set()
            stream.synchronize()
            other.synchronize()  # it frees the knot
            assert np.array_equal(read(heap, block, LONG), data)


class TestLost:
    """After `DeviceLostError` nothing hangs, and everything can be released."""

    def test_work_waits_and_questions_all_end(self, cuda_machine, heap, backend):
        stream = backend.new_stream(Device.CUDA)
        block = backend.allocate(Device.CUDA, SIZE, alignment=1, stream=None)
        backend.fill(whole(block), np.uint8(7), stream=stream)
        event = stream.record()
        cuda_machine.lose(0)
        assert event.done()
        event.settle()
        uses = [
            event.wait,
            stream.synchronize,
            stream.record,
            lambda: backend.fill(whole(block), np.uint8(7), stream=stream),
            lambda: backend.copy(Span(block, 0, 10), host_span(random_bytes(10)), stream=None),
            lambda: backend.allocate(Device.CUDA, SIZE, alignment=1, stream=None),
            lambda: backend.synchronize(Device.CUDA),
        ]
        for use in uses:
            with pytest.raises(DeviceLostError, match=r"the driver of cuda:0 reported cudaErrorLaunchFailure"):
                use()
        backend.free(block, stream=None)

    def test_what_is_on_the_host_and_on_the_other_device_is_kept(self, cuda_machine):
        lost, intact, host = (accel.full(10, 3.0, device=device) for device in ("cuda:0", "cuda:1", "cpu"))
        cuda_machine.lose(0)
        with pytest.raises(DeviceLostError):
            lost.to_numpy()
        assert intact.to_numpy().sum() == host.to_numpy().sum() == 30
        lost.release()

    def test_a_transfer_under_way_ends(self, cuda_machine):
        source, target = accel.full(10, 3.0, device="cuda"), accel.full(10, 1.0, device="cuda")
        transfer = target.copy_from_async(source, stream=accel.new_stream("cuda"))
        cuda_machine.lose(0)
        assert transfer.done()
        with pytest.raises(DeviceLostError):
            transfer.wait()


def test_a_child_of_a_fork_is_told_to_spawn(heap, backend):
    container, stream = accel.full(10, 3.0, device="cuda"), accel.new_stream("cuda")
    event = stream.record()
    # As in a forked child: it is not the process that made the driver.
    begun, backend._driver._process = backend._driver._process, None
    driver._forget_threads()
    uses = [
        lambda: accel.zeros(1, device="cuda"),
        container.to_numpy,
        lambda: accel.new_stream("cuda"),
        stream.synchronize,
        stream.record,
        event.done,
        event.wait,
    ]
    for use in uses:
        with pytest.raises(RuntimeError, match="start processes with 'spawn'"):
            use()
    container.release()
    backend._driver._process = begun


def drop_a_knot(backend, stream, other):
    """Allocate memory on one stream, use it on another, and leave it to the garbage collector."""
    with stream:
        knot = [accel.zeros(10, device="cuda")]
    backend.fill(knot[0].__accel_operand__(), 7.0, stream=other)
    knot.append(knot)


def whole(block):
    """Return all bytes of a block."""
    return accel.abc.Operand(Span(block, 0, SIZE), 0, np.dtype(np.uint8), (SIZE,), (1,))


def fail(*arguments):
    raise ZeroDivisionError


def test_a_copy_for_a_stream_of_the_host_does_not_wait_for_streams_that_wait_for_it(cuda_machine):
    """A stream of the GPU waits for the thread of a host stream, whose copy goes to the same GPU."""
    thread, gate = accel.new_stream("cpu"), threading.Event()
    host, first, second = accel.full(10, 5.0), accel.zeros(10, device="cuda"), accel.zeros(10, device="cuda")
    thread.submit(lambda: gate.wait(30))
    first.copy_from_async(host, stream=thread)
    second.copy_from(first)
    gate.set()
    assert set(second.to_numpy()) == {5}
    thread.close()
