"""The stages of a fused function before its loops have code: the graph of array operations, and the regions, as text.

Arrays of the graph are called ``n1``, ``n2`` and so on. ``i0``, ``i1`` and so on are the indices of the array that is
defined, or of the loop.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from accel.fusion.index_maps import Axis, IndexMap
from accel.fusion.nodes import (
    Call,
    Constant,
    Empty,
    Input,
    Node,
    Operation,
    Position,
    Reduction,
    Reshape,
    Result,
    Scalar,
    Scan,
    Update,
    View,
)
from accel.fusion.regions import Region
from accel.tracing.plans import Plan

__all__ = ["STAGES"]


def graph_text(plan: Plan) -> str:
    """Return a line for each array of the graph: its name, dtype and shape, and what it is of which others."""
    nodes = plan.nodes
    names = _names(nodes)
    lines = []
    for node in nodes:
        if isinstance(node, Constant | Scalar):
            continue
        shape = ", ".join(map(str, node.shape))
        said = "" if isinstance(node, Input) else f" = {_said(node, names)}"
        line = f"{names[node]}: {node.dtype.name}[{shape}]{said}"
        lines.append(line if node.line is None else f"{line:<70}  # {PurePath(node.line[0]).name}:{node.line[1]}")
    returned = ", ".join(names[each] for each in plan.outputs)
    lines.append(f"return {returned}" if returned else "return")
    return "\n".join(lines)


def regions_text(plan: Plan) -> str:
    """Return what each loop reads, computes and stores, and the calls between them."""
    names = _names(plan.nodes)
    lines: list[str] = []
    for number, step in enumerate(plan.schedule.steps, 1):
        if isinstance(step, Call):
            lines.append(f"{number}. call of {step.name}({', '.join(names[each] for each in step.operands)})")
        else:
            lines += [f"{number}. loop over {' x '.join(map(str, step.shape)) or '1'}", *_region(step, plan, names)]
    return "\n".join(lines)


STAGES = {"graph": graph_text, "regions": regions_text}


def _names(nodes: Sequence[Node]) -> dict[Node, str]:
    """Return how arrays are called; numbers are written as they are."""
    names: dict[Node, str] = {}
    count = 0
    for node in nodes:
        if isinstance(node, Input):
            names[node] = node.name
        elif isinstance(node, Constant):
            names[node] = str(node.value)
        elif isinstance(node, Scalar):
            names[node] = f"number {node.number + 1}"
        else:
            count += 1
            names[node] = f"n{count}"
    return names


def _said(node: Node, names: Mapping[Node, str]) -> str:  # noqa: PLR0911 - one for each kind of node
    operands = ", ".join([names[each] for each in node.operands])
    if isinstance(node, View):
        return f"{names[node.source]}{_at(node.map)}"
    if isinstance(node, Update):
        return f"{names[node.target]} with {_at(node.map)} = {names[node.value]}"
    if isinstance(node, Position):
        return "i0"
    if isinstance(node, Operation):
        return f"{node.name or node.kind}({operands})"
    if isinstance(node, Reduction):
        return f"{node.op}({operands}) along {', '.join(map(str, node.axes))}"
    if isinstance(node, Scan):
        return f"{node.op}({operands}) in order along {node.axis}"
    if isinstance(node, Result):
        return f"{node.call.name}({operands})" + ("" if node.place is None else f"[{node.place}]")
    return (
        f"{'reshape' if isinstance(node, Reshape) else 'empty' if isinstance(node, Empty) else _word(node)}({operands})"
    )


def _word(node: Any) -> str:
    return f"{type(node).__name__} {getattr(node, 'name', '')}".strip().lower()


def _region(region: Region, plan: Plan, names: Mapping[Node, str]) -> Iterator[str]:
    memory = plan.schedule.memory
    reads = dict.fromkeys(
        f"{plan.names[memory[node]]}{_shape(node, memory[node])}{_at(places)}" for node, places in region.reads
    )
    computed = dict.fromkeys(
        names[node] for node, _ in region.expansion.computed if not isinstance(node, Constant | Scalar | View)
    )
    if reads:
        yield f"   reads     {', '.join(reads)}"
    if computed:
        yield f"   computes  {', '.join(computed)}"
    for task in region.tasks:
        value = task.value
        while isinstance(value, View) and (value not in names or isinstance(value.source, Constant | Scalar)):
            value = value.source  # of a copy that the plan needs, or a number
        yield f"   stores    {names[value]} in {plan.names[task.memory]}{_at(task.map)}"


def _shape(node: Node, memory: Any) -> str:
    """Return with which shape memory is read, if it is not its own."""
    return "" if node.shape == memory.shape else f" as {node.shape}"


def _at(index_map: IndexMap) -> str:
    return f"[{', '.join([_index(each) for each in index_map])}]" if index_map else ""


def _index(axis: Axis) -> str:
    if axis.turn is not None:
        extent, first, pace = axis.turn
        rest = f"({_index(axis._replace(turn=None))}) % {extent}"
        return rest if (first, pace) == (0, 1) else f"{first} + {pace} * ({rest})"
    start, steps, _ = axis
    text = ""
    for number, step in steps:
        size = "" if abs(step) == 1 else f"{abs(step)} * "
        text += f"{' - ' if step < 0 else ' + '}{size}i{number}" if text or step < 0 else f"{size}i{number}"
    text = text.lstrip()
    if not text:
        return str(start)
    if text.startswith("- "):
        return f"{start} {text}"
    return f"{text} {'-' if start < 0 else '+'} {abs(start)}" if start else text
