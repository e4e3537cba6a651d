"""Statements of the typed form of a kernel."""

from typing import Literal, NamedTuple, TypeAlias

from accel.ir.expressions import Expr, Guard, Local

__all__ = [
    "Assign",
    "Atomic",
    "Barrier",
    "Break",
    "Check",
    "Continue",
    "CopyAsync",
    "For",
    "If",
    "Mark",
    "Reduction",
    "Shuffle",
    "Stmt",
    "Store",
    "Vote",
    "WaitForCopies",
    "While",
]


class Assign(NamedTuple):
    """Sets a variable to a value of its type."""

    target: Local
    value: Expr


class Store(NamedTuple):
    """Sets an element of a view or of an array to a value of its type."""

    memory: str
    at: Expr
    value: Expr
    guard: Guard | None = None


class Atomic(NamedTuple):
    """Replaces an element by the result of an operation, at once for all threads.

    ``exchange`` stores the value; ``compare`` stores it if the element equals ``expected``. The old element is assigned
    to ``target``, if there is one.
    """

    op: Literal["add", "min", "max", "exchange", "compare"]
    memory: str
    at: Expr
    value: Expr
    target: Local | None = None
    expected: Expr | None = None
    guard: Guard | None = None


class Check(NamedTuple):
    """Records a failure of the guard, in debug mode, and goes on."""

    guard: Guard


class Mark(NamedTuple):
    """Counts that a statement of the source begins; only for coverage on simulated devices.

    Attributes
    ----------
    file : str
        The file of the source.
    line : int
        The first line of the statement.
    """

    file: str
    line: int


class If(NamedTuple):
    """Runs one of two bodies."""

    condition: Expr
    body: tuple["Stmt", ...]
    otherwise: tuple["Stmt", ...] = ()


class While(NamedTuple):
    """Runs its body while the condition holds."""

    condition: Expr
    body: tuple["Stmt", ...]


class Reduction(NamedTuple):
    """A variable that each iteration of a loop combines with a value, by ``total = op(total, value)``.

    In the loop, `Assign` does so. The result is combined with the value from before the loop. The total of floats is at
    least as accurate as by pairwise summation.
    """

    total: Local
    op: Literal["add", "mul", "min", "max"]


class For(NamedTuple):
    """A loop of one thread over ``range(start, stop, step)``, which are evaluated once; none if the step is 0.

    The body does not assign the loop variable. After the loop, the variable has its last value; if there was no
    iteration, the value from before.

    Attributes
    ----------
    reductions : tuple of Reduction
        The variables that iterations reduce to.
    independent : bool
        Whether no iteration accesses an element that another one writes, and nothing ends the loop; iterations run in
        any order.
    """

    target: Local
    start: Expr
    stop: Expr
    step: Expr
    body: tuple["Stmt", ...]
    reductions: tuple[Reduction, ...] = ()
    independent: bool = False


class Break(NamedTuple):
    """Ends the innermost `For` or `While`."""


class Continue(NamedTuple):
    """Ends an iteration of the innermost `For` or `While`."""


class Barrier(NamedTuple):
    """All threads of a block wait for each other; only with an explicit grid, as the classes that follow."""

    site: int


class Shuffle(NamedTuple):
    """Assigns the value of another thread of the warp; all threads of the warp do so together.

    The other lane is ``lane`` for ``index``, and otherwise the own lane plus (``down``), minus (``up``) or xor
    (``xor``) ``lane``. If there is no such lane, the thread gets its own value.
    """

    kind: Literal["index", "up", "down", "xor"]
    target: Local
    value: Expr
    lane: Expr
    site: int


class Vote(NamedTuple):
    """Assigns what all threads of the warp say of a condition: ``any``, ``all``, or their bits (``ballot``, uint64)."""

    kind: Literal["any", "all", "ballot"]
    target: Local
    condition: Expr
    site: int


class CopyAsync(NamedTuple):
    """Copies an element to shared memory; it is there after `WaitForCopies` of the same thread."""

    target: str
    target_at: Expr
    source: str
    source_at: Expr
    guard: Guard | None = None
    source_guard: Guard | None = None


class WaitForCopies(NamedTuple):
    """A thread waits for its own asynchronous copies."""


Stmt: TypeAlias = (
    Assign
    | Store
    | Atomic
    | Check
    | Mark
    | If
    | While
    | For
    | Break
    | Continue
    | Barrier
    | Shuffle
    | Vote
    | CopyAsync
    | WaitForCopies
)
