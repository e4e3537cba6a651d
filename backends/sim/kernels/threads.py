"""The threads of an explicit grid: they run in random order, and meet at barriers and in warp operations."""

from collections.abc import Callable, Generator, Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np

from .actors import Actor
from .memories import Scratch
from .messages import missing_lanes, place, stuck_barrier
from .runs import Run

__all__ = ["Meeting", "Thread", "run_grid"]

# While fewer threads run, another block begins: so at least two blocks run at once.
_RESIDENT = 1025


class Meeting(NamedTuple):
    """An operation that a thread waits for: ``barrier``, or a shuffle or vote, by its kind in `accel.ir`."""

    what: str
    site: int
    value: Any = None
    lane: Any = 0


class Group(list["Thread"]):
    """The threads of a block, or of a warp.

    Attributes
    ----------
    running : int
        How many of them have neither ended nor wait for others.
    """

    running = 0


class Thread(Actor):
    """A thread.

    Attributes
    ----------
    places : dict
        Its place in the grid, by the names of `accel.ir.Place`.
    peers, warp : Group
        The threads of its block, and of its warp; in order.
    code : generator
        Runs it.
    answer : object
        The result of the last meeting.
    meeting : Meeting or None
        The meeting that it waits for.
    copies : list of callable
        End its asynchronous copies.
    """

    __slots__ = ("_shared", "answer", "code", "copies", "meeting", "peers", "places", "warp")
    code: Generator[Meeting | None, Any, None]

    def __init__(self, run: Run, peers: Group, warp: Group, block: int, shared: Mapping[str, Scratch]) -> None:
        super().__init__(run, block * run.threads + len(peers), block, len(peers))
        self._shared = shared
        self.peers = peers
        self.warp = warp
        self.places = run.places(block, len(peers))
        self.answer: Any = None
        self.meeting: Meeting | None = None
        self.copies: list[Callable[[], None]] = []

    def shared(self, name: str) -> Scratch:
        """Return a shared array of its block."""
        return self._shared[name]

    def wait_for_copies(self) -> None:
        """End the asynchronous copies."""
        while self.copies:
            self.copies.pop()()

    def advance(self) -> bool:
        """Run until other threads may run; return whether it can go on by itself."""
        try:
            self.meeting = self.code.send(self.answer)
        except StopIteration:
            pass
        else:
            self.answer = None
            if self.meeting is None:
                return True
        self.peers.running -= 1
        self.warp.running -= 1
        return False

    def go_on(self, answer: Any) -> None:
        """End the wait for a meeting."""
        self.answer, self.meeting = answer, None
        self.peers.running += 1
        self.warp.running += 1

    def where(self) -> str:
        """Return what it does now as text, for an error about a meeting that it misses."""
        if self.meeting is None:
            return "has ended"
        what = "barrier()" if self.meeting.what == "barrier" else "a warp operation"
        return f"waits at {what} at {place(self, self.meeting.site)}"


def run_grid(run: Run, code: Callable[[Run, Thread], Generator[Meeting | None, Any, None]]) -> None:
    """Run the code in all threads: one goes on after another, in random order. Some blocks run at once."""
    random = run.random
    blocks = [*range(prod(run.grid))]
    random.shuffle(blocks)
    ready: list[Thread] = []
    resident: list[Group] = []
    while True:
        resident = [block for block in resident if block.running]
        while blocks and len(resident) * run.threads < _RESIDENT:
            resident.append(_new_block(run, blocks.pop(), code))
            ready += resident[-1]
        if not ready:
            return
        for _ in range(len(ready)):
            number = int(random.random() * len(ready))
            thread = ready[number]
            if not thread.advance():
                ready[number] = ready[-1]
                ready.pop()
                ready += _met(thread)
                if not ready:
                    break


def _new_block(run: Run, block: int, code: Callable[[Run, Thread], Generator[Meeting | None, Any, None]]) -> Group:
    """Return the threads of a block, ready to run."""
    peers, warp = Group(), Group()
    shared = run.shared()
    for number in range(run.threads):
        if number % run.warp == 0:
            warp = Group()
        thread = Thread(run, peers, warp, block, shared)
        thread.code = code(run, thread)
        thread.code.send(None)
        peers.append(thread)
        warp.append(thread)
        peers.running += 1
        warp.running += 1
    return peers


def _met(thread: Thread) -> list[Thread]:
    """Return the threads that go on after one has ended or come to a meeting."""
    if thread.warp.running:
        return []
    for lane in thread.warp:
        if lane.meeting is not None and lane.meeting.what != "barrier":
            return _after_warp(lane, lane.meeting)
    if thread.peers.running:
        return []
    for waiting in thread.peers:
        if waiting.meeting is not None:
            return _after_barrier(waiting, waiting.meeting)
    return []


def _after_barrier(thread: Thread, meeting: Meeting) -> list[Thread]:
    """Let all threads of a block pass a barrier, at which one of them waits."""
    for other in thread.peers:
        if other.meeting is None or other.meeting[:2] != meeting[:2]:
            raise stuck_barrier(thread, meeting.site, other, other.where())
    for each in thread.peers:
        each.pass_barrier()
        each.go_on(None)
    return thread.peers


def _after_warp(thread: Thread, meeting: Meeting) -> list[Thread]:
    """Let all threads of a warp do an operation together, for which one of them waits."""
    meetings: list[Meeting] = []
    for other in thread.warp:
        if other.meeting is None or other.meeting[:2] != meeting[:2]:
            raise missing_lanes(thread, meeting.site, other, other.where())
        meetings.append(other.meeting)
    for lane, each in enumerate(thread.warp):
        each.go_on(_answer(lane, meetings))
    return thread.warp


def _shuffled(lane: int, meetings: list[Meeting]) -> Any:
    """Return the value of another lane; the own one if there is no such lane."""
    what, _, value, distance = meetings[lane]
    number = int(distance)
    other = {"index": number, "up": lane - number, "down": lane + number, "xor": lane ^ number}[what]
    return meetings[other].value if 0 <= other < len(meetings) else value


def _answer(lane: int, meetings: list[Meeting]) -> Any:
    """Return the result of a warp operation for a lane."""
    what = meetings[lane].what
    if what not in ("any", "all", "ballot"):
        return _shuffled(lane, meetings)
    bits = sum(1 << other for other, meeting in enumerate(meetings) if meeting.value)
    if what == "ballot":
        return np.uint64(bits)
    return np.bool_(bits if what == "any" else bits == (1 << len(meetings)) - 1)
