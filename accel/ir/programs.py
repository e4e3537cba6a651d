"""Programs, their steps and parameters, in the typed form of a kernel."""

from typing import Literal, NamedTuple, TypeAlias

from accel.dtypes import DType
from accel.ir.expressions import Expr, Local
from accel.ir.statements import Assign, Reduction, Stmt

__all__ = [
    "SLOT",
    "Array",
    "Frame",
    "Loop",
    "Number",
    "Once",
    "Parameter",
    "Program",
    "Site",
    "Step",
    "Threads",
    "View",
]

SLOT = 16
"""Bytes for each value in the frame and in the scratch memory of reductions; see `Program`."""


class Frame(NamedTuple):
    """The variables of a program that a step reads when it begins, and writes when it ends."""

    reads: tuple[Local, ...] = ()
    writes: tuple[Local, ...] = ()


class Loop(NamedTuple):
    """A parallel loop over the product of ranges, the last one fastest; iterations run in any order.

    Attributes
    ----------
    indices : tuple of Local
        The loop variables.
    starts, stops, steps : tuple of Expr
        The range of each variable; none if its step is 0.
    body : tuple of Stmt
        An iteration; `Continue` outside of any inner loop ends it.
    reductions : tuple of Reduction
        The variables that iterations reduce to; they are in the frame.
    frame : Frame
        Without the totals of reductions.
    independent : bool
        Whether no iteration accesses an element of a view that another one writes.
    """

    indices: tuple[Local, ...]
    starts: tuple[Expr, ...]
    stops: tuple[Expr, ...]
    steps: tuple[Expr, ...]
    body: tuple[Stmt, ...]
    reductions: tuple[Reduction, ...] = ()
    frame: Frame = Frame()
    independent: bool = False


class Once(NamedTuple):
    """Code that runs once, by one thread."""

    body: tuple[Stmt, ...]
    frame: Frame = Frame()


class Threads(NamedTuple):
    """Code that each thread of an explicit grid runs; the only step of its program."""

    body: tuple[Stmt, ...]


Step: TypeAlias = Loop | Once | Threads


class View(NamedTuple):
    """A parameter that is memory: an address, then an extent for each axis, then a stride in elements for each axis.

    Attributes
    ----------
    name : str
        Its name, which `Load.memory` refers to.
    dtype : numpy.dtype
        Type of the elements.
    rank : int
        Number of axes; 0 if extents and strides are constants of the program.
    writable : bool
        Whether the program may write it.
    span : tuple of int
        If the rank is 0: the first and one past the last element that the program may access, as indices.
    """

    name: str
    dtype: DType
    rank: int
    writable: bool
    span: tuple[int, int] | None = None


class Number(NamedTuple):
    """A parameter that is a number."""

    name: str
    dtype: DType


Parameter: TypeAlias = View | Number


class Array(NamedTuple):
    """An array of each thread or iteration (``local``), or of each block of threads (``shared``); not initialised."""

    name: str
    dtype: DType
    size: int
    space: Literal["local", "shared"]


class Site(NamedTuple):
    """What is checked at one place of the source, for messages of debug mode.

    Attributes
    ----------
    what : str
        ``read`` or ``write`` of an element, ``atomic``, ``subview`` or ``nested subview``, ``tile``, ``thread``,
        ``division``, ``nan``, ``barrier`` or ``warp``.
    parameter : str
        The parameter, or the array; empty if there is none.
    calls : tuple of (str, str, int)
        Function, file and line, from the kernel down to the place itself.
    """

    what: str
    parameter: str
    calls: tuple[tuple[str, str, int], ...]


class Program(NamedTuple):
    """A kernel for arguments of certain types.

    Attributes
    ----------
    name : str
        The name of the function; an identifier.
    parameters : tuple of View or Number
        The arguments, in order.
    prelude : tuple of Assign
        Computed at the beginning of each step, from parameters alone.
    steps : tuple of Loop, Once or Threads
        Run in order, each after all work of the one before. The bounds of a loop may use the prelude and its frame.
    frame : tuple of Local
        Variables that keep their values between steps; ``SLOT`` bytes each, in memory of the device.
    results : tuple of Local
        The part of the frame that is returned.
    arrays : tuple of Array
        The local and shared arrays.
    sites : tuple of Site
        What guards, barriers and votes refer to.
    debug : bool
        Whether accesses have guards.
    vector_math : bool
        Whether functions may be computed by vectors of the processor, to 4 units in the last place. Equal operands give
        equal values, wherever in a loop they are.
    """

    name: str
    parameters: tuple[Parameter, ...]
    prelude: tuple[Assign, ...]
    steps: tuple[Step, ...]
    frame: tuple[Local, ...] = ()
    results: tuple[Local, ...] = ()
    arrays: tuple[Array, ...] = ()
    sites: tuple[Site, ...] = ()
    debug: bool = False
    vector_math: bool = False
    key: str = ""

    @property
    def explicit(self) -> bool:
        """Whether it is launched with an explicit grid."""
        return any(isinstance(step, Threads) for step in self.steps)
