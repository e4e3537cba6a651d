"""Where each argument, and all else that a launch needs, lies in the memory that is passed to compiled code."""

import struct
from collections.abc import Iterator
from functools import cached_property
from typing import Literal, TypeAlias

from accel.abc import Failure
from accel.ir import SLOT, Local, Loop, Number, Program, Threads, View

from .forms import form_of

__all__ = ["ARGUMENTS", "THREADS", "WORD", "ArgumentKind", "Slots"]

THREADS = 0
"""The byte at which the number of threads begins that a launch may use."""

WORD = 8
"""The byte at which the word of a launch begins: 0, or why its threads stop; see `process_words`."""

ARGUMENTS = 16
"""The byte at which the arguments begin."""

ArgumentKind: TypeAlias = Literal["int", "uint", "float", "array"]
"""How an argument is passed: as an integer of 64 bits with or without a sign, as a float64, or, if it is an address, as
an array of NumPy and an offset in bytes."""

_KINDS: dict[str, ArgumentKind] = {"i": "int", "u": "uint", "f": "float"}


class Slots:
    """The memory of a launch: the threads to use, its word, arguments, grid and block, record of failures, and frame.

    Attributes
    ----------
    places : dict of str to int
        The byte at which each parameter and each variable of the frame begins.
    in_grid : bool
        Whether grid and block are there: only if the grid is explicit.
    grid : int
        The byte at which the blocks of the grid begin along x, y and z; then the threads of a block.
    record : int
        The byte at which the record begins: the fields of `Failure` in order.
    bounds : int
        The byte at which first value, pace and count begin of each variable of the parallel loop that runs.
    nbytes : int
        Bytes in all.
    complex_at : tuple of int
        Which of the arguments are complex numbers.
    """

    def __init__(self, program: Program) -> None:
        self.places: dict[str, int] = {}
        formats = [self._parameter(parameter, start) for parameter, start in _starts(program)]
        self.in_grid = any(isinstance(step, Threads) for step in program.steps)
        self.format = struct.Struct("<q8x" + "".join(formats) + "6q" * self.in_grid)
        self.grid = self.format.size - 48
        self.record = self.format.size
        begin = self.record + 8 * len(Failure._fields)
        axes = max((len(step.indices) for step in program.steps if isinstance(step, Loop)), default=0)
        self.bounds = begin
        begin += 24 * axes
        begin += -begin % SLOT
        for number, local in enumerate(program.frame):
            self.places[local.name] = begin + SLOT * number
        self.nbytes = begin + SLOT * len(program.frame)
        self._results = program.results
        self._parameters = program.parameters
        self.complex_at = tuple(_complex_numbers(program))

    def _parameter(self, parameter: View | Number, start: int) -> str:
        self.places[parameter.name] = start
        if isinstance(parameter, View):
            return "q" * (1 + 2 * parameter.rank)
        if parameter.dtype.kind == "b":
            return "?7x"  # NumPy has no index for its booleans
        if parameter.dtype.kind in "iu":
            return "Q" if parameter.dtype.kind == "u" else "q"
        return "d" * form_of(parameter.dtype).parts

    def kinds(self, *, arrays: bool) -> "list[ArgumentKind] | None":
        """Return how each argument is passed; None if one takes more than 8 bytes, or is a boolean."""
        kinds: list[ArgumentKind] = []
        for parameter in self._parameters:
            if isinstance(parameter, View):
                kinds.append("array" if arrays else "int")
                kinds += ["int"] * (2 * parameter.rank)
            elif parameter.dtype.kind in _KINDS:
                kinds.append(_KINDS[parameter.dtype.kind])
            else:
                return None
        return kinds

    @cached_property
    def results(self) -> tuple[tuple[Local, int], ...]:
        """The variables that are returned, and where they lie."""
        return tuple((local, self.places[local.name]) for local in self._results)


def _starts(program: Program) -> Iterator[tuple[View | Number, int]]:
    start = ARGUMENTS
    for parameter in program.parameters:
        yield parameter, start
        start += 8 * (1 + 2 * parameter.rank if isinstance(parameter, View) else form_of(parameter.dtype).parts)


def _complex_numbers(program: Program) -> Iterator[int]:
    position = 0
    for parameter in program.parameters:
        if isinstance(parameter, Number) and parameter.dtype.kind == "c":
            yield position
        position += 1 + 2 * parameter.rank if isinstance(parameter, View) else 1
