"""The fake driver runs work as late as CUDA may, in every order that CUDA allows, and fills unwritten memory."""

import ctypes

import numpy as np
import pytest

SIZE = 4096
SEEDS = range(30)
FRESH, FREED = 0xFF, 0xDD


@pytest.fixture
def memory(runtime):
    """Memory by `cudaMalloc`, with zeros."""
    address = runtime.malloc(SIZE)
    runtime.memsetAsync(address, 0, SIZE, 0)
    runtime.deviceSynchronize()
    yield address
    runtime.free(address)


@pytest.fixture
def streams(cupy):
    """Two streams that do not wait for the default one."""
    return [cupy.cuda.Stream(non_blocking=True) for _ in range(2)]


@pytest.fixture
def pinned(cupy):
    """Pinned memory, as bytes."""
    block = cupy.cuda.alloc_pinned_memory(SIZE)
    return np.frombuffer(block, np.uint8, SIZE)


def read(runtime, address, size=SIZE):
    """Return bytes of a device; the copy waits for the default stream only."""
    values = np.empty(size, np.uint8)
    runtime.memcpyAsync(values.ctypes.data, address, size, runtime.memcpyDeviceToHost, 0)
    return values


def test_fresh_memory_and_freed_memory_have_bytes_of_their_own(runtime):
    address = runtime.malloc(SIZE)
    assert set(read(runtime, address)) == {FRESH}
    host = np.frombuffer((ctypes.c_uint8 * SIZE).from_address(address), np.uint8)
    runtime.free(address)
    assert set(host) == {FREED}


@pytest.mark.parametrize("late", [False, True])
def test_work_is_done_at_once_or_when_it_is_waited_for(driver, runtime, memory, streams, pinned, late):
    if late:
        driver.run_late(seed=0)
    pinned[:] = 0
    runtime.memsetAsync(memory, 7, SIZE, streams[0].ptr)
    runtime.memcpyAsync(pinned.ctypes.data, memory, SIZE, runtime.memcpyDeviceToHost, streams[0].ptr)
    assert set(pinned) == ({0} if late else {7})
    streams[0].synchronize()
    assert set(pinned) == {7}


def test_two_streams_run_in_either_order_and_one_in_its_own(driver, runtime, memory, streams):
    results = set()
    for seed in SEEDS:
        driver.run_late(seed)
        for value, stream in enumerate(streams):
            runtime.memsetAsync(memory, 10, SIZE, stream.ptr)
            runtime.memsetAsync(memory, value, SIZE, stream.ptr)
        runtime.deviceSynchronize()
        results |= set(read(runtime, memory))
    assert results == {0, 1}


def test_the_same_seed_gives_the_same_order(driver, runtime, memory, streams):
    def outcome(seed):
        driver.run_late(seed)
        for value in range(20):
            runtime.memsetAsync(memory + value, value, SIZE - value, streams[value % 2].ptr)
        runtime.deviceSynchronize()
        return read(runtime, memory).tobytes()

    assert outcome(5) == outcome(5)
    assert len({outcome(seed) for seed in SEEDS}) > 1


@pytest.mark.parametrize("waits", [False, True])
def test_a_stream_that_waits_for_an_event_comes_after_it(driver, runtime, memory, streams, waits):
    results = set()
    for seed in SEEDS:
        driver.run_late(seed)
        first, second = streams
        runtime.memsetAsync(memory, 1, SIZE, first.ptr)
        event = first.record()
        if waits:
            second.wait_event(event)
        runtime.memsetAsync(memory, 2, SIZE, second.ptr)
        runtime.deviceSynchronize()
        results |= set(read(runtime, memory))
    assert results == ({2} if waits else {1, 2})


def test_a_stream_of_another_device_waits_for_an_event_too(driver, cupy, runtime, memory):
    for seed in SEEDS:
        driver.run_late(seed)
        runtime.memsetAsync(memory, seed, SIZE, 0)
        event = cupy.cuda.Event(disable_timing=True)
        event.record()
        host = np.zeros(SIZE, np.uint8)
        with cupy.cuda.Device(1):
            stream = cupy.cuda.Stream(non_blocking=True)
            stream.wait_event(event)
            runtime.memcpyAsync(host.ctypes.data, memory, SIZE, runtime.memcpyDeviceToHost, stream.ptr)
        assert set(host) == {seed}


@pytest.mark.parametrize("non_blocking", [False, True])
def test_the_default_stream_and_blocking_streams_wait_for_each_other(driver, cupy, runtime, memory, non_blocking):
    results = set()
    for seed in SEEDS:
        driver.run_late(seed)
        stream = cupy.cuda.Stream(non_blocking=non_blocking)
        runtime.memsetAsync(memory, 1, SIZE, stream.ptr)
        runtime.memsetAsync(memory, 2, SIZE, 0)
        runtime.memsetAsync(memory, 3, SIZE, stream.ptr)
        runtime.deviceSynchronize()
        results |= set(read(runtime, memory))
    assert results == ({2, 3} if non_blocking else {3})


def test_queries_move_a_late_stream_on_and_do_not_move_a_stalled_one(driver, runtime, memory, streams):
    driver.run_late(seed=0)
    driver.stall()
    runtime.memsetAsync(memory, 1, SIZE, streams[0].ptr)
    event = streams[0].record()
    assert not any(streams[0].done or event.done for _ in range(100))
    driver.stall(stalled=False)
    while not event.done:
        pass
    assert streams[0].done


def test_times_of_events_grow_along_a_stream_and_are_not_ready_before(driver, cupy, runtime, memory):
    driver.run_late(seed=0)
    driver.stall()
    first, last = cupy.cuda.Event(), cupy.cuda.Event()
    first.record()
    runtime.memsetAsync(memory, 1, SIZE, 0)
    last.record()
    with pytest.raises(runtime.CUDARuntimeError, match="cudaErrorNotReady"):
        cupy.cuda.get_elapsed_time(first, last)
    last.synchronize()
    assert cupy.cuda.get_elapsed_time(first, last) > 0


def test_an_event_answers_for_its_last_record(driver, cupy, runtime, memory, streams):
    driver.run_late(seed=0)
    driver.stall()
    event = cupy.cuda.Event(disable_timing=True)
    assert event.done  # it was never recorded
    event.record(streams[0])
    event.synchronize()
    runtime.memsetAsync(memory, 1, SIZE, streams[1].ptr)
    event.record(streams[1])
    assert not event.done


@pytest.mark.parametrize("reaches", [False, True])
def test_pageable_memory_is_read_before_the_call_returns_unless_the_device_reaches_it(driver, runtime, memory, reaches):
    driver.run_late(seed=0)
    driver.reach_pageable(reaches)
    host = np.full(SIZE, 3, np.uint8)
    assert runtime.getDeviceProperties(0)["pageableMemoryAccess"] == reaches
    assert bool(runtime.pointerGetAttributes(host.ctypes.data).devicePointer) == reaches
    runtime.memcpyAsync(memory, host.ctypes.data, SIZE, runtime.memcpyHostToDevice, 0)
    host[:] = 4
    runtime.deviceSynchronize()
    driver.reach_pageable(reaches=False)
    assert set(read(runtime, memory)) == {4 if reaches else 3}


@pytest.mark.parametrize("reaches", [False, True])
def test_pageable_memory_is_written_before_the_call_returns_unless_the_device_reaches_it(
    driver, runtime, memory, streams, reaches
):
    driver.run_late(seed=0)
    driver.reach_pageable(reaches)
    host = np.zeros(SIZE, np.uint8)
    runtime.memsetAsync(memory, 5, SIZE, streams[0].ptr)
    runtime.memcpyAsync(host.ctypes.data, memory, SIZE, runtime.memcpyDeviceToHost, streams[0].ptr)
    assert set(host) == {0 if reaches else 5}
    streams[0].synchronize()
    assert set(host) == {5}


def test_what_is_captured_is_done_by_launches_of_its_graph_only(driver, runtime, memory, streams):
    captured, drawn_in = streams
    captured.begin_capture()
    event = captured.record()
    drawn_in.wait_event(event)
    runtime.memsetAsync(memory, 9, SIZE, drawn_in.ptr)
    assert captured.is_capturing()
    assert drawn_in.is_capturing()
    graph = captured.end_capture()
    assert not drawn_in.is_capturing()
    assert runtime.eventQuery(event.ptr) == 907
    assert set(read(runtime, memory)) == {0}
    graph.launch(captured)
    assert set(read(runtime, memory)) == {9}


def test_freeing_memory_waits_for_its_device(driver, runtime, streams, pinned):
    driver.run_late(seed=0)
    pinned[:] = 0
    address = runtime.malloc(SIZE)
    runtime.memsetAsync(address, 6, SIZE, streams[0].ptr)
    runtime.memcpyAsync(pinned.ctypes.data, address, SIZE, runtime.memcpyDeviceToHost, streams[0].ptr)
    runtime.free(address)
    assert set(pinned) == {6}


def test_work_of_a_destroyed_stream_is_done_and_its_handle_is_given_again(driver, runtime, memory):
    driver.run_late(seed=0)
    stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    runtime.memsetAsync(memory, 8, SIZE, stream)
    runtime.streamDestroy(stream)
    again = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    assert again == stream
    runtime.deviceSynchronize()
    assert set(read(runtime, memory)) == {8}
    runtime.streamDestroy(again)


def test_arguments_of_a_kernel_are_taken_when_it_is_launched(driver, cupy, runtime, memory, streams):
    driver.run_late(seed=0)
    text = 'extern "C" __global__ void put(int* at, int value) { at[threadIdx.x] = value; }'
    function, value = cupy.RawModule(code=text).get_function("put").kernel, np.array(9, np.int32)
    function((1,), (4,), (np.uint64(memory), value), 0, streams[0])
    value[...] = 10
    streams[0].synchronize()
    assert read(runtime, memory, 16).view(np.int32).tolist() == [9] * 4


def test_calls_are_counted(driver, runtime, memory):
    driver.start_counting()
    for _ in range(3):
        runtime.memsetAsync(memory, 0, SIZE, 0)
    assert driver.counts() == {"cudaMemsetAsync": 3}


def test_cupys_own_kernels_compute(driver, cupy):
    driver.run_late(seed=0)
    values = np.arange(60.0).reshape(3, 4, 5)
    result = cupy.asarray(values)[::2, ::-1] * 2
    assert np.array_equal(cupy.asnumpy(result), values[::2, ::-1] * 2)
    assert np.array_equal(cupy.asnumpy(result.sum(axis=1)), 2 * values[::2].sum(axis=1))


def test_a_lost_device_stays_lost_and_the_other_one_works(python_on_the_driver):
    output = python_on_the_driver(
        """
        import cupy
        from tests.real_cupy.fake_driver import FakeDriver

        runtime = cupy.cuda.runtime
        address, event = runtime.malloc(8), runtime.eventCreate()
        runtime.eventRecord(event, 0)
        FakeDriver().lose(0)
        calls = {"synchronize": runtime.deviceSynchronize, "malloc": lambda: runtime.malloc(8),
                 "set": lambda: runtime.memsetAsync(address, 0, 8, 0)}
        for name, call in calls.items():
            try:
                call()
            except runtime.CUDARuntimeError as error:
                print(name, error.status)
        print(runtime.eventQuery(event), runtime.streamQuery(0))
        runtime.setDevice(1)
        print("other", runtime.malloc(8) != 0)
        """
    )
    assert output.split("\n") == ["synchronize 700", "malloc 700", "set 700", "700 700", "other True", ""]
