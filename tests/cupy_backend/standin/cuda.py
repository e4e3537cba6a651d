"""`cupy.cuda` of the stand-in: devices, streams, events, memory and kernels as CuPy has them."""

import ctypes
import math
import operator
import re
import sys
from contextlib import contextmanager
from types import ModuleType

import numpy as np

from ...gpu_code import on_processor

# CuPy appends its own, and the last one counts; with -dlto there is no code to load.
OVERRIDDEN = re.compile(r"^-+(ftz(?!=true)|arch|gpu-architecture|dlto|dlink-time-opt)\b|fno-.*flush-denormals")


class OutOfMemoryError(MemoryError):
    """As CuPy's."""

    def __init__(self, size, total, limit=0):
        super().__init__(f"Out of memory allocating {size:,} bytes (allocated so far: {total:,} bytes).")


class CompileException(Exception):
    """As CuPy's."""


class CUDADriverError(RuntimeError):
    """As CuPy's."""

    status = 1


def cuda_module(machine, runtime):
    """Return ``cupy.cuda`` on a machine, with only the functions that the backend calls."""
    made = ModuleType("cupy.cuda")
    made.runtime = runtime.module()
    classes = [kind for make in (_devices, _streams, _memory) for kind in make(machine, runtime)]
    for kind in classes:
        setattr(made, kind.__name__, kind)
    made.driver, made.memory, made.compiler = (
        ModuleType(f"cupy.cuda.{name}") for name in ("driver", "memory", "compiler")
    )
    made.driver.CUDADriverError = CUDADriverError
    made.driver.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
    made.driver.funcSetAttribute = _set_attribute(machine)
    made.driver.launchKernel = _launch_kernel(machine)
    made.memory.OutOfMemoryError = OutOfMemoryError
    made.compiler.CompileException = CompileException
    made.device = ModuleType("cupy.cuda.device")
    made.device.Device = made.Device
    made.Stream.null = made.Stream._of(0, -1)
    made.get_elapsed_time = lambda start, end: runtime.eventElapsedTime(start.ptr, end.ptr)
    return made


def _set_attribute(machine):
    def funcSetAttribute(f, attribute, value):
        machine.check(machine.device)
        machine.demand(attribute == 8, "an attribute that the backend need not set")
        if machine.flavour == "hip":  # CuPy's header for HIP has no such function
            raise CUDADriverError("hipErrorUnknown: unknown error")
        if machine.device not in machine.bound:
            raise CUDADriverError("CUDA_ERROR_INVALID_CONTEXT: invalid device context")
        if value > 227 << 10:
            raise CUDADriverError("CUDA_ERROR_INVALID_VALUE: invalid argument")
        machine.shared[f] = value

    return funcSetAttribute


def _launch_kernel(machine):
    def launchKernel(
        f,
        grid_dim_x,
        grid_dim_y,
        grid_dim_z,
        block_dim_x,
        block_dim_y,
        block_dim_z,
        shared_mem_bytes,
        stream,
        kernel_params,
        extra,
    ):
        machine.demand(machine.device in machine.bound, "a launch in a thread without a context; CuPy makes none here")
        machine.demand(extra == 0, "arguments by a buffer")
        grid, block = (grid_dim_x, grid_dim_y, grid_dim_z), (block_dim_x, block_dim_y, block_dim_z)
        machine.functions[f].launch(grid, block, shared_mem_bytes, stream, kernel_params)

    return launchKernel


def _devices(machine, runtime):
    class Device:
        def __init__(self, index):
            self.id = index

        def __enter__(self):
            stack = machine.local.__dict__.setdefault("devices", [])
            stack.append(runtime.getDevice())
            if self.id != stack[-1]:
                runtime.setDevice(self.id)
            return self

        def __exit__(self, *error):
            runtime.setDevice(machine.local.devices.pop())

    return [Device]


def _streams(machine, runtime):
    class Event:
        def __init__(self, *, disable_timing=False):
            self.ptr = runtime.eventCreate()

        def __del__(self):
            if hasattr(self, "ptr"):
                runtime.eventDestroy(self.ptr)

        def record(self):
            runtime.eventRecord(self.ptr, machine.scheduler.current().handle)

        def synchronize(self):
            runtime.eventSynchronize(self.ptr)

    class Stream:
        def __init__(self, *, non_blocking):
            machine.demand(non_blocking, "a stream that waits for the legacy stream, and is waited for by it")
            self.ptr, self.device_id = runtime.streamCreate(), machine.device

        @classmethod
        def _of(cls, handle, device):
            made = object.__new__(cls)
            made.ptr, made.device_id = handle, device
            return made

        def __del__(self):
            if self.ptr:
                runtime.streamDestroy(self.ptr)

        def use(self):
            if self.device_id not in (-1, machine.device):
                raise RuntimeError("the device of the stream does not match with the current device")
            machine.scheduler.set_current(self)
            return self

        def __enter__(self):
            self.use()
            machine.scheduler.stack().append(self)
            return self

        def __exit__(self, *error):
            # As in CuPy: a stream that was made current by `use` is not on the stack, and is forgotten here.
            stack = machine.scheduler.stack()
            machine.demand(stack, "a stream is left on another device than it was entered on")
            stack.pop()
            machine.scheduler.set_current(stack[-1] if stack else Stream.null)

        def record(self):
            event = Event()
            runtime.eventRecord(event.ptr, self.ptr)
            return event

        def wait_event(self, event):
            runtime.streamWaitEvent(self.ptr, event.ptr)

        def begin_capture(self):
            machine.scheduler.of(self.ptr).graph = []

        def end_capture(self):
            queue = machine.scheduler.of(self.ptr)
            made, queue.graph = queue.graph, None
            return [work for work in made if callable(work)]  # a recorded event is no node of a graph

        @property
        def done(self):
            return runtime.streamQuery(self.ptr) == 0

        def synchronize(self):
            runtime.streamSynchronize(self.ptr, machine.device if self.device_id == -1 else self.device_id)

    def get_current_stream():
        return machine.scheduler.given_current() or Stream.null

    return [Event, Stream, get_current_stream]


def _memory(machine, runtime):
    class Taken:
        def __init__(self, made, stream):
            self.made, self.stream = made, stream
            self.__array_interface__ = made.bytes.__array_interface__

        def __del__(self):
            if not sys.is_finalizing():
                with machine.lock:
                    machine.pool.give(self.made, self.stream)

    class PooledMemory:
        def __init__(self, size):
            self.ptr, self.size, self.device_id = 0, size, machine.device
            # The garbage collector does not traverse NumPy arrays. So, as with CuPy's memory, which is a C extension
            # type, objects that refer to this are finalised before it is freed.
            if size:
                with machine.lock:
                    made, stream = machine.pool.take(size)
                self.ptr, self._taken = made.address, np.asarray(Taken(made, stream))

    class UnownedMemory:
        def __init__(self, ptr, size, owner, device_id=-1):
            if device_id < 0:
                machine.require(ptr, 1)
                found = machine.place(ptr, size)
                device_id = -2 if found is None else found
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

    def malloc(size):
        try:
            return MemoryPointer(PooledMemory(size), 0)
        except machine.kind_of_error as error:
            if error.status != 2:
                raise
        raise OutOfMemoryError(size, machine.spaces[machine.device].used)

    def get_allocator():
        return getattr(machine.local, "allocator", malloc)

    @contextmanager
    def using_allocator(allocator):
        before = get_allocator()
        machine.local.allocator = allocator
        try:
            yield
        finally:
            machine.local.allocator = before

    def alloc(size):
        return get_allocator()(size)

    class PinnedMemoryPointer:
        def __new__(cls, mem, offset):
            # An object with the buffer protocol, which Python classes can implement from 3.12 on.
            kind = type("PinnedMemoryPointer", (ctypes.c_uint8 * (mem.size - offset),), {})
            made = kind.from_buffer(mem.native, offset)
            made.mem, made.ptr = mem, mem.ptr + offset
            return made

    kinds = [UnownedMemory, MemoryPointer, PinnedMemory, PinnedMemoryPointer]
    return [*kinds, alloc, get_allocator, using_allocator]


def kernels(machine):
    """Return ``cupy.RawModule``, whose kernels are compiled for the host and run late."""

    class Function:
        def __init__(self, module, name):
            self.module, self.name, self.device, self.ptr = module, name, machine.device, id(self)
            self._sizes = module.sizes(name)
            machine.functions[self.ptr] = self
            machine.shared[self.ptr] = (48 if machine.flavour == "cuda" else 64) << 10

        def launch(self, grid, block, shared_mem, stream, params):
            machine.check(machine.device)
            machine.bound.add(machine.device)
            machine.require(machine.device == self.device, 400)
            machine.demand(0 not in grid + block, "a driver refuses an extent of 0")
            machine.require(math.prod(block) <= 1024 and shared_mem <= machine.shared[self.ptr], 1)
            threads = max(map(operator.mul, grid, block))
            machine.demand(machine.flavour == "cuda" or threads < 1 << 32, "HIP counts threads in 32 bits")
            # The driver reads the arguments before it returns.
            table = (ctypes.c_void_p * len(self._sizes)).from_address(params)
            values = [
                np.frombuffer(ctypes.string_at(address, size), f"V{size}")
                for address, size in zip(table, self._sizes, strict=True)
            ]
            queue = machine.scheduler.of(stream)
            machine.scheduler.submit(queue, lambda: self._run(grid, block, values, shared_mem))

        def _run(self, grid, block, values, shared_mem):
            seed = machine.scheduler.random.getrandbits(32)
            self.module.launch(self.name, grid, block, values, shared_mem, seed)
            for space in machine.spaces:
                space.check_guards()

    class RawKernel:
        def __init__(self, module, name):
            self.kernel = Function(module, name)

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
                return RawKernel(on_processor.compile(self._code, self._options, machine.warp), name)
            except on_processor.KernelError as error:
                raise CompileException(str(error)) from None

    return RawModule
