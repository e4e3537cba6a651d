"""`cupy.cuda` of the stand-in: devices, streams, events, memory and kernels as CuPy has them."""

import ctypes
import math
import operator
import re
import sys
from contextlib import contextmanager
from types import MethodType, ModuleType

import numpy as np

from ...gpu_code import on_processor
from .machine import CUDARuntimeError

# CuPy appends its own, and the last one counts; with -dlto there is no code to load.
OVERRIDDEN = re.compile(r"^-+(ftz(?!=true)|arch|gpu-architecture|dlto|dlink-time-opt)\b|fno-.*flush-denormals")
STATIC_SHARED, SHARED_BYTES = 1, 8  # attributes of a kernel
MOST_SHARED = 227 << 10
BLOCKS_AT_ONCE, PROCESSORS = 256, 2
FIRST_CONTEXT = 0xC000


class OutOfMemoryError(MemoryError):
    """As CuPy's."""

    def __init__(self, size, total, limit=0):
        super().__init__(f"Out of memory allocating {size:,} bytes (allocated so far: {total:,} bytes).")


class CompileException(Exception):
    """As CuPy's."""


class CUDADriverError(RuntimeError):
    """As CuPy's."""

    status = 1


def named(*values):
    return {value.__name__: value for value in values}


def module(name, **names):
    """Return a module with some names."""
    result = ModuleType(name)
    vars(result).update(names)
    return result


def cuda_module(machine, runtime):
    """Return ``cupy.cuda`` on a machine, with only the functions that the backend calls."""
    streams, memory = _streams(machine, runtime), _memory(machine, runtime)
    driver = named(CUDADriverError, *_driver(machine)) | {
        "CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES": SHARED_BYTES,
        "CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES": STATIC_SHARED,
    }
    return module(
        "cupy.cuda",
        runtime=runtime._module(),
        driver=module("cupy.cuda.driver", **driver),
        memory=module(
            "cupy.cuda.memory",
            OutOfMemoryError=OutOfMemoryError,
            **{name: memory.pop(name) for name in [*memory] if name == "PooledMemory" or name.startswith("_")},
        ),
        compiler=module("cupy.cuda.compiler", CompileException=CompileException),
        device=module("cupy.cuda.device", Device=streams["Device"]),
        get_elapsed_time=lambda start, end: runtime.eventElapsedTime(start.ptr, end.ptr),
        **streams,
        **memory,
    )


def _driver(machine):
    def funcSetAttribute(f, attribute, value):
        machine.check(machine.device)
        machine.demand(attribute == SHARED_BYTES, "an attribute that the backend need not set")
        if machine.flavour == "hip":  # CuPy's header for HIP has no such function
            raise CUDADriverError("hipErrorUnknown: unknown error")
        if machine.local.context is None:
            raise CUDADriverError("CUDA_ERROR_INVALID_CONTEXT: invalid device context")
        if machine.functions[f].loaded.shared_size + value > MOST_SHARED:
            raise CUDADriverError("CUDA_ERROR_INVALID_VALUE: invalid argument")
        machine.functions[f].shared = value

    def funcGetAttribute(attribute, f):
        machine.check(machine.device)
        machine.demand(attribute == STATIC_SHARED, "an attribute that the backend need not get")
        return machine.functions[f].loaded.shared_size

    def occupancyMaxActiveBlocksPerMultiprocessor(func, blockSize, dynamicSMemSize):
        machine.demand(machine.flavour == "cuda", "CuPy's header for HIP has no such function")
        return BLOCKS_AT_ONCE // PROCESSORS

    def launchKernel(f, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, params, extra):
        machine.demand(
            machine.local.context is not None, "a launch in a thread without a context; CuPy makes none here"
        )
        machine.demand(extra == 0, "arguments by a buffer")
        grid, block = (grid_x, grid_y, grid_z), (block_x, block_y, block_z)
        machine.functions[f].launch(grid, block, shared, stream, params)

    def launchCooperativeKernel(f, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream, params):
        machine.demand(machine.flavour == "cuda", "CuPy's header for HIP has no such function")
        if grid_x * grid_y * grid_z > BLOCKS_AT_ONCE:
            raise CUDADriverError("CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE: too many blocks in cooperative launch")
        grid, block = (grid_x, grid_y, grid_z), (block_x, block_y, block_z)
        machine.functions[f].launch(grid, block, shared, stream, params, cooperative=True)

    def ctxGetCurrent():
        return 0 if machine.local.context is None else FIRST_CONTEXT + machine.local.context

    def ctxSetCurrent(ctx):
        machine.demand(machine.flavour == "cuda", "HIP has no use for contexts")
        machine.local.context = ctx - FIRST_CONTEXT if ctx else None

    get = funcGetAttribute, occupancyMaxActiveBlocksPerMultiprocessor
    return *get, funcSetAttribute, launchKernel, launchCooperativeKernel, ctxGetCurrent, ctxSetCurrent


def _streams(machine, runtime):
    local = machine.local

    class Device:
        def __init__(self, index):
            self.id = index

        @property
        def compute_capability(self):
            return "90"

        def __enter__(self):
            local.devices.append(runtime.getDevice())
            if self.id != machine.device:
                runtime.setDevice(self.id)
            return self

        def __exit__(self, *error):
            runtime.setDevice(local.devices.pop())

    class Event:
        def __init__(self, *, disable_timing=False):
            self.ptr = runtime.eventCreateWithFlags(runtime.eventDisableTiming if disable_timing else 0)

        def __del__(self):
            if hasattr(self, "ptr"):
                runtime.eventDestroy(self.ptr)

        def record(self):
            runtime.eventRecord(self.ptr, get_current_stream().ptr)

        def synchronize(self):
            runtime.eventSynchronize(self.ptr)

    class Graph:
        def __init__(self, nodes):
            self.nodes = nodes

        def launch(self, stream=None):
            queue = machine.scheduler.of((stream or get_current_stream()).ptr)
            for node in self.nodes:
                work = machine.scheduler.submit(queue, node.run)
                if node.pinned is not None:
                    machine.note_pinned(node.pinned, work)

    class Stream:
        def __init__(self, *, non_blocking):
            machine.demand(non_blocking, "a stream that waits for the legacy stream, and is waited for by it")
            self.ptr, self.device_id = runtime.streamCreate(), machine.device

        def __del__(self):
            if self.ptr:
                runtime.streamDestroy(self.ptr)

        def use(self):
            if self.device_id not in (-1, machine.device):
                raise RuntimeError("the device of the stream does not match with the current device")
            local.streams[machine.device] = self
            return self

        def __enter__(self):
            self.use()
            local.entered[machine.device].append(self)
            return self

        def __exit__(self, *error):
            # As in CuPy: a stream that was made current by `use` is not on the stack, and is forgotten here.
            stack = local.entered[machine.device]
            machine.demand(stack, "a stream is left on another device than it was entered on")
            stack.pop()
            local.streams[machine.device] = stack[-1] if stack else Stream.null

        def record(self):
            event = Event()
            runtime.eventRecord(event.ptr, self.ptr)
            return event

        def wait_event(self, event):
            runtime.streamWaitEvent(self.ptr, event.ptr)

        def begin_capture(self, mode=None):
            machine.scheduler.of(self.ptr).graph = []

        def end_capture(self):
            queue = machine.scheduler.of(self.ptr)
            graph, queue.graph = queue.graph, None
            spoiled, queue.spoiled = queue.spoiled, False
            machine.require(not spoiled, 901)
            return Graph([work for work in graph if work.run])  # a recorded event is no node of a graph

        @property
        def done(self):
            return runtime.streamQuery(self.ptr) == 0

        def synchronize(self):
            runtime.streamSynchronize(self.ptr)

    def get_current_stream(device_id=-1):
        return local.streams.get(machine.device if device_id < 0 else device_id, Stream.null)

    Stream.null = object.__new__(Stream)
    Stream.null.ptr, Stream.null.device_id = 0, -1
    return named(Device, Event, Stream, get_current_stream)


def _memory(machine, runtime):
    class Loan:
        def __init__(self, size):
            with machine.lock:
                self.block = machine.pool.take(size)
            self.__array_interface__ = self.block.bytes.__array_interface__

        def __del__(self):
            if hasattr(self, "block") and not sys.is_finalizing():
                with machine.lock:
                    machine.pool.give(self.block)

    class PooledMemory:
        def __init__(self, size):
            self.ptr, self.size, self.device_id = 0, size, machine.device
            # The garbage collector does not traverse NumPy arrays. So, as with CuPy's memory, which is a C extension
            # type, objects that refer to this are finalised before it is freed.
            if size:
                self._bytes = np.asarray(Loan(size))
                self.ptr = self._bytes.ctypes.data

    class UnownedMemory:
        def __init__(self, ptr, size, owner, device_id=-1):
            if device_id < 0:
                machine.require(ptr, 1)
                place = machine.place(ptr, size)
                device_id = -2 if place is None else place
            self.ptr, self.size, self._owner, self.device_id = ptr, size, owner, device_id

    class MemoryPointer:
        def __init__(self, mem, offset):
            self.mem, self.ptr = mem, mem.ptr + offset

        device_id = property(lambda self: self.mem.device_id)

        def __add__(self, offset):
            return MemoryPointer(self.mem, self.ptr - self.mem.ptr + offset)

    class PinnedMemory:
        def __init__(self, size, flags):
            self.native, self.size = runtime.hostAlloc(size, flags), size
            self.ptr = self.native.ctypes.data

        def __del__(self):
            if hasattr(self, "ptr"):
                machine.unpin(self.ptr)

    class PinnedMemoryPointer:
        def __new__(cls, mem, offset):
            # An object with the buffer protocol, which Python classes can implement from 3.12 on.
            kind = type("PinnedMemoryPointer", (ctypes.c_uint8 * (mem.size - offset),), {})
            pointer = kind.from_buffer(mem.native, offset)
            pointer.mem, pointer.ptr = mem, mem.ptr + offset
            return pointer

    def malloc(size):
        try:
            return MemoryPointer(PooledMemory(size), 0)
        except CUDARuntimeError as error:
            if error.status != 2:
                raise
        raise OutOfMemoryError(size, machine.allocations.nbytes(machine.device))

    default = machine.pool.malloc = MethodType(lambda pool, size: malloc(size), machine.pool)

    def get_allocator():
        return _get_thread_local_allocator() or default

    def _get_thread_local_allocator():
        return getattr(machine.local, "allocator", None)

    def _set_thread_local_allocator(allocator):
        machine.local.allocator = allocator

    @contextmanager
    def using_allocator(allocator):
        before = _get_thread_local_allocator()
        _set_thread_local_allocator(allocator)
        try:
            yield
        finally:
            _set_thread_local_allocator(before)

    def alloc(size):
        return get_allocator()(size)

    classes = PooledMemory, UnownedMemory, MemoryPointer, PinnedMemory, PinnedMemoryPointer
    of_threads = _get_thread_local_allocator, _set_thread_local_allocator
    return named(*classes, alloc, get_allocator, using_allocator, *of_threads)


def raw_module(machine):
    """Return ``cupy.RawModule``, whose kernels are compiled for the host and run late."""

    class Function:
        def __init__(self, loaded, name):
            self.loaded, self.name, self.device, self.ptr = loaded, name, machine.device, id(self)
            self.sizes = loaded.sizes(name)
            self.shared = machine.shared - loaded.shared_size
            machine.functions[self.ptr] = self

        def launch(self, grid, block, shared, stream, params, *, cooperative=False):
            machine.check(machine.device)
            machine.require(machine.device == self.device, 400)
            machine.demand(0 not in grid + block, "a driver refuses an extent of 0")
            machine.require(math.prod(block) <= 1024 and shared <= self.shared, 1)
            threads = max(map(operator.mul, grid, block))
            machine.demand(machine.flavour == "cuda" or threads < 1 << 32, "HIP counts threads in 32 bits")
            # The driver reads the arguments before it returns.
            table = zip((ctypes.c_void_p * len(self.sizes)).from_address(params), self.sizes, strict=True)
            values = [np.frombuffer(ctypes.string_at(address, size), f"V{size}") for address, size in table]

            def run():
                seed = machine.scheduler.random.getrandbits(32)
                self.loaded.launch(self.name, grid, block, values, shared, seed, cooperative=cooperative)
                machine.allocations.check_guards()

            machine.scheduler.submit(machine.scheduler.of(stream), run)

    class RawKernel:
        def __init__(self, kernel):
            self.kernel = kernel

    class RawModule:
        def __init__(self, *, code, options):
            machine.demand(type(code) is str and type(options) is tuple, "CuPy takes a str and a tuple of options")
            for option in options:
                machine.demand(not OVERRIDDEN.search(option), f"CuPy overrides {option} with an option of its own")
            self._code, self._options = code, options

        def get_function(self, name):
            machine.check(machine.device)
            if not machine.compiles:
                raise RuntimeError('Failure finding "libnvrtc.so.13"')
            try:
                return RawKernel(Function(on_processor.compile(self._code, self._options, machine.warp), name))
            except on_processor.KernelError as error:
                raise CompileException(str(error)) from None

    return RawModule
