"""`Block` and `Job`: values that jobs read and make, and what is known about them before they exist."""

from bisect import insort
from collections.abc import Callable, Hashable, Iterable
from contextvars import Context
from math import ceil
from typing import Any

from accel.engines.graph.values import Buffers
from accel.support.enums import PlainEnum

__all__ = ["LAST", "Block", "Estimate", "Job", "State"]

LAST = 1 << 62
"""The rank of a use that comes after all jobs."""


class State(PlainEnum):
    """Where the value of a block is."""

    PLANNED = "planned"  # no job has made it yet
    HELD = "held"  # in memory
    AWAY = "away"  # in the file, or dropped because it can be made again
    MOVING = "moving"  # a thread writes it, reads it or makes it again
    GONE = "gone"  # no job needs it any more


class Estimate:
    """The bytes of values that are not made yet: all results of a layer share one.

    Attributes
    ----------
    nbytes : int
        The bytes of one value.
    declared : bool
        Whether the caller gave the number.
    known : bool
        Whether it was declared or measured.
    share : float
        The largest ratio of the bytes of a value to those of its inputs.
    """

    __slots__ = ("declared", "known", "nbytes", "share")

    def __init__(self, nbytes: int | None = None) -> None:
        self.declared = self.known = nbytes is not None
        self.nbytes = nbytes or 0
        self.share = 0.0

    def learn(self, nbytes: int, inputs: int = 0) -> None:
        """Take the size of a value that was made from inputs; an estimate that was too small grows."""
        self.nbytes = max(self.nbytes, nbytes)
        self.share = max(self.share, nbytes / inputs if inputs else 0.0)
        self.known = True

    def expected(self, job: "Job") -> int:
        """Return the bytes of the value that a job will make, at least those of its largest input."""
        return max(self.nbytes, job.largest_input, ceil(self.share * job.input_bytes))


class Block:
    """A value that a job makes and other jobs read.

    Attributes
    ----------
    key : hashable
        Its name.
    estimate : Estimate
        Its size before it is made.
    state : State
        Where the value is.
    value : object
        The value, while it is held.
    buffers : dict of int to int
        What it holds in memory.
    token : object
        The place of the value in the file, from when it was first spilled on; None before.
    remake : callable or None
        Makes the value again; it is dropped then and not spilled.
    movable : bool
        Whether the value can leave the memory.
    pins : int
        Number of jobs that run with it.
    kept : bool
        Whether it stays after all jobs that read it.
    """

    __slots__ = (
        "_uses",
        "buffers",
        "estimate",
        "kept",
        "key",
        "movable",
        "pins",
        "readers",
        "remake",
        "state",
        "token",
        "value",
    )

    def __init__(self, key: Hashable, estimate: Estimate, *, kept: bool = False) -> None:
        self.key = key
        self.estimate = estimate
        self.kept = kept
        self.state = State.PLANNED
        self.value: Any = None
        self.buffers: Buffers = {}
        self.token: Any = None
        self.remake: Callable[[], Any] | None = None
        self.movable = True
        self.pins = 0
        self.readers: list[Job] = []  # jobs that wait until it is made
        self._uses: list[int] = []  # ranks of jobs that will read it, negative, so that the next is the last

    @property
    def nbytes(self) -> int:
        """Bytes that the value takes when it comes back into memory, or is made."""
        return self.estimate.nbytes

    @property
    def next_use(self) -> int:
        """The rank of the first job that will read it."""
        return -self._uses[-1] if self._uses else LAST

    @property
    def needed(self) -> bool:
        """Whether some job will read it, or the caller."""
        return bool(self._uses) or self.kept

    @property
    def cheap_to_move(self) -> bool:
        """Whether it leaves the memory without being written: it is in the file already, or can be made again."""
        return self.token is not None or self.remake is not None

    def add_use(self, job: "Job") -> None:
        """Record a job that will read the value."""
        insort(self._uses, -job.rank)

    def end_use(self, job: "Job") -> None:
        """Forget a job that has read it."""
        self._uses.remove(-job.rank)

    def last_for(self, job: "Job") -> bool:
        """Tell whether the value is not needed after a job."""
        return not self.kept and len(self._uses) == 1 and self._uses[0] == -job.rank


class Job:
    """A call that makes the value of a block.

    Parameters
    ----------
    call : callable
        Called with the values of the inputs.
    inputs : iterable of Block
        What it reads; each once.
    output : Block
        What it makes.
    rank : int
        Its place in the order of all jobs, and unlike that of any other.
    scratch : int
        Bytes that it allocates besides, while it runs.
    temporaries : int
        Number of values as large as the largest input that it allocates besides, as a guess.
    context : contextvars.Context
        The settings of the caller.
    """

    __slots__ = (
        "call",
        "context",
        "inputs",
        "measures",
        "output",
        "promised",
        "rank",
        "returns",
        "scratch",
        "temporaries",
        "waits_for",
    )

    def __init__(
        self,
        call: Callable[..., Any],
        inputs: Iterable[Block],
        output: Block,
        *,
        rank: int,
        scratch: int,
        temporaries: int,
        context: Context,
    ) -> None:
        self.call = call
        self.inputs = tuple(inputs)
        self.output = output
        self.rank = rank
        self.scratch = scratch
        self.temporaries = temporaries
        self.context = context
        self.waits_for = 0  # number of inputs that are not made yet
        self.promised = 0  # for the result and the scratch memory, while it runs
        self.returns = 0  # bytes that are free again when it is done
        self.measures = False  # whether it runs to find out the size of its result

    def __lt__(self, other: "Job") -> bool:
        return self.rank < other.rank

    @property
    def freed(self) -> int:
        """Bytes of the inputs that nothing needs after this job."""
        return sum([block.nbytes for block in self.inputs if block.last_for(self)])

    @property
    def largest_input(self) -> int:
        """Bytes of the largest input; 0 if there is none."""
        return max([block.nbytes for block in self.inputs], default=0)

    @property
    def input_bytes(self) -> int:
        """Bytes of all inputs, which are in memory together."""
        return sum([block.nbytes for block in self.inputs])
