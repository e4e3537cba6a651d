"""Arguments of calls in a kernel: bound to the parameters of what is called."""

import ast
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.values import Entity

__all__ = ["Arguments", "bound_arguments"]


class Arguments(NamedTuple):
    """The arguments of a call, by position and by name."""

    positional: Sequence[Entity]
    named: Mapping[str, Entity]


def bound_arguments(
    act: Activation, node: ast.Call, handler: Callable[..., Any], arguments: Arguments, skipped: int
) -> inspect.BoundArguments:
    """Return the arguments of a call for a handler's parameters, of which the first ones are not the call's."""
    signature = _signature(handler, skipped)
    try:
        return signature.bind(*arguments.positional, **arguments.named)
    except TypeError as error:
        takes = ", ".join(map(_shown, signature.parameters.values())) or "no arguments"
        raise act.error(node, f"{ast.unparse(node.func)} takes {takes}; found {ast.unparse(node)}: {error}") from None


def _shown(parameter: inspect.Parameter) -> str:
    optional = "" if parameter.default is parameter.empty else "=..."
    return f"{'*' if parameter.kind is parameter.VAR_POSITIONAL else ''}{parameter.name}{optional}"


@lru_cache(1000)
def _signature(handler: Callable[..., Any], skipped: int) -> inspect.Signature:
    return inspect.Signature([*inspect.signature(handler).parameters.values()][skipped:])
