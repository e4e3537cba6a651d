"""`OrderConformance`: tests of a backend that frees memory in the order of its streams."""

import numpy as np
import pytest

from accel.abc import Backend, Event, FreesInOrder, Operand, Span, Stream
from accel.memory import Heap
from accel.testing.blocks import lent, random_bytes, read, write
from accel.testing.stream_conformance import SIZE, StreamConformance, copied, copy

__all__ = ["OrderConformance"]

_TIMES = 20


class OrderConformance(StreamConformance):
    """Subclass this instead of `StreamConformance` for a backend that implements `FreesInOrder`.

    Accel does not wait for copies and fills on such a device before it frees their memory, so it relies on this order.
    """

    @pytest.fixture
    def ordering(self, backend: Backend) -> FreesInOrder:
        """The backend."""
        assert isinstance(backend, FreesInOrder)
        return backend

    def test_an_event_recorded_later_comes_after_work_that_is_not_marked(
        self, heap: Heap, ordering: FreesInOrder, stream: Stream
    ) -> None:
        with lent(heap, SIZE) as block:
            for value in range(_TIMES):
                heap.backend.fill(_whole(Span(block, 0, SIZE)), np.uint8(value), stream=stream)
                mark = ordering.mark(stream)
                assert mark is None or isinstance(mark, Event)
            stream.record().wait()
            assert mark is None or mark.done()
            assert set(read(heap, block, SIZE)) == {_TIMES - 1}

    def test_another_stream_waits_for_a_mark_or_for_an_event_after_it(
        self, heap: Heap, ordering: FreesInOrder, stream: Stream, other: Stream
    ) -> None:
        with lent(heap, SIZE) as first, lent(heap, SIZE) as second:
            for value in range(_TIMES):
                write(heap, first, np.zeros(SIZE, np.uint8))
                heap.backend.fill(_whole(Span(first, 0, SIZE)), np.uint8(value), stream=stream)
                other.wait_for(ordering.mark(stream) or stream.record())
                copy(heap, Span(first, 0, SIZE), Span(second, 0, SIZE), other)
                other.synchronize()
                assert set(read(heap, second, SIZE)) == {value}

    def test_freed_bytes_are_not_allocated_again_before_the_work_on_them_is_done(
        self, heap: Heap, stream: Stream, other: Stream
    ) -> None:
        backend, data = heap.backend, random_bytes(SIZE)
        with lent(heap, SIZE) as target:
            for _ in range(_TIMES):
                block = backend.allocate(self.device, SIZE, alignment=1, stream=stream)
                other.wait_for(copied(heap, data, block, stream))
                copy(heap, Span(block, 0, SIZE), Span(target, 0, SIZE), other)
                backend.free(block, stream=None)
                block = backend.allocate(self.device, SIZE, alignment=1, stream=stream)
                backend.fill(_whole(Span(block, 0, SIZE)), np.uint8(0), stream=stream)
                backend.free(block, stream=None)
                stream.synchronize()
                other.synchronize()
                assert np.array_equal(read(heap, target, SIZE), data)


def _whole(span: Span) -> Operand:
    return Operand(span, 0, np.dtype(np.uint8), (span.nbytes,), (1,))
