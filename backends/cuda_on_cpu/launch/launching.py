"""`run`: one launch of a compiled kernel by the runtime, and what came of it."""

import ctypes
import threading
from collections.abc import Sequence
from enum import IntEnum
from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...common.uninterrupted import run_uninterrupted

__all__ = [
    "CHECKS",
    "Dim",
    "Finding",
    "Kind",
    "Launch",
    "Mode",
    "Outcome",
    "Place",
    "Range",
    "Segments",
    "Shared",
    "Space",
    "Standing",
    "Standpoint",
    "run",
    "shared_variables",
]

Dim3 = tuple[int, int, int]

CHECKS = {"memory": 1, "race": 2, "init": 4, "sync": 8, "banks": 16}
"""The checks by name, as bits. The last one counts what right kernels may do too."""

_FINDINGS = 128  # distinct ones that a launch keeps
_STANDINGS = 4096
_MOST_THREADS = 1024


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


class Space(IntEnum):
    """The memory that an access is to."""

    NONE = 0
    GLOBAL = 1
    SHARED = 2
    DYNAMIC_SHARED = 3
    LOCAL = 4


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


class Place(ctypes.Structure):
    """A thread at an instruction, whose return address is ``pc``; ``mode`` and ``size`` are those of its access."""

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


class Shared(ctypes.Structure):
    """A variable in shared memory; see ``launch.h``."""

    _fields_ = [("offset", ctypes.c_uint64), ("size", ctypes.c_uint64), ("guard", ctypes.c_uint64)]


class Segments(ctypes.Structure):
    """Where the code and the shared memory of a module are; see ``launch.h``."""

    _fields_ = [
        ("shared_variables", ctypes.c_void_p),
        ("shared_count", ctypes.c_uint64),
        ("shared_size", ctypes.c_uint64),
        ("shared_begin", ctypes.c_void_p),
        ("code_begin", ctypes.c_uint64),
        ("code_end", ctypes.c_uint64),
    ]

    @classmethod
    def of(cls, module: "Kernels", variables: ctypes.Array[Shared]) -> "Segments":
        """Return those of a module, with its `shared_variables`, which must outlive them."""
        return cls(ctypes.addressof(variables), len(variables), module.shared_size, module.shared_begin, *module.code)


class Launch(ctypes.Structure):
    """A launch, and what comes of it; see ``launch.h``."""

    finding_count: int
    standing_count: int
    printed: int | None
    printed_size: int
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
        ("grid", Dim),
        ("block", Dim),
        ("dynamic_shared", ctypes.c_uint32),
        ("warp_size", ctypes.c_uint32),
        ("checks", ctypes.c_uint32),
        ("workers", ctypes.c_uint32),
        ("cooperative", ctypes.c_uint32),
        ("ordered", ctypes.c_uint32),
    ]


class Variable(Protocol):
    """A ``__shared__`` variable of a module."""

    @property
    def offset(self) -> int:
        """Bytes from the start of the thread-local segment."""
        ...

    @property
    def size(self) -> int:
        """Bytes."""
        ...


class Kernels(Protocol):
    """What a launch needs of a module; `module.Module` is the implementation."""

    @property
    def runtime(self) -> ctypes.CDLL:
        """The runtime that it was linked to."""
        ...

    @property
    def shared(self) -> Sequence[Variable]:
        """Its ``__shared__`` variables."""
        ...

    @property
    def guards(self) -> Sequence[Variable]:
        """What the compiler keeps beside those of classes."""
        ...

    @property
    def shared_size(self) -> int:
        """Bytes of the thread-local segment."""
        ...

    @property
    def shared_begin(self) -> int:
        """Address of the function that returns where that begins; 0 if there is none."""
        ...

    @property
    def code(self) -> tuple[int, int]:
        """Begin and end of its instructions."""
        ...


class Entry(Protocol):
    """A kernel; `module.Entry` is the implementation."""

    @property
    def address(self) -> int:
        """Of the function that takes an array of the addresses of the arguments."""
        ...


class Outcome(NamedTuple):
    """What came of a launch.

    Attributes
    ----------
    stopped : Kind
        Why it was stopped, or ``Kind.NOTHING``.
    findings : tuple of Finding
        What the checks found, and what stopped it.
    standings : tuple of Standing
        Where the threads stood, if it was stopped by a deadlock or by the limit of time.
    printed : str
        The output of ``printf``.
    """

    stopped: Kind
    findings: tuple[Finding, ...]
    standings: tuple[Standing, ...]
    printed: str


def shared_variables(module: Kernels) -> ctypes.Array[Shared]:
    """Return the table of the variables in shared memory of a module, with those of the compiler after its own."""
    table = [Shared(each.offset, each.size, 0) for each in module.shared]
    table += [Shared(each.offset, each.size, 1) for each in module.guards]
    return (Shared * len(table))(*table)


def run(
    module: Kernels,
    entry: Entry,
    arguments: Sequence[np.generic | np.ndarray[Any, Any]],
    *,
    grid: Dim3,
    block: Dim3,
    shared: int = 0,
    warp: int = 32,
    ranges: Sequence[Range] = (),
    checks: str = "",
    seed: int | None = None,
    workers: int = 1,
    limit: float = 0,
    cooperative: bool = False,
    stop: ctypes.c_uint32 | None = None,
) -> Outcome:
    """Run a kernel to its end, in this thread and others; no other Python code waits for it.

    An interrupt (Ctrl-C) of the main thread stops the kernel.

    Parameters
    ----------
    module, entry : Module, Entry
        The module, and the kernel in it.
    arguments : sequence of NumPy scalars and arrays
        Each is passed by value; addresses are ``uint64``. Their sizes are those that the kernel has.
    grid, block : tuple of three ints
        Extents, x first; at most 1024 threads a block.
    shared : int
        Bytes of dynamic shared memory.
    warp : int
        Threads of a warp: 32 or 64, as the module was built for.
    ranges : sequence of Range
        Memory that the kernel may use, ascending; for checked code. Their ``cells`` are set.
    checks : str
        Names of `CHECKS` with commas between; empty for code that was built unchecked.
    seed : int, optional
        Of the random order of blocks and threads; without one they run in ascending order.
    workers : int
        Threads of the system that run blocks, at most.
    limit : float
        Seconds after which it is stopped; 0 for no limit.
    cooperative : bool
        All blocks run at once, and may wait for each other.
    stop : ctypes.c_uint32, optional
        Stops the launch soon when its value is set to 1, by another thread.

    Raises
    ------
    ValueError
        If the block has more than 1024 threads.
    """
    if block[0] * block[1] * block[2] > _MOST_THREADS:
        raise ValueError(f"a block has at most {_MOST_THREADS} threads; found {block}")
    stop = ctypes.c_uint32() if stop is None else stop
    table = ranges if isinstance(ranges, ctypes.Array) else (Range * len(ranges))(*ranges)
    variables = shared_variables(module)
    values = [np.ascontiguousarray(argument) for argument in arguments]
    pointers = (ctypes.c_void_p * len(values))(*[value.ctypes.data for value in values])
    findings, standings = (Finding * _FINDINGS)(), (Standing * _STANDINGS)()
    launch = Launch(
        entry=entry.address,
        arguments=ctypes.addressof(pointers),
        ranges=ctypes.addressof(table),
        range_count=len(table),
        segments=Segments.of(module, variables),
        seed=(seed or 0) & 0xFFFFFFFFFFFFFFFF,
        limit=limit,
        findings=ctypes.addressof(findings),
        finding_capacity=_FINDINGS,
        standings=ctypes.addressof(standings),
        standing_capacity=_STANDINGS,
        stop=ctypes.addressof(stop),
        grid=grid,
        block=block,
        dynamic_shared=shared,
        warp_size=warp,
        checks=sum({CHECKS[name] for name in checks.split(",") if name}),
        workers=workers,
        cooperative=cooperative,
        ordered=seed is None,
    )
    stopped = _call(module.runtime, launch, stop, (table, variables, values, pointers, findings, standings))
    if table is not ranges:
        for given, used in zip(ranges, table, strict=True):
            given.cells = used.cells
    return Outcome(
        Kind(stopped),
        tuple(findings[: launch.finding_count]),
        tuple(standings[: launch.standing_count]),
        _printed(module.runtime, launch),
    )


def _call(runtime: ctypes.CDLL, launch: Launch, stop: ctypes.c_uint32, used: object) -> int:
    """Run a launch; an interrupt stops it. What it uses stays in memory while it runs, also if nobody waits for it."""
    running = threading.Lock()
    try:
        return run_uninterrupted(partial(_call_now, running, runtime, launch, used))
    except BaseException:
        stop.value = 1
        with running:
            raise


def _call_now(running: threading.Lock, runtime: ctypes.CDLL, launch: Launch, used: object) -> int:  # noqa: ARG001
    with running:
        return int(runtime.accel_sim_launch(ctypes.byref(launch)))


def _printed(runtime: ctypes.CDLL, launch: Launch) -> str:
    if not launch.printed:
        return ""
    text = ctypes.string_at(launch.printed, launch.printed_size).decode(errors="replace")
    runtime.accel_sim_release(ctypes.c_void_p(launch.printed))
    return text
