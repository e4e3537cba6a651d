"""`ReportData`: what a checked CUDA or HIP kernel did wrong, as data."""

from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Dim3", "Frame", "ReportData", "ThreadPlace"]

Dim3 = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Frame:
    """One call in the call stack of an instruction: a function, and the line in it.

    Attributes
    ----------
    function, file : str
        Name of the function, and of the source file.
    line : int
        Line, from 1; 0 if it is not known.
    text : str
        The source line; empty if it is not known.
    """

    function: str
    file: str
    line: int
    text: str = ""

    @property
    def where(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class ThreadPlace:
    """A thread at an instruction.

    Attributes
    ----------
    block, thread : tuple of three ints
        Indices of the block in the grid, and of the thread in the block, x first; for one of several threads that made
        the same access, ``thread`` is None.
    action : str
        What it does there: ``reads``, ``writes``, ``updates atomically``, or ``waits at a barrier`` ...
    nbytes : int
        Size of the access in bytes; 0 if it is none.
    frames : tuple of Frame
        The call stack, innermost first; empty if it is not known.
    """

    block: Dim3
    thread: Dim3 | None
    action: str
    nbytes: int
    frames: tuple[Frame, ...]

    @property
    def where(self) -> str:
        """File and line of the innermost call; empty if it is not known."""
        return self.frames[0].where if self.frames else ""


@dataclass(frozen=True, slots=True)
class ReportData:
    """One distinct finding in a launch.

    Attributes
    ----------
    check : str
        The check that found it: ``memory``, ``race``, ``init``, ``sync``, ``banks``; ``fault`` for what always stops a
        kernel.
    kind : str
        What it is, as in ``out of bounds``.
    kernel : str
        Name of the kernel.
    grid, block : tuple of three ints
        Extents of the launch, x first.
    place : ThreadPlace
        The thread that does it, the first time.
    other : ThreadPlace or None
        The other side of a race, or a thread at another barrier.
    memory : str
        What is accessed, with its owner and where that was allocated; empty if nothing is.
    offset : int or None
        Of the access, in bytes from the start of the memory.
    count : int
        How many times it happened.
    message : str
        The whole finding in one paragraph.
    threads : tuple of ThreadPlace
        Where each thread was, for a deadlock or a kernel that did not end.
    space : str
        Where the memory is: ``global``, ``shared``, ``dynamic shared`` or ``local``; empty if nothing is accessed.
    size : int
        Bytes of the memory; 0 if that is not known.
    warp : int
        Threads of a warp.
    """

    check: str
    kind: str
    kernel: str
    grid: Dim3
    block: Dim3
    place: ThreadPlace
    other: ThreadPlace | None
    memory: str
    offset: int | None
    count: int
    message: str
    threads: tuple[ThreadPlace, ...] = ()
    space: str = ""
    size: int = 0
    warp: int = 32

    def json(self) -> dict[str, Any]:
        """Return the report as a value for `json.dumps`: its attributes by their names, each dataclass as a dict."""
        return asdict(self)
