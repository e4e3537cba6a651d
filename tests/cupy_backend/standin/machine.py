"""The machine behind the stand-in: devices with memory, streams that run late, and faults on demand."""

import threading

from .schedule import Scheduler
from .space import Pool, Space

NAMES = {
    1: "InvalidValue",
    2: "MemoryAllocation",
    35: "InsufficientDriver",
    100: "NoDevice",
    101: "InvalidDevice",
    400: "InvalidResourceHandle",
    600: "NotReady",
    704: "PeerAccessAlreadyEnabled",
    711: "TooManyPeers",
    719: "LaunchFailure",
    900: "StreamCaptureUnsupported",
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


class Machine:
    """Devices of one platform.

    Attributes
    ----------
    fails : int
        What the driver answers to everything, as where there is no device; 0 if it works.
    lost : set of int
        The devices that are lost.
    functions : dict
        The kernels, by the pointers that the driver takes.
    refuses_peers : int
        What the driver answers to a request for peer access; 0 if it grants it.
    shared : dict
        How much shared memory a block may have of each kernel.
    compiles : bool
        Whether there is a library that compiles kernels; CuPy's wheels have none of their own.
    reads_pageable : bool
        Whether devices read pageable memory by themselves, and late.
    refuses_unregistered : bool
        Whether it is an error to ask what memory is that the driver does not know, as HIP's manual has it.
    violations : list of str
        What was done that must not be; empty in a test that passes.
    """

    def __init__(self, flavour="cuda", devices=2, memory=1 << 28, peers=True, seed=0):
        self.flavour = flavour
        self.peers = peers
        self.memory = memory
        self.fails = 0
        self.driver_version, self.runtime_version = (13000, 12090) if flavour == "cuda" else (70000000, 70000000)
        self.lost = set()
        self.compiles = True
        self.shared = {}
        self.functions = {}
        self.enabled = set()
        self.refuses_peers = 0
        self.violations = []
        self.lock = threading.RLock()
        self.local = threading.local()
        self.spaces = [Space(self, index, memory) for index in range(devices)]
        self.scheduler = Scheduler(self, seed)
        self.pool = Pool(self)
        self.pinned = {}
        self.pinned_in_use = {}
        self.room_to_pin = 1 << 30
        self.reads_pageable = False
        self.refuses_unregistered = flavour == "hip"

    @property
    def warp(self):
        return 32 if self.flavour == "cuda" else 64

    kind_of_error = CUDARuntimeError

    def error(self, status):
        return CUDARuntimeError(status, "cudaError" if self.flavour == "cuda" else "hipError")

    def require(self, condition, status):
        """Raise the error of a driver that refuses a call."""
        if not condition:
            raise self.error(status)

    def demand(self, condition, what):
        """Record and raise a violation."""
        if not condition:
            self.violations.append(what)
            raise Violation(what)

    # The current device

    @property
    def device(self):
        return getattr(self.local, "device", 0)

    def set_device(self, index):
        self.check()
        self.require(0 <= index < len(self.spaces), 101)
        self.local.device = index
        self.bound.add(index)

    @property
    def bound(self):
        """The devices with a context in this thread: calls of the runtime make one, calls of the driver do not."""
        return self.local.__dict__.setdefault("bound", set())

    def check(self, *devices):
        """Raise the error of a driver that has no device, or has lost it."""
        if self.fails:
            raise self.error(self.fails)
        for device in devices:
            self.require(device not in self.lost, 719)

    # Memory

    def place(self, address, nbytes):
        """Return the index of the device that has some bytes, None for the host's; the bytes must be allocated."""
        for space in self.spaces:
            block = space.allocation(address)
            if block is not None:
                self.demand(
                    space.holds(address, nbytes),
                    f"{nbytes} bytes at {address:#x} of device {space.index} are used, which are not in use",
                )
                return space.index
        return None

    def used(self, index):
        """Return how many bytes of a device are in use, as its pool counts."""
        return sum(self.spaces[index].live.values())

    def is_pinned(self, address, nbytes):
        return any(first <= address and address + nbytes <= first + size for first, size in self.pinned.items())

    def keep_pinned(self, address, mark, device):
        """Record the last use of pinned memory; it may be freed after that."""
        first = next(first for first, size in self.pinned.items() if first <= address < first + size)
        earlier = [use for use in self.pinned_in_use.get(first, ()) if use[0].time is None]
        self.pinned_in_use[first] = [*earlier, (mark, device)]

    def unpin(self, address):
        """Free pinned memory; no device may still use it."""
        used = self.pinned_in_use.pop(address, ())
        self.pinned.pop(address, None)
        over = all(mark.time is not None or device in self.lost for mark, device in used)
        self.demand(over, f"pinned memory at {address:#x} goes, which a device still uses")

    def lose(self, index):
        """Lose a device, and all its work."""
        with self.lock:
            self.lost.add(index)
            self.scheduler.drop(index)
