"""`Block` and `Job`: values that jobs read and compute, and estimates of their sizes."""

from bisect import insort
from collections.abc import Callable, Hashable, Iterable
from contextvars import Context
from math import ceil
from typing import Any

from accel.engines.graph.values import buffers_of, discard, restored, spilled
from accel.engines.memory_budget.evictable import Evictable
from accel.engines.memory_budget.requests import Promise
from accel.engines.memory_budget.spill_file import SpillFile

__all__ = ["LAST", "Block", "Estimate", "Job"]

LAST = 1 << 62
"""The rank of a use that comes after all jobs."""


class Estimate:
    """The bytes of values that are not computed yet: all results of a layer share one.

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
        self.declared: bool = nbytes is not None
        self.known: bool = self.declared
        self.nbytes: int = nbytes or 0
        self.share: float = 0.0

    def learn(self, nbytes: int, inputs: int = 0) -> None:
        """Note the size of a computed value; an estimate that was too small grows."""
        self.nbytes = max(self.nbytes, nbytes)
        self.share = max(self.share, nbytes / inputs if inputs else 0.0)
        self.known = True

    def expected(self, job: "Job") -> int:
        """Return the bytes of the value that a job will compute, at least those of its largest input."""
        return max(self.nbytes, job.largest_input, ceil(self.share * job.input_bytes))


class Block(Evictable):
    """A value that a job computes and other jobs read.

    Attributes
    ----------
    key : hashable
        Its name.
    estimate : Estimate
        Its size before it is computed.
    value : object
        The value, while it is held.
    remake : callable or None
        Computes the value again; it is dropped then and not spilled.
    readers : list of Job
        Jobs that wait until it is computed.
    is_target : bool
        Whether it stays after all jobs that read it, because the caller gets it.
    """

    __slots__ = ("_uses", "estimate", "is_target", "key", "readers", "remake", "value")

    def __init__(self, key: Hashable, estimate: Estimate, *, is_target: bool = False) -> None:
        super().__init__()
        self.key: Hashable = key
        self.estimate: Estimate = estimate
        self.is_target: bool = is_target
        self.value: Any = None
        self.remake: Callable[[], Any] | None = None
        self.needed: bool = is_target  # or if a job will read it
        self.readers: list[Job] = []
        self._uses: list[int] = []  # ranks of jobs that will read it, negative, so that the next is the last

    @property
    def nbytes(self) -> int:
        """Bytes that the value takes when it comes back into memory, or is computed."""
        return self.estimate.nbytes

    @property
    def next_use(self) -> int:
        """The rank of the first job that will read it."""
        return -self._uses[-1] if self._uses else LAST

    @property
    def clean(self) -> bool:
        """Whether it leaves the memory without being written: it is in the file already, or can be computed again."""
        return self.token is not None or self.remake is not None

    def write(self, file: SpillFile) -> Any:
        """Write the value to a file."""
        return spilled(self.value, file)

    def read(self, file: SpillFile) -> None:
        """Read the value from a file, or compute it again."""
        if self.token is not None:
            self.value = restored(self.token, file)
        else:
            assert self.remake is not None, "a block without a file can be computed again"
            self.value = self.remake()
        self.buffers: dict[int, int] = buffers_of(self.value)

    def clear(self) -> None:
        """Drop the value."""
        self.value, self.buffers = None, {}

    def discard(self, file: SpillFile) -> None:
        """Give back the place in a file."""
        discard(self.token, file)

    def __str__(self) -> str:
        return f"task {self.key!r}"

    def add_use(self, job: "Job") -> None:
        """Record a job that will read the value."""
        insort(self._uses, -job.rank)
        self.needed = True

    def end_use(self, job: "Job") -> None:
        """Forget a job that has read it."""
        self._uses.remove(-job.rank)
        self.needed = bool(self._uses) or self.is_target

    def last_for(self, job: "Job") -> bool:
        """Tell whether the value is not needed after a job."""
        return not self.is_target and len(self._uses) == 1 and self._uses[0] == -job.rank


class Job:
    """A call that computes the value of a block.

    Parameters
    ----------
    call : callable
        Called with the values of the inputs.
    inputs : iterable of Block
        What it reads; each once.
    output : Block
        What it computes.
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
        "promise",
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
        self.call: Callable[..., Any] = call
        self.inputs: tuple[Block, ...] = tuple(inputs)
        self.output: Block = output
        self.rank: int = rank
        self.scratch: int = scratch
        self.temporaries: int = temporaries
        self.context: Context = context
        self.waits_for: int = 0  # number of inputs that have no value yet
        self.promise: Promise = Promise([], [], {})  # while it runs
        self.returns: int = 0  # bytes that are free again when it is done
        self.measures: bool = False  # whether its result has no known size before it runs

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
