"""Tensors as text, and as pictures in notebooks."""

from itertools import chain
from typing import Any, SupportsIndex

import numpy as np

from accel.memory.writer import Writer, write_text
from accel.views.contents import TensorContents

__all__ = ["html", "representation", "text", "write_to"]

_SMALL = 1000
"""The most elements that a notebook shows."""


def text(tensor: TensorContents, limit: SupportsIndex = 1000, edge: SupportsIndex = 3) -> str:
    """Return the elements as text: one line for each row if the rank is 2, else one colexicographic line.

    Elements of several numbers are in brackets.

    Parameters
    ----------
    limit : int
        Tensors with more elements than this are abbreviated.
    edge : int
        Number of elements shown at each end of an abbreviated row, column or line.
    """
    if not tensor.size:
        return ""
    shown = None if tensor.size <= limit.__index__() else edge.__index__()
    values = tensor.to_numpy()
    if tensor.rank == 2:
        rows = _ends(range(tensor.shape[0]), shown)
        return "\n".join(["... " if i is None else _row(values[i], shown) for i in rows])
    order = (*reversed(range(tensor.rank)), *range(tensor.rank, values.ndim))
    line = values.transpose(order).reshape(tensor.size, *values.shape[tensor.rank :])
    return _row(line, shown).removesuffix(" ")


def write_to(tensor: TensorContents, file: Writer) -> None:
    """Write ``str(tensor)`` to a file or any other writer.

    Parameters
    ----------
    file : writer
        Anything with a method ``write``.
    """
    write_text(file, str(tensor))


def representation(tensor: TensorContents) -> str:
    """Return the class, dtype, layout and device; not the elements."""
    return f"<{type(tensor).__name__} {_facts(tensor)}>"


def html(tensor: TensorContents) -> str:
    """Return the facts of the representation, the elements of a small tensor, and a picture of the layout."""
    from accel.layout import Picture  # slow to import, and rarely needed
    from accel.pictures.html import card, folded, preformatted

    is_shown = tensor.size <= _SMALL and not tensor._storage.released  # a copy of all elements takes time and memory
    elements = preformatted(text(tensor)) if is_shown else ""
    return card(type(tensor).__name__, _facts(tensor), elements, folded("layout", Picture(tensor.layout).html()))


def _facts(tensor: TensorContents) -> str:
    where = "released" if tensor._storage.released else str(tensor.device)
    parts = [tensor._dtype.name, str(tensor.layout), where]
    if tensor.offset:
        parts.append(f"offset={tensor.offset}")
    if tensor._geometry.element.size != 1:
        parts.append(f"element_layout={tensor.element_layout}")
    if tensor.masked:
        parts.append(f"valid={tensor._geometry.inside}")
    return ", ".join(parts)


def _ends(places: range, shown: int | None) -> "list[int | None]":
    """Return all indices, or those at each end with None between them."""
    if shown is None or len(places) <= 2 * shown:
        return list(places)
    return [*chain(places[:shown], [None], places[len(places) - shown :])]


def _row(values: Any, shown: int | None) -> str:
    places = _ends(range(len(values)), shown)
    return "".join(["... " if i is None else f"{_number(values[i])} " for i in places])


def _number(value: Any) -> str:
    if np.ndim(value):
        return f"[{', '.join(map(_number, value.reshape(-1)))}]"
    # NumPy formats dtypes that are not its own, such as bfloat16, like integers.
    return str(np.float32(value)) if value.dtype.kind == "V" or value.dtype.isbuiltin == 2 else str(value)
