"""What each device promises of graphs. Subclasses run on a device: its fixture is ``device``."""

import threading
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import accel
from accel import LayoutTensor, NDBuffer
from accel.errors import CapabilityError, DeviceMismatchError, ReleasedError
from accel.layout import Layout
from accel.memory import heap_of

from ..tables import rows
from ..threads import run_at_once

SHAPE = 4, 6
SIZE = 24
ARRAYS = 3
STATES = st.lists(st.integers(-99, 99), min_size=ARRAYS * SIZE, max_size=ARRAYS * SIZE)


@accel.kernel
def scale(values, factor):
    for i in range(values.size):
        values[i] = values[i] * factor


@accel.kernel
def add(target, source, factor):
    for i in range(target.size):
        target[i] = target[i] + source[i] * factor


@accel.kernel
def total_into(target, values):
    total = accel.accumulator("int64")
    for i in range(values.size):
        total += values[i]
    for i in range(target.size):
        target[i] = total + i


RAW = """
extern "C" __global__ void shifted(long long* target, accel::View<const long long, 2> source, long long by) {
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < source.size()) target[i] = source(i / source.extents[1], i % source.extents[1]) + by;
}
"""


class Operation(NamedTuple):
    """An operation of a graph: on NumPy's arrays of a shape, and on containers by a captured stream."""

    expected: object
    submit: object


def _fill(to, value, start, stop):
    def expected(arrays):
        arrays[to].reshape(-1)[start:stop] = value

    return Operation(
        expected, lambda each, stream: (each[to] if stop - start == SIZE else each[to][start:stop]).fill(value)
    )


def _copy(to, of):
    def expected(arrays):
        arrays[to][...] = arrays[of]

    return Operation(expected, lambda each, stream: each[to].copy_from(each[of]))


def _copy_async(to, of):
    return Operation(_copy(to, of).expected, lambda each, stream: each[to].copy_from_async(each[of], stream=stream))


def _transpose(to, of):
    def expected(arrays):
        arrays[to][...] = arrays[of].reshape(-1).reshape(SHAPE[::-1]).T

    def submit(each, stream):
        target, source = (each[i].view(Layout.row_major(*shape)) for i, shape in ((to, SHAPE), (of, SHAPE[::-1])))
        target.copy_from(source.transpose())

    return Operation(expected, submit)


def _scale(to, factor):
    def expected(arrays):
        arrays[to] *= factor

    return Operation(expected, lambda each, stream: scale(each[to], factor))


def _add(to, of, factor):
    def expected(arrays):
        arrays[to] += arrays[of] * factor

    return Operation(expected, lambda each, stream: add.on(stream)(each[to], each[of], factor))


@st.composite
def operations(draw):
    """Draw an operation; two arrays of one operation differ."""
    to, of = draw(st.permutations(range(ARRAYS)))[:2]
    value = draw(st.integers(-3, 3))
    start, stop = sorted(draw(st.lists(st.integers(0, SIZE), min_size=2, max_size=2, unique=True)))
    return draw(
        st.sampled_from(
            [
                _fill(to, value, 0, SIZE),
                _fill(to, value, start, stop),
                _copy(to, of),
                _copy_async(to, of),
                _transpose(to, of),
                _scale(to, value),
                _add(to, of, value),
            ]
        )
    )


def new_arrays(values, device):
    """Return NumPy arrays with some values, and containers with the same."""
    arrays = np.array(values, np.int64).reshape(ARRAYS, *SHAPE)
    return arrays, [accel.container(each.reshape(-1), device=device) for each in arrays]


class RandomGraphs:
    """Random sequences, captured and launched n times, do what n times the sequence does."""

    examples = 60

    def test_a_graph_does_what_its_sequence_does(self, device):
        @settings(max_examples=self.examples, deadline=None)
        @given(
            values=STATES,
            sequence=st.lists(operations(), max_size=6),
            launches=st.lists(st.tuples(st.booleans(), st.none() | st.integers(-9, 9), st.booleans()), max_size=4),
            release=st.booleans(),
        )
        def law(values, sequence, launches, release):
            arrays, containers = new_arrays(values, device)
            stream, other = accel.new_stream(device), accel.new_stream(device)
            with accel.capture(stream) as graph:
                for each in sequence:
                    each.submit(containers, stream)
            for each, array in zip(containers, arrays, strict=True):
                assert np.array_equal(each.to_numpy(), array.reshape(-1))
            for elsewhere, value, waits in launches:
                if value is not None:  # work between the launches, on another stream
                    arrays[0] += value
                    add.on(other)(containers[0], accel.full(SIZE, value, "int64", device=device), 1)
                event = graph.launch(stream=other if elsewhere else None)
                if waits:
                    event.wait()
                for each in sequence:
                    each.expected(arrays)
            if release:
                graph.release()
            for each, array in zip(containers, arrays, strict=True):
                assert np.array_equal(each.to_numpy(), array.reshape(-1))
            stream.close()
            other.close()

        law()


MESSAGES = r"captured into a graph, and cannot .* meanwhile; |graph.launch\(\)"
REFUSED = {
    "read": lambda x, stream: x.to_numpy(),
    "read of a part": lambda x, stream: x[1:3].to_numpy(),
    "write": lambda x, stream: x.from_numpy(np.zeros(SIZE, np.int64)),
    "write of a part": lambda x, stream: x[:2].from_numpy(np.zeros(2, np.int64)),
    "allocation": lambda x, stream: accel.empty(3, device=x.device),
    "allocation for the stream": lambda x, stream: x.to(x.device, copy=True, stream=stream),
    "synchronize": lambda x, stream: stream.synchronize(),
    "the device": lambda x, stream: heap_of(x.device).synchronize(),
    "close": lambda x, stream: stream.close(),
    "a wait for an event": lambda x, stream: stream.wait_for(accel.new_stream(x.device).record()),
    "a wait for its event": lambda x, stream: stream.record().wait(),
    "a question": lambda x, stream: stream.record().done(),
    "a transfer": lambda x, stream: x.copy_from_async(x, stream=stream).wait(),
    "the end of a kernel": lambda x, stream: scale.on(stream)(x, 1).wait(),
    "the same stream again": lambda x, stream: accel.capture(stream).__enter__(),
    "another capture": lambda x, stream: accel.capture(accel.new_stream(x.device)).__enter__(),
}


class Graphs:
    """What a graph is, what it refuses, and what memory it keeps."""

    @pytest.fixture
    def stream(self, device):
        """A stream beside the default one."""
        stream = accel.new_stream(device)
        yield stream
        stream.close()

    @pytest.fixture
    def x(self, device):
        """Memory whose elements are 1."""
        with accel.full(SIZE, 1, "int64", device=device) as x:
            scale(x, 1)
            yield x

    def test_what_is_captured_is_done_by_launches_only(self, x, stream):
        with accel.capture(stream) as graph:
            scale(x, 3)
            scale.on(stream)(x, 2)
        assert set(x.to_numpy()) == {1}
        assert graph.operations == 2
        assert graph.launch().device is x.device is graph.device
        assert set(x.to_numpy()) == {6}
        event = graph.launch()
        event.wait()
        assert event.done()
        assert set(x.to_numpy()) == {36}

    def test_work_of_the_stream_comes_before_and_after(self, x, stream):
        with stream:
            x.fill(2)
        with accel.capture(stream) as graph:
            scale(x, 3)
        graph.launch()
        with stream:
            scale(x, 5)
        assert set(x.to_numpy()) == {30}

    def test_launches_on_several_streams_are_in_order(self, x, stream, device):
        y, streams = accel.zeros(SIZE, "int64", device=device), [accel.new_stream(device) for _ in range(3)]
        with accel.capture(stream) as graph:
            scale(x, 2)
            add(y, x, 1)
        for each in [*streams, stream, *streams]:
            graph.launch(stream=each)
        assert set(x.to_numpy()) == {2**7}
        assert set(y.to_numpy()) == {2**8 - 2}
        for each in streams:
            each.close()

    def test_the_host_may_write_between_launches(self, x, stream, device):
        y = accel.zeros(SIZE, "int64", device=device)
        with accel.capture(stream) as graph:
            y.copy_from(x)
        for value in range(5):
            x.from_numpy(np.full(SIZE, value))
            graph.launch()
            assert set(y.to_numpy()) == {value}

    def test_what_a_graph_uses_stays_allocated_until_it_is_released(self, stream, device):
        heap = heap_of(device)
        with accel.zeros(SIZE, "int64", device=device) as first:
            scale(first, 1)
        heap.synchronize()
        before = heap.live_blocks
        x, y = accel.full(SIZE, 4, "int64", device=device), accel.zeros(SIZE, "int64", device=device)
        with accel.capture(stream) as graph:
            scale(x, 2)
            x.release()
            with pytest.raises(ReleasedError):
                scale(x, 2)
        with graph:
            graph.launch()
            with accel.capture(stream) as copy:
                y.fill(3)
            y.release()
            copy.launch().wait()
            assert heap.live_blocks == before + 2
        assert graph.released
        graph.release()
        with pytest.raises(ReleasedError, match="this graph was released"):
            graph.launch()
        copy.launch().wait()
        del copy
        heap.synchronize()
        assert heap.live_blocks == before

    @rows("what", REFUSED)
    def test_what_cannot_be_recorded_is_refused_and_the_capture_goes_on(self, what, x, stream):
        x.fill(1)
        with accel.capture(stream) as graph:
            scale(x, 3)
            with pytest.raises(CapabilityError, match=MESSAGES):
                REFUSED[what](x, stream)
            scale(x, 2)
        assert set(x.to_numpy()) == {1}
        graph.launch()
        assert set(x.to_numpy()) == {6}

    def test_an_error_in_the_block_ends_the_capture(self, x, stream):
        references = x.storage.ref_count
        block = accel.capture(stream)

        def fail():
            with block:
                scale(x, 3)
                raise ZeroDivisionError("by the test")

        with pytest.raises(ZeroDivisionError):
            fail()
        with pytest.raises(RuntimeError, match="ended with ZeroDivisionError: by the test; capture it again"):
            block.graph.launch()
        assert x.storage.ref_count == references
        with stream:
            scale(x, 5)
        assert set(x.to_numpy()) == {5}
        with accel.capture(stream) as again:
            scale(x, 2)
        again.launch()
        assert set(x.to_numpy()) == {10}

    def test_a_graph_is_not_launched_before_it_is_captured(self, x, stream):
        with accel.capture(stream) as graph:
            scale(x, 3)
            assert "being captured" in repr(graph)
            with pytest.raises(RuntimeError, match="being captured; launch it after the block"):
                graph.launch()
        assert "1 operations" in repr(graph)

    def test_a_graph_may_launch_others(self, x, stream, device):
        with accel.capture(stream) as inner:
            scale(x, 2)
        other = accel.new_stream(device)
        with accel.capture(other) as outer:
            scale(x, 3)
            inner.launch(stream=other)
            inner.launch(stream=other)
        inner.release()
        assert set(x.to_numpy()) == {1}
        outer.launch()
        outer.launch(stream=stream)
        assert set(x.to_numpy()) == {144}
        other.close()

    def test_an_empty_graph(self, stream):
        with accel.capture(stream) as graph:
            pass
        graph.launch().wait()

    def test_another_stream_in_the_block_works_at_once(self, x, stream, device):
        other = accel.new_stream(device)
        with accel.capture(stream) as graph, other:
            scale.on(other)(x, 3)
            assert set(x.to_numpy()) == {3}
        graph.launch()
        assert set(x.to_numpy()) == {3}
        other.close()

    def test_other_threads_work_as_usual(self, x, stream, device):
        results, errors = [], []

        def work():
            try:
                with accel.new_stream(device):
                    y = accel.full(SIZE, 5, "int64", device=device)
                    scale(y, 2)
                    results.append(set(y.to_numpy()))
            except Exception as error:
                errors.append(error)

        def intrude():
            with pytest.raises(CapabilityError, match="cannot have work of another thread"):
                scale.on(stream)(x, 7)
            results.append(set(x.to_numpy()))

        with accel.capture(stream) as graph:
            scale(x, 3)
            run_at_once([work, intrude])
            scale(x, 2)
        assert not errors
        assert sorted(results, key=str) == [{1}, {10}]
        graph.launch()
        assert set(x.to_numpy()) == {6}

    def test_memory_that_the_stream_has_used_may_be_used_elsewhere_meanwhile(self, x, stream, device):
        with stream:
            x.fill(4)
        other, y = accel.new_stream(device), accel.zeros(SIZE, "int64", device=device)
        with accel.capture(stream) as graph:
            scale(y, 3)
            y.copy_from_async(x, stream=stream)
            with other:
                add.on(other)(x, x, 1)
                assert set(x.to_numpy()) == {8}
        graph.launch()
        assert set(y.to_numpy()) == {8}
        other.close()

    def test_threads_launch_one_graph(self, x, stream, device):
        y = accel.full(SIZE, 1, "int64", device=device)
        with accel.capture(stream) as graph:
            add(x, y, 1)
        streams = [accel.new_stream(device) for _ in range(4)]

        def launch(own):
            for _ in range(10):
                graph.launch(stream=own)

        run_at_once([partial(launch, own) for own in streams])
        assert set(x.to_numpy()) == {41}
        for each in streams:
            each.close()

    def test_threads_capture_at_once(self, device):
        sums = []

        def work(factor):
            stream, x = accel.new_stream(device), accel.full(SIZE, 1, "int64", device=device)
            begun.wait()
            for _ in range(5):
                with accel.capture(stream) as graph:
                    scale(x, factor)
                graph.launch()
            sums.append(int(x.to_numpy()[0]))
            stream.close()

        scale(accel.full(SIZE, 1, "int64", device=device), 1)
        begun = threading.Barrier(4)
        run_at_once([partial(work, factor) for factor in (2, 3, 4, 5)])
        assert sorted(sums) == [2**5, 3**5, 4**5, 5**5]

    def test_what_is_no_stream_of_the_device_is_refused(self, x, stream, device):
        with pytest.raises(TypeError, match="a stream is captured; found"):
            accel.capture(device)
        with accel.capture(stream) as graph:
            scale(x, 3)
        with pytest.raises(TypeError, match="launched on a stream; found 3"):
            graph.launch(stream=3)
        elsewhere = accel.new_stream("cpu" if str(device) != "cpu" else "sim")
        with pytest.raises(DeviceMismatchError, match="cannot launch a graph of"):
            graph.launch(stream=elsewhere)
        elsewhere.close()
        stream.close()
        with pytest.raises(RuntimeError, match="closed"), accel.capture(stream):
            pass
        with pytest.raises(RuntimeError, match="closed"):
            graph.launch()
        assert set(x.to_numpy()) == {1}

    def test_one_capture_has_one_graph(self, stream):
        again = accel.capture(stream)
        with again:
            pass
        with pytest.raises(RuntimeError, match="write another one"):
            again.__enter__()

    def test_memory_that_kernels_and_copies_need_besides_their_arguments(self, x, stream, device):
        y, z = (accel.zeros(SIZE, "int64", device=device) for _ in range(2))
        other = accel.new_stream(device)
        total_into(y, x)
        with accel.capture(stream) as graph:
            total_into(y, x)
            z.view(Layout.row_major(*SHAPE)).copy_from(y.view(Layout.row_major(*SHAPE[::-1])).transpose())
            z[1:].copy_from(z[:-1])
        for value in range(4):
            with stream:  # it would get the memory, if that were free
                temporary = [accel.full(SIZE * size, -1, "int64", device=device) for size in (1, 8, 100)]
            x.fill(value)
            graph.launch(stream=other if value % 2 else stream)
            expected = (SIZE * value + np.arange(SIZE)).reshape(SHAPE[::-1]).T.reshape(-1)
            assert z.to_numpy().tolist() == [expected[0], *expected[:-1]]
            assert all(set(each.to_numpy()) == {-1} for each in temporary)
        graph.release()
        other.close()


class PinnedGraphs:
    """Copies from and to pinned memory of the host, which an accelerator does by itself."""

    def test_copies_from_and_to_pinned_memory(self, device):
        stream, other = accel.new_stream(device), accel.new_stream(device)
        inputs, outputs = (
            accel.AcceleratorDataContainer.on(accel.memory.pinned(SIZE, "int64", device)) for _ in range(2)
        )
        x = accel.zeros(SIZE, "int64", device=device)
        with accel.capture(stream) as graph:
            x.copy_from(inputs)
            scale(x, 3)
            outputs.copy_from_async(x, stream=stream)
            outputs[:2].copy_from(x[2:4])
        x.release()
        for value in range(6):
            inputs.from_numpy(np.arange(SIZE) + value)  # waits for the last launch
            graph.launch(stream=other if value % 2 else None)
            expected = 3 * (np.arange(SIZE) + value)
            expected[:2] = expected[2:4]
            assert np.array_equal(outputs.to_numpy(), expected)
        graph.launch()
        inputs.release()
        graph.release()
        assert np.array_equal(outputs.to_numpy(), expected)
        outputs.release()
        stream.close()
        other.close()

    def test_pageable_memory_is_refused(self, device):
        x, stream = accel.zeros(SIZE, "int64", device=device), accel.new_stream(device)
        pageable = accel.zeros(SIZE, "int64", device="cpu")
        with accel.capture(stream) as graph:
            for copy in (
                lambda: x.copy_from(pageable),
                lambda: pageable.copy_from(x),
                lambda: x.copy_from_async(pageable, stream=stream),
                lambda: pageable.copy_from_async(x, stream=stream),
            ):
                with pytest.raises(CapabilityError, match=r"pageable memory of the host .* accel\.memory\.pinned"):
                    copy()
        assert graph.operations == 0
        stream.close()


class RawGraphs:
    """Kernels in CUDA or HIP in a graph."""

    def test_kernels_in_cuda_or_hip(self, device):
        stream, kernel = accel.new_stream(device), accel.RawKernel.from_source(RAW)
        x, y = (accel.container(np.arange(SIZE), device=device) for _ in range(2))
        turned = LayoutTensor(x, Layout.row_major(*SHAPE)).transpose()
        with accel.capture(stream) as graph:
            kernel(y, turned, 5, over=SIZE)  # compiled in the block
            kernel(x, NDBuffer(y, SHAPE), 1, over=SIZE, stream=stream)
        expected = np.arange(SIZE)
        for _ in range(3):
            graph.launch()
            shifted = expected.reshape(SHAPE).T.reshape(-1) + 5
            expected = shifted + 1
            assert np.array_equal(x.to_numpy(), expected)
            assert np.array_equal(y.to_numpy(), shifted)
        stream.close()
