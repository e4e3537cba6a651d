"""`explain`: the steps of an operation, its result, and a check of the result."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from html import escape
from itertools import pairwise
from typing import Any, NamedTuple

from accel.errors import LayoutError
from accel.layout import algebra, inverse, recasting, tiling
from accel.layout.coordinates import evaluated
from accel.layout.derivations import DERIVATIONS, Line
from accel.layout.layout import Layout, as_layout
from accel.layout.tilers import as_tiler, tiler_text

__all__ = ["Explanation", "explain"]

_CHECKED = 1 << 12
_SHOWN = 16

_OPERATIONS: dict[str, Callable[..., Layout]] = {
    name: getattr(module, name)
    for name in DERIVATIONS
    for module in (algebra, inverse, recasting, tiling)
    if hasattr(module, name)
}
_BY_TILER = frozenset(name for name in DERIVATIONS if name.endswith(("_divide", "_product")) or name == "composition")
_PLAIN = frozenset(("coalesce", "complement", "downcast", "recast", "upcast"))


class Explanation(NamedTuple):
    """The steps and the result of an operation; `str` gives its text, and notebooks show it as HTML.

    Attributes
    ----------
    title : str
        The operation and its operands.
    definition : str
        The definition of the operation, in one sentence.
    lines : tuple of Line
        The steps, each with its nesting depth.
    result : Layout or None
        The result; None if the operation raises `LayoutError`.
    verdict : str
        The first values of the result and how they were checked, or the message of the error.
    """

    title: str
    definition: str
    lines: tuple[Line, ...]
    result: Layout | None
    verdict: str

    def __str__(self) -> str:
        steps = [f"  {'  ' * line.depth}- {line.text}" for line in self.lines]
        return "\n".join([self.title, f"  {self.definition}", *steps, f"  {self._end()}"])

    def _end(self) -> str:
        return f"refused: {self.verdict}" if self.result is None else f"result: {self.result}  ({self.verdict})"

    def _repr_html_(self) -> str:
        return (
            f"<div><p><b>{escape(self.title)}</b><br>{escape(self.definition)}</p>"
            f"{_as_list(self.lines)}<p><b>{escape(self._end())}</b></p></div>"
        )


def _as_list(lines: Iterable[Line]) -> str:
    """Return steps as nested lists."""
    items, depth = [], -1
    for line in lines:
        items.append("<ul>" * (line.depth - depth) + "</ul>" * (depth - line.depth))
        items.append(f"<li>{escape(line.text)}</li>")
        depth = line.depth
    return "".join([*items, "</ul>" * (depth + 1)])


def explain(operation: str | Callable[..., Any], *operands: Any) -> Explanation:
    """Explain step by step how an operation reaches its result, or why it raises an error.

    Parameters
    ----------
    operation : str or function
        The operation or its name: ``accel.layout.composition`` or ``"composition"``.
    *operands : Layout, tiler, int or shape
        The operands of the operation.

    Raises
    ------
    LayoutError
        If this operation cannot be explained; the message lists those that can.

    Examples
    --------
    >>> from accel.layout import Layout, explain
    >>> print(explain("complement", Layout(4, 2), 24))
    complement 4:2, 24
      The smallest strictly increasing R such that A(i) + R(j) covers [0, |A| |R|) exactly once, and |A| |R| >= size.
      - 4:2 leaves a hole before it, filled by 2:1; the span is now 8
      - 3 * 8 reaches 24: 3:8
      result: (2,3):(1,8)  (0, 1, 8, 9, 16, 17; true of all 24 sums)
    """
    name = operation if isinstance(operation, str) else getattr(operation, "__name__", repr(operation))
    if name not in DERIVATIONS:
        raise LayoutError(f"{name} cannot be explained; write one of: {', '.join(sorted(DERIVATIONS))}")
    layouts = _as_operands(name, operands)
    definition = (_OPERATIONS[name].__doc__ or "").partition("\n")[0]
    title = f"{name} {', '.join(map(_shown, layouts))}"
    try:
        result = _OPERATIONS[name](*layouts)
    except LayoutError as error:
        return Explanation(title, definition, _steps_before_error(name, layouts), None, str(error))
    return Explanation(title, definition, tuple(DERIVATIONS[name](*layouts)), result, _verdict(name, layouts, result))


def _as_operands(name: str, operands: tuple[Any, ...]) -> tuple[Any, ...]:
    if not operands:
        raise TypeError(f"{name} needs operands: explain({name!r}, Layout(...), ...)")
    first, others = as_layout(operands[0]), operands[1:]
    if name in _PLAIN:
        return first, *others
    return first, *map(as_tiler if name in _BY_TILER else as_layout, others)


def _shown(operand: Any) -> str:
    return tiler_text(operand) if isinstance(operand, tuple | Layout) and _is_tiler(operand) else f"{operand}"


def _is_tiler(operand: Any) -> bool:
    return isinstance(operand, Layout) or any(part is None or not isinstance(part, int) for part in operand)


def _steps_before_error(name: str, layouts: tuple[Any, ...]) -> tuple[Line, ...]:
    """Return the steps up to the one that raises `LayoutError`."""
    lines: list[Line] = []
    with suppress(LayoutError):  # the verdict has its message
        lines.extend(DERIVATIONS[name](*layouts))
    return tuple(lines)


def _verdict(name: str, layouts: tuple[Any, ...], result: Layout) -> str:
    values = [evaluated(result.leaves, i) for i in range(min(result.size, _SHOWN))]
    shown = ", ".join([*map(str, values), *(["..."] if result.size > _SHOWN else [])])
    check = _CHECKS.get(name)
    checked = check(result, *layouts) if check is not None and result.size <= _CHECKED else ""
    return f"{shown}; {checked}" if checked else shown


def _is_coalesced(result: Layout, layout: Layout, *_profile: Any) -> str:
    assert algebra.equivalent(result, layout), "coalescing keeps all values"
    return f"the same at all {result.size} coordinates"


def _is_composition(result: Layout, a: Layout, b: Any) -> str:
    if not isinstance(b, Layout):
        return ""
    expected = [evaluated(a.leaves, evaluated(b.leaves, i)) for i in range(b.size)]
    assert expected == [evaluated(result.leaves, i) for i in range(result.size)], "R(c) = A(B(c))"
    return f"A(B(c)) at all {b.size} coordinates"


def _is_complement(result: Layout, layout: Layout, *_size: Any) -> str:
    inner, outer = ([evaluated(part.leaves, i) for i in range(part.size)] for part in (algebra.filter(layout), result))
    count = len(inner) * len(outer)
    if count > _CHECKED:
        return ""
    assert sorted(i + j for i in inner for j in outer) == list(range(count)), (
        "A and its complement cover every offset once"
    )
    assert all(i < j for i, j in pairwise(outer)), "a complement is strictly increasing"
    return f"true of all {count} sums"


def _is_right_inverse(result: Layout, *layouts: Layout) -> str:
    for layout in layouts:
        values = [evaluated(layout.leaves, evaluated(result.leaves, i)) for i in range(result.size)]
        assert values == list(range(result.size)), "A(R(i)) = i"
    return f"A(R(i)) = i at all {result.size} coordinates"


def _is_left_inverse(result: Layout, layout: Layout) -> str:
    values = [evaluated(result.leaves, evaluated(layout.leaves, i)) for i in range(layout.size)]
    assert values == list(range(layout.size)), "R(A(i)) = i"
    return f"R(A(i)) = i at all {layout.size} coordinates"


_CHECKS: dict[str, Callable[..., str]] = {
    "coalesce": _is_coalesced,
    "complement": _is_complement,
    "composition": _is_composition,
    "left_inverse": _is_left_inverse,
    "max_common_layout": _is_right_inverse,
    "right_inverse": _is_right_inverse,
}
