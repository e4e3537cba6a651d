"""The machine behind the stand-in: devices with memory, streams that run late, and faults on demand."""

import threading
from collections import defaultdict

from .allocations import Allocations, Pool
from .schedule import Scheduler

NAMES = {
    1: "InvalidValue",
    2: "MemoryAllocation",
    35: "InsufficientDriver",
    100: "NoDevice",
    101: "InvalidDevice",
    400: "InvalidResourceHandle",
    600: "NotReady",
    719: "LaunchFailure",
    900: "StreamCaptureUnsupported",
    901: "StreamCaptureInvalidated",
    905: "StreamCaptureIsolation",
    907: "CapturedEvent",
    999: "Unknown",
}
OF_HIP = {2: "OutOfMemory", 400: "InvalidHandle"}


class Violation(AssertionError):
    """A bug that a real GPU would not report, or answer by wrong bytes."""


class CUDARuntimeError(RuntimeError):
    """As CuPy's."""

    def __init__(self, status, prefix="cudaError"):
        self.status = status
        names = NAMES | (OF_HIP if prefix == "hipError" else {})
        super().__init__(f"{prefix}{names[status]}: in the words of the driver")


class Current(threading.local):
    """What is current in a thread.

    Attributes
    ----------
    chosen, devices : int, list of int
        The device that was made current, and those that become current again after ``with`` blocks.
    context : int or None
        The device whose context is current; None if there is none. Calls of the runtime make one, those of the driver
        do not.
    streams, entered : dict
        The stream of CuPy that is current on a device, and those whose ``with`` blocks were entered there.
    queues : dict
        The default stream of this thread, by device.
    """

    def __init__(self):
        self.chosen, self.devices, self.context = 0, [], None
        self.streams, self.entered, self.queues = {}, defaultdict(list), {}


class Machine:
    """Devices of one platform.

    Attributes
    ----------
    fails : int
        What the driver answers to everything, as where there is no device; 0 if it works.
    lost : set of int
        The devices that are lost.
    contexts : set of int
        The devices with a context.
    functions : dict
        The kernels, by the pointers that the driver takes.
    cooperates : bool
        Whether devices have cooperative launches.
    shared : int
        Bytes of shared memory of a block, if no more are asked for.
    compiles : bool
        Whether there is a library that compiles kernels; CuPy's wheels have none of their own.
    pinned : dict
        The sizes of pinned memory, by address.
    reads_pageable : bool
        Whether devices read pageable memory by themselves, and late.
    refuses_unregistered : bool
        Whether it is an error to ask what memory is that the driver does not know, as HIP's manual has it.
    violations : list of str
        What was done that must not be; empty in a test that passes.
    """

    def __init__(self, flavour="cuda", devices=2, memory=1 << 28, seed=0):
        self.flavour, self.devices, self.memory = flavour, range(devices), memory
        self.prefix, self.warp = ("hipError", 64) if flavour == "hip" else ("cudaError", 32)
        self.cooperates = True
        self.shared = (64 if flavour == "hip" else 48) << 10
        self.driver_version, self.runtime_version = (70000000, 70000000) if flavour == "hip" else (13000, 12090)
        self.fails = 0
        self.lost, self.contexts = set(), set()
        self.compiles, self.reads_pageable, self.refuses_unregistered = True, False, flavour == "hip"
        self.functions, self.violations = {}, []
        self.lock, self.local = threading.RLock(), Current()
        self.allocations, self.pool = Allocations(self), Pool(self)
        self.scheduler = Scheduler(self, seed)
        self.pinned, self.pinned_uses, self.room_to_pin = {}, [], 1 << 30

    def require(self, condition, status):
        """Raise the error of a driver that refuses a call."""
        if not condition:
            raise CUDARuntimeError(status, self.prefix)

    def demand(self, condition, what):
        """Record and raise a violation."""
        if not condition:
            self.violations.append(what)
            raise Violation(what)

    def check(self, *devices):
        """Raise the error of a driver that has no device, or has lost it."""
        self.require(not self.fails, self.fails)
        self.require(self.lost.isdisjoint(devices), 719)

    @property
    def device(self):
        """The current device."""
        local = self.local
        return local.chosen if local.context is None else local.context

    def set_device(self, index):
        self.check()
        self.require(index in self.devices, 101)
        self.local.chosen = index
        self.bind(index)

    def bind(self, index=None):
        """Make a context of a device current, by default that of the current device if there is none."""
        if index is not None or self.local.context is None:
            self.local.context = self.device if index is None else index
            self.contexts.add(self.local.context)

    def place(self, address, nbytes):
        """Return the index of the device that has some bytes, None for the host's; the bytes must be in use."""
        allocation = self.allocations.at(address)
        if allocation is None:
            return None
        self.demand(
            allocation.stream and address + nbytes <= allocation.address + allocation.size,
            f"{nbytes} bytes at {address:#x} of device {allocation.device} are used, which are not in use",
        )
        return allocation.device

    # Pinned memory

    def is_pinned(self, address, nbytes):
        return any(first <= address <= first + size - nbytes for first, size in self.pinned.copy().items())

    def note_pinned(self, address, work):
        """Note that some work uses pinned memory; it may be freed after that."""
        with self.lock:
            self.pinned_uses = [use for use in [*self.pinned_uses, (address, work)] if use[1].time is None]

    def unpin(self, address):
        """Free pinned memory; no device may still use it."""
        end = address + self.pinned.pop(address, 0)
        used = [work for place, work in self.pinned_uses if work.time is None and address <= place < end]
        idle = all(work.queue.device in self.lost for work in used)
        self.demand(idle, f"pinned memory at {address:#x} goes, which a device still uses")

    def lose(self, index):
        """Lose a device, and all its work."""
        with self.lock:
            self.lost.add(index)
            self.scheduler.drop(index)
