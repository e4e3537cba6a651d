"""Expressions of a kernel: from Python's syntax tree to entities."""

import ast
import operator
import types
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from accel.dtypes import DType, as_dtype
from accel.errors import AccelError
from accel.ir import INDEX, TRUTH, Expr, If, Load, Logic, Stmt, Unary
from accel.kernels.frontend import indexing
from accel.kernels.frontend.accumulators import Accumulator
from accel.kernels.frontend.attributes import attribute, item
from accel.kernels.frontend.bindings import entity_of
from accel.kernels.frontend.calls import FUNCTIONS, call_cast
from accel.kernels.frontend.context import Activation, value_of_object
from accel.kernels.frontend.memory import Buffer, Tensor, indices_of, read, sliced
from accel.kernels.frontend.methods import METHODS_OF_MEMORY
from accel.kernels.frontend.operands import constant_object, elementwise, number_of
from accel.kernels.frontend.operators import apply, both, comparison, fold, signed
from accel.kernels.frontend.promotion import as_value, chosen, kind_of, truth
from accel.kernels.frontend.values import Constant, Entity, Struct, Tuple, Value, Vector, is_number
from accel.kernels.functions import Func

__all__ = ["condition", "lower", "lower_all", "quietly"]


_PYTHON = {int: (INDEX, True), float: (np.dtype(np.float64), True), bool: (TRUTH, False)}


_PYTHON_AND_COMPLEX = {**_PYTHON, complex: (np.dtype(np.complex128), True)}


def lower(act: Activation, node: ast.expr) -> Entity:
    """Return what an expression stands for; what it does besides is appended to the block."""
    handler = _EXPRESSIONS.get(type(node))
    if handler is None:
        raise act.error(node, f"{_name_of(node)} is not supported in kernels")
    return handler(act, node)


def lower_all(act: Activation, nodes: Sequence[ast.expr]) -> list[Entity]:
    """Return what expressions stand for, evaluated in order.

    If a later one has effects, earlier ones that read memory are evaluated before.
    """
    found: list[Entity] = []
    for node in nodes:
        before = len(act.unit.block)
        entity = lower(act, node)
        effects = act.unit.block[before:]
        if effects and any(_reads(x) for x in found):
            del act.unit.block[before:]
            found = [_kept(act, x) for x in found]
            act.unit.block += effects
        found.append(entity)
    return found


def _reads(x: Entity) -> bool:
    if isinstance(x, Value):
        return _loads(x.expr)
    return isinstance(x, Tuple | Vector | Struct) and any(map(_reads, x.items))


def _loads(x: Any) -> bool:
    if isinstance(x, Load):
        return True
    return isinstance(x, tuple) and any(_loads(part) for part in x)


def _kept(act: Activation, x: Entity) -> Entity:
    if isinstance(x, Value):
        return act.unit.keep(x) if _loads(x.expr) else x
    if isinstance(x, Tuple | Vector):
        return type(x)(tuple([_kept(act, item) for item in x.items]))
    return x


def quietly(act: Activation, node: ast.expr) -> tuple[Entity, list[Stmt]]:
    """Return what an expression stands for, and the statements that it needs, which are not appended."""
    with act.unit.into([]) as block:
        return lower(act, node), block


def condition(act: Activation, node: ast.expr) -> Value | Constant:
    """Return the truth of an expression."""
    found = lower(act, node)
    if isinstance(found, Constant | Tuple):
        return Constant(bool(found.value if isinstance(found, Constant) else found.items))
    number = number_of(act, node, found, "a condition")
    with act.at(node):
        return truth(number)


def _name_of(node: ast.AST) -> str:
    names = {
        "Lambda": "a lambda",
        "ListComp": "a list comprehension",
        "SetComp": "a set comprehension",
        "DictComp": "a dict comprehension",
        "GeneratorExp": "a generator expression",
        "JoinedStr": "an f-string",
        "List": "a list (write a tuple, or stack_allocation for an array)",
        "Dict": "a dict",
        "Set": "a set",
        "NamedExpr": "an assignment expression (:=)",
        "Starred": "an unpacked argument (*x)",
        "Await": "await",
        "Yield": "yield",
    }
    return names.get(type(node).__name__, type(node).__name__)


def _constant(_act: Activation, node: ast.Constant) -> Entity:
    return Constant(node.value)


def _tuple(act: Activation, node: ast.Tuple) -> Tuple:
    return Tuple(tuple(lower_all(act, node.elts)))


def _binary(act: Activation, node: ast.BinOp) -> Entity:
    return apply(act, node, node.op, *lower_all(act, [node.left, node.right]))


def _unary(act: Activation, node: ast.UnaryOp) -> Entity:
    given = lower(act, node.operand)
    if isinstance(node.op, ast.Not):
        found = condition(act, node.operand) if not is_number(given) else given
        if isinstance(found, Constant):
            return Constant(not found.value)
        with act.at(node):
            return Value(Unary("not", truth(found).expr, TRUTH))
    if isinstance(given, Constant):
        functions: dict[Any, Callable[[Any], Any]] = {
            ast.USub: operator.neg,
            ast.UAdd: operator.pos,
            ast.Invert: operator.invert,
        }
        return fold(act, node, functions[type(node.op)], given)
    if isinstance(node.op, ast.UAdd):
        return given
    return elementwise(act, node, partial(signed, act, node), [given])


def _compare(act: Activation, node: ast.Compare) -> Entity:
    entities = lower_all(act, [node.left, *node.comparators])
    if len(entities) > 2:
        entities = [entities[0], *[_shared(act, x) for x in entities[1:-1]], entities[-1]]
    found: Entity = Constant(True)
    for op, x, y in zip(node.ops, entities[:-1], entities[1:], strict=True):
        found = both(act, node, found, comparison(act, node, op, x, y))
    return found


def _shared(act: Activation, x: Entity) -> Entity:
    """Return an operand of two comparisons, evaluated once."""
    return act.unit.keep(x) if isinstance(x, Value) else x


def _logic(act: Activation, node: ast.BoolOp) -> Entity:
    op = "and" if isinstance(node.op, ast.And) else "or"
    found = condition(act, node.values[0])
    for value in node.values[1:]:
        if isinstance(found, Constant):
            if found.value != (op == "and"):
                return found
            found = condition(act, value)
            continue
        with act.unit.into([]) as block:
            other = condition(act, value)
        right = as_value(other)
        if block:  # what the second operand needs is done only if the first does not decide
            name = act.unit.name("c")
            act.unit.assign(name, found)
            with act.unit.into(block):
                act.unit.assign(name, right)
            first = act.unit.local(name).expr
            act.unit.block.append(If(first if op == "and" else Unary("not", first, TRUTH), tuple(block)))
            found = act.unit.local(name)
        else:
            found = Value(Logic(op, found.expr, right.expr))  # type: ignore[arg-type]
    return found


def _choice(act: Activation, node: ast.IfExp) -> Entity:
    decided = condition(act, node.test)
    if isinstance(decided, Constant):
        return lower(act, node.body if decided.value else node.orelse)
    (x, first), (y, second) = quietly(act, node.body), quietly(act, node.orelse)
    if not first and not second:
        return elementwise(act, node, partial(chosen, decided), (x, y))
    if not (is_number(x) and is_number(y)):
        raise act.error(node, "both values of this expression are to be numbers; write if and else")
    name = act.unit.name("t")
    for value, block in ((x, first), (y, second)):
        with act.unit.into(block):
            act.unit.assign(name, as_value(value))
    act.unit.block.append(If(decided.expr, tuple(first), tuple(second)))
    return act.unit.local(name)


def _named(act: Activation, node: ast.Name) -> Entity:
    found = entity_of(act, act.find(node))
    if isinstance(found, Accumulator):
        return found.value(act, node)
    return found


def _subscript(act: Activation, node: ast.Subscript) -> Entity:
    if isinstance(node.slice, ast.Slice):
        return _slice(act, node, node.slice)
    of, index = lower_all(act, [node.value, node.slice])
    if isinstance(of, Buffer | Tensor):
        return read(act, node, of, indices_of(act, node.slice, of, index))
    if isinstance(of, Constant) and isinstance(of.value, tuple):
        of = Tuple(tuple(map(value_of_object, of.value)))
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
    given = lower(act, node)
    if isinstance(given, Constant) and given.value is None:
        return None
    number = number_of(act, node, given, "an integer")
    if kind_of(number.dtype) not in "iu":
        raise act.error(node, f"the bound of a slice is an integer; found {number.dtype.name}")
    return act.unit.temporary(indexing.as_index(number.expr))


def _call(act: Activation, node: ast.Call) -> Entity:
    if isinstance(node.func, ast.Attribute):
        of = lower(act, node.func.value)
        if isinstance(of, Buffer | Tensor):
            return _method(act, node, of, node.func.attr)
        if isinstance(of, Value | Vector) and node.func.attr == "conjugate":
            return FUNCTIONS[np.conjugate](act, node, of)
        called = attribute(act, node.func, of)
    else:
        called = lower(act, node.func)
    if not isinstance(called, Constant):
        raise act.error(node, f"{ast.unparse(node.func)} cannot be called in a kernel")
    return _called(act, node, called.value)


def _called(act: Activation, node: ast.Call, function: Any) -> Entity:
    if isinstance(function, Func):
        return act.unit.inline(act, node, function.source, *_arguments(act, node))
    dtype = _cast_of(function)
    given, named = _arguments(act, node)
    if dtype is not None and not named:
        return call_cast(act, node, *dtype, given)
    handler = FUNCTIONS.get(function) if _hashable(function) else None
    if handler is not None:
        return _handled(act, node, partial(handler, act, node), given, named)
    if isinstance(function, type) and issubclass(function, tuple) and hasattr(function, "_fields"):
        return _struct(act, node, function, given, named)
    if isinstance(function, types.FunctionType):
        name = function.__name__
        raise act.error(node, f"{name} is a Python function; write @accel.func before it, so that kernels can call it")
    raise act.error(node, f"{ast.unparse(node.func)} is not supported in kernels")


def _hashable(x: Any) -> bool:
    try:
        hash(x)
    except TypeError:
        return False
    return True


def _arguments(act: Activation, node: ast.Call) -> tuple[list[Entity], dict[str, Entity]]:
    if any(keyword.arg is None for keyword in node.keywords):
        raise act.error(node, "unpacked arguments (**x) are not supported in kernels")
    values = lower_all(act, [*node.args, *[keyword.value for keyword in node.keywords]])
    count = len(node.args)
    names = [str(keyword.arg) for keyword in node.keywords]
    return values[:count], dict(zip(names, values[count:], strict=True))


def _handled(
    act: Activation, node: ast.Call, handler: Callable[..., Entity], given: list[Entity], named: dict[str, Entity]
) -> Entity:
    try:
        return handler(*given, **named)
    except TypeError as error:
        if isinstance(error, AccelError):
            raise
        raise act.error(node, f"{ast.unparse(node)}: the arguments do not fit ({error})") from None


def _method(act: Activation, node: ast.Call, memory: Buffer | Tensor, name: str) -> Entity:
    handler = METHODS_OF_MEMORY.get(name)
    if handler is None:
        raise act.error(
            node, f"{memory.memory} has no method {name} in a kernel; there are {', '.join(METHODS_OF_MEMORY)}"
        )
    if isinstance(memory, Buffer) and handler.__module__.endswith("tensors"):
        raise act.error(node, f"{name} is for tensors; pass accel.LayoutTensor(x, layout) in place of {memory.kind}")
    given, named = _arguments(act, node)
    with act.at(node):
        return _handled(act, node, partial(handler, act, node, memory), given, named)


def _struct(act: Activation, node: ast.Call, cls: Any, given: list[Entity], named: dict[str, Entity]) -> Struct:
    values = dict(zip(cls._fields, given, strict=False)) | named
    defaults = {name: Constant(value) for name, value in cls._field_defaults.items()}
    values = defaults | values
    if set(values) != set(cls._fields) or len(given) > len(cls._fields):
        raise act.error(node, f"{cls.__name__} has the fields {', '.join(cls._fields)}; found {ast.unparse(node)}")
    return Struct(cls, tuple([values[name] for name in cls._fields]))


def _cast_of(function: Any) -> tuple[DType, bool] | None:
    """Return the dtype that a called class stands for, and whether its numbers are Python's."""
    if function in _PYTHON_AND_COMPLEX if _hashable(function) else False:
        return _PYTHON_AND_COMPLEX[function]
    if isinstance(function, np.dtype):
        return as_dtype(function), False
    if isinstance(function, type) and (issubclass(function, np.generic) or function.__module__.startswith("ml_dtypes")):
        return as_dtype(function), False
    return None


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
