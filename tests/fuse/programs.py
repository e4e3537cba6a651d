"""Random array programs: lines of Python that are written while they run, so that each of them fits its operands."""

from itertools import count
from random import Random
from typing import Any, NamedTuple

import numpy as np

from accel import xp

from .operands import arguments, drawn_number
from .statements import INEXACT, STATEMENTS, WRITES

__all__ = ["Program", "written"]

ROUNDED = ("cos", "exp", "expm1", "log", "log1p", "sin", "sinh", "tan", "tanh", "arctan", "cbrt", "exp2")
"""Functions whose last bits may differ; programs call them last."""


class Program(NamedTuple):
    """A function as text, and how to make its arguments.

    Attributes
    ----------
    source : str
        Defines ``program``.
    arguments : Arguments
        The arrays, which may share memory, and the numbers.
    """

    source: str
    arguments: Any

    @property
    def function(self):
        """The function."""
        names = {"np": np, "xp": xp}
        exec(compile(self.source, "<random program>", "exec"), names)
        return names["program"]


class Writer:
    """Writes a program line by line, and runs each line at once on the host.

    Attributes
    ----------
    random : Random
        What chooses.
    values : dict
        The arrays and numbers so far, by name.
    """

    def __init__(self, random: Random, values: dict[str, Any]) -> None:
        self.random = random
        self.values = values
        self.lines: list[str] = []
        self.error: Exception | None = None
        self._names = (f"v{number}" for number in count())

    def chance(self, percent: int) -> bool:
        """Tell whether something of this probability happens."""
        return self.random.randrange(100) < percent

    def array(self, accepted=lambda _: True) -> str | None:
        """Return the name of an array that is accepted; None if there is none."""
        found = [name for name, each in self.values.items() if isinstance(each, xp.Array) and accepted(each)]
        if not found:
            return None
        recent = found[-6:] if self.chance(70) else found
        return self.random.choice(recent)

    def number(self) -> str:
        """Return a number, or the name of one."""
        names = [name for name, each in self.values.items() if not isinstance(each, xp.Array)]
        return self.random.choice(names) if names and self.chance(30) else drawn_number(self.random)

    def add(self, expression: str) -> bool:
        """Write a line that gives a name to a value; tell whether it runs."""
        return self.run(f"{next(self._names)} = {expression}")

    def run(self, line: str) -> bool:
        """Write a line if it runs; tell whether it does."""
        before = {**self.values}
        try:
            exec(line, {"np": np, "xp": xp}, self.values)
        except Exception as error:
            self.values, self.error = before, error
            return False
        if any(isinstance(each, xp.Array) and each.size > 4000 for each in self.values.values()):
            self.values = before
            return False
        self.lines.append(line)
        return True


def written(random: Random, *, rounded: bool = False, inexact: bool = False) -> Program:
    """Return a random program.

    Parameters
    ----------
    random : Random
        What chooses.
    rounded : bool
        Whether the results are those of functions whose last bits may differ.
    inexact : bool
        Whether there are such functions, and sums of floats, anywhere.
    """
    statements = STATEMENTS + INEXACT if inexact else STATEMENTS
    passed = arguments(random)
    writer = Writer(random, passed.made("cpu").named())
    may_fail = random.randrange(8) == 0
    for _ in range(random.choice([5, 8, 12, 20, 40, 60])):
        writer.error = None
        statement = random.choice(statements)
        line = statement(writer)
        if line is None or (writer.run(line) if statement in WRITES else writer.add(line)):
            continue
        if may_fail and writer.error is not None:
            writer.lines.append(line)
            break
    writer.lines.append(f"return {_results(writer, rounded=rounded)}")
    names = ", ".join(passed.names)
    return Program("\n    ".join([f"def program({names}):", *writer.lines]) + "\n", passed)


def _results(writer: Writer, *, rounded: bool) -> str:
    names = [writer.array() for _ in range(writer.random.choice([1, 1, 2, 3, 5]))]
    if rounded:
        floats = [writer.array(lambda x: x.dtype.name in ("float32", "float64")) for _ in names]
        names = [f"xp.{writer.random.choice(ROUNDED)}({name})" for name in floats if name is not None]
    elif writer.chance(10):
        names[-1] = f"{{'a': {names[-1]}, 'b': [{names[0]}, 3]}}"
    return ", ".join([*names, "None"])
