"""Prints the steps of a program: parallel loops, and code that runs once.

Each step is a function that does a range of iterations; a second function says how many there are.
"""

from collections.abc import Callable, Sequence

from accel.ir import INDEX, Const, Frame, Local, Loop, Number, Once, Program

from .accumulators import BLOCK, PARTIAL, Accumulator
from .casts import cast
from .estimates import turns
from .forms import DOUBLE, I64, Value, form_of
from .guards import assigned_locals, has_loops
from .independence import ACCESS, of_loop
from .memory import Memory, load, store
from .ranges import trips
from .scopes import Scope
from .slots import WORD, Slots
from .statements import STOPPED, Statements
from .stride_versions import in_stride_versions, strides_along
from .text import Text
from .vector_math import preferred_width

__all__ = ["STEP", "Function", "finish", "loop", "once"]

STEP = "(ptr noalias %args, i64 %low, i64 %high, ptr %partial)"
"""The parameters of a step: a range of iterations, and where their totals are stored."""

_LONGEST = 64
"""Numbers in the longest vectors."""


class Function:
    """A function of LLVM with the arguments of a launch; the names of the program are loaded at its beginning."""

    def __init__(
        self, program: Program, slots: Slots, helpers: dict[str, str], frame: str = "", hints: str = ""
    ) -> None:
        self.program = program
        self._slots = slots
        self.text = Text(helpers, program.vector_math)
        self.scope = Scope(self.text, frame=frame)
        for parameter in program.parameters:
            if isinstance(parameter, Number):
                self.scope.numbers[parameter.name] = self._number(parameter)
            else:
                many = self._load_all("i64", parameter.name, range(1, 1 + 2 * parameter.rank))
                form = form_of(parameter.dtype)
                (address,) = self._load_all("ptr", parameter.name, (0,))
                ends = many[: parameter.rank], many[parameter.rank :]
                self.scope.memories[parameter.name] = Memory(address, form, *ends, hints)
        self.text.first(f"%word = getelementptr i8, ptr %args, i64 {WORD}")
        if program.debug:
            self.text.first(f"%record = getelementptr i8, ptr %args, i64 {slots.record}")

    def _load_all(self, kind: str, name: str, numbers: Sequence[int]) -> tuple[str, ...]:
        start = self._slots.places[name]
        return tuple(self.text.value(f"load {kind}, ptr {self.at(start + 8 * number)}", name) for number in numbers)

    def at(self, place: int) -> str:
        """Return the address of a byte of the launch's memory."""
        return self.text.value(f"getelementptr i8, ptr %args, i64 {place}", "slot")

    def _number(self, parameter: Number) -> Value:
        form = form_of(parameter.dtype)
        if form.kind == "float":
            values = self._load_all("double", parameter.name, range(form.parts))
            return tuple(cast(self.text, (value,), DOUBLE, form.part)[0] for value in values)
        (value,) = self._load_all("i64", parameter.name, (0,))
        return (
            self.text.value(f"trunc i64 {value} to {form.register}")
            if form.bits < 64 or form.kind == "bool"
            else value,
        )

    def arrays(self, space: str) -> None:
        """Make the local or the shared arrays, on the stack."""
        for array in self.program.arrays:
            if array.space == space:
                form = form_of(array.dtype)
                address = self.text.slot(form.memory, array.name, form.parts * array.size)
                self.scope.memories[array.name] = Memory(address, form)

    def prelude(self, statements: Statements) -> None:
        """Print the prelude, which each step computes first."""
        statements.body(self.program.prelude)

    def read(self, frame: Frame) -> dict[str, Value]:
        """Load the variables that come from earlier steps."""
        values = {}
        for local in frame.reads:
            values[local.name] = load(self.text, form_of(local.dtype), self.at(self._slots.places[local.name]))
            self.scope.assign(local, values[local.name])
        return values

    def write(self, frame: Frame) -> None:
        """Store the variables for later steps."""
        for local in frame.writes:
            self.write_one(local, self.scope.read(local))

    def write_one(self, local: Local, value: Value) -> None:
        """Store a variable for later steps."""
        store(self.text, form_of(local.dtype), self.at(self._slots.places[local.name]), value)


def once(program: Program, slots: Slots, helpers: dict[str, str], number: int, step: Once) -> str:
    """Return the function of code that runs once."""
    function = Function(program, slots, helpers)
    function.arrays("local")
    statements = Statements(function.scope)
    function.prelude(statements)
    function.read(step.frame)
    statements.body(step.body)
    function.write(step.frame)
    function.text.block(STOPPED)
    function.text.leave()
    return function.text.function(f"internal void @step{number}{STEP}")


def loop(program: Program, slots: Slots, helpers: dict[str, str], number: int, step: Loop) -> str:
    """Return the functions of a parallel loop: of the number of iterations, and of a range of them."""
    return _count(program, slots, helpers, number, step) + _Loop(program, slots, helpers, step).printed(number)


def _count(program: Program, slots: Slots, helpers: dict[str, str], number: int, step: Loop) -> str:
    function = Function(program, slots, helpers)
    text, statements = function.text, Statements(function.scope)
    function.prelude(statements)
    function.read(step.frame)
    total = "1"
    for axis, bounds in enumerate(zip(step.starts, step.stops, step.steps, strict=True)):
        start, stop, pace = (statements.expressions.index(bound) for bound in bounds)
        count = trips(text, start, stop, pace)
        for place, value in enumerate((start, pace, count)):
            text.do(f"store i64 {value}, ptr {function.at(slots.bounds + 24 * axis + 8 * place)}")
        total = text.value(f"mul i64 {total}, {count}")
    text.leave(f"i64 {total}")
    text.block(STOPPED)
    text.leave("i64 0")
    return text.function(f"internal i64 @count{number}(ptr noalias %args)")


class _Loop:
    """Prints a range of the iterations of a parallel loop, as rows along its last index."""

    def __init__(self, program: Program, slots: Slots, helpers: dict[str, str], step: Loop) -> None:
        self._step = step
        self._bounds_at = slots.bounds
        self._function = function = Function(program, slots, helpers, hints=ACCESS if step.independent else "")
        self._text = text = function.text
        self._scope = function.scope
        function.arrays("local")
        self._totals = {}
        for number, reduction in enumerate(step.reductions):
            total = text.value(f"getelementptr i8, ptr %partial, i64 {PARTIAL * number}")
            self._totals[reduction.total.name] = Accumulator.make(text, reduction, total)
        self._statements = Statements(self._scope, self._totals)
        self._scope.iteration = text.slot("i64", "iteration")
        self._done = text.slot("i64", "done")
        self._pending = text.slot("i64", "pending")

    def printed(self, number: int) -> str:
        """Return the function."""
        text = self._text
        self._function.prelude(self._statements)
        self._initial = self._function.read(self._step.frame)
        self._bounds = [self._bounds_of(axis) for axis in range(len(self._step.indices))]
        self._counters = [text.slot("i64", "counter") for _ in self._bounds]
        for total in self._totals.values():
            total.begin(text)
        self._begin()
        self._rows()
        self._end()
        text.block(STOPPED)
        text.leave()
        return text.function(f"internal void @step{number}{STEP}{preferred_width(text)}")

    def _bounds_of(self, axis: int) -> tuple[str, str, str]:
        """Return first value, pace and count of a loop variable, as they were before the first iteration."""
        first = self._bounds_at + 24 * axis
        stored = [self._text.value(f"load i64, ptr {self._function.at(first + 8 * place)}") for place in range(3)]
        for place, bound in enumerate((self._step.starts[axis], self._step.steps[axis])):
            if isinstance(bound, Const):  # LLVM needs to know a constant pace to use vectors
                stored[place] = self._statements.expressions.index(bound)
        return stored[0], stored[1], stored[2]

    def _begin(self) -> None:
        """Set the counters to the first iteration of the range."""
        text, rest = self._text, "%low"
        text.do(f"store i64 %low, ptr {self._done}")
        text.do(f"store i64 0, ptr {self._pending}")
        for counter, (_, _, count) in reversed(list(zip(self._counters[1:], self._bounds[1:], strict=True))):
            text.do(f"store i64 {text.value(f'urem i64 {rest}, {count}')}, ptr {counter}")
            rest = text.value(f"udiv i64 {rest}, {count}")
        text.do(f"store i64 {rest}, ptr {self._counters[0]}")

    def _rows(self) -> None:
        text = self._text
        head, row, after = (text.fresh(hint) for hint in ("rows", "row", "after"))
        text.block(head)
        done = text.value(f"load i64, ptr {self._done}")
        text.branch(text.value(f"icmp ult i64 {done}, %high"), row, after)
        text.block(row)
        run = self._run(done)
        self._row(done, run)
        text.do(f"store i64 {text.value(f'add i64 {done}, {run}')}, ptr {self._done}")
        self._carry(run)
        if self._totals:
            self._flush_if_full(run)
        self._statements.look()
        text.jump(head)
        text.block(after)

    def _run(self, done: str) -> str:
        """Return how many iterations follow in this row, before a look or the end of a block of reductions."""
        text = self._text
        least = text.declare("i64", "llvm.umin.i64", "i64", "i64")
        run = text.value(f"sub i64 %high, {done}")
        most = turns(self._step.body)
        if self._step.independent:  # no numbers are left over from vectors
            most = -(-most // _LONGEST) * _LONGEST
        limits = [str(min(most, BLOCK) if self._totals else most)]
        if len(self._bounds) > 1:
            counter = text.value(f"load i64, ptr {self._counters[-1]}")
            limits.append(text.value(f"sub i64 {self._bounds[-1][2]}, {counter}"))
        for limit in limits:
            run = text.value(f"call i64 {least}(i64 {run}, i64 {limit})", "run")
        return run

    def _row(self, done: str, run: str) -> None:
        text, step = self._text, self._step
        cells = [text.slot("i64", hint) for hint in ("start", "pace", "run")]
        for variable, counter, (start, pace, _) in zip(step.indices, self._counters, self._bounds, strict=True):
            for cell, value in zip(cells, (start, pace, run), strict=True):
                text.do(f"store i64 {value}, ptr {cell}")
            self._statements.count(variable, cells, text.value(f"load i64, ptr {counter}"))
        (first,) = cast(text, self._scope.read(variable), form_of(variable.dtype), I64)
        text.do(f"store i64 {first}, ptr {cells[0]}")
        self._in_versions(
            lambda: self._statements.in_versions(
                variable, cells, step.body, lambda: self._iterations(variable, cells, done)
            )
        )

    def _in_versions(self, printer: Callable[[], None]) -> None:
        """Print a row for strides of 1 and for others, if the iterations are independent and use strides."""
        step, text = self._step, self._text
        strides = strides_along(step.indices[-1], step.body)
        if not (step.independent and strides and not has_loops(step.body) and step.steps[-1] == Const(1, INDEX)):
            printer()
            return
        pace = self._bounds_at + 24 * (len(step.indices) - 1) + 8
        one = text.value(f"load i64, ptr {self._function.at(pace)}", "one")
        in_stride_versions(self._scope, strides, one, printer)

    def _iterations(self, variable: Local, cells: Sequence[str], done: str) -> None:
        text, counter = self._text, self._text.slot("i64", "step")
        head, body, after = (text.fresh(hint) for hint in ("iterations", "iteration", "after"))
        text.do(f"store i64 0, ptr {counter}")
        text.block(head)
        number = text.value(f"load i64, ptr {counter}")
        more = text.value(f"icmp ult i64 {number}, {text.value(f'load i64, ptr {cells[2]}')}")
        text.branch(more, body, after)
        text.block(body)
        self._statements.count(variable, cells, number)
        text.do(f"store i64 {text.value(f'add i64 {done}, {number}')}, ptr {self._scope.iteration}")
        self._reset()
        self._statements.iteration(self._step.body, after)
        text.do(f"store i64 {text.value(f'add nuw nsw i64 {number}, 1')}, ptr {counter}")
        text.jump(head, of_loop(self._step, text.vector_math) if self._step.independent else "")
        text.block(after)

    def _reset(self) -> None:
        """Set what the body assigns to the values from before the loop, or to 0: no iteration sees another's."""
        for local in assigned_locals(self._step.body):
            if local.name not in self._totals:
                self._scope.assign(local, self._initial.get(local.name) or form_of(local.dtype).constant(0))

    def _carry(self, run: str) -> None:
        """Advance the counters by a row."""
        text = self._text
        counts = [count for _, _, count in self._bounds]
        increment = run
        for counter, count in reversed(list(zip(self._counters[1:], counts[1:], strict=True))):
            ahead = text.value(f"add i64 {text.value(f'load i64, ptr {counter}')}, {increment}")
            full = text.value(f"icmp eq i64 {ahead}, {count}")
            text.do(f"store i64 {text.value(f'select i1 {full}, i64 0, i64 {ahead}')}, ptr {counter}")
            increment = text.value(f"zext i1 {full} to i64")
        first = self._counters[0]
        ahead = text.value(f"add i64 {text.value(f'load i64, ptr {first}')}, {increment}")
        text.do(f"store i64 {ahead}, ptr {first}")

    def _flush_if_full(self, run: str) -> None:
        text, full, following = self._text, self._text.fresh("full"), self._text.fresh("next")
        pending = text.value(f"add i64 {text.value(f'load i64, ptr {self._pending}')}, {run}")
        text.do(f"store i64 {pending}, ptr {self._pending}")
        text.branch(text.value(f"icmp uge i64 {pending}, {BLOCK}"), full, following)
        text.block(full)
        for total in self._totals.values():
            total.flush(text)
        text.do(f"store i64 0, ptr {self._pending}")
        text.block(following)

    def _end(self) -> None:
        """Store the totals; after the last iteration of all, also the variables for later steps."""
        text, total = self._text, "1"
        for accumulator in self._totals.values():
            accumulator.flush(text)
        if not self._step.frame.writes:
            return
        for _, _, count in self._bounds:
            total = text.value(f"mul i64 {total}, {count}")
        last, following = text.fresh("last"), text.fresh("next")
        text.branch(text.value(f"icmp eq i64 %high, {total}"), last, following)
        text.block(last)
        self._function.write(self._step.frame)
        text.block(following)


def finish(program: Program, slots: Slots, helpers: dict[str, str], number: int, step: Loop) -> str:
    """Return the function that combines the totals of all pieces with the variables from before the loop."""
    function = Function(program, slots, helpers)
    text = function.text
    totals = []
    for reduction in step.reductions:
        total = Accumulator.make(text, reduction, text.slot("i8", "total", PARTIAL))
        total.begin(text)
        before = load(text, form_of(reduction.total.dtype), function.at(slots.places[reduction.total.name]))
        total.add(text, cast(text, before, form_of(reduction.total.dtype), total.form))
        totals.append(total)
    counter = text.slot("i64", "piece")
    text.do(f"store i64 0, ptr {counter}")
    head, body, after = (text.fresh(hint) for hint in ("pieces", "piece", "after"))
    text.block(head)
    piece = text.value(f"load i64, ptr {counter}")
    text.branch(text.value(f"icmp ult i64 {piece}, %count"), body, after)
    text.block(body)
    for place, total in enumerate(totals):
        first = text.value(f"mul i64 {piece}, {PARTIAL * len(totals)}")
        at = text.value(f"add i64 {first}, {PARTIAL * place}")
        total.merge(text, text.value(f"getelementptr i8, ptr %partials, i64 {at}"))
    text.do(f"store i64 {text.value(f'add i64 {piece}, 1')}, ptr {counter}")
    text.jump(head)
    text.block(after)
    for total in totals:
        function.write_one(total.reduction.total, total.result(text))
    text.leave()
    return text.function(f"internal void @finish{number}(ptr noalias %args, ptr %partials, i64 %count)")
