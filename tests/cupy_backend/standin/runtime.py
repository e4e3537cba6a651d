"""`cupy.cuda.runtime` of the stand-in: the driver calls that the backend makes, with checks of their preconditions."""

from itertools import count
from types import ModuleType, SimpleNamespace

import numpy as np

from .machine import CUDARuntimeError
from .space import bytes_at

HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE = 1, 2, 3
UNREGISTERED, OF_HOST, OF_DEVICE = 0, 1, 2


class Runtime:
    """The functions of the runtime, on a machine."""

    def __init__(self, machine):
        self.machine = machine
        self.marks = {}
        self._handles = count(0x108, 8)

    def module(self):
        """Return the functions as a module like CuPy's, with nothing else in it."""
        made = ModuleType("cupy.cuda.runtime")
        made.CUDARuntimeError = CUDARuntimeError
        made.is_hip = self.machine.flavour == "hip"
        made.hostAllocPortable = 1
        made.memcpyHostToDevice, made.memcpyDeviceToHost = HOST_TO_DEVICE, DEVICE_TO_HOST
        made.memcpyDeviceToDevice = DEVICE_TO_DEVICE
        for name in dir(self):
            if not name.startswith("_") and name not in {"machine", "marks", "module"}:
                setattr(made, name, getattr(self, name))
        return made

    # Devices

    def getDeviceCount(self):
        self.machine.check()
        return len(self.machine.spaces)

    def driverGetVersion(self):
        return self.machine.driver_version

    def runtimeGetVersion(self):
        return self.machine.runtime_version

    def getDevice(self):
        self.machine.check()
        return self.machine.device

    def setDevice(self, index):
        self.machine.set_device(index)

    def getDeviceProperties(self, index):
        self.machine.check()
        grid = (2**31 - 1, 65_535, 65_535)
        return {
            "totalGlobalMem": self.machine.memory,
            "warpSize": self.machine.warp,
            "maxGridSize": grid,
            "multiProcessorCount": 2,
            "pageableMemoryAccess": int(self.machine.reads_pageable),
        }

    def memGetInfo(self):
        self.machine.bound.add(self.machine.device)
        space = self.machine.spaces[self.machine.device]
        return space.room - space.used, space.room

    def deviceSynchronize(self):
        device = self.machine.device
        self.machine.check(device)
        self.machine.scheduler.drive_device(device)
        self.machine.check(device)

    def deviceCanAccessPeer(self, device, peer):
        return int(self.machine.peers)

    def deviceEnablePeerAccess(self, peer):
        pair = (self.machine.device, peer)
        self.machine.require(peer != self.machine.device, 101)
        self.machine.require(not self.machine.refuses_peers, self.machine.refuses_peers)
        self.machine.require(pair not in self.machine.enabled, 704)
        self.machine.require(self.machine.peers, 1)
        self.machine.enabled.add(pair)

    # Copies

    def memcpyAsync(self, dst, src, size, kind, stream):
        machine = self.machine
        queue = machine.scheduler.of(stream)
        places = machine.place(dst, size), machine.place(src, size)
        self._demand_kind(kind, *places)
        machine.demand(kind != DEVICE_TO_DEVICE or places[0] == places[1], "memory of two devices needs a peer copy")
        machine.demand(abs(dst - src) >= size or dst == src, "a copy of the driver's between bytes that overlap")
        self._copy(queue, [(dst, src, size)], kind)

    def memcpyPeerAsync(self, dst, dst_device, src, src_device, size, stream):
        machine = self.machine
        found = machine.place(dst, size), machine.place(src, size)
        machine.demand(found == (dst_device, src_device), f"a peer copy names the wrong devices: {found}")
        self._copy(machine.scheduler.of(stream), [(dst, src, size)], DEVICE_TO_DEVICE)

    def memcpy2DAsync(self, dst, dpitch, src, spitch, width, height, kind, stream):
        machine = self.machine
        machine.require(machine.flavour == "cuda", 999)  # CuPy's header for HIP has no such function
        machine.require(min(dpitch, spitch) >= width or height <= 1, 1)
        places = machine.place(dst, (height - 1) * dpitch + width), machine.place(src, (height - 1) * spitch + width)
        self._demand_kind(kind, *places)
        rows = [(dst + row * dpitch, src + row * spitch, width) for row in range(height)]
        self._copy(machine.scheduler.of(stream), rows, kind)

    def memsetAsync(self, ptr, value, size, stream):
        machine = self.machine
        queue = machine.scheduler.of(stream)
        machine.check(machine.device, queue.device)
        machine.demand(machine.place(ptr, size) == machine.device, "memory that is not the current device's is set")
        machine.demand(0 <= value < 256, "a byte is set to a value that it cannot have")
        into = bytes_at(ptr, size)
        machine.scheduler.submit(queue, lambda: into.fill(value))

    def _demand_kind(self, kind, target, source):
        on_device = (target is not None, source is not None)
        expected = {HOST_TO_DEVICE: (True, False), DEVICE_TO_HOST: (False, True), DEVICE_TO_DEVICE: (True, True)}
        self.machine.demand(expected[kind] == on_device, f"a copy of kind {kind} between device memory {on_device}")

    def _copy(self, queue, pieces, kind):
        """Copy late; but pageable memory is read or written before the call returns, unless devices access it."""
        machine = self.machine
        machine.bound.add(machine.device)
        machine.check(machine.device, queue.device)
        pageable = kind != DEVICE_TO_DEVICE and not all(self._is_pinned(kind, piece) for piece in pieces)
        if pageable and kind == HOST_TO_DEVICE and not machine.reads_pageable:
            taken = [(bytes_at(into, size), bytes_at(out_of, size).copy()) for into, out_of, size in pieces]
        else:
            taken = [(bytes_at(into, size), bytes_at(out_of, size)) for into, out_of, size in pieces]
        machine.scheduler.submit(queue, lambda: [np.copyto(into, out_of) for into, out_of in taken])
        if kind != DEVICE_TO_DEVICE and not pageable:
            machine.keep_pinned(self._of_host(kind, pieces[0]), machine.scheduler.record(queue), queue.device)
        if pageable and kind == DEVICE_TO_HOST and not machine.reads_pageable:
            machine.scheduler.drive_stream(queue)

    def _is_pinned(self, kind, piece):
        return self.machine.is_pinned(self._of_host(kind, piece), piece[2])

    def _of_host(self, kind, piece):
        into, out_of, _ = piece
        return out_of if kind == HOST_TO_DEVICE else into

    def pointerGetAttributes(self, ptr):
        """Return the attributes of an address, as CuPy does: since HIP 6 it shifts the first two types by one."""
        machine = self.machine
        machine.check(machine.device)
        kind, device, on_device, on_host = self._attributes(ptr)
        machine.require(kind != UNREGISTERED or not machine.refuses_unregistered, 1)
        shifted = min(kind + 1, 2) if machine.flavour == "hip" else kind
        return SimpleNamespace(type=shifted, device=device, devicePointer=on_device, hostPointer=on_host)

    def _attributes(self, ptr):
        place = self.machine.place(ptr, 1)
        if place is not None:
            return OF_DEVICE, place, ptr, 0
        if self.machine.is_pinned(ptr, 1):
            return OF_HOST, 0, ptr, ptr
        # A device that can read pageable memory directly has an address for it, too.
        return UNREGISTERED, -2, ptr if self.machine.reads_pageable else 0, ptr

    # Events

    def eventCreate(self):
        self.machine.check(self.machine.device)
        made = next(self._handles)
        self.marks[made] = (self.machine.device, None)
        return made

    def eventDestroy(self, event):
        del self.marks[event]

    def eventRecord(self, event, stream):
        queue = self.machine.scheduler.of(stream)
        self.machine.require(self.marks[event][0] == queue.device, 400)
        self.marks[event] = (queue.device, self.machine.scheduler.record(queue))

    def eventQuery(self, event):
        device, mark = self.marks[event]
        if mark is not None and mark.captured:
            return 907
        if self.machine.fails or device in self.machine.lost:
            return self.machine.fails or 719
        self.machine.scheduler.poll()
        return 0 if mark is None or mark.time is not None else 600

    def eventSynchronize(self, event):
        device, mark = self.marks[event]
        self.machine.check(device)
        self.machine.require(mark is None or not mark.captured, 907)
        if mark is not None:
            self.machine.scheduler.drive(lambda: mark.time is not None)
        self.machine.check(device)

    def eventElapsedTime(self, start, end):
        marks = self.marks[start][1], self.marks[end][1]
        self.machine.require(all(mark is not None and mark.time is not None for mark in marks), 600)
        return float(np.float32(marks[1].time - marks[0].time))

    # Streams

    def streamCreate(self):
        self.machine.check(self.machine.device)
        return self.machine.scheduler.create().handle

    def streamDestroy(self, stream):
        self.machine.scheduler.destroy(stream)

    def streamQuery(self, stream):
        queue = self.machine.scheduler.of(stream)
        if queue.graph is not None:
            return 900
        if queue.device in self.machine.lost:
            return 719
        return 600 if queue.work else 0

    def streamSynchronize(self, stream, device):
        streams = [queue for queue in self.machine.scheduler.queues if not queue.destroyed]
        queue = next(queue for queue in streams if queue.handle == stream and queue.device == device)
        self.machine.check(queue.device)
        self.machine.require(queue.graph is None, 900)
        self.machine.scheduler.drive_stream(queue)

    def streamIsCapturing(self, stream):
        return self.machine.scheduler.of(stream).graph is not None

    def streamWaitEvent(self, stream, event, flags=0):
        queue, (_, mark) = self.machine.scheduler.of(stream), self.marks[event]
        if mark is not None:
            self.machine.demand(not mark.captured or queue.graph is not None, "a stream is drawn into a capture")
            self.machine.scheduler.submit(queue, mark)

    # Memory of the host

    def hostAlloc(self, size, flags):
        self.machine.check()
        self.machine.require(size <= self.machine.room_to_pin, 2)
        made = np.zeros(size, np.uint8)
        self.machine.pinned[made.ctypes.data] = size
        return made
