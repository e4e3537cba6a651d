import asyncio
import threading

import numpy as np
import pytest

import accel
from accel.errors import KernelMemoryError, RaceError
from accel.testing import no_races


@pytest.fixture
def increase(cuda):
    @cuda.jit
    def kernel(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] += 1

    return kernel


class TestStreams:
    def test_work_of_a_stream_is_done_in_order(self, cuda, increase):
        stream = cuda.stream()
        array = cuda.to_device(np.zeros(100), stream=stream)
        for _ in range(5):
            increase[4, 32, stream](array)
        assert (array.copy_to_host(stream=stream) == 5).all()

    def test_streams_race(self, cuda, increase):
        first, second = cuda.stream(), cuda.stream()
        array = cuda.to_device(np.zeros(100))
        with pytest.raises(RaceError), no_races():  # noqa: PT012 - the check is at the end of the block
            increase[4, 32, first](array)
            increase[4, 32, second](array)
            cuda.synchronize()

    @pytest.mark.parametrize("seed", range(3))
    def test_the_default_stream_and_the_others_wait_for_each_other(self, cuda, increase, seed):
        with accel.using(sim_seed=seed + 1), no_races():
            stream = cuda.stream()
            array = cuda.to_device(np.zeros(100))
            increase[4, 32, stream](array)
            increase[4, 32](array)
            increase[4, 32, stream](array)
            assert (array.copy_to_host() == 3).all()

    @pytest.mark.parametrize("seed", range(3))
    def test_events_order_streams(self, cuda, increase, seed):
        with accel.using(sim_seed=seed + 1), no_races():
            first, second = cuda.stream(), cuda.stream()
            array = cuda.to_device(np.zeros(100), stream=first)
            increase[4, 32, first](array)
            event = cuda.event()
            event.record(first)
            event.wait(second)
            increase[4, 32, second](array)
            second.synchronize()
            assert event.query()
            assert (array.copy_to_host() == 2).all()

    def test_auto_synchronize(self, cuda, increase):
        stream = cuda.stream()
        pinned = cuda.pinned_array(10)
        pinned[:] = 0
        with stream.auto_synchronize():
            array = cuda.to_device(pinned, stream=stream)
            increase[1, 32, stream](array)
            array.copy_to_host(pinned, stream=stream)
        assert (pinned == 1).all()

    def test_default_streams(self, cuda, increase):
        array = cuda.to_device(np.zeros(10))
        for stream in (cuda.default_stream(), cuda.legacy_default_stream(), cuda.per_thread_default_stream()):
            increase[1, 32, stream](array)
            stream.synchronize()
        assert (array.copy_to_host() == 3).all()

    def test_external_streams_are_known_by_their_numbers(self, cuda, increase):
        stream = cuda.stream()
        array = cuda.to_device(np.zeros(10))
        increase[1, 32, cuda.external_stream(int(stream.handle))](array)
        stream.synchronize()
        assert (array.copy_to_host() == 1).all()

    def test_unknown_streams(self, cuda):
        from numba.cuda.cudadrv.driver import CudaAPIError

        with pytest.raises(CudaAPIError, match="CUDA_ERROR_INVALID_HANDLE"):
            cuda.external_stream(12345).synchronize()


class TestEvents:
    def test_there_is_time_between_events(self, cuda):
        begin, end = cuda.event(), cuda.event()
        begin.record()
        cuda.to_device(np.zeros(1000))
        end.record()
        end.synchronize()
        assert begin.elapsed_time(end) > 0

    def test_events_without_times_and_records(self, cuda):
        from numba.cuda.cudadrv.driver import CudaAPIError

        plain, never = cuda.event(timing=False), cuda.event()
        plain.record()
        plain.synchronize()
        assert never.query()
        never.wait()
        for first, second in ((plain, plain), (never, never)):
            with pytest.raises(CudaAPIError, match="CUDA_ERROR_INVALID_HANDLE"):
                first.elapsed_time(second)


class TestCallbacks:
    def test_a_callback_comes_after_the_work_while_the_program_waits_for_something_else(self, cuda, increase):
        stream, called = cuda.stream(), threading.Event()
        pinned = cuda.pinned_array(10)
        array = cuda.to_device(np.zeros(10), stream=stream)
        increase[1, 32, stream](array)
        array.copy_to_host(pinned, stream=stream)
        seen = []

        def note(stream, status, argument):
            seen.append((stream, status, argument, pinned.sum()))
            called.set()

        stream.add_callback(note, "argument")
        assert called.wait(60)
        assert seen == [(stream, 0, "argument", 10)]

    def test_streams_are_awaited(self, cuda):
        async def copied(value):
            stream = cuda.stream()
            source, target = cuda.pinned_array(8), cuda.pinned_array(8)
            source[:] = value
            cuda.to_device(source, stream=stream).copy_to_host(target, stream=stream)
            assert await stream.async_done() is stream
            return target.mean()

        async def all_copied():
            return await asyncio.gather(*map(copied, range(4)))

        assert asyncio.run(all_copied()) == [0, 1, 2, 3]

    def test_a_callback_after_a_kernel_that_failed_is_told(self, cuda):
        @cuda.jit
        def beyond(x):
            x[cuda.grid(1)] = 1

        stream, statuses, called = cuda.stream(), [], threading.Event()
        beyond[1, 64, stream](cuda.device_array(3))
        stream.add_callback(lambda stream, status, argument: (statuses.append(status), called.set()))
        assert called.wait(60)
        assert statuses[0] != 0
        with pytest.raises(KernelMemoryError):
            stream.synchronize()


@pytest.mark.parametrize("wait", ["synchronize", "copy", "stream"])
def test_what_kernels_do_wrong_is_raised_by_the_next_wait(cuda, wait):
    @cuda.jit
    def beyond(x):
        x[cuda.grid(1)] = 1

    stream = cuda.stream()
    array = cuda.device_array(3)
    beyond[1, 64, stream](array)
    waits = {"synchronize": cuda.synchronize, "copy": array.copy_to_host, "stream": stream.synchronize}
    with pytest.raises(KernelMemoryError, match="in kernel beyond") as raised:
        waits[wait]()
    assert f"allocated at {__file__}" in str(raised.value)
    [frame] = raised.value.reports[0].place.frames
    assert (frame.file, frame.function) == (__file__, "beyond")
