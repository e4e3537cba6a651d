"""Lowering: a Python function and the types of its arguments become a `Program`."""

import ast
from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any, NamedTuple, TypeAlias

from accel.dtypes import as_dtype
from accel.ir import (
    INDEX,
    Assign,
    Expr,
    Local,
    Loop,
    Mark,
    Number,
    Once,
    Parameter,
    Program,
    Reduction,
    Step,
    Stmt,
    Threads,
    View,
)
from accel.kernels import language
from accel.kernels.frontend.accumulators import Accumulator
from accel.kernels.frontend.bindings import bound
from accel.kernels.frontend.context import Activation, Unit, Unusable, assigns
from accel.kernels.frontend.explicit_grids import is_explicit, object_of
from accel.kernels.frontend.expressions import lower as lower_entity
from accel.kernels.frontend.expressions import quietly
from accel.kernels.frontend.frames import with_frames
from accel.kernels.frontend.function_source import FunctionSource
from accel.kernels.frontend.inlining import inline
from accel.kernels.frontend.loops import iterated, ranges_of, targets_of, unrolled
from accel.kernels.frontend.memory import buffer_of, tensor_of
from accel.kernels.frontend.objects import entity_of_object
from accel.kernels.frontend.operands import constant_object, described, number_of
from accel.kernels.frontend.promotion import as_value, stored
from accel.kernels.frontend.ranges import counted
from accel.kernels.frontend.returns import begin_function
from accel.kernels.frontend.statements import lower_block, no_effect, refuse_outer
from accel.kernels.frontend.types import (
    ArgumentType,
    BufferType,
    ScalarType,
    StaticType,
    StructType,
    TensorType,
    names_of,
)
from accel.kernels.frontend.values import Constant, Entity, Range, Struct, Tuple, Value, Vector, is_number
from accel.views.cells import span_of
from accel.views.geometry import geometry_of

__all__ = ["Lowered", "lower"]

Numbers: TypeAlias = Sequence[Callable[[Expr], Value] | None]

_PASSES = 1000
"""More than any kernel needs: each pass makes the type of at least one variable larger."""


class Lowered(NamedTuple):
    """A lowered kernel.

    Attributes
    ----------
    program : Program
        The kernel for arguments of these types.
    single : bool
        Whether it returns one number, and not a tuple.
    captured : tuple of (FunctionSource, str, object)
        The globals and variables of closures whose values the program depends on.
    """

    program: Program
    single: bool
    captured: tuple[tuple[FunctionSource, str, Any], ...]


def lower(
    source: FunctionSource,
    kinds: Mapping[str, ArgumentType],
    debug: bool,
    finds_nan: bool = False,
    marked: bool = False,
) -> Lowered:
    """Return a kernel for arguments of certain types.

    Raises
    ------
    KernelSyntaxError
        If the function has something that kernels do not support; with file, line and the construct.
    """
    types: dict[str, Any] = {}
    for _ in range(_PASSES):
        kernel = _Kernel(source, kinds, debug, types, finds_nan, marked)
        try:
            kernel.run()
        except RecursionError:
            raise source.error(
                source.tree, f"an expression of {source.name} is nested too deep; write several statements"
            ) from None
        if not kernel.unit.changed:
            return kernel.lowered()
    raise AssertionError("types only grow, so a pass that changes none comes soon")


class _Kernel:
    """One pass over a kernel."""

    def __init__(
        self,
        source: FunctionSource,
        kinds: Mapping[str, ArgumentType],
        debug: bool,
        types: dict[str, Any],
        finds_nan: bool,
        marked: bool,
    ) -> None:
        arguments = [pair for name, kind in kinds.items() for pair in names_of(name, kind)]
        self.unit = Unit(debug, types, [name for name, _ in arguments], inline, finds_nan, marked)
        self.act = Activation(self.unit, source)
        self.kinds = kinds
        self.arguments = arguments
        self.steps: list[Step] = []
        self.block: list[Stmt] = []
        self.results: tuple[Local, ...] = ()
        self.single = False
        self.accumulators: list[Accumulator] = []

    def run(self) -> None:
        for name, kind in self.kinds.items():
            self._bind(name, kind)
        body = self.act.source.tree.body
        with self.unit.into(self.block):
            if is_explicit(self.act.source):
                self._lower_threads(body)
            else:
                self._lower_steps(body)
                self._flush()
        if self.unit.explicit and not any(isinstance(step, Threads) for step in self.steps):
            raise self.act.error(
                self.act.source.tree,
                "barriers, shared memory and the like are for kernels with an explicit grid; a function that this "
                "kernel calls uses them: use thread_index or block_index in the kernel itself",
            )

    def _bind(self, name: str, kind: ArgumentType) -> None:
        entity = _entity(name, kind)
        names = self.act.names
        if self.act.assigned.get(name):
            entity = bound(self.act, self.act.source.tree, name, entity)
        names[name] = entity

    def _lower_threads(self, body: Sequence[ast.stmt]) -> None:
        self.unit.explicit = True
        begin_function(self.act)
        lower_block(self.act, body)
        if self.act.returned not in (None, Constant(None)):
            raise self.act.error(
                self.act.source.tree, "a kernel with an explicit grid returns nothing; write to a view"
            )
        self.steps = [Threads(tuple(self.block))]

    def _lower_steps(self, body: Sequence[ast.stmt]) -> bool:
        """Lower statements that are not in a parallel loop; tell whether the last one is a return."""
        for place, node in enumerate(body):
            if self._lower_step(node):
                if body[place + 1 :]:
                    raise self.act.error(body[place + 1], "this is never reached, as the kernel returns before")
                return True
        return False

    def _lower_step(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.Return):
            self.act.mark(node)
            self._return(node)
            return True
        if isinstance(node, ast.If):
            return self._branch(node)
        if isinstance(node, ast.For):
            self.act.mark(node)
            self._loop(node)
        elif not no_effect(node) and not self._accumulator(node):
            self._lower_once(node)
        return False

    def _lower_once(self, node: ast.stmt) -> None:
        statement = next((each for each in ast.walk(node) if isinstance(each, ast.Return)), None)
        if statement is not None and isinstance(node, ast.If | ast.While):
            raise self.act.error(
                statement, "a kernel returns at its end only; write if and else, or move the code to @func"
            )
        lower_block(self.act, [node])

    def _branch(self, node: ast.If) -> bool:
        """Lower a branch; one that is decided while the kernel is compiled may contain parallel loops."""
        decided, effects = quietly(self.act, node.test)
        if not isinstance(decided, Constant) or any(not isinstance(each, Mark) for each in effects):
            self._lower_once(node)
            return False
        self.act.mark(node)
        self.unit.block += effects
        return self._lower_steps(node.body if decided.value else node.orelse)

    def _flush(self) -> None:
        if self.block:
            self.steps.append(Once(tuple(self.block)))
            self.block.clear()

    # Parallel loops.

    def _loop(self, node: ast.For) -> None:
        values = iterated(self.act, node)
        if isinstance(values, Tuple):
            for _ in unrolled(self.act, node, values):
                self._lower_steps(node.body)
            return
        ranges = [counted(self.act, each) for each in ranges_of(values)]
        targets = [each.id for each in targets_of(self.act, node, len(ranges))]
        bounds = [Range(*[self.unit.keep(bound) for bound in each.values]) for each in ranges]
        self._flush()
        self.steps.append(self._parallel(node, bounds, targets, [each.number for each in ranges]))

    def _parallel(self, node: ast.For, ranges: list[Range], targets: list[str], numbers: Numbers) -> Loop:
        self._forget_arrays()
        act, before, variables = self.act, dict(self.act.names), dict(self.act.variables)
        combined = [each for name, each in before.items() if isinstance(each, Accumulator) and _changes(node, name)]
        act.outer = frozenset(before)
        for target in ast.walk(node.target):
            if isinstance(target, ast.Name):
                refuse_outer(act, target)
        act.variables = {name: variable for name, variable in variables.items() if name in before}
        act.parallel = True
        for accumulator in combined:
            accumulator.op, accumulator.inside = "", True
        indices = [self._index(name) for name in targets]
        with self.unit.into([]) as block:
            self._assigned_indices(node, targets, indices, numbers)
            lower_block(act, node.body)
        reductions = [Reduction(each.local, each.op) for each in combined if each.op]  # type: ignore[arg-type]
        for accumulator in combined:
            accumulator.inside = False
        act.parallel, act.outer = False, frozenset()
        act.names, act.variables = before, variables
        starts, stops, steps = ([getattr(each, part).expr for each in ranges] for part in Range._fields)
        return Loop(tuple(indices), tuple(starts), tuple(stops), tuple(steps), tuple(block), tuple(reductions))

    def _forget_arrays(self) -> None:
        """Refuse the use of an array in a step other than its own."""
        arrays = {each.name for each in self.unit.arrays}
        for name, entity in self.act.names.items():
            if _uses(entity, arrays):
                self.act.names[name] = Unusable(
                    "is an array that was made before a parallel loop, in which each iteration has its own: make it in "
                    "the loop, or pass memory as an argument"
                )

    def _index(self, name: str) -> Local:
        self.act.names[name] = variable = self.act.variable(name)
        self.unit.types.setdefault(variable, (INDEX, True))
        return Local(variable, INDEX)

    def _assigned_indices(self, node: ast.For, targets: list[str], indices: list[Local], numbers: Numbers) -> None:
        """Give a loop variable that the body assigns, or that is no index, a variable of its own."""
        for place, (name, number) in enumerate(zip(targets, numbers, strict=True)):
            if number or assigns(node.body, name):
                counter = Local(self.unit.name(f"{name}_counter"), INDEX)
                self.unit.assign(self.act.variable(name), number(counter) if number else Value(counter, weak=True))
                indices[place] = counter
            else:
                self.unit.fixed.add(indices[place].name)

    # Accumulators and results.

    def _accumulator(self, node: ast.stmt) -> bool:
        """Lower ``s = accumulator(dtype, start)``, or several in a tuple; return False for other statements."""
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            return False
        [target], value = node.targets, node.value
        together = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
        targets = target.elts if together else [target]  # type: ignore[attr-defined]
        calls = value.elts if together else [value]  # type: ignore[attr-defined]
        makes = [isinstance(x, ast.Call) and object_of(self.act.source, x.func) is language.accumulator for x in calls]
        if not any(makes):
            return False
        if not all(makes) or len(targets) != len(calls):
            raise self.act.error(node, "accumulators and other values are not assigned together; write a line for each")
        self.act.mark(node)
        for each, call in zip(targets, calls, strict=True):
            self._make_accumulator(each, call)
        return True

    def _make_accumulator(self, target: ast.expr, call: ast.Call) -> None:
        try:
            named = {str(keyword.arg): keyword.value for keyword in call.keywords}
            given = signature(language.accumulator).bind(*call.args, **named).arguments
        except TypeError:
            given = {}
        if not given or not isinstance(target, ast.Name):
            raise self.act.error(call, "write s = accumulator(f32, 0), with a name, a dtype and a number")
        arguments = {name: lower_entity(self.act, each) for name, each in given.items()}
        number = number_of(self.act, call, arguments.get("start", Constant(False)))
        with self.act.at(call):
            dtype = as_dtype(constant_object(self.act, call, arguments["dtype"], "the dtype of an accumulator"))
            start = stored(number, dtype, target.id)
        previous = self.act.names.get(target.id)
        if isinstance(previous, Accumulator):
            raise self.act.error(target, f"{target.id} is an accumulator already; use another name")
        name = self.unit.name(target.id)
        self.unit.types[name] = dtype, False
        accumulator = Accumulator(name, dtype)
        self.accumulators.append(accumulator)
        self.act.names[target.id] = accumulator
        self.unit.block.append(Assign(accumulator.local, start.expr))

    def _return(self, node: ast.Return) -> None:
        if node.value is None:
            return
        entity = lower_entity(self.act, node.value)
        items = entity.items if isinstance(entity, Tuple | Vector | Struct) else (entity,)
        self.single = not isinstance(entity, Tuple | Vector | Struct)
        if isinstance(entity, Constant) and entity.value is None:
            return
        self.results = tuple([self._result(node, item) for item in items])

    def _result(self, node: ast.Return, item: Entity) -> Local:
        if not is_number(item):
            raise self.act.error(node, f"a kernel returns numbers; found {described(item)}: write to a view")
        with self.act.at(node):
            value = as_value(item)
        if isinstance(value.expr, Local) and any(value.expr == each.local for each in self.accumulators):
            return value.expr
        name = self.unit.name("result")
        self.unit.assign(name, value)
        return self.unit.local(name).expr  # type: ignore[return-value]

    # The program.

    def lowered(self) -> Lowered:
        """Return the program of this pass."""
        unit = self.unit
        prelude, steps, frame = with_frames(self.steps, self.results, {name for name, _ in self.arguments})
        program = Program(
            self.act.source.name,
            tuple([_parameter(name, kind, unit.written) for name, kind in self.arguments]),
            prelude,
            steps,
            frame,
            self.results,
            tuple(unit.arrays),
            tuple(unit.sites),
            unit.debug,
        )
        captured = tuple([(source, name, value) for (source, name), value in unit.captured.items()])
        return Lowered(program, self.single, captured)


def _entity(name: str, kind: ArgumentType) -> Entity:
    if isinstance(kind, ScalarType):
        return Value(Local(name, kind.dtype), kind.weak)
    if isinstance(kind, BufferType):
        return buffer_of(name, kind)
    if isinstance(kind, TensorType):
        return tensor_of(name, kind)
    if isinstance(kind, StaticType):
        return entity_of_object(kind.value)
    fields = zip(kind.cls._fields, kind.fields, strict=True)  # type: ignore[attr-defined]
    return Struct(kind.cls, tuple([_entity(f"{name}_{field}", inner) for field, inner in fields]))


def _parameter(name: str, kind: ArgumentType, written: set[str]) -> Parameter:
    if isinstance(kind, ScalarType):
        return Number(name, kind.dtype)
    assert not isinstance(kind, StructType | StaticType), "these were expanded"
    if isinstance(kind, BufferType):
        return View(name, kind.dtype, kind.rank, name in written)
    return View(name, kind.dtype, 0, name in written, _span(kind))


def _span(kind: TensorType) -> tuple[int, int] | None:
    """Return the elements of a tensor, counted from the first one; None if a swizzle permutes them."""
    if kind.swizzle is not None:
        return None
    return span_of(geometry_of(kind.layout, kind.element, kind.valid, kind.padded, None))


def _uses(entity: Any, arrays: set[str]) -> bool:
    """Tell whether an entity has one of some arrays."""
    parts = getattr(entity, "parts", getattr(entity, "items", ()))
    return getattr(entity, "memory", None) in arrays or any(_uses(part, arrays) for part in parts)


def _changes(node: ast.For, accumulator: str) -> bool:
    """Tell whether a loop combines an accumulator with values, which looks like an assignment."""
    return assigns(node.body, accumulator)
