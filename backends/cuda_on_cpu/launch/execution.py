"""`run`: one launch of a compiled kernel by the runtime, and its outcome."""

import ctypes
import threading
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...common.interrupts import run_uninterrupted
from .module import Entry, Module
from .structures import CHECKS, Dim3, Finding, Kind, Launch, Range, Ranges, Standing, Touch, segments_of

__all__ = ["Arguments", "Outcome", "run"]

_FINDINGS = 128  # distinct ones that a launch keeps
_STANDINGS = 4096
_TOUCHES = 256
_MOST_THREADS = 1024
_Words = np.ndarray[Any, np.dtype[np.uint64]]


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
    touches : tuple of Touch
        The instructions that update atomically or write to watched addresses, if there are these.
    """

    stopped: Kind
    findings: tuple[Finding, ...]
    standings: tuple[Standing, ...]
    printed: str
    touches: tuple[Touch, ...] = ()


class Arguments(NamedTuple):
    """The arguments of a launch as the code takes them.

    Attributes
    ----------
    address : int
        Of a table of their addresses.
    kept : object
        Keeps the table and the arguments in memory.
    """

    address: int
    kept: object

    @classmethod
    def of(cls, values: Sequence[np.generic | np.ndarray[Any, Any]]) -> "Arguments":
        """Return scalars and arrays of NumPy as arguments."""
        arrays = [np.ascontiguousarray(value) for value in values]
        table = (ctypes.c_void_p * len(arrays))(*[value.ctypes.data for value in arrays])
        return cls(ctypes.addressof(table), (table, arrays))


class _Results:
    """The memory for what comes of a launch. It is large, and clearing it takes longer than a small kernel."""

    _idle: ClassVar[deque["_Results"]] = deque(maxlen=8)

    def __init__(self) -> None:
        self.findings, self.standings = (Finding * _FINDINGS)(), (Standing * _STANDINGS)()

    @classmethod
    def take(cls) -> "_Results":
        """Return memory that no launch uses."""
        try:
            return cls._idle.pop()
        except IndexError:
            return cls()

    def give(self) -> None:
        """Let another launch use the memory."""
        self._idle.append(self)


def run(
    module: Module,
    entry: Entry,
    arguments: Arguments | Sequence[np.generic | np.ndarray[Any, Any]],
    *,
    grid: Dim3,
    block: Dim3,
    shared: int = 0,
    warp: int = 32,
    ranges: ctypes.Array[Range] | Ranges | None = None,
    checks: str = "",
    seed: int | None = None,
    workers: int = 1,
    limit: float = 0,
    cooperative: bool = False,
    stop: ctypes.c_uint32 | None = None,
    heap: int = 0,
    heap_size: int = 0,
    watched: _Words | None = None,
) -> Outcome:
    """Run a kernel to its end, in this thread and others; no other Python code waits for it.

    An interrupt (Ctrl-C) of the main thread stops the kernel.

    Parameters
    ----------
    module, entry : Module, Entry
        The module, and the kernel in it.
    arguments : Arguments, or sequence of NumPy scalars and arrays
        Each is passed by value; addresses are ``uint64``. Their sizes are those that the kernel has.
    grid, block : tuple of three ints
        Extents, x first; at most 1024 threads a block.
    shared : int
        Bytes of dynamic shared memory.
    warp : int
        Threads of a warp: 32 or 64, as the module was built for.
    ranges : array of Range of ctypes or NumPy, optional
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
    heap : int
        The address of the device's heap, for ``malloc`` in kernels; 0 for one that the runtime has.
    heap_size : int
        Its bytes, from when nothing in it is in use; 0 for those of CUDA's default.
    watched : NumPy array, optional
        Ascending addresses of words of 4 bytes, of which is to be told who writes them; for one worker, and checks.

    Raises
    ------
    ValueError
        If the block has more than 1024 threads.
    """
    if block[0] * block[1] * block[2] > _MOST_THREADS:
        raise ValueError(f"a block has at most {_MOST_THREADS} threads; found {block}")
    stop = ctypes.c_uint32() if stop is None else stop
    passed = arguments if isinstance(arguments, Arguments) else Arguments.of(arguments)
    results = _Results.take()
    touches = (Touch * (0 if watched is None else _TOUCHES))()
    launch = Launch(
        entry=entry.address,
        arguments=passed.address,
        ranges=_address_of(ranges),
        range_count=0 if ranges is None else len(ranges),
        segments=segments_of(module),
        seed=(seed or 0) & 0xFFFFFFFFFFFFFFFF,
        limit=limit,
        findings=ctypes.addressof(results.findings),
        finding_capacity=_FINDINGS,
        standings=ctypes.addressof(results.standings),
        standing_capacity=_STANDINGS,
        stop=ctypes.addressof(stop),
        heap=heap or None,
        heap_size=heap_size,
        watched=None if watched is None else watched.ctypes.data,
        watched_count=0 if watched is None else watched.size,
        touches=ctypes.addressof(touches),
        touch_capacity=len(touches),
        grid=grid,
        block=block,
        dynamic_shared=shared,
        warp_size=warp,
        checks=sum({CHECKS[name] for name in checks.split(",") if name}),
        workers=workers,
        cooperative=cooperative,
        ordered=seed is None,
    )
    stopped = _call(module.runtime, launch, stop, (ranges, passed, results, touches, watched))
    outcome = Outcome(
        Kind(stopped),
        tuple(results.findings[: launch.finding_count]),
        tuple(results.standings[: launch.standing_count]),
        _printed(module.runtime, launch),
        tuple(touches[: launch.touch_count]),
    )
    if not outcome.findings and not outcome.standings:  # they are in that memory
        results.give()
    return outcome


def _address_of(ranges: ctypes.Array[Range] | Ranges | None) -> int | None:
    if ranges is None:
        return None
    return ranges.ctypes.data if isinstance(ranges, np.ndarray) else ctypes.addressof(ranges)


def _call(runtime: ctypes.CDLL, launch: Launch, stop: ctypes.c_uint32, used: object) -> int:
    """Run a launch; an interrupt stops it. What it uses stays in memory while it runs, also after an interrupt."""
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
