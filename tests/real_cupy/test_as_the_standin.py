"""The stand-in of tests/cupy_backend does what CuPy does: the same calls are made on both, and the results compared.

A script takes a module `cupy` and yields what can be seen, as plain values. The calls are those that the backend makes.
"""

import ctypes
import gc
import operator
import threading

import numpy as np
import pytest

from ..cupy_backend.standin.machine import Machine
from ..cupy_backend.standin.module import modules

SIZE = 1024
PUT = 'extern "C" __global__ void put(int* at, int value) { at[threadIdx.x] = value; }'
SHARED = 'extern "C" __global__ void put(int* at) { extern __shared__ int s[]; s[0] = 5; at[0] = s[0]; }'


def seen(call, *arguments, **keywords):
    """Return what a call returns, as plain values; for an error its class, its status and what it is an instance of."""
    try:
        value = call(*arguments, **keywords)
    except Exception as error:
        kinds = [kind.__name__ for kind in (MemoryError, RuntimeError) if isinstance(error, kind)]
        return type(error).__name__, getattr(error, "status", None), kinds
    return value if type(value) in {bool, int, float, str, tuple, type(None)} else type(value).__name__


def name_of(cupy, call, *arguments):
    """Return the name of the driver's error that a call raises, as CuPy writes it."""
    with pytest.raises(RuntimeError) as caught:
        call(*arguments)
    return type(caught.value).__name__, str(caught.value).partition(":")[0]


def at(cupy, size=SIZE):
    """Return memory of the current device, zeroed."""
    pointer = cupy.cuda.alloc(size)
    send(cupy, pointer, np.zeros(size, np.uint8))
    return pointer


def send(cupy, pointer, values):
    runtime, stream = cupy.cuda.runtime, cupy.cuda.get_current_stream()
    runtime.memcpyAsync(pointer.ptr, values.ctypes.data, values.nbytes, runtime.memcpyHostToDevice, stream.ptr)


def fetch(cupy, pointer, size=SIZE):
    """Return bytes of the current device, in the order of the current stream."""
    values, stream = np.zeros(size, np.uint8), cupy.cuda.get_current_stream()
    cupy.cuda.runtime.memcpyAsync(
        values.ctypes.data, pointer.ptr, size, cupy.cuda.runtime.memcpyDeviceToHost, stream.ptr
    )
    stream.synchronize()
    return values.tolist()


def launch(cupy, function, threads, arguments, shared, stream):
    """Launch one block of a kernel by the driver's function, as the backend does."""
    values = [np.asarray(each) for each in arguments]
    table = (ctypes.c_void_p * len(values))(*[value.ctypes.data for value in values])
    cupy.cuda.driver.launchKernel(function.ptr, 1, 1, 1, threads, 1, 1, shared, stream.ptr, ctypes.addressof(table), 0)


def count_up(size=SIZE):
    return (np.arange(size) % 251).astype(np.uint8)


# Devices


def devices(cupy):
    runtime = cupy.cuda.runtime
    yield runtime.is_hip, runtime.getDeviceCount(), runtime.getDevice()
    yield type(runtime.driverGetVersion()), type(runtime.runtimeGetVersion())
    yield seen(runtime.setDevice, 1), runtime.getDevice(), seen(runtime.setDevice, 0), runtime.getDevice()
    yield seen(runtime.setDevice, 2), runtime.getDevice()
    yield name_of(cupy, runtime.setDevice, 2)


def properties_of_devices(cupy):
    properties = cupy.cuda.runtime.getDeviceProperties(1)
    yield [(name, type(properties[name])) for name in ("totalGlobalMem", "warpSize", "maxGridSize")]
    yield tuple(properties["maxGridSize"]), properties["warpSize"]
    free, total = cupy.cuda.runtime.memGetInfo()
    yield type(free), type(total), 0 < free <= total


def devices_that_are_entered(cupy):
    runtime = cupy.cuda.runtime
    with cupy.cuda.Device(1) as entered:
        yield entered.id, runtime.getDevice()
        with cupy.cuda.Device(0):
            yield runtime.getDevice()
        yield runtime.getDevice()
    yield runtime.getDevice()


def devices_of_threads(cupy):
    cupy.cuda.runtime.setDevice(1)
    devices = []
    thread = threading.Thread(target=lambda: devices.append(cupy.cuda.runtime.getDevice()))
    thread.start()
    thread.join()
    cupy.cuda.runtime.setDevice(0)
    yield devices


# Streams and events


def current_streams(cupy):
    cuda = cupy.cuda
    null, first, second = cuda.Stream.null, cuda.Stream(non_blocking=True), cuda.Stream(non_blocking=True)
    yield null.ptr, null.device_id, first.device_id, type(first.ptr), first.ptr > 2, first.ptr != second.ptr
    yield cuda.get_current_stream() is null
    with first:
        yield cuda.get_current_stream() is first
        with second:
            yield cuda.get_current_stream() is second
        yield cuda.get_current_stream() is first
    yield cuda.get_current_stream() is null


def current_streams_that_are_used(cupy):
    used, entered = (cupy.cuda.Stream(non_blocking=True) for _ in range(2))
    yield used.use() is used, cupy.cuda.get_current_stream() is used
    with entered:
        yield cupy.cuda.get_current_stream() is entered
    yield cupy.cuda.get_current_stream() is used, cupy.cuda.get_current_stream().ptr == 0
    cupy.cuda.Stream.null.use()
    yield cupy.cuda.get_current_stream().ptr


def streams_that_are_captured(cupy):
    stream = cupy.cuda.Stream(non_blocking=True)
    yield bool(cupy.cuda.runtime.streamIsCapturing(stream.ptr)), stream.done


def current_streams_of_devices(cupy):
    cuda = cupy.cuda
    with cuda.Device(1):
        other = cuda.Stream(non_blocking=True)
        yield other.device_id
        with other:
            yield cuda.get_current_stream() is other
            with cuda.Device(0):
                yield cuda.get_current_stream() is cuda.Stream.null
    yield seen(other.__enter__), cuda.get_current_stream() is cuda.Stream.null


def current_streams_of_threads(cupy):
    streams = []
    with cupy.cuda.Stream(non_blocking=True):
        look = lambda: streams.append(cupy.cuda.get_current_stream() is cupy.cuda.Stream.null)  # noqa: E731
        thread = threading.Thread(target=look)
        thread.start()
        thread.join()
    yield streams


def streams_that_are_waited_for(cupy):
    stream, other = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
    event = stream.record()
    yield type(event).__name__, type(event.ptr), seen(other.wait_event, event), seen(stream.synchronize)
    yield seen(event.synchronize), stream.done, cupy.cuda.runtime.eventQuery(event.ptr), type(stream.done)
    yield seen(cupy.cuda.runtime.streamWaitEvent, other.ptr, event.ptr), seen(other.synchronize)


def events(cupy):
    cuda = cupy.cuda
    event, stream = cuda.Event(disable_timing=True), cuda.Stream(non_blocking=True)
    yield cuda.runtime.eventQuery(event.ptr)  # never recorded, so there is nothing to wait for
    with stream:
        yield seen(event.record), seen(event.synchronize), cuda.runtime.eventQuery(event.ptr)
    start, end = stream.record(), stream.record()
    end.synchronize()
    yield type(cuda.get_elapsed_time(start, end)), cuda.get_elapsed_time(start, end) >= 0


def events_of_another_device(cupy):
    with cupy.cuda.Device(1):
        event = cupy.cuda.Event(disable_timing=True)
        yield seen(event.record)
    yield cupy.cuda.runtime.eventQuery(event.ptr) in {0, 600}, seen(event.synchronize)
    yield cupy.cuda.runtime.eventQuery(event.ptr), seen(event.record)
    stream = cupy.cuda.Stream(non_blocking=True)
    yield seen(stream.wait_event, event), seen(stream.synchronize)


# Memory


def memory(cupy):
    cuda = cupy.cuda
    pointer, nothing = cuda.alloc(SIZE), cuda.alloc(0)
    yield type(pointer).__name__, pointer.device_id, pointer.ptr % 512, pointer.mem.size >= SIZE
    moved = pointer + 8
    yield moved.ptr - pointer.ptr, moved.mem is pointer.mem, type(moved).__name__, moved.device_id
    yield nothing.ptr, nothing.mem.size
    with cuda.Device(1):
        yield cuda.alloc(SIZE).device_id


def memory_that_is_given_again(cupy):
    cuda = cupy.cuda
    first, second = cuda.Stream(non_blocking=True), cuda.Stream(non_blocking=True)
    with first:
        pointer = cuda.alloc(123 * 512)
        address = pointer.ptr
        del pointer
        again = cuda.alloc(123 * 512)
        yield again.ptr == address
        del again
    with second:
        yield cuda.alloc(123 * 512).ptr == address


def bytes_that_the_pool_keeps(cupy):
    pool = cupy.get_default_memory_pool()
    pool.free_all_blocks()
    before = pool.free_bytes()
    pointer = cupy.cuda.alloc(77 * 512)
    yield pool.free_bytes() - before
    del pointer
    yield pool.free_bytes() - before
    pool.free_all_blocks()
    yield pool.free_bytes()


def memory_that_there_is_not(cupy):
    free, _ = cupy.cuda.runtime.memGetInfo()
    yield seen(cupy.cuda.alloc, 2 * free)
    yield issubclass(cupy.cuda.memory.OutOfMemoryError, MemoryError)


def memory_of_others(cupy):
    cuda = cupy.cuda
    owner, pointer = object(), cuda.alloc(SIZE)
    unowned = cuda.UnownedMemory(pointer.ptr, SIZE, owner, 1)
    yield unowned.ptr == pointer.ptr, unowned.size, unowned.device_id, unowned._owner is owner
    yield cuda.UnownedMemory(pointer.ptr, SIZE, owner).device_id
    view = cuda.MemoryPointer(unowned, 16)
    yield view.ptr - pointer.ptr, view.mem is unowned, view.device_id
    host = np.zeros(SIZE, np.uint8)
    yield cuda.UnownedMemory(host.ctypes.data, SIZE, owner).device_id


def allocators(cupy):
    cuda, sizes = cupy.cuda, []

    def outer(size):
        return before(size)

    before = cuda.get_allocator()
    with cuda.using_allocator(lambda size: sizes.append(size) or before(size)):
        yield cuda.alloc(SIZE).mem.size >= SIZE, sizes
        thread = threading.Thread(target=cuda.alloc, args=(SIZE,))
        thread.start()
        thread.join()
        yield sizes
        with cuda.using_allocator(outer):
            cuda.alloc(SIZE)
        cuda.alloc(3)
        yield sizes
    cuda.alloc(SIZE)
    yield sizes


def pinned_memory(cupy):
    cuda, runtime = cupy.cuda, cupy.cuda.runtime
    pinned = cuda.PinnedMemory(SIZE, runtime.hostAllocPortable)
    pointer = cuda.PinnedMemoryPointer(pinned, 0)
    values = np.frombuffer(pointer, np.uint8, SIZE)
    yield pinned.size, pointer.ptr == pinned.ptr == values.ctypes.data, len(values), values.flags.writeable
    yield len(memoryview(pointer).cast("B"))
    values[:] = count_up()
    target = at(cupy)
    send(cupy, target, values)
    yield fetch(cupy, target)


def attributes_of_addresses(cupy):
    cuda, runtime = cupy.cuda, cupy.cuda.runtime
    host, pointer = np.zeros(SIZE, np.uint8), cuda.alloc(SIZE)
    pinned = cuda.PinnedMemory(SIZE, runtime.hostAllocPortable)
    for address in (pointer.ptr, pointer.ptr + 7, pinned.ptr, pinned.ptr + 7, host.ctypes.data):
        attributes = runtime.pointerGetAttributes(address)
        yield attributes.type, attributes.devicePointer == address, attributes.hostPointer == address
    yield runtime.pointerGetAttributes(pointer.ptr).device, runtime.pointerGetAttributes(host.ctypes.data).device
    with cuda.Device(1):
        other = cuda.alloc(SIZE)
        yield runtime.pointerGetAttributes(other.ptr).device


# Copies


def copies(cupy):
    runtime = cupy.cuda.runtime
    first, second = at(cupy), at(cupy)
    send(cupy, first, count_up())
    runtime.memcpyAsync(second.ptr + 8, first.ptr, SIZE - 8, runtime.memcpyDeviceToDevice, 0)
    yield fetch(cupy, first), fetch(cupy, second)
    yield seen(runtime.memcpyAsync, first.ptr, second.ptr, 0, runtime.memcpyDeviceToDevice, 0)


def copies_of_rows(cupy):
    runtime, values = cupy.cuda.runtime, count_up()
    target = at(cupy)
    arguments = (target.ptr, 32, values.ctypes.data, 40, 24, 20)
    runtime.memcpy2DAsync(*arguments, runtime.memcpyHostToDevice, 0)
    yield fetch(cupy, target)
    runtime.memcpy2DAsync(target.ptr + 512, 8, target.ptr, 16, 8, 10, runtime.memcpyDeviceToDevice, 0)
    yield fetch(cupy, target)


def copies_between_devices(cupy):
    runtime, first = cupy.cuda.runtime, at(cupy)
    send(cupy, first, count_up())
    cupy.cuda.Stream.null.synchronize()
    with cupy.cuda.Device(1):
        second = at(cupy)
        runtime.memcpyPeerAsync(second.ptr, 1, first.ptr, 0, SIZE, 0)
        yield fetch(cupy, second)


def copies_of_pageable_memory(cupy):
    stream, target, values = cupy.cuda.Stream(non_blocking=True), at(cupy), count_up()
    cupy.cuda.Stream.null.synchronize()
    with stream:
        send(cupy, target, values)
        values[:] = 0
        yield fetch(cupy, target)


# Kernels


def kernels(cupy):
    function = cupy.RawModule(code=PUT, options=("-std=c++17",)).get_function("put").kernel
    target, stream = at(cupy), cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Stream.null.synchronize()
    with stream:
        yield seen(launch, cupy, function, 3, (np.uint64(target.ptr), np.int32(7)), 0, stream)
        yield seen(launch, cupy, function, 2, (np.uint64(target.ptr + 16), np.array(8, np.int32)), 0, stream)
        yield fetch(cupy, target)
    yield type(function.ptr)


def fills(cupy):
    target, stream = at(cupy), cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Stream.null.synchronize()
    with stream:
        yield seen(cupy.cuda.runtime.memsetAsync, target.ptr + 3, 7, 20, stream.ptr)
        yield fetch(cupy, target)


def kernels_that_fail_to_compile(cupy):
    yield seen(cupy.RawModule(code="nonsense", options=()).get_function, "put")
    yield issubclass(cupy.cuda.compiler.CompileException, Exception)


def shared_memory(cupy):
    driver = cupy.cuda.driver
    function = cupy.RawModule(code=SHARED, options=()).get_function("put").kernel
    target, attribute = at(cupy), driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    null, arguments = cupy.cuda.Stream.null, (np.uint64(target.ptr),)
    yield attribute, seen(launch, cupy, function, 1, arguments, 48 << 10, null)
    yield seen(driver.funcSetAttribute, function.ptr, attribute, (227 << 10) + 1)
    yield seen(driver.funcSetAttribute, function.ptr, attribute, 100 << 10)
    yield seen(launch, cupy, function, 1, arguments, 100 << 10, null), fetch(cupy, target)[:4]


def arguments_that_change_after_a_launch(cupy):
    function = cupy.RawModule(code=PUT, options=()).get_function("put").kernel
    target, stream, value = at(cupy), cupy.cuda.Stream(non_blocking=True), np.array(7, np.int32)
    cupy.cuda.Stream.null.synchronize()
    with stream:
        launch(cupy, function, 3, (np.uint64(target.ptr), value), 0, stream)
        value[...] = 9
        yield fetch(cupy, target)


# Arrays


def arrays(cupy):
    memory = at(cupy)
    array = cupy.ndarray((3, 4), np.dtype("int32"), memory + 16, strides=(4, 12))
    yield array.shape, array.strides, array.ndim, array.size, array.nbytes, array.itemsize, array.dtype == np.int32
    yield array.data.ptr - memory.ptr, array.device.id, len(array), array.base is None
    part = array[1:, ::-2]
    yield part.shape, part.strides, part.data.ptr - memory.ptr, part.base is array
    yield array[1, 2].shape, array[..., 0].shape
    yield seen(np.asarray, array)


def results_of_arrays(cupy):
    memory = at(cupy)
    send(cupy, memory, np.arange(12, dtype=np.int32).view(np.uint8))
    array = cupy.ndarray((3, 4), np.dtype("int32"), memory)
    yield float(array[1, 2]), int(array[2, 3]), bool(array[0, 0]), array[1, 1].item(), array.sum().item()
    yield type(array.sum()).__name__, (array + array)[1].sum().item(), (array == 3).sum().item()
    array[0] = 9
    array += array
    yield fetch(cupy, memory, 48)
    host = np.ones((3, 4), np.int32)
    yield seen(operator.add, array, host), seen(operator.add, host, array), seen(operator.iadd, array, host)
    yield (np.int32(2) * array)[0].sum().item(), (-array)[1].sum().item(), (2 - array)[2].sum().item()
    yield seen(operator.add, array, array[:2])


SCRIPTS = [
    value
    for name, value in list(globals().items())
    if getattr(value, "__code__", None) and value.__code__.co_flags & 32
]


@pytest.mark.parametrize("seed", [None, 0, 1, 2], ids="seed {}".format)
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__)
def test_the_standin_shows_what_cupy_shows(driver, cupy, script, seed):
    if seed is not None:
        driver.run_late(seed)
    traces = [list(script(each)) for each in (modules(Machine(seed=seed or 0))["cupy"], cupy)]
    gc.collect()
    assert traces[0] == traces[1]
