"""What the fake driver forbids while streams are captured, as CUDA does; forbidden calls make a capture invalid."""

import ctypes
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

UNSUPPORTED, INVALIDATED, MERGE, ISOLATION, IMPLICIT, CAPTURED_EVENT, WRONG_THREAD = 900, 901, 902, 905, 906, 907, 908
GLOBAL, THREAD_LOCAL, RELAXED = range(3)
SIZE = 64


@pytest.fixture
def status(cupy):
    """The status with which a function of the runtime ends."""

    def status(function, *arguments):
        try:
            result = function(*arguments)
        except cupy.cuda.runtime.CUDARuntimeError as error:
            return error.status
        return result if "Query" in function.__name__ else 0

    return status


@pytest.fixture
def stream(cupy, status):
    stream = cupy.cuda.Stream(non_blocking=True)
    yield stream
    if stream.is_capturing():  # the test has failed
        status(stream.end_capture)


@pytest.fixture
def idle(cupy):
    return cupy.cuda.Stream(non_blocking=True)


@pytest.fixture
def event(idle):
    return idle.record()


def unsafe_calls(runtime, event, idle):
    """Return calls that may wait for work, each with its arguments."""
    host, place = np.zeros(SIZE, np.uint8), runtime.malloc(SIZE)
    return {
        "malloc": (runtime.malloc, SIZE),
        "free": (runtime.free, place),
        "hostAlloc": (runtime.hostAlloc, SIZE, 0),
        "eventQuery": (runtime.eventQuery, event.ptr),
        "eventSynchronize": (runtime.eventSynchronize, event.ptr),
        "streamQuery": (runtime.streamQuery, idle.ptr),
        "streamSynchronize": (runtime.streamSynchronize, idle.ptr),
        "memcpy": (runtime.memcpy, host.ctypes.data, place, SIZE, runtime.memcpyDeviceToHost),
    }


NAMES = ["malloc", "free", "hostAlloc", "eventQuery", "eventSynchronize", "streamQuery", "streamSynchronize", "memcpy"]


def in_another_thread(function, *arguments):
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *arguments).result()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("mode", "elsewhere", "refused"),
    [
        (GLOBAL, False, True),
        (GLOBAL, True, True),
        (THREAD_LOCAL, False, True),
        (THREAD_LOCAL, True, False),
        (RELAXED, False, False),
        (RELAXED, True, False),
    ],
)
def test_calls_that_may_wait(runtime, status, stream, idle, event, name, mode, elsewhere, refused):
    call = unsafe_calls(runtime, event, idle)[name]
    runtime.streamBeginCapture(stream.ptr, mode)
    result = in_another_thread(status, *call) if elsewhere else status(*call)
    assert result == (UNSUPPORTED if refused else 0)
    assert status(runtime.streamEndCapture, stream.ptr) == (INVALIDATED if refused else 0)


@pytest.mark.parametrize("name", NAMES)
def test_a_thread_that_is_relaxed_is_allowed_what_captures_of_others_forbid(runtime, status, stream, idle, event, name):
    call = unsafe_calls(runtime, event, idle)[name]
    exchange = ctypes.CDLL(os.environ["ACCEL_FAKE_CUDA"]).cuThreadExchangeStreamCaptureMode
    mode = ctypes.c_int(RELAXED)

    def relaxed():
        assert exchange(ctypes.byref(mode)) == 0
        assert mode.value == GLOBAL
        assert status(*call) == 0
        assert exchange(ctypes.byref(mode)) == 0
        assert mode.value == RELAXED

    runtime.streamBeginCapture(stream.ptr, GLOBAL)
    in_another_thread(relaxed)
    assert status(runtime.streamEndCapture, stream.ptr) == 0


def test_what_concerns_a_whole_device_is_forbidden_in_every_mode(runtime, status, stream):
    runtime.streamBeginCapture(stream.ptr, RELAXED)
    assert in_another_thread(status, runtime.deviceSynchronize) == UNSUPPORTED
    assert status(runtime.streamEndCapture, stream.ptr) == INVALIDATED


def test_questions_about_events_and_streams_of_a_capture_make_it_invalid(cupy, runtime, status, stream):
    for ask in (runtime.eventQuery, runtime.eventSynchronize, runtime.streamQuery, runtime.streamSynchronize):
        runtime.streamBeginCapture(stream.ptr, RELAXED)
        event, of_event = stream.record(), "event" in ask.__name__
        assert status(ask, event.ptr if of_event else stream.ptr) == (CAPTURED_EVENT if of_event else UNSUPPORTED)
        assert status(runtime.streamEndCapture, stream.ptr) == INVALIDATED


def test_work_for_a_capture_that_is_invalid_is_refused(runtime, status, stream, event):
    place = runtime.malloc(SIZE)
    runtime.streamBeginCapture(stream.ptr, GLOBAL)
    assert status(runtime.eventQuery, event.ptr) == UNSUPPORTED
    assert status(runtime.memsetAsync, place, 1, SIZE, stream.ptr) == INVALIDATED
    assert status(runtime.streamEndCapture, stream.ptr) == INVALIDATED
    assert status(runtime.memsetAsync, place, 1, SIZE, stream.ptr) == 0


def test_the_legacy_default_stream_and_a_blocking_stream_that_is_captured(cupy, runtime, status, stream):
    place, blocking = runtime.malloc(SIZE), cupy.cuda.Stream()
    runtime.streamBeginCapture(stream.ptr, RELAXED)
    assert status(runtime.memsetAsync, place, 1, SIZE, 0) == 0
    assert status(runtime.streamEndCapture, stream.ptr) == 0
    runtime.streamBeginCapture(blocking.ptr, RELAXED)
    assert status(runtime.memsetAsync, place, 1, SIZE, 0) == IMPLICIT
    assert status(runtime.streamEndCapture, blocking.ptr) == INVALIDATED


def test_two_captures_are_apart(cupy, runtime, status, stream):
    other, place = cupy.cuda.Stream(non_blocking=True), runtime.malloc(2 * SIZE)
    runtime.memset(place, 0, 2 * SIZE)
    runtime.deviceSynchronize()
    for each in (stream, other):
        each.begin_capture()
    runtime.memsetAsync(place, 1, SIZE, stream.ptr)
    runtime.memsetAsync(place + SIZE, 2, SIZE, other.ptr)
    first, second = stream.end_capture(), other.end_capture()

    def content():
        host = np.zeros(2 * SIZE, np.uint8)
        runtime.deviceSynchronize()
        runtime.memcpy(host.ctypes.data, place, 2 * SIZE, runtime.memcpyDeviceToHost)
        return host.reshape(2, SIZE)[:, 0].tolist()

    assert content() == [0, 0]
    second.launch(stream)
    assert content() == [0, 2]
    first.launch(other)
    assert content() == [1, 2]


def test_captures_do_not_wait_for_each_other(cupy, runtime, status, stream):
    other = cupy.cuda.Stream(non_blocking=True)
    for each in (stream, other):
        each.begin_capture()
    event = stream.record()
    assert status(runtime.streamWaitEvent, other.ptr, event.ptr) == MERGE
    assert status(runtime.streamEndCapture, other.ptr) == INVALIDATED
    assert status(runtime.streamEndCapture, stream.ptr) == 0


def test_only_a_relaxed_capture_is_ended_by_another_thread(runtime, status, stream):
    for mode, expected in ((THREAD_LOCAL, WRONG_THREAD), (RELAXED, 0)):
        runtime.streamBeginCapture(stream.ptr, mode)
        assert in_another_thread(status, runtime.streamEndCapture, stream.ptr) == expected
        if expected:
            assert status(runtime.streamEndCapture, stream.ptr) == 0


def test_modules_are_loaded_before_a_capture(cupy, runtime, status, stream):
    runtime.streamBeginCapture(stream.ptr, GLOBAL)
    with pytest.raises(cupy.cuda.driver.CUDADriverError, match="STREAM_CAPTURE_UNSUPPORTED"):
        cupy.RawModule(code='extern "C" __global__ void nothing_yet() {}').get_function("nothing_yet")
    assert status(runtime.streamEndCapture, stream.ptr) == INVALIDATED
