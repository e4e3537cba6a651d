"""The structures and numbers that a launch shares with the runtime, as in ``launch.h``."""

import ctypes
from enum import IntEnum
from functools import cache
from typing import Any

import numpy as np

from .module import Module

__all__ = [
    "CHECKS",
    "RANGES",
    "Dim",
    "Dim3",
    "Divergence",
    "Finding",
    "Kind",
    "Launch",
    "Mode",
    "Place",
    "Range",
    "Ranges",
    "Segments",
    "Shared",
    "Space",
    "Standing",
    "Standpoint",
    "Touch",
    "segments_of",
]

Dim3 = tuple[int, int, int]

CHECKS = {"memory": 1, "race": 2, "init": 4, "sync": 8, "banks": 16, "same-value": 32}
"""The checks by name, as bits. The last two are about what right kernels may do too."""


class Kind(IntEnum):
    """What a finding is."""

    NOTHING = 0
    OUT_OF_BOUNDS = 1
    RELEASED = 2
    MISALIGNED = 3
    READ_ONLY = 4
    INDEX_OUT_OF_BOUNDS = 5
    RACE = 6
    UNINITIALIZED = 7
    DIVERGENT_BARRIER = 8
    WRONG_MASK = 9
    DEADLOCK = 10
    NOT_COOPERATIVE = 11
    INVALID_ADDRESS = 12
    STACK_OVERFLOW = 13
    ARITHMETIC = 14
    ASSERTION = 15
    TRAP = 16
    UNSUPPORTED = 17
    TIMEOUT = 18
    NO_MEMORY = 19
    INTERRUPTED = 20
    BANK_CONFLICT = 21
    WRONG_FREE = 22
    HOST_CALL = 23
    NO_RETURN = 24
    DANGLING = 25


class Divergence(IntEnum):
    """What the ``detail`` of a divergent barrier is; see ``launch.h``."""

    MAYBE_ONE = 0
    PAST = 1
    TWO = 2


class Space(IntEnum):
    """The memory that an access is to."""

    NONE = 0
    GLOBAL = 1
    SHARED = 2
    DYNAMIC_SHARED = 3
    LOCAL = 4
    HEAP = 5


class Mode(IntEnum):
    """Bits of an access."""

    READ = 1
    WRITE = 2
    ATOMIC = 4


class Standpoint(IntEnum):
    """Where a thread stands."""

    RUNNING = 0
    AT_BARRIER = 1
    IN_WARP = 2
    AT_GRID_BARRIER = 3
    NOT_STARTED = 4
    ENDED = 5


class Dim(ctypes.Structure):
    """Three extents or indices, x first."""

    x: int
    y: int
    z: int
    _fields_ = [(name, ctypes.c_uint) for name in "xyz"]

    @property
    def xyz(self) -> Dim3:
        """As a tuple."""
        return self.x, self.y, self.z


class Range(ctypes.Structure):
    """Memory that kernels may use; see ``launch.h``.

    Attributes
    ----------
    begin, size : int
        Address and bytes.
    written : int
        Address of a byte for each byte of it, 1 if that was written; 0 if all were.
    cells : int
        The shadow of the race check, which a launch makes; 0 before.
    readonly, released : int
        1 if a write, or every access, is an error.
    """

    begin: int
    size: int
    written: int | None
    cells: int | None
    readonly: int
    released: int
    _fields_ = [
        ("begin", ctypes.c_uint64),
        ("size", ctypes.c_uint64),
        ("written", ctypes.c_void_p),
        ("cells", ctypes.c_void_p),
        ("readonly", ctypes.c_uint32),
        ("released", ctypes.c_uint32),
    ]


Ranges = np.ndarray[Any, np.dtype[np.void]]
RANGES = np.dtype([(name, f"u{getattr(Range, name).size}") for name, *_ in Range._fields_])
"""The type of an array of `Range`."""


class Place(ctypes.Structure):
    """A thread at the instruction with the return address ``pc``; ``mode`` and ``size`` are those of its access."""

    pc: int
    block: Dim
    thread: Dim
    mode: int
    size: int
    _fields_ = [
        ("pc", ctypes.c_uint64),
        ("block", Dim),
        ("thread", Dim),
        ("mode", ctypes.c_uint32),
        ("size", ctypes.c_uint32),
    ]


class Finding(ctypes.Structure):
    """One distinct finding of a launch; see ``launch.h``."""

    count: int
    address: int
    offset: int
    detail: int
    here: Place
    other: Place
    kind: int
    space: int
    range: int
    scope: int
    text: bytes
    _fields_ = [
        ("count", ctypes.c_uint64),
        ("address", ctypes.c_uint64),
        ("offset", ctypes.c_int64),
        ("detail", ctypes.c_uint64),
        ("here", Place),
        ("other", Place),
        ("kind", ctypes.c_uint32),
        ("space", ctypes.c_uint32),
        ("range", ctypes.c_int32),
        ("scope", ctypes.c_uint32),
        ("text", ctypes.c_char * 200),
    ]

    @property
    def passes(self) -> tuple[int, int]:
        """Of conflicts of banks: the passes over shared memory, and the fewest possible."""
        return self.detail >> 32, self.detail & 0xFFFFFFFF


class Standing(ctypes.Structure):
    """Where a thread stood when the launch was stopped; ``state`` is a `Standpoint`."""

    pc: int
    block: Dim
    thread: Dim
    state: int
    _fields_ = [("pc", ctypes.c_uint64), ("block", Dim), ("thread", Dim), ("state", ctypes.c_uint32)]


class Touch(ctypes.Structure):
    """An instruction that updates atomically, or writes to watched addresses; see ``launch.h``."""

    pc: int
    address: int
    count: int
    hits: int
    block: Dim
    thread: Dim
    mode: int
    size: int
    _fields_ = [
        *[(name, ctypes.c_uint64) for name in ("pc", "address", "count", "hits")],
        ("block", Dim),
        ("thread", Dim),
        ("mode", ctypes.c_uint32),
        ("size", ctypes.c_uint32),
    ]


class Shared(ctypes.Structure):
    """A variable in shared memory; see ``launch.h``."""

    _fields_ = [("offset", ctypes.c_uint64), ("size", ctypes.c_uint64), ("guard", ctypes.c_uint64)]


class Segments(ctypes.Structure):
    """Where the code and the shared memory of a module are; see ``launch.h``.

    Attributes
    ----------
    variables : ctypes array of Shared
        The table of the variables in shared memory.
    """

    variables: ctypes.Array[Shared]

    _fields_ = [
        ("shared_variables", ctypes.c_void_p),
        ("shared_count", ctypes.c_uint64),
        ("shared_size", ctypes.c_uint64),
        ("shared_begin", ctypes.c_void_p),
        ("code_begin", ctypes.c_uint64),
        ("code_end", ctypes.c_uint64),
    ]


class Launch(ctypes.Structure):
    """A launch, and what comes of it; see ``launch.h``."""

    finding_count: int
    standing_count: int
    printed: int | None
    printed_size: int
    touch_count: int
    _fields_ = [
        ("entry", ctypes.c_void_p),
        ("arguments", ctypes.c_void_p),
        ("ranges", ctypes.c_void_p),
        ("range_count", ctypes.c_uint64),
        ("segments", Segments),
        ("seed", ctypes.c_uint64),
        ("limit", ctypes.c_double),
        ("findings", ctypes.c_void_p),
        ("finding_capacity", ctypes.c_uint64),
        ("finding_count", ctypes.c_uint64),
        ("standings", ctypes.c_void_p),
        ("standing_capacity", ctypes.c_uint64),
        ("standing_count", ctypes.c_uint64),
        ("printed", ctypes.c_void_p),
        ("printed_size", ctypes.c_uint64),
        ("stop", ctypes.c_void_p),
        ("heap", ctypes.c_void_p),
        ("heap_size", ctypes.c_uint64),
        ("watched", ctypes.c_void_p),
        ("watched_count", ctypes.c_uint64),
        ("touches", ctypes.c_void_p),
        ("touch_capacity", ctypes.c_uint64),
        ("touch_count", ctypes.c_uint64),
        ("grid", Dim),
        ("block", Dim),
        ("dynamic_shared", ctypes.c_uint32),
        ("warp_size", ctypes.c_uint32),
        ("checks", ctypes.c_uint32),
        ("workers", ctypes.c_uint32),
        ("cooperative", ctypes.c_uint32),
        ("ordered", ctypes.c_uint32),
    ]


@cache
def segments_of(module: Module) -> Segments:
    """Return the segments of a module; it stays in memory to the end of the process, and they too."""
    table = [Shared(each.offset, each.size, 0) for each in module.shared]
    table += [Shared(each.offset, each.size, 1) for each in module.guards]  # those of the compiler after its own
    variables = (Shared * len(table))(*table)
    segments = Segments(
        ctypes.addressof(variables), len(variables), module.shared_size, module.shared_begin, *module.code
    )
    segments.variables = variables
    return segments
