"""Calls of functions: their bodies are lowered where they are called."""

import ast
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from accel.dtypes import as_dtype
from accel.ir import TRUTH, Const, Local
from accel.kernels.frontend.bindings import bound, entity_of
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.expressions import lower
from accel.kernels.frontend.function_source import FunctionSource
from accel.kernels.frontend.promotion import as_value, stored, truth
from accel.kernels.frontend.statements import lower_block, returns
from accel.kernels.frontend.values import Constant, Entity, Struct, Tuple, Value, Vector, is_number

__all__ = ["inline"]


def inline(
    act: Activation, node: ast.Call, source: FunctionSource, given: Sequence[Entity], named: Mapping[str, Entity]
) -> Entity:
    """Lower a call of a function: its body is lowered here, for these arguments."""
    callers = (*act.calls, (act.source, node.lineno))
    if any(caller is source for caller, _ in callers):
        raise act.error(node, f"{source.name} calls itself; kernels have no recursion: write a loop")
    inner = Activation(act.unit, source, callers)
    _bind(act, node, inner, given, named)
    *body, last = source.tree.body
    if isinstance(last, ast.Return) and not any(map(returns, body)):
        lower_block(inner, body)
        return Constant(None) if last.value is None else _kept(inner, lower(inner, last.value))
    if any(returns(loop) for loop in ast.walk(source.tree) if isinstance(loop, ast.For | ast.While)):
        inner.flag = act.unit.name("returned")
        act.unit.assign(inner.flag, Value(Const(False, TRUTH)))
    lower_block(inner, source.tree.body)
    return Constant(None) if inner.returned is None else entity_of(inner, inner.returned)


def _kept(act: Activation, x: Entity) -> Entity:
    return act.unit.keep(x) if isinstance(x, Value) and not isinstance(x.expr, Local) else x


def _bind(
    act: Activation, node: ast.Call, inner: Activation, given: Sequence[Entity], named: Mapping[str, Entity]
) -> None:
    parameters = {each.name: each for each in inner.source.parameters}
    values = dict(zip(parameters, given, strict=False))
    if len(given) > len(parameters) or set(named) - set(parameters) or set(named) & set(values):
        raise act.error(
            node, f"{inner.source.name} takes {', '.join(parameters) or 'no arguments'}; found {ast.unparse(node)}"
        )
    values.update(named)
    for name, parameter in parameters.items():
        if name not in values and parameter.default is parameter.empty:
            raise act.error(node, f"{inner.source.name} needs the argument {name}")
        value = values[name] if name in values else Constant(parameter.default)
        value = _declared(act, node, inner.source.name, parameter, value)
        if isinstance(value, Value | Vector | Struct | Tuple) or (is_number(value) and inner.assigned.get(name)):
            inner.names[name] = bound(inner, node, name, value)
        else:
            inner.names[name] = value


def _declared(act: Activation, node: ast.AST, function: str, parameter: Any, value: Entity) -> Entity:
    """Return an argument as its annotation says."""
    kind = parameter.annotation
    if isinstance(kind, type) and issubclass(kind, np.generic):
        if not is_number(value):
            raise act.error(
                node, f"the parameter {parameter.name} of {function} is a number; found {type(value).__name__.lower()}"
            )
        with act.at(node):
            return stored(as_value(value), as_dtype(kind), parameter.name)
    if kind is bool and is_number(value) and not isinstance(value, Constant):
        return truth(value)
    return value
