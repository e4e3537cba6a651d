"""What a report says: in one paragraph what happened, where, to which memory, and what to write instead."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from accel.support.kernel_reports import Dim3, ThreadPlace
from accel.support.kernel_reports.texts import who

from ..launch.structures import Divergence, Kind, Space
from .kinds import NAMES, Scope

__all__ = ["Accessed", "Subject", "message_of"]


@dataclass(frozen=True, slots=True)
class Accessed:
    """The memory of an access.

    Attributes
    ----------
    memory : str
        The memory, with its owner and call sites.
    name : str
        Name of the parameter or variable; empty if there is none.
    offset : int or None
        Bytes from the start of the memory to the access.
    size : int
        Bytes of the memory.
    from_name : int
        Bytes from where the name begins: a parameter may be a part of the memory.
    wrapped : bool
        The access is not there: it would be, had an unsigned index not gone below 0.
    """

    memory: str = ""
    name: str = ""
    offset: int | None = None
    size: int = 0
    from_name: int = 0
    wrapped: bool = False

    def element(self, nbytes: int) -> str:
        """Return the access as the source may write it: ``x[5]``, or by its byte."""
        if not self.name:
            return "" if self.offset is None else f"byte {self.offset} of it"
        if not nbytes or self.from_name % nbytes:
            return f"byte {self.from_name} of {self.name}"
        return f"{self.name}[{self.from_name // nbytes}]"

    def position(self) -> str:
        """Return where an access is that is out of bounds."""
        if self.offset is None:
            return ""
        if self.offset < 0:
            return f"{_bytes(-self.offset)} before the start of"
        beyond = self.offset - self.size
        if beyond > 0:
            return f"{_bytes(beyond)} after the end of"
        return "right after the end of" if beyond == 0 else f"over the last {_bytes(-beyond)} of"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a message is about: the finding of the runtime, and what it means."""

    finding: Any
    kernel: str
    grid: Dim3
    block: Dim3
    limit: float
    here: ThreadPlace
    other: ThreadPlace | None
    accessed: Accessed
    threads: tuple[ThreadPlace, ...]

    @property
    def thread(self) -> str:
        """The thread, and where it is."""
        return self.named(self.here)

    @property
    def access(self) -> str:
        """What the thread does."""
        return f"{self.here.action} {_bytes(self.here.nbytes)}"

    @property
    def element(self) -> str:
        """The element, with a colon before it."""
        if self.accessed.wrapped:
            return ""
        element = self.accessed.element(self.here.nbytes)
        return f": {element}" if element else ""

    def named(self, place: ThreadPlace) -> str:
        """Return a thread, and its line if it is known."""
        return who(place, self.grid, self.block) + (f" at {place.where}" if place.where else "")


def message_of(subject: Subject) -> str:
    """Return the paragraph."""
    kind = Kind(subject.finding.kind)
    what, advice = _WRITERS[kind](subject)
    head = f"{NAMES[kind]} in kernel {subject.kernel}: {what}"
    return f"{head}; {advice}" if advice else head


def _bytes(number: int) -> str:
    return "1 byte" if number == 1 else f"{number} bytes"


def _out_of_bounds(subject: Subject) -> tuple[str, str]:
    accessed = subject.accessed
    if accessed.wrapped:
        return f"{subject.thread} {subject.access} far from all memory it may use", _signed_advice(subject)
    there = f", {accessed.position()} {accessed.memory}" if accessed.memory else ", far from all memory it may use"
    return f"{subject.thread} {subject.access}{subject.element}{there}", (
        "compare the index with the extent first, as in if (i < n)"
    )


def _signed_advice(subject: Subject) -> str:
    element = subject.accessed.element(subject.here.nbytes)
    return (
        f"an unsigned index of 32 bits went below 0: as a signed one it is {element}; make it signed, or compare first"
    )


def _released(subject: Subject) -> tuple[str, str]:
    return (
        f"{subject.thread} {subject.access}{subject.element}, of memory that was released: {subject.accessed.memory}",
        ("keep the memory until the last kernel that uses it is done"),
    )


def _dangling(subject: Subject) -> tuple[str, str]:
    return f"{subject.thread} {subject.access} of a local variable of a function that has ended", (
        "return the value, or let the caller pass the memory for it"
    )


def _misaligned(subject: Subject) -> tuple[str, str]:
    kind = f" for {subject.finding.text.decode(errors='replace')}" if subject.finding.text else ""
    size, offset = subject.here.nbytes, subject.accessed.from_name
    there = f", byte {offset} of {subject.accessed.memory}" if subject.accessed.memory else ""
    return f"{subject.thread} {subject.access} at an address that is no multiple of what is needed{kind}{there}", (
        f"let the address be a multiple of {size} bytes, or access smaller elements"
    )


def _read_only(subject: Subject) -> tuple[str, str]:
    return f"{subject.thread} {subject.access}{subject.element}, in {subject.accessed.memory}", (
        "kernels cannot change __constant__ memory: make the variable __device__"
    )


def _index(subject: Subject) -> tuple[str, str]:
    kind = subject.finding.text.decode(errors="replace")
    return f"{subject.thread} uses index {_signed(subject.finding.detail)} of an array" + (
        f" {kind}" if kind else ""
    ), ("compare the index with the extent of the array first")


def _signed(number: int) -> int:
    return number - (1 << 64) if number >> 63 else number


_ATOMIC = "updates atomically"


def _race(subject: Subject) -> tuple[str, str]:
    other = subject.other
    assert other is not None, "a race has two sides"
    same = "the same bytes" if other.nbytes == subject.here.nbytes else _bytes(other.nbytes)
    memory = f", in {subject.accessed.memory}" if subject.accessed.memory else ""
    first = f"{subject.thread} {subject.access}{subject.element}{memory}"
    values = ", with the same values" if subject.finding.detail else ""
    text = f"{first}, and {subject.named(other)} {other.action} {same}{values}; nothing orders the two"
    return text, _order(subject, other)


def _order(subject: Subject, other: ThreadPlace) -> str:
    actions = {subject.here.action, other.action}
    on_one_line = bool(other.where) and subject.here.where == other.where
    if subject.finding.scope == Scope.GRID:
        return _order_of_blocks(actions, on_one_line)
    in_warp = subject.finding.scope == Scope.WARP
    barrier = "__syncwarp()" if in_warp else "__syncthreads()"
    between = f"let a {barrier} come between the two" + (" at the end of each round" if on_one_line else "")
    advice = _order_in_block(actions, on_one_line, between, is_global=subject.finding.space == Space.GLOBAL)
    return f"{advice}: the threads of a warp do not run in lockstep" if in_warp else advice


def _order_in_block(actions: set[str], on_one_line: bool, between: str, *, is_global: bool) -> str:
    """Return the advice for threads that a barrier can order; memory that only the block has is for that."""
    if on_one_line and actions == {"writes"}:
        return f"let one thread write, use an atomic, or {between}"
    if on_one_line and is_global:
        return f"update it atomically, as by atomicAdd, or {between}"
    if _ATOMIC not in actions:
        return f"{between}, or use an atomic"
    both = "make both accesses atomic"
    return f"{both}, or {between}" if is_global else f"{between}, or {both}"


def _order_of_blocks(actions: set[str], on_one_line: bool) -> str:
    if _ATOMIC in actions:
        return "make both accesses atomic, or let the kernel end between them"
    if on_one_line and len(actions) == 2:
        return "update it atomically, as by atomicAdd, or let one thread do it"
    return "blocks run in any order: use atomics, or let a second kernel do what comes after"


def _uninitialized(subject: Subject) -> tuple[str, str]:
    detail = subject.finding.detail
    memory = f"{subject.element}, in {subject.accessed.memory}" if subject.accessed.memory else ""
    partly = "" if detail in (0, subject.here.nbytes) else f" ({_bytes(detail)} of them)"
    advice = {
        Space.LOCAL: "give the variable a value where it is declared",
        Space.GLOBAL: "fill the memory first, as by accel.zeros or in an earlier kernel",
    }
    return f"{subject.thread} {subject.access}{memory}, which were never written{partly}", advice.get(
        subject.finding.space, "let a thread write it first, and a __syncthreads() come between"
    )


def _divergent(subject: Subject) -> tuple[str, str]:
    other = subject.other
    assert other is not None, "a divergent barrier has two sides"
    where = f"waits at another, at {other.where}" if other.where else "does not"
    if subject.finding.detail == Divergence.PAST:
        where = "has gone past it" + (f", at {other.where}" if other.where else "")
    return (
        f"{subject.thread} waits at a barrier, and {who(other, subject.grid, subject.block)} {where}",
        "all threads of a block that have not ended must reach the same barrier: write it outside of the branch",
    )


def _wrong_mask(subject: Subject) -> tuple[str, str]:
    other = "" if subject.other is None else f", and {subject.named(subject.other)} is not there with the same mask"
    return (
        f"{subject.thread} calls a warp operation with the mask {subject.finding.detail:#x}{other}",
        "name in the mask all lanes that make this call together: compute it before the branch, as by __ballot_sync",
    )


def _deadlock(subject: Subject) -> tuple[str, str]:
    other = "" if subject.other is None else f", and {subject.named(subject.other)}"
    return f"{subject.thread} waits{other}, and no thread that could end the wait runs", (
        "the places of all threads follow: let them reach the same barrier or warp operation"
    )


def _not_cooperative(subject: Subject) -> tuple[str, str]:
    return f"{subject.thread} waits for all threads of the grid, and the launch is not cooperative", (
        "split the kernel in two, or launch it as a cooperative one"
    )


def _invalid(subject: Subject) -> tuple[str, str]:
    text = subject.finding.text.decode(errors="replace")
    address = f"{subject.finding.address:#x}" if subject.finding.address else "an invalid address"
    what = f"{address}, {text}" if text else f"{address}, where no memory is"
    verb = f"{subject.access} at" if subject.here.nbytes else "accesses"
    if subject.accessed.wrapped:
        return f"{subject.thread} {verb} {what}", _signed_advice(subject)
    advice = "pass memory as an argument of the kernel, or let a kernel store its address"
    return f"{subject.thread} {verb} {what}", advice if "simulated" in text else "check how the address is computed"


def _banks(subject: Subject) -> tuple[str, str]:
    passes, fewest = subject.finding.passes
    there = f"{subject.access}{subject.element}, in {subject.accessed.memory}"
    return (
        f"{subject.thread} {there}; the accesses of warps at this line take {passes} passes, where {fewest} would do",
        (
            "let the lanes of a warp access words in different banks, whose numbers differ modulo 32: give a row one "
            "more element, say, or exchange its columns by ^"
        ),
    )


def _fault(event: str, advice: str) -> Callable[[Subject], tuple[str, str]]:
    def write(subject: Subject) -> tuple[str, str]:
        text = subject.finding.text.decode(errors="replace")
        return f"{subject.thread} {event}" + (f"{' ' if event == 'frees' else ': '}{text}" if text else ""), advice

    return write


def _timeout(subject: Subject) -> tuple[str, str]:
    running = f", and {subject.thread} is running" if subject.here.where else ""
    return f"it did not end within kernel_limit={subject.limit:g} seconds{running}", (
        "look for a loop that never ends, or raise the limit, as by accel.using(kernel_limit=600)"
    )


_WRITERS: Mapping[Kind, Callable[[Subject], tuple[str, str]]] = {
    Kind.OUT_OF_BOUNDS: _out_of_bounds,
    Kind.RELEASED: _released,
    Kind.MISALIGNED: _misaligned,
    Kind.READ_ONLY: _read_only,
    Kind.INDEX_OUT_OF_BOUNDS: _index,
    Kind.RACE: _race,
    Kind.UNINITIALIZED: _uninitialized,
    Kind.DIVERGENT_BARRIER: _divergent,
    Kind.WRONG_MASK: _wrong_mask,
    Kind.DEADLOCK: _deadlock,
    Kind.NOT_COOPERATIVE: _not_cooperative,
    Kind.INVALID_ADDRESS: _invalid,
    Kind.STACK_OVERFLOW: _fault("has used all of its stack", "use less recursion and smaller local arrays"),
    Kind.ARITHMETIC: _fault("divides an integer by zero, or its result does not fit", "check the divisor first"),
    Kind.ASSERTION: _fault("fails an assertion", ""),
    Kind.TRAP: _fault("stops the kernel by a trap", ""),
    Kind.WRONG_FREE: _fault(
        "frees", "free once, and in the way in which it was allocated, what malloc or new of a kernel gave"
    ),
    Kind.DANGLING: _dangling,
    Kind.NO_RETURN: _fault(
        "comes to the end of a function that is to return a value", "write a return on each way through the function"
    ),
    Kind.HOST_CALL: _fault(
        "calls a function of the host",
        "kernels have malloc, free, assert and __trap, and a thread ends by return: use these",
    ),
    Kind.UNSUPPORTED: _fault("uses what is CUDA, but is not simulated", "run this kernel on a GPU"),
    Kind.TIMEOUT: _timeout,
    Kind.NO_MEMORY: _fault("found no memory of the host for the launch", "launch fewer or smaller blocks"),
    Kind.BANK_CONFLICT: _banks,
    Kind.INTERRUPTED: _fault("was interrupted", ""),
}
