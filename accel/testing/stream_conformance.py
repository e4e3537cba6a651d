"""`StreamConformance`: tests of a backend with streams of its own."""

import gc
import threading
import time
from collections.abc import Iterator

import numpy as np
import pytest

from accel.abc import AllocatesCleared, Backend, Block, Event, Operand, Span, Stream, SupportsStreams, current_stream
from accel.abc.stream import CurrentStream
from accel.memory import Heap
from accel.memory.thread_stream import ThreadStream
from accel.testing.blocks import Bytes, host_span, lent, random_bytes, read, write
from accel.testing.conformance import BackendConformance

__all__ = ["StreamConformance"]

SIZE = 4096


class StreamConformance(BackendConformance):
    """Subclass this instead of `BackendConformance` for a backend that implements `SupportsStreams`.

    The tests require order. They do not require that work is late, because a device may be fast.
    """

    @pytest.fixture
    def streams(self, backend: Backend) -> SupportsStreams:
        """The backend."""
        assert isinstance(backend, SupportsStreams)
        return backend

    @pytest.fixture
    def stream(self, streams: SupportsStreams) -> Iterator[Stream]:
        """A stream."""
        stream = streams.new_stream(self.device)
        yield stream
        stream.close()

    other = stream

    def test_streams_and_events_are_what_the_protocols_say(self, stream: Stream, other: Stream) -> None:
        assert stream is not other
        for each in (stream, other):
            assert isinstance(each, Stream)
            assert isinstance(each.record(), Event)
            assert each.device is each.record().device is self.device

    def test_the_default_stream_is_always_the_same(self, streams: SupportsStreams, stream: Stream) -> None:
        default = streams.default_stream(self.device)
        assert default is streams.default_stream(self.device)
        assert default is not stream
        assert isinstance(default, Stream)
        assert default.device is self.device

    def test_a_stream_is_current_in_its_block(self, stream: Stream, other: Stream) -> None:
        with stream:
            with other:
                assert current_stream(self.device) is other
            assert current_stream(self.device) is stream
        assert current_stream(self.device) is None

    def test_work_of_a_stream_is_done_in_order(self, heap: Heap, stream: Stream) -> None:
        with lent(heap, SIZE) as first, lent(heap, SIZE) as second:
            result = np.empty(SIZE, np.uint8)
            for data in (random_bytes(SIZE), random_bytes(SIZE)[::-1].copy()):
                copy(heap, host_span(data), Span(first, 0, SIZE), stream)
                copy(heap, Span(first, 0, SIZE), Span(second, 0, SIZE), stream)
                copy(heap, Span(second, 0, SIZE), host_span(result), stream)
                stream.synchronize()
                assert np.array_equal(result, data)

    def test_strided_copies_and_fills_are_ordered_too(self, heap: Heap, stream: Stream) -> None:
        with lent(heap, SIZE) as block:
            whole = Operand(Span(block, 0, SIZE), 0, np.dtype(np.uint8), (SIZE,), (1,))
            copy(heap, host_span(random_bytes(SIZE)), whole.span, stream)
            heap.backend.fill(whole, np.uint8(7), stream=stream)
            heap.backend.fill(whole._replace(extents=(SIZE // 2,), strides=(2,)), np.uint8(9), stream=stream)
            stream.synchronize()
            assert np.array_equal(read(heap, block, SIZE), np.tile(np.array([9, 7], np.uint8), SIZE // 2))

    def test_an_event_is_reached_when_the_work_before_it_is_done(self, heap: Heap, stream: Stream) -> None:
        data = random_bytes(SIZE)
        with lent(heap, SIZE) as block:
            event = copied(heap, data, block, stream)
            event.wait()
            assert event.done()
            assert np.array_equal(read(heap, block, SIZE), data)

    def test_an_event_of_an_unused_stream_is_reached(self, stream: Stream) -> None:
        event = stream.record()
        event.settle()
        assert event.done()

    def test_polling_is_enough(self, heap: Heap, stream: Stream) -> None:
        with lent(heap, SIZE) as block:
            event = copied(heap, random_bytes(SIZE), block, stream)
            deadline = time.monotonic() + 30
            while not event.done():
                assert time.monotonic() < deadline
            assert event.done(), "an event that was reached stays reached"

    def test_events_of_a_timed_stream_know_their_times(self, heap: Heap, stream: Stream) -> None:
        if isinstance(stream, CurrentStream):  # others may know them anyway
            stream.timed = True
        with lent(heap, SIZE) as block:
            first, second = (copied(heap, random_bytes(SIZE), block, stream) for _ in range(2))
            second.wait()
            times = (first.began, first.ended, second.began, second.ended)
            assert all(isinstance(time, float) for time in times)
            assert list(times) == sorted(time or 0.0 for time in times)

    def test_other_events_know_theirs_only_if_they_were_asked_for(self, heap: Heap, stream: Stream) -> None:
        before = stream.record(timed=True)
        with lent(heap, SIZE) as block:
            event = copied(heap, random_bytes(SIZE), block, stream)
            event.wait()
            assert not isinstance(stream, CurrentStream) or event.began is event.ended is None
            after = stream.record(timed=True)
            after.wait()
            assert (before.ended or 0.0) <= (after.ended or 0.0)

    def test_another_stream_waits_for_an_event(self, heap: Heap, stream: Stream, other: Stream) -> None:
        data, result = random_bytes(SIZE), np.empty(SIZE, np.uint8)
        with lent(heap, SIZE) as block:
            for _ in range(20):
                result[:] = 0
                write(heap, block, np.zeros(SIZE, np.uint8))
                other.wait_for(copied(heap, data, block, stream))
                copy(heap, Span(block, 0, SIZE), host_span(result), other)
                other.synchronize()
                assert np.array_equal(result, data)
                stream.synchronize()

    def test_a_stream_waits_for_a_thread_of_the_host(self, heap: Heap, stream: Stream) -> None:
        data, start = np.zeros(SIZE, np.uint8), threading.Event()
        expected = random_bytes(SIZE)

        def prepare() -> None:
            start.wait(30)
            data[:] = expected

        thread = ThreadStream()
        with lent(heap, SIZE) as block:
            stream.wait_for(thread.submit(prepare))
            event = copied(heap, data, block, stream)
            assert not event.done()
            start.set()
            event.wait()
            assert np.array_equal(read(heap, block, SIZE), expected)
        thread.close()

    def test_a_thread_of_the_host_waits_for_a_stream(self, heap: Heap, stream: Stream) -> None:
        result: list[Bytes] = []
        data = random_bytes(SIZE)
        with lent(heap, SIZE) as block:
            thread = ThreadStream()
            thread.wait_for(copied(heap, data, block, stream))
            thread.submit(lambda: result.append(read(heap, block, SIZE)))
            thread.close()
        assert np.array_equal(result[0], data)

    def test_without_a_stream_work_goes_to_the_current_one(self, heap: Heap, stream: Stream) -> None:
        data, result = random_bytes(SIZE), np.empty(SIZE, np.uint8)
        with lent(heap, SIZE) as block:
            with stream:
                heap.backend.copy(Span(block, 0, SIZE), host_span(data), stream=None)
                heap.backend.copy(host_span(result), Span(block, 0, SIZE), stream=None)
            stream.synchronize()
        assert np.array_equal(result, data)

    def test_else_it_goes_to_the_default_one(self, heap: Heap, streams: SupportsStreams) -> None:
        data, result = random_bytes(SIZE), np.empty(SIZE, np.uint8)
        with lent(heap, SIZE) as block:
            heap.backend.copy(Span(block, 0, SIZE), host_span(data), stream=None)
            heap.backend.copy(host_span(result), Span(block, 0, SIZE), stream=None)
            streams.default_stream(self.device).record().wait()
        assert np.array_equal(result, data)

    def test_synchronizing_the_device_finishes_every_stream(self, heap: Heap, stream: Stream, other: Stream) -> None:
        with lent(heap, SIZE) as first, lent(heap, SIZE) as second:
            events = [copied(heap, random_bytes(SIZE), block, on) for block, on in ((first, stream), (second, other))]
            heap.backend.synchronize(self.device)
            assert all(event.done() for event in events)

    def test_memory_comes_and_goes_in_the_order_of_a_stream(self, heap: Heap, stream: Stream) -> None:
        backend = heap.backend
        data, result = random_bytes(SIZE), np.empty(SIZE, np.uint8)
        block = backend.allocate(self.device, SIZE, alignment=1, stream=stream)
        copy(heap, host_span(data), Span(block, 0, SIZE), stream)
        copy(heap, Span(block, 0, SIZE), host_span(result), stream)
        backend.free(block, stream=stream)
        stream.synchronize()
        assert np.array_equal(result, data)

    def test_every_stream_finds_memory_cleared_that_another_one_allocated(
        self, heap: Heap, stream: Stream, other: Stream
    ) -> None:
        backend, before = heap.backend, np.full(SIZE, 255, np.uint8)
        if not isinstance(backend, AllocatesCleared):
            return
        with lent(heap, SIZE) as target:
            for _ in range(20):
                block = backend.allocate(self.device, SIZE, alignment=1, stream=stream)
                copied(heap, before, block, stream)
                backend.free(block, stream=stream)
                block = backend.allocate_cleared(self.device, SIZE, alignment=1, stream=stream)
                copy(heap, Span(block, 0, SIZE), Span(target, 0, SIZE), other)
                other.synchronize()
                assert not read(heap, target, SIZE).any()
                backend.free(block, stream=other)

    def test_closing_finishes_the_work_and_takes_no_more(self, heap: Heap, streams: SupportsStreams) -> None:
        stream, data = streams.new_stream(self.device), random_bytes(SIZE)
        with lent(heap, SIZE) as block:
            event = copied(heap, data, block, stream)
            stream.close()
            stream.close()
            assert event.done()
            assert np.array_equal(read(heap, block, SIZE), data)
            with pytest.raises(RuntimeError, match="closed"):
                copied(heap, data, block, stream)

    def test_work_outlives_the_stream_object(self, heap: Heap, streams: SupportsStreams) -> None:
        data = random_bytes(SIZE)
        with lent(heap, SIZE) as block:
            event = copied(heap, data, block, streams.new_stream(self.device))
            gc.collect()
            event.wait()
            assert np.array_equal(read(heap, block, SIZE), data)

    def test_threads_may_submit_at_once(self, heap: Heap, stream: Stream) -> None:
        def use(number: int, block: Block) -> None:
            for _ in range(50):
                copied(heap, random_bytes(64 + number), block, stream).settle()

        with lent(heap, SIZE) as first, lent(heap, SIZE) as second:
            blocks = (first, second)
            threads = [threading.Thread(target=use, args=each) for each in enumerate(blocks)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            stream.synchronize()
            for number, block in enumerate(blocks):
                assert np.array_equal(read(heap, block, 64 + number), random_bytes(64 + number))


def copy(heap: Heap, source: Span, target: Span, stream: Stream) -> None:
    """Submit a copy."""
    heap.backend.copy(target, source, stream=stream)


def copied(heap: Heap, data: Bytes, block: Block, stream: Stream) -> Event:
    """Submit a copy from the host to a block, and return its event."""
    copy(heap, host_span(data), Span(block, 0, data.nbytes), stream)
    return stream.record()
