"""The stand-in detects what a real GPU answers by wrong bytes, or ignores. Each case is a planted bug."""

import threading
from pathlib import Path

import numpy as np
import pytest
from accel.backends.cupy import memory, staging
from accel.backends.cupy.driver import Driver
from accel.backends.cupy.kernel_calls import Arguments
from accel.backends.cupy.pinned import StagingMemory
from accel.backends.cupy.staging import Ring
from accel.backends.cupy.streams import CupyStream

import accel
from accel import Device
from accel.abc import Operand, Span
from accel.memory import heap_of, storage_work
from accel.testing.blocks import host_span, random_bytes, read

from .conftest import install
from .staging.rings import tracing
from .standin import machine as standin
from .standin.machine import CUDARuntimeError, Machine, Violation

SIZE = 4096


@pytest.fixture(params=range(8), ids="seed{}".format)
def machine(monkeypatch, request):
    """Two devices, for planted bugs."""
    machine = Machine(seed=request.param)
    machine.backend = install(monkeypatch, machine)
    return machine


@pytest.fixture
def runtime(machine):
    return machine.backend._driver.runtime


@pytest.fixture
def address(machine):
    """The address of some memory of the first device."""
    block = machine.backend.allocate(Device.CUDA, SIZE, alignment=1, stream=None)
    yield block.pointer
    machine.backend.free(block, stream=None)


def fill(backend, block, value, stream):
    backend.fill(Operand(Span(block, 0, SIZE), 0, np.dtype(np.uint8), (SIZE,), (1,)), np.uint8(value), stream=stream)


def nothing():
    """Return a compiled kernel without arguments."""
    import cupy

    cupy.cuda.runtime.setDevice(0)  # makes a context in this thread
    source = 'extern "C" __global__ void nothing() {}'
    return cupy.RawModule(code=source, options=()).get_function("nothing").kernel


def started(function, grid=(1, 1, 1), block=(1, 1, 1), arguments=()):
    """Launch a kernel on the default stream as the backend does."""
    import cupy

    args = Arguments.of(arguments)
    cupy.cuda.driver.launchKernel(function.ptr, *grid, *block, 0, 0, args.table, 0)


def reuse(machine):
    """Return what one stream reads in a block that the pool gives to another meanwhile, and what it should read."""
    backend, data = machine.backend, random_bytes(SIZE)
    home, other = backend.new_stream(Device.CUDA), backend.new_stream(Device.CUDA)
    result = backend.allocate(Device.CUDA, SIZE, alignment=1, stream=home)
    block = backend.allocate(Device.CUDA, SIZE, alignment=1, stream=home)
    backend.copy(Span(block, 0, SIZE), host_span(data), stream=home)
    other.wait_for(home.record())
    backend.copy(Span(result, 0, SIZE), Span(block, 0, SIZE), stream=other)
    backend.free(block, stream=None)
    block = backend.allocate(Device.CUDA, SIZE, alignment=1, stream=home)
    fill(backend, block, 7, home)
    backend.synchronize(Device.CUDA)
    return read(heap_of(Device.CUDA), result, SIZE), data


def test_the_right_backend_passes_what_the_wrong_ones_below_do_not(machine):
    result, expected = reuse(machine)
    assert np.array_equal(result, expected)
    assert machine.violations == []


def test_a_release_that_waits_for_nobody_shows_in_the_bytes_in_some_order(monkeypatch):
    wrong = 0
    for seed in range(20):
        machine = Machine(seed=seed)
        machine.backend = install(monkeypatch, machine)
        monkeypatch.setattr("accel.backends.cupy.backend.give_back", _give_back_at_once)
        result, expected = reuse(machine)
        wrong += not np.array_equal(result, expected)
    assert wrong > 3


def _use_at_once(block, stream):
    block.__class__ = memory.SharedBlock
    block.users = {*(block.users or ()), stream}


def _give_back_at_once(driver, block, after):
    block.native = None


def test_a_first_use_that_waits_for_nobody_shows_in_the_bytes_in_some_order(monkeypatch):
    wrong = 0
    for seed in range(20):
        machine = Machine(seed=seed)
        backend = machine.backend = install(monkeypatch, machine)
        monkeypatch.setattr(memory.DeviceBlock, "use", _use_at_once)
        other = backend.new_stream(Device.CUDA)
        block = backend.allocate(Device.CUDA, SIZE, alignment=1, stream=None)
        fill(backend, block, 9, other)
        backend.synchronize(Device.CUDA)
        wrong += set(read(heap_of(Device.CUDA), block, SIZE)) != {9}
    assert wrong > 3


def test_a_wait_that_is_forgotten_shows_in_the_bytes_in_some_order(monkeypatch):
    wrong = 0
    for seed in range(20):
        machine = Machine(seed=seed)
        backend = machine.backend = install(monkeypatch, machine)
        one, other = backend.new_stream(Device.CUDA), backend.new_stream(Device.CUDA)
        monkeypatch.setattr(CupyStream, "wait_for", lambda self, event: None)
        block = backend.allocate(Device.CUDA, SIZE, alignment=1, stream=None)
        backend.synchronize(Device.CUDA)
        fill(backend, block, 9, one)
        other.wait_for(one.record())
        result = np.zeros(SIZE, np.uint8)
        backend.copy(host_span(result), Span(block, 0, SIZE), stream=other)
        wrong += set(result) != {9}
    assert wrong > 3


def test_a_launch_that_waits_for_nobody_shows_in_the_bytes_in_some_order(monkeypatch):
    enter = storage_work.enter

    def alone(submission, claims):
        read = enter(submission, claims)
        submission.after = ()
        return read

    monkeypatch.setattr(storage_work, "enter", alone)
    text = """
        extern "C" __global__ void copy(const int* source, int* target) { target[threadIdx.x] = source[threadIdx.x]; }
    """
    wrong = 0
    for seed in range(20):
        install(monkeypatch, Machine(seed=seed))
        data, source, target = (accel.full(100, value, "int32", device="cuda") for value in (4, 0, 0))
        source.copy_from_async(data, stream=accel.new_stream("cuda"))
        accel.RawKernel.from_source(text)(source, target, grid=1, block=100)
        wrong += set(target.to_numpy()) != {4}
        heap_of(Device.CUDA).synchronize()
    assert wrong > 3


@pytest.mark.parametrize(
    ("bug", "owner", "name", "answer"),
    [
        ("a piece is used again before its event", staging._Buffer, "over", True),
        ("a download is read before its event", Driver, "wait", None),
    ],
)
def test_a_ring_that_waits_for_nothing_shows_in_the_bytes_in_some_order(monkeypatch, bug, owner, name, answer):
    wrong = 0
    for seed in range(20):
        machine = Machine(seed=seed)
        backend = machine.backend = install(monkeypatch, machine)
        data, result = random_bytes(3 * SIZE), np.zeros(3 * SIZE, np.uint8)
        ring = Ring(backend._driver, StagingMemory(backend._driver), size=SIZE // 2, count=2)
        block = backend.allocate(Device.CUDA, data.nbytes, alignment=1, stream=None)
        stream = backend.new_stream(Device.CUDA)
        with monkeypatch.context() as patch, backend._driver.on(Device.CUDA):
            patch.setattr(owner, name, lambda *arguments: answer)
            ring.upload(block.pointer, data, stream)
            ring.download(result, block.pointer, stream)
            backend.synchronize(Device.CUDA)
        wrong += not np.array_equal(result, data)
    assert wrong > 3, bug


class TestRefused:
    def test_pinned_memory_that_goes_while_a_device_uses_it(self, machine, runtime, address):
        memory = machine.backend.allocate_pinned(Device.CUDA, SIZE)
        runtime.memcpyAsync(address, memory.pointer, SIZE, runtime.memcpyHostToDevice, 0)
        with pytest.raises(Violation, match="which a device still uses"):
            machine.unpin(memory.pointer)

    def test_bytes_that_were_given_back(self, machine, runtime):
        block = machine.backend.allocate(Device.CUDA, SIZE, alignment=1, stream=None)
        pointer = block.pointer
        machine.backend.free(block, stream=None)
        with pytest.raises(Violation, match="which are not in use"):
            runtime.memcpyAsync(pointer, random_bytes(10).ctypes.data, 10, runtime.memcpyHostToDevice, 0)

    def test_bytes_beyond_a_block(self, runtime, address):
        with pytest.raises(Violation, match="which are not in use"):
            runtime.memcpyAsync(address, random_bytes(SIZE + 512).ctypes.data, SIZE + 1, runtime.memcpyHostToDevice, 0)

    def test_a_copy_of_the_wrong_kind(self, runtime, address):
        with pytest.raises(Violation, match="a copy of kind"):
            runtime.memcpyAsync(address, random_bytes(10).ctypes.data, 10, runtime.memcpyDeviceToHost, 0)

    def test_a_copy_between_bytes_that_overlap(self, runtime, address):
        with pytest.raises(Violation, match="overlap"):
            runtime.memcpyAsync(address, address + 5, 10, runtime.memcpyDeviceToDevice, 0)

    def test_rows_that_overlap(self, runtime, address):
        with pytest.raises(CUDARuntimeError, match="InvalidValue"):
            runtime.memcpy2DAsync(address, 5, random_bytes(99).ctypes.data, 9, 9, 3, runtime.memcpyHostToDevice, 0)

    def test_a_peer_copy_with_the_wrong_devices(self, runtime, address):
        with pytest.raises(Violation, match="names the wrong devices"):
            runtime.memcpyPeerAsync(address, 1, address + 100, 0, 10, 0)

    def test_a_stream_of_another_device_than_the_current_one(self, machine, runtime, address):
        stream = machine.backend.new_stream(Device.CUDA[1]).native
        with pytest.raises(CUDARuntimeError, match="InvalidResourceHandle"):
            runtime.memcpyAsync(address, random_bytes(10).ctypes.data, 10, runtime.memcpyHostToDevice, stream.ptr)
        with pytest.raises(RuntimeError, match="does not match"):
            stream.__enter__()

    def test_a_wait_on_a_stream_that_the_current_device_has_not(self, monkeypatch, machine, runtime):
        event, stream = runtime.eventCreateWithFlags(0), machine.backend.new_stream(Device.CUDA[1]).native
        with pytest.raises(CUDARuntimeError, match="InvalidResourceHandle"):
            runtime.streamWaitEvent(stream.ptr, event)
        for number in (1, 2):
            runtime.streamWaitEvent(number, event)
            with pytest.raises(CUDARuntimeError, match="InvalidHandle"):
                install(monkeypatch, Machine("hip"))._driver.runtime.streamWaitEvent(number, event)

    def test_a_kernel_compiled_for_another_device(self, machine, address):
        function = nothing()
        machine.set_device(1)
        with pytest.raises(CUDARuntimeError, match="InvalidResourceHandle"):
            started(function)
        machine.set_device(0)

    def test_a_launch_in_a_thread_without_a_context(self, machine):
        function, errors = nothing(), []

        def launch():
            try:
                started(function)
            except Violation as error:
                errors.append(str(error))

        thread = threading.Thread(target=launch)
        thread.start()
        thread.join()
        assert "without a context" in errors[0]
        machine.violations.clear()

    def test_a_launch_that_the_driver_would_refuse(self, machine):
        import cupy

        with pytest.raises(Violation, match="an extent of 0"):
            started(nothing(), (0, 1, 1))
        with pytest.raises(Violation, match="a tuple of options"):
            cupy.RawModule(code="", options=["-DX"])

    def test_a_launch_of_more_threads_than_hip_counts(self, monkeypatch):
        install(monkeypatch, Machine("hip")).synchronize(Device.ROCM)
        with pytest.raises(Violation, match="32 bits"):
            started(nothing(), (1, 1 << 22, 1), (1, 1024, 1))

    def test_what_is_no_part_of_it(self, machine):
        import cupy

        for owner, name in ((cupy, "arange"), (cupy.cuda, "Graph"), (cupy.cuda.runtime, "memcpy")):
            with pytest.raises(AttributeError):
                getattr(owner, name)


def test_what_a_kernel_writes_beside_its_block_is_noticed(machine, address):
    import cupy

    source = 'extern "C" __global__ void beside(char* target) { target[-1] = 1; }'
    function = cupy.RawModule(code=source, options=()).get_function("beside").kernel
    started(function, arguments=(np.uint64(address),))
    with pytest.raises(Violation, match="something was written beside"):
        machine.backend.synchronize(Device.CUDA)


LOOKUPS = {
    "an address": lambda machine, block, stream, pinned: machine.place(block.address, SIZE) == 0,
    "a stream": lambda machine, block, stream, pinned: machine.scheduler.of(stream).handle == stream,
    "pinned memory": lambda machine, block, stream, pinned: machine.is_pinned(pinned, SIZE),
}


@pytest.mark.parametrize("lookup", LOOKUPS.values(), ids=LOOKUPS)
def test_a_lookup_is_right_while_other_threads_free_memory_and_streams(machine, runtime, lookup):
    """At each line of a lookup, some of what precedes the result in the tables is freed."""
    blocks = sorted([machine.pool.take(SIZE) for _ in range(100)], key=lambda block: block.address)
    streams = [runtime.streamCreate() for _ in range(100)]
    pinned = [runtime.hostAlloc(SIZE, 0) for _ in range(100)]
    folder, lines = Path(standin.__file__).parent, []

    def free(frame, event, argument):
        if event == "line" and Path(frame.f_code.co_filename).parent == folder and len(blocks) > 50:
            lines.append(frame.f_lineno)
            machine.allocations.free(blocks.pop(0))
            machine.unpin(pinned.pop(0).ctypes.data)
            runtime.streamDestroy(streams.pop(0))
            machine.scheduler.poll()
        return free

    with tracing(free):
        result = lookup(machine, blocks[-1], streams[-1], pinned[-1].ctypes.data)
    assert result
    assert lines


def test_memory_that_nobody_wrote_is_poison(machine):
    block = machine.backend.allocate(Device.CUDA, SIZE, alignment=1, stream=None)
    assert set(read(heap_of(Device.CUDA), block, SIZE)) == {0xFF}
    machine.backend.free(block, stream=None)
