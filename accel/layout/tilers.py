"""Tilers: the second operand of a composition, a divide or a product."""

from collections.abc import Callable
from typing import Any, TypeAlias

from accel.errors import LayoutError
from accel.layout.int_tuple import refuse_vast
from accel.layout.layout import Layout, as_layout, joined, modes_of
from accel.layout.notation import Reader

__all__ = ["ByMode", "Tiler", "as_tiler", "by_mode", "parse_tiler", "tiler_text"]

ByMode: TypeAlias = "tuple[Tiler | None, ...]"
"""One tiler for each of the first modes; None leaves a mode unchanged."""

Tiler: TypeAlias = "Layout | ByMode"
"""A layout, or one tiler for each of the first modes."""


def as_tiler(value: Any) -> Tiler:
    """Return a tiler: n means n:1, a shape its column-major layout, and a tuple with a layout or None is by mode.

    Raises
    ------
    TypeError
        If it is none of these.
    LayoutError
        If it is nested too deep, or has too many parts.
    """
    if type(value) is tuple and tuple in map(type, value):
        refuse_vast(value)
    return _as_tiler(value)


def _as_tiler(value: Any) -> Tiler:
    if type(value) is tuple and _goes_by_mode(value):
        return tuple([None if part is None else _as_tiler(part) for part in value])
    return as_layout(value)


def _goes_by_mode(value: tuple[Any, ...]) -> bool:
    return any(
        part is None or hasattr(part, "stride") or (type(part) is tuple and _goes_by_mode(part)) for part in value
    )


def by_mode(operation: Callable[[Layout, Any], Layout], layout: Layout, tiler: ByMode) -> list[Layout]:
    """Apply an operation to each mode of a layout and its part of a tiler; modes beyond the tiler are unchanged."""
    refuse_long(layout, tiler)
    results = modes_of(layout)
    for k, part in enumerate(tiler):
        if part is not None:
            results[k] = operation(results[k], part)
    return results


def refuse_long(layout: Layout, tiler: ByMode) -> None:
    """Raise `LayoutError` if a tiler has more parts than a layout has modes."""
    if len(tiler) > layout.rank:
        raise LayoutError(
            f"the tiler {tiler_text(tiler)} has {len(tiler)} parts, and {layout} has {layout.rank} modes; "
            f"write at most one part for each mode, and None for a mode to leave unchanged"
        )


def by_mode_joined(operation: Callable[[Layout, Any], Layout], layout: Layout, tiler: ByMode) -> Layout:
    """Return the layout whose modes are the results of `by_mode`."""
    return joined(by_mode(operation, layout, tiler))


def parse_tiler(text: str) -> Tiler:
    """Return the tiler that is written in a text: a layout, or ``<3:1,_,2:1>`` by mode, where ``_`` means None.

    Parameters
    ----------
    text : str
        The text.

    Raises
    ------
    LayoutError
        If the text cannot be read; the message names the position.

    Examples
    --------
    >>> parse_tiler("<3:1,_>")
    (Layout(3, 1), None)
    """
    reader = Reader(text)
    tiler = _read(reader)
    reader.expect("", "the end")
    assert tiler is not None, "only a part of a tiler can be None"
    return tiler


def _read(reader: Reader) -> Tiler:
    if reader.token == "<":  # noqa: S105 - a bracket is no password
        return reader.parts(lambda: None if reader.accept("_") else _read(reader), "<", ">")
    return Layout.read(reader)


def tiler_text(tiler: "Tiler | None") -> str:
    """Return a tiler in the notation."""
    if tiler is None:
        return "_"
    return str(tiler) if isinstance(tiler, Layout) else f"<{','.join(map(tiler_text, tiler))}>"
