"""Expressions of a kernel: from Python's syntax tree to entities."""

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from accel.ir import TRUTH, Assign, Expr, If, Load, Local, Logic, Select, Stmt, Unary
from accel.kernels.frontend import hints
from accel.kernels.frontend.accumulators import Accumulator
from accel.kernels.frontend.attributes import attribute, item
from accel.kernels.frontend.bindings import entity_of
from accel.kernels.frontend.call_arguments import Arguments, bound_arguments
from accel.kernels.frontend.calls import FUNCTIONS, call_cast, is_folded, is_of_layouts
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.memory import Buffer, Tensor, indices_of, read
from accel.kernels.frontend.methods import METHODS_OF_MEMORY
from accel.kernels.frontend.objects import entity_of_object, is_hashable, number_type
from accel.kernels.frontend.operands import constant_object, described, elementwise, index_of, number_of
from accel.kernels.frontend.operators import apply, comparison, fold, signed
from accel.kernels.frontend.parts import sliced
from accel.kernels.frontend.promotion import chosen, truth
from accel.kernels.frontend.values import Constant, Entity, Struct, Tuple, Value, Vector, is_number, mapped
from accel.kernels.functions import Func

__all__ = ["branches", "condition", "lower", "lower_all", "quietly"]


def lower(act: Activation, node: ast.expr) -> Entity:
    """Return the entity of an expression, and append the statements that it needs to the block."""
    handler = _EXPRESSIONS.get(type(node))
    if handler is None:
        raise act.error(node, hints.of_syntax(node))
    return handler(act, node)


def lower_all(act: Activation, nodes: Sequence[ast.expr]) -> list[Entity]:
    """Return what expressions stand for, evaluated in order.

    If a later one has effects, earlier ones that read memory are evaluated before.
    """
    entities: list[Entity] = []
    for node in nodes:
        entity, effects = quietly(act, node)
        if effects:
            entities = [act.unit.evaluated(x, _loads) for x in entities]
            act.unit.block += effects
        entities.append(entity)
    return entities


def _loads(x: Any) -> bool:
    if isinstance(x, Load):
        return True
    return isinstance(x, tuple) and any(_loads(part) for part in x)


def quietly(act: Activation, node: ast.expr) -> tuple[Entity, list[Stmt]]:
    """Return the entity of an expression, and the statements that it needs, without appending them."""
    with act.unit.into([]) as block:
        return lower(act, node), block


def condition(act: Activation, node: ast.expr) -> Value | Constant:
    """Return the truth of an expression."""
    return truth_of(act, node, lower(act, node))


def truth_of(act: Activation, node: ast.expr, x: Entity) -> Value | Constant:
    """Return the truth of an entity."""
    if isinstance(x, Constant):
        return Constant(bool(x.value))
    if isinstance(x, Tuple | Struct):
        return Constant(bool(x.items))
    number = number_of(act, node, x, "a condition")
    with act.at(node):
        return truth(number)


def _constant(_act: Activation, node: ast.Constant) -> Entity:
    return Constant(node.value)


def _tuple(act: Activation, node: ast.Tuple) -> Tuple:
    return Tuple(tuple(lower_all(act, node.elts)))


def _binary(act: Activation, node: ast.BinOp) -> Entity:
    return apply(act, node, node.op, *lower_all(act, [node.left, node.right]))


_FOLDED: Mapping[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}


def _unary(act: Activation, node: ast.UnaryOp) -> Entity:
    operand = lower(act, node.operand)
    if isinstance(node.op, ast.Not):
        truth = truth_of(act, node.operand, operand)
        return Constant(not truth.value) if isinstance(truth, Constant) else Value(Unary("not", truth.expr, TRUTH))
    if isinstance(operand, Constant):
        return fold(act, node, _FOLDED[type(node.op)], operand)
    return elementwise(act, node, partial(signed, act, node), [operand])


def _compare(act: Activation, node: ast.Compare) -> Entity:
    return _chain(act, node, 0, *lower_all(act, [node.left, node.comparators[0]]))


def _chain(act: Activation, node: ast.Compare, place: int, left: Entity, right: Entity) -> Entity:
    """Return whether all comparisons from one on hold; as in Python, none is evaluated after one that does not."""
    if place == len(node.ops) - 1:
        return comparison(act, node, node.ops[place], left, right)
    left, right = act.unit.evaluated(left, _loads), act.unit.evaluated(right)
    test = comparison(act, node, node.ops[place], left, right)
    return _either(
        act, node, True, test, lambda: _chain(act, node, place + 1, right, lower(act, node.comparators[place + 1]))
    )


def _logic(act: Activation, node: ast.BoolOp) -> Entity:
    first = lower(act, node.values[0])
    for value in node.values[1:]:
        first = _either(act, node, isinstance(node.op, ast.And), first, partial(lower, act, value))
    return first


def _either(act: Activation, node: ast.expr, is_and: bool, x: Entity, other: Callable[[], Entity]) -> Entity:
    """Return ``x`` or another operand, which is evaluated only if ``x`` does not decide, as in Python."""
    decided = truth_of(act, node, x)
    if isinstance(decided, Constant):
        return other() if decided.value == is_and else x
    if x.dtype != TRUTH:
        x = act.unit.keep(x)
        decided = truth(x)
    with act.unit.into([]) as block:
        y = other()
    if not block and x.dtype == TRUTH and is_number(y):
        right = number_of(act, node, y)
        if right.dtype == TRUTH:
            return Value(Logic("and" if is_and else "or", x.expr, right.expr))
    first, second = ((y, block), (x, [])) if is_and else ((x, []), (y, block))
    return _selected(act, node, decided, first, second)


def _choice(act: Activation, node: ast.IfExp) -> Entity:
    decided = condition(act, node.test)
    if isinstance(decided, Constant):
        return lower(act, node.body if decided.value else node.orelse)
    return _selected(act, node, decided, quietly(act, node.body), quietly(act, node.orelse))


def _selected(
    act: Activation, node: ast.AST, test: Value, one: tuple[Entity, list[Stmt]], other: tuple[Entity, list[Stmt]]
) -> Entity:
    """Return one of two entities, each with the statements that it needs, which run only if it is chosen."""
    (x, first), (y, second) = one, other
    result = _alike(act, node, test, x, y)
    if not first and not second:
        return result
    result = mapped(partial(_assigned, act, first, second), result)
    act.unit.block.append(branches(test.expr, tuple(first), tuple(second)))
    return result


def _alike(act: Activation, node: ast.AST, test: Value, x: Entity, y: Entity) -> Entity:
    """Return ``x`` or ``y``, number by number."""
    if isinstance(x, Tuple | Struct) and type(x) is type(y) and len(x.items) == len(y.items):
        items = tuple([_alike(act, node, test, a, b) for a, b in zip(x.items, y.items, strict=True)])
        return Tuple(items) if isinstance(x, Tuple) else Struct(x.cls, items)
    if isinstance(x, Constant) and x == y and repr(x) == repr(y):  # 0.0 equals -0.0, and 1 equals 1.0
        return x
    return elementwise(act, node, partial(chosen, test), (x, y))


def _assigned(act: Activation, first: list[Stmt], second: list[Stmt], x: Value) -> Value:
    """Assign the two values of a choice in its two branches."""
    assert isinstance(x.expr, Select), "a choice of numbers"
    target = Local(act.unit.temporary_name(x.dtype, x.weak), x.dtype)
    first.append(Assign(target, x.expr.x))
    second.append(Assign(target, x.expr.y))
    return Value(target, x.weak)


def branches(test: Expr, body: tuple[Stmt, ...], otherwise: tuple[Stmt, ...]) -> If:
    """Return the statement that runs one of two bodies, of which one may be empty."""
    return If(test, body, otherwise) if body else If(Unary("not", test, TRUTH), otherwise)


def _named(act: Activation, node: ast.Name) -> Entity:
    entity = entity_of(act, act.find(node))
    if isinstance(entity, Accumulator):
        return entity.value(act, node)
    return entity


def _subscript(act: Activation, node: ast.Subscript) -> Entity:
    if isinstance(node.slice, ast.Slice):
        return _slice(act, node, node.slice)
    of, index = lower_all(act, [node.value, node.slice])
    if isinstance(of, Buffer | Tensor):
        return read(act, node, of, indices_of(act, node, of, index))
    if isinstance(of, Tuple | Vector | Struct):
        return item(act, node, of, index)
    if isinstance(of, Constant) and isinstance(index, Constant):
        return fold(act, node, operator.getitem, of, index)
    raise act.error(node, f"{ast.unparse(node.value)} has no elements in a kernel")


def _slice(act: Activation, node: ast.Subscript, part: ast.Slice) -> Entity:
    if part.step is not None:
        step = lower(act, part.step)
        if not (isinstance(step, Constant) and step.value in (1, None)):
            raise act.error(node, "a slice in a kernel has step 1; write a loop with a step")
    of = lower(act, node.value)
    if isinstance(of, Tuple) and (part.lower or part.upper) is not None:
        bounds = [
            None if x is None else constant_object(act, node, lower(act, x), "a bound")
            for x in (part.lower, part.upper)
        ]
        return Tuple(of.items[slice(*bounds)])
    if not isinstance(of, Buffer | Tensor):
        raise act.error(node, f"{ast.unparse(node.value)} is no memory; only memory is sliced")
    return sliced(act, node, of, *[_bound(act, x) for x in (part.lower, part.upper)])


def _bound(act: Activation, node: ast.expr | None) -> Expr | None:
    if node is None:
        return None
    entity = lower(act, node)
    if entity == Constant(None):
        return None
    return act.unit.temporary(index_of(act, node, entity, "the bound of a slice"))


def _call(act: Activation, node: ast.Call) -> Entity:
    if isinstance(node.func, ast.Attribute):
        of = lower(act, node.func.value)
        if isinstance(of, Buffer | Tensor) and node.func.attr != "dtype":
            return _method(act, node, of, node.func.attr)
        if isinstance(of, Value | Vector) and node.func.attr == "conjugate":
            return FUNCTIONS[np.conjugate](act, node, of)
        if isinstance(of, Value | Vector) and node.func.attr == "astype":
            return _cast(act, node, of)
        called = attribute(act, node.func, of)
    else:
        called = lower(act, node.func)
    if not isinstance(called, Constant):
        raise act.error(node, f"{ast.unparse(node.func)} cannot be called in a kernel; found {described(called)}")
    return _called(act, node, called.value)


def _cast(act: Activation, node: ast.Call, x: Value | Vector) -> Entity:
    """Return ``x.astype(dtype)``."""
    given = _arguments(act, node).positional
    kind = number_type(given[0].value) if len(given) == 1 and isinstance(given[0], Constant) else None
    if kind is None:
        raise act.error(node, f"astype takes a dtype, as in x.astype(np.float32); found {ast.unparse(node)}")
    return call_cast(act, node, kind, Arguments([x], {}))


def _called(act: Activation, node: ast.Call, function: Any) -> Entity:
    arguments = _arguments(act, node)
    if isinstance(function, Func):
        return act.unit.inline(act, node, function.source, *arguments)
    if is_folded(function, arguments):
        return fold(act, node, function, *arguments.positional)
    if is_of_layouts(function):
        return fold(
            act, node, function, *[Constant(constant_object(act, node, x, "this")) for x in arguments.positional]
        )
    with act.at(node):
        number = number_type(function)
    if number is not None:
        return call_cast(act, node, number, arguments)
    handler = FUNCTIONS.get(function) if is_hashable(function) else None
    if handler is not None:
        bound = bound_arguments(act, node, handler, arguments, skipped=2)
        return handler(act, node, *bound.args, **bound.kwargs)
    if isinstance(function, type) and issubclass(function, tuple) and hasattr(function, "_fields"):
        return _struct(act, node, function, *arguments)
    raise act.error(node, hints.of_call(node, function))


def _arguments(act: Activation, node: ast.Call) -> Arguments:
    if any(keyword.arg is None for keyword in node.keywords):
        raise act.error(node, "unpacked arguments (**x) are not supported in kernels")
    values = lower_all(act, [*node.args, *[keyword.value for keyword in node.keywords]])
    count = len(node.args)
    names = [str(keyword.arg) for keyword in node.keywords]
    return Arguments(values[:count], dict(zip(names, values[count:], strict=True)))


def _method(act: Activation, node: ast.Call, memory: Buffer | Tensor, name: str) -> Entity:
    handler = METHODS_OF_MEMORY.get(name)
    if handler is None:
        hint = hints.of_method(name) or f"; there are {', '.join(METHODS_OF_MEMORY)}"
        raise act.error(node, f"{memory.memory} has no method {name} in a kernel{hint}")
    if isinstance(memory, Buffer) and handler.__module__.endswith("tensors"):
        raise act.error(node, f"{name} is for tensors; pass accel.LayoutTensor(x, layout) in place of {memory.kind}")
    bound = bound_arguments(act, node, handler, _arguments(act, node), skipped=3)
    with act.at(node):
        return handler(act, node, memory, *bound.args, **bound.kwargs)


def _struct(act: Activation, node: ast.AST, cls: Any, fields: Sequence[Entity], named: Mapping[str, Entity]) -> Struct:
    values = dict(zip(cls._fields, fields, strict=False))
    with act.at(node):
        defaults = {name: entity_of_object(value) for name, value in cls._field_defaults.items()}
    complete = {**defaults, **values, **named}
    if set(complete) != set(cls._fields) or len(fields) > len(cls._fields) or set(values) & set(named):
        raise act.error(node, f"{cls.__name__} has the fields {', '.join(cls._fields)}; found {ast.unparse(node)}")
    return Struct(cls, tuple([complete[name] for name in cls._fields]))


_EXPRESSIONS: Mapping[type[ast.AST], Callable[..., Entity]] = {
    ast.Constant: _constant,
    ast.Tuple: _tuple,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _logic,
    ast.IfExp: _choice,
    ast.Name: _named,
    ast.Attribute: lambda act, node: attribute(act, node, lower(act, node.value)),
    ast.Subscript: _subscript,
    ast.Call: _call,
}
