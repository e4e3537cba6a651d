"""The fake driver refuses what CUDA refuses, with the same errors."""

import os
import threading
from pathlib import Path

import numpy as np
import pytest

SIZE = 1024
NOTHING = 'extern "C" __global__ void nothing() {}'
SHARED = 'extern "C" __global__ void nothing() { extern __shared__ int bytes[]; bytes[0] = 0; }'
INVALID_VALUE, INVALID_PITCH, INVALID_DEVICE, INVALID_CONTEXT, INVALID_HANDLE = 1, 12, 101, 201, 400
PEER_ALREADY_ENABLED, CAPTURE_UNSUPPORTED, CAPTURE_INVALIDATED, CAPTURE_ISOLATION = 704, 900, 901, 905


@pytest.fixture
def status(cupy):
    """The status with which a call fails; 0 if it does not."""

    def of(call, *arguments):
        try:
            call(*arguments)
        except (cupy.cuda.runtime.CUDARuntimeError, cupy.cuda.driver.CUDADriverError) as error:
            return error.status
        return 0

    return of


@pytest.fixture
def memory(cupy, runtime):
    """Memory of device 0 by `cudaMalloc`, not by CuPy's pool."""
    address = runtime.malloc(SIZE)
    yield address
    runtime.free(address)


@pytest.fixture
def host():
    """As much pageable memory of the host."""
    bytes = np.zeros(SIZE, np.uint8)
    yield bytes.ctypes.data
    assert bytes.size


@pytest.fixture
def nothing(cupy):
    """A kernel of device 0 that does nothing."""
    return cupy.RawModule(code=NOTHING).get_function("nothing").kernel


def launch(cupy, function, stream=0, shared=0, block=1):
    cupy.cuda.driver.launchKernel(function.ptr, 1, 1, 1, block, 1, 1, shared, stream, 0, 0)


@pytest.mark.parametrize("kind", [1, 2, 3])
def test_a_copy_whose_kind_is_not_that_of_its_addresses(runtime, status, memory, host, kind):
    pairs = {1: (memory, host), 2: (host, memory), 3: (memory, memory)}
    for actual, (target, source) in pairs.items():
        expected = 0 if actual == kind else INVALID_VALUE
        assert status(runtime.memcpyAsync, target, source, SIZE, kind, 0) == expected


def test_a_copy_that_leaves_the_memory_it_begins_in(runtime, status, memory, host):
    assert status(runtime.memcpyAsync, memory + 1, host, SIZE, runtime.memcpyHostToDevice, 0) == INVALID_VALUE
    assert status(runtime.memcpyAsync, memory + 1, host, SIZE - 1, runtime.memcpyHostToDevice, 0) == 0


def test_a_pitch_that_is_smaller_than_the_width(runtime, status, memory, host):
    kind = runtime.memcpyHostToDevice
    assert status(runtime.memcpy2DAsync, memory, 7, host, 8, 8, 2, kind, 0) == INVALID_PITCH
    assert status(runtime.memcpy2DAsync, memory, 8, host, 8, 8, 2, kind, 0) == 0


def test_a_peer_copy_that_names_other_devices(runtime, status, memory):
    assert status(runtime.memcpyPeerAsync, memory, 1, memory + 512, 0, 8, 0) == INVALID_VALUE
    assert status(runtime.memcpyPeerAsync, memory, 0, memory + 512, 0, 8, 0) == 0


def test_bytes_to_set_that_are_not_a_devices(runtime, status, memory, host):
    assert status(runtime.memsetAsync, host, 0, 8, 0) == INVALID_VALUE
    assert status(runtime.memsetAsync, memory, 0, SIZE, 0) == 0


def test_memory_that_is_freed_twice(runtime, status):
    address = runtime.malloc(SIZE)
    assert status(runtime.free, address) == 0
    assert status(runtime.free, address) == INVALID_VALUE


def test_more_memory_than_there_is(cupy, runtime):
    free, total = runtime.memGetInfo()
    assert 0 < free <= total
    with pytest.raises(cupy.cuda.memory.OutOfMemoryError):
        cupy.cuda.alloc(2 * total)


def test_a_device_that_is_not_there(runtime, status):
    assert status(runtime.setDevice, runtime.getDeviceCount()) == INVALID_DEVICE
    assert status(runtime.getDeviceProperties, -1) == INVALID_DEVICE
    assert runtime.getDevice() == 0


def test_a_peer_that_is_enabled_twice_or_is_the_device_itself(runtime, status):
    assert status(runtime.deviceEnablePeerAccess, 0) == INVALID_DEVICE
    first, second = (status(runtime.deviceEnablePeerAccess, 1) for _ in range(2))
    assert first in {0, PEER_ALREADY_ENABLED}  # an earlier test may have enabled it
    assert second == PEER_ALREADY_ENABLED


def test_a_driver_call_of_a_thread_that_has_no_context(cupy, status, nothing):
    statuses = []

    def work():
        set_attribute = cupy.cuda.driver.funcSetAttribute
        statuses.append(status(launch, cupy, nothing))
        statuses.append(status(set_attribute, nothing.ptr, 8, 1))
        cupy.cuda.runtime.getDevice()
        statuses.append(status(launch, cupy, nothing))
        cupy.cuda.runtime.setDevice(0)
        statuses.append(status(launch, cupy, nothing))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert statuses == [INVALID_CONTEXT, INVALID_CONTEXT, INVALID_CONTEXT, 0]


def test_shared_memory_above_the_limit_together_with_what_the_kernel_declares(cupy, status):
    driver = cupy.cuda.driver
    code = """extern "C" __global__ void nothing() {
        __shared__ int own[10 << 10];
        extern __shared__ int more[];
        own[threadIdx.x] = 1;
        __syncthreads();
        more[0] = own[blockDim.x - 1];
    }"""
    kernel = cupy.RawModule(code=code).get_function("nothing").kernel
    static = driver.funcGetAttribute(driver.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel.ptr)
    assert static >= 40 << 10
    assert status(launch, cupy, kernel, 0, (48 << 10) - static) == 0
    assert status(launch, cupy, kernel, 0, 20 << 10) == INVALID_VALUE
    attribute = driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    assert status(driver.funcSetAttribute, kernel.ptr, attribute, (227 << 10) - static + 1) == INVALID_VALUE
    assert status(driver.funcSetAttribute, kernel.ptr, attribute, 20 << 10) == 0
    assert status(launch, cupy, kernel, 0, 20 << 10) == 0


def test_shared_memory_above_the_limit(cupy, status):
    function = cupy.RawModule(code=SHARED).get_function("nothing").kernel
    assert status(launch, cupy, function, 0, 48 << 10) == 0
    assert status(launch, cupy, function, 0, (48 << 10) + 1) == INVALID_VALUE
    assert status(cupy.cuda.driver.funcSetAttribute, function.ptr, 8, (227 << 10) + 1) == INVALID_VALUE
    assert status(cupy.cuda.driver.funcSetAttribute, function.ptr, 8, 227 << 10) == 0
    assert status(launch, cupy, function, 0, 227 << 10) == 0


def test_more_threads_than_a_block_can_have_or_none(cupy, status, nothing):
    assert status(launch, cupy, nothing, 0, 0, 1024) == 0
    for block in (0, 1025):
        assert status(launch, cupy, nothing, 0, 0, block) == INVALID_VALUE


def test_a_launch_on_a_stream_of_another_device(cupy, runtime, status, nothing):
    with cupy.cuda.Device(1):
        stream = runtime.streamCreateWithFlags(runtime.streamNonBlocking)
    assert status(launch, cupy, nothing, stream) == INVALID_HANDLE
    with cupy.cuda.Device(1):
        assert status(launch, cupy, nothing, stream) == INVALID_HANDLE  # the kernel is of device 0
    runtime.streamDestroy(stream)


def test_an_event_recorded_on_a_stream_of_another_device(cupy, runtime, status):
    event = runtime.eventCreate()
    with cupy.cuda.Device(1):
        assert status(runtime.eventRecord, event, 0) == INVALID_HANDLE
    assert status(runtime.eventRecord, event, 0) == 0
    runtime.eventDestroy(event)


def test_streams_and_events_that_were_destroyed(runtime, status):
    stream, event = runtime.streamCreateWithFlags(runtime.streamNonBlocking), runtime.eventCreate()
    runtime.streamDestroy(stream)
    runtime.eventDestroy(event)
    assert status(runtime.streamSynchronize, stream) == INVALID_HANDLE
    assert runtime.eventQuery(event) == INVALID_HANDLE
    assert status(runtime.streamWaitEvent, 0, event) == INVALID_HANDLE


def test_the_time_between_events_that_are_not_timed_or_not_recorded(cupy, runtime, status):
    timed, untimed, fresh = cupy.cuda.Event(), cupy.cuda.Event(disable_timing=True), cupy.cuda.Event()
    timed.record()
    untimed.record()
    for other in (untimed, fresh):
        assert status(runtime.eventElapsedTime, timed.ptr, other.ptr) == INVALID_HANDLE
    assert status(runtime.eventElapsedTime, timed.ptr, timed.ptr) == 0


def test_a_question_about_a_stream_that_is_captured(cupy, runtime, status):
    stream = cupy.cuda.Stream(non_blocking=True)
    assert not stream.is_capturing()
    runtime.streamBeginCapture(stream.ptr, runtime.streamCaptureModeRelaxed)
    assert stream.is_capturing()
    assert status(runtime.streamSynchronize, stream.ptr) == CAPTURE_UNSUPPORTED
    assert status(runtime.streamEndCapture, stream.ptr) == CAPTURE_INVALIDATED
    assert not stream.is_capturing()


def test_a_stream_that_is_captured_cannot_wait_for_work_outside_the_capture(cupy, runtime, status):
    stream, other = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
    event = other.record()
    runtime.streamBeginCapture(stream.ptr, runtime.streamCaptureModeRelaxed)
    assert status(runtime.streamWaitEvent, stream.ptr, event.ptr) == CAPTURE_ISOLATION
    assert status(runtime.streamEndCapture, stream.ptr) == CAPTURE_INVALIDATED


def test_a_kernel_that_is_not_there_or_does_not_compile(cupy):
    with pytest.raises(cupy.cuda.driver.CUDADriverError, match="CUDA_ERROR_NOT_FOUND"):
        cupy.RawModule(code=NOTHING).get_function("something")
    with pytest.raises(cupy.cuda.compiler.CompileException, match="nonsense"):
        cupy.RawModule(code="nonsense").get_function("nothing")


def test_a_function_that_it_does_not_have(runtime, capfd):
    with pytest.raises(runtime.CUDARuntimeError):
        runtime.memPoolDestroy(0)
    assert "there is no cudaMemPoolDestroy" in capfd.readouterr().err


def test_kernels_for_a_driver_that_was_built_of_other_headers(tmp_path):
    import fake_nvrtc

    assert fake_nvrtc._other_headers(Path(os.environ["ACCEL_FAKE_CUDA"]).parent.parent) is None
    (tmp_path / "headers").write_text("of another version")
    assert "run tests/real_cupy/build" in fake_nvrtc._other_headers(tmp_path)
