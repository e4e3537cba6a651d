"""`cupy.cuda.runtime` of the stand-in: the driver calls that the backend makes, with checks of their preconditions."""

from itertools import count
from types import ModuleType, SimpleNamespace

import numpy as np

from .allocations import bytes_at
from .machine import CUDARuntimeError

HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 1, 2, 3
ENDS_ON_DEVICE = {HOST_TO_DEVICE: (True, False), DEVICE_TO_HOST: (False, True), DEVICE_TO_DEVICE: (True, True)}
UNREGISTERED, OF_HOST, OF_DEVICE = 0, 1, 2


class Runtime:
    """The functions of the runtime, on a machine."""

    hostAllocPortable = 1
    eventDisableTiming = 2
    streamCaptureModeGlobal = 0
    memcpyHostToDevice, memcpyDeviceToHost, memcpyDeviceToDevice = HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE

    def __init__(self, machine):
        self._machine, self._scheduler = machine, machine.scheduler
        self._events, self._handles = {}, count(0x108, 8)  # an event has a device, and the work after which it is
        self._untimed = set()
        self.is_hip, self.CUDARuntimeError = machine.flavour == "hip", CUDARuntimeError

    def _module(self):
        """Return the public names as a module like CuPy's."""
        module = ModuleType("cupy.cuda.runtime")
        vars(module).update({name: getattr(self, name) for name in dir(self) if not name.startswith("_")})
        return module

    # Devices

    def getDeviceCount(self):
        self._machine.check()
        return len(self._machine.devices)

    def driverGetVersion(self):
        return self._machine.driver_version

    def runtimeGetVersion(self):
        return self._machine.runtime_version

    def getDevice(self):
        self._machine.check()
        return self._machine.device

    def setDevice(self, index):
        self._machine.set_device(index)

    def getDeviceProperties(self, index):
        self._machine.check()
        return {
            "name": b"Stand-In 100",
            "major": 9,
            "minor": 0,
            "totalGlobalMem": self._machine.memory,
            "warpSize": self._machine.warp,
            "sharedMemPerBlock": self._machine.shared,
            **({} if self.is_hip else {"sharedMemPerBlockOptin": 227 << 10}),
            "maxGridSize": (2**31 - 1, 65_535, 65_535),
            "multiProcessorCount": 2,
            "cooperativeLaunch": int(self._machine.cooperates),
            "pageableMemoryAccess": int(self._machine.reads_pageable),
        }

    def memGetInfo(self):
        self._machine.bind()
        return self._machine.allocations.free_bytes(self._machine.device), self._machine.memory

    def deviceSynchronize(self):
        device = self._machine.device
        self._machine.check(device)
        self._scheduler.drive_device(device)
        self._machine.check(device)

    def deviceCanAccessPeer(self, device, peer):
        return int(device != peer)

    # Copies

    def memcpyAsync(self, dst, src, size, kind, stream):
        self._demand_kind(kind, (dst, size), (src, size))
        self._machine.demand(abs(dst - src) >= size or dst == src, "a copy of the driver's between bytes that overlap")
        self._copy(stream, kind, [(dst, src, size)])

    def memcpyPeerAsync(self, dst, dst_device, src, src_device, size, stream):
        places = self._machine.place(dst, size), self._machine.place(src, size)
        self._machine.demand(places == (dst_device, src_device), f"a peer copy names the wrong devices: {places}")
        self._copy(stream, DEVICE_TO_DEVICE, [(dst, src, size)])

    def memcpy2DAsync(self, dst, dpitch, src, spitch, width, height, kind, stream):
        self._machine.require(not self.is_hip, 999)  # CuPy's header for HIP has no such function
        self._machine.require(min(dpitch, spitch) >= width or height <= 1, 1)
        self._demand_kind(kind, (dst, (height - 1) * dpitch + width), (src, (height - 1) * spitch + width))
        self._copy(stream, kind, [(dst + row * dpitch, src + row * spitch, width) for row in range(height)])

    def _demand_kind(self, kind, target, source):
        demand, places = self._machine.demand, (self._machine.place(*target), self._machine.place(*source))
        on_device = tuple(place is not None for place in places)
        demand(ENDS_ON_DEVICE[kind] == on_device, f"a copy of kind {kind} between device memory {on_device}")
        demand(kind != DEVICE_TO_DEVICE or places[0] == places[1], "memory of two devices needs a peer copy")

    def _copy(self, stream, kind, pieces):
        """Copy late; but pageable memory is read or written before the call returns, unless devices access it."""
        machine, queue = self._machine, self._scheduler.of(stream)
        machine.bind()
        machine.check(machine.device, queue.device)
        on_host = [] if kind == DEVICE_TO_DEVICE else [(piece[kind == HOST_TO_DEVICE], piece[2]) for piece in pieces]
        pinned = all(machine.is_pinned(*each) for each in on_host)
        at_once = not pinned and not machine.reads_pageable
        ends = [(bytes_at(into, size), bytes_at(out_of, size)) for into, out_of, size in pieces]
        if at_once and kind == HOST_TO_DEVICE:
            ends = [(into, out_of.copy()) for into, out_of in ends]
        work = self._scheduler.submit(queue, lambda: [np.copyto(*each) for each in ends])
        if pinned and on_host:
            if work.captured:
                work.pinned = on_host[0][0]  # noted by launches of the graph
            else:
                machine.note_pinned(on_host[0][0], work)
        if at_once and kind == DEVICE_TO_HOST:
            self._scheduler.finish(work)

    def memsetAsync(self, ptr, value, size, stream):
        machine, queue = self._machine, self._scheduler.of(stream)
        machine.check(machine.device, queue.device)
        machine.demand(machine.place(ptr, size) == machine.device, "memory that is not the current device's is set")
        machine.demand(0 <= value < 256, "a byte is set to a value that it cannot have")
        into = bytes_at(ptr, size)
        self._scheduler.submit(queue, lambda: into.fill(value))

    def pointerGetAttributes(self, ptr):
        """Return the attributes of an address, as CuPy does: since HIP 6 it shifts the first two types by one."""
        machine = self._machine
        machine.check(machine.device)
        kind, device, on_device, on_host = OF_DEVICE, machine.place(ptr, 1), ptr, 0
        if device is None and machine.is_pinned(ptr, 1):
            kind, device, on_host = OF_HOST, 0, ptr
        elif device is None:  # a device that can read pageable memory directly has an address for it, too
            machine.require(not machine.refuses_unregistered, 1)
            kind, device, on_device, on_host = UNREGISTERED, -2, ptr if machine.reads_pageable else 0, ptr
        shifted = min(kind + 1, 2) if self.is_hip else kind
        return SimpleNamespace(type=shifted, device=device, devicePointer=on_device, hostPointer=on_host)

    def hostAlloc(self, size, flags):
        self._machine.check()
        self._machine.require(size <= self._machine.room_to_pin, 2)
        memory = np.zeros(size, np.uint8)
        self._machine.pinned[memory.ctypes.data] = size
        return memory

    # Events

    def eventCreateWithFlags(self, flag):
        self._machine.check(self._machine.device)
        handle = next(self._handles)
        self._events[handle] = self._machine.device, None
        if flag & self.eventDisableTiming:
            self._untimed.add(handle)
        return handle

    def eventDestroy(self, event):
        del self._events[event]

    def eventRecord(self, event, stream):
        queue = self._scheduler.of(stream)
        self._machine.require(self._events[event][0] == queue.device, 400)
        self._events[event] = queue.device, self._scheduler.submit(queue)

    def eventQuery(self, event):
        device, work = self._events[event]
        if work and work.captured:
            return 907
        if self._machine.fails or device in self._machine.lost:
            return self._machine.fails or 719
        self._scheduler.poll()
        return 600 if work and work.time is None else 0

    def eventSynchronize(self, event):
        device, work = self._events[event]
        self._machine.check(device)
        if work:
            self._machine.require(not work.captured, 907)
            self._scheduler.finish(work)

    def eventElapsedTime(self, start, end):
        self._machine.require(self._untimed.isdisjoint((start, end)), 400)
        times = [work and work.time for _, work in (self._events[start], self._events[end])]
        self._machine.require(None not in times, 600)
        return float(np.float32(times[1] - times[0]))

    # Streams

    def streamCreate(self):
        self._machine.check(self._machine.device)
        return self._scheduler.create().handle

    def streamDestroy(self, stream):
        self._scheduler.destroy(stream)

    def streamQuery(self, stream):
        queue = self._scheduler.of(stream)
        if queue.graph is not None:
            return 900
        if queue.device in self._machine.lost:
            return 719
        return 600 if queue.work else 0

    def streamSynchronize(self, stream):
        queue = self._scheduler.find(stream)
        self._machine.check(queue.device)
        self._machine.require(queue.graph is None, 900)
        self._scheduler.drive_stream(queue)

    def streamIsCapturing(self, stream):
        return self._scheduler.of(stream).graph is not None

    def streamWaitEvent(self, stream, event, flags=0):
        queue, (_, work) = self._scheduler.of(stream), self._events[event]
        if work:
            captured_alone = work.captured and queue.graph is None
            self._machine.demand(not captured_alone, "a stream is drawn into a capture")
            queue.spoiled = queue.graph is not None and not work.captured
            self._machine.require(not queue.spoiled, 905)
            self._scheduler.submit(queue, after=work)
