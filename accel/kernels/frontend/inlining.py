"""Calls of functions: their bodies are lowered where they are called."""

import ast
import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from accel.dtypes import as_dtype
from accel.kernels.frontend.bindings import bound, is_variable
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.expressions import lower
from accel.kernels.frontend.function_source import FunctionSource
from accel.kernels.frontend.objects import entity_of_object
from accel.kernels.frontend.promotion import as_value, stored, truth
from accel.kernels.frontend.returns import begin_function, result_of, returns
from accel.kernels.frontend.statements import lower_block
from accel.kernels.frontend.values import Constant, Entity, is_number

__all__ = ["inline"]


def inline(
    act: Activation, node: ast.Call, source: FunctionSource, arguments: Sequence[Entity], named: Mapping[str, Entity]
) -> Entity:
    """Lower a call of a function: its body is lowered here, for these arguments."""
    callers = (*act.calls, (act.source, node.lineno))
    if any(caller is source for caller, _ in callers):
        raise act.error(node, f"{source.name} calls itself; kernels have no recursion: write a loop")
    inner = _activation(act, node, source, callers)
    _bind(act, node, inner, arguments, named)
    *body, last = source.tree.body
    if isinstance(last, ast.Return) and not any(map(returns, body)):
        lower_block(inner, body)
        inner.mark(last)
        return inner.unit.evaluated(Constant(None) if last.value is None else lower(inner, last.value))
    begin_function(inner)
    return result_of(inner, lower_block(inner, source.tree.body))


def _activation(act: Activation, node: ast.Call, source: FunctionSource, calls: Any) -> Activation:
    try:
        return Activation(act.unit, source, calls)
    except (NameError, TypeError) as error:  # an annotation is wrong
        raise act.error(node, f"{source.name}: {error}") from None


def _bind(
    act: Activation, node: ast.Call, inner: Activation, arguments: Sequence[Entity], named: Mapping[str, Entity]
) -> None:
    signature = inspect.Signature(inner.source.parameters)
    try:
        values = signature.bind(*arguments, **named).arguments
    except TypeError as error:
        takes = ", ".join(signature.parameters) or "no arguments"
        raise act.error(node, f"{inner.source.name} takes {takes}; found {ast.unparse(node)}: {error}") from None
    for name, parameter in signature.parameters.items():
        with act.at(node):
            value = values[name] if name in values else entity_of_object(parameter.default)
        value = _declared(act, node, inner.source.name, parameter, value)
        copied = is_variable(value) or inner.assigned.get(name)
        inner.names[name] = bound(inner, node, name, value) if copied else value


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
