"""Programs as Python text: one function for each step."""

from collections.abc import Callable
from typing import Any, NamedTuple

from accel.ir import Frame, Loop, Number, Once, Program, Threads, View
from accel.support.kernel_coverage import Point

from .expressions import Expressions, memory_name
from .statements import Statements, numbers_of

__all__ = ["CompiledSteps", "compile_steps"]


class CompiledSteps(NamedTuple):
    """The text of a program, and its functions: of a run and an actor, in order; that of threads is a generator.

    The lines that they count are in order of their numbers.
    """

    text: str
    functions: tuple[Callable[..., Any], ...]
    points: tuple[Point, ...]


def compile_steps(program: Program) -> CompiledSteps:
    """Return a program as Python functions."""
    writer = _Writer(program)
    for number, step in enumerate(program.steps):
        with writer.statements.under(f"def step_{number}(run, t):"):
            writer.parameters()
            getattr(writer, type(step).__name__.lower())(step)
    text = "\n".join(writer.statements.lines) + "\n"
    names: dict[str, Any] = dict(writer.expressions.names)
    exec(compile(text, f"<accel: kernel {program.name}>", "exec"), names)  # noqa: S102 - the text comes from the program alone
    functions = tuple(names[f"step_{number}"] for number in range(len(program.steps)))
    return CompiledSteps(text, functions, tuple(writer.statements.points))


class _Writer:
    """Writes the steps of one program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.expressions = Expressions(program)
        self.statements = Statements(self.expressions)

    def parameters(self) -> None:
        """Write the beginning of a step: the parameters, and the prelude that computes values from them."""
        for parameter in self.program.parameters:
            if isinstance(parameter, Number):
                self._line(f"v_{parameter.name} = run.numbers[{parameter.name!r}]")
            else:
                self._view(parameter)
        self.statements.body(self.program.prelude)

    def _view(self, view: View) -> None:
        self._line(f"{memory_name(view.name)} = run.memories[{view.name!r}]")
        for what in ("extent", "stride") if view.rank else ():
            names = "".join(f"{what}_{axis}_{view.name}, " for axis in range(view.rank))
            self._line(f"{names}= run.{what}s[{view.name!r}]")

    def once(self, step: Once) -> None:
        """Write code that runs once."""
        self._arrays("local", "run.array")
        self._begin(step.frame)
        self.statements.body(step.body)
        for variable in step.frame.writes:
            self._line(f"run.frame[{variable.name!r}] = {self.expressions(variable)}")

    def loop(self, step: Loop) -> None:
        """Write a parallel loop; each iteration begins with the variables of the frame."""
        self._begin(step.frame)
        for reduction in step.reductions:
            self._line(f"all_{reduction.total.name} = []")
        indices = "".join(f"{self.expressions(index)}, " for index in step.indices)
        with self.statements.under(f"for {indices}in run.iterations(t, {self._ranges(step)}):"):
            self._arrays("local", "run.array")
            self._begin(step.frame)
            self.statements.body(step.body, step.reductions)
        for reduction in step.reductions:
            self.statements.total(reduction, f"run.frame[{reduction.total.name!r}]")

    def _ranges(self, step: Loop) -> str:
        bounds = zip(step.starts, step.stops, step.steps, strict=True)
        name = self.expressions.named("numbers_of", (), lambda: numbers_of)
        return ", ".join(f"{name}({', '.join(map(self.expressions, each))})" for each in bounds)

    def threads(self, step: Threads) -> None:
        """Write the code of a thread; it stops before it begins, so that threads begin in any order."""
        self._line("yield")
        self._arrays("shared", "t.shared")
        self._arrays("local", "run.array")
        self.statements.body(step.body)

    def _begin(self, frame: Frame) -> None:
        for variable in frame.reads:
            self._line(f"{self.expressions(variable)} = run.frame[{variable.name!r}]")

    def _arrays(self, space: str, function: str) -> None:
        for array in self.program.arrays:
            if array.space == space:
                self._line(f"{memory_name(array.name)} = {function}({array.name!r})")

    def _line(self, text: str) -> None:
        self.statements.add(text)
