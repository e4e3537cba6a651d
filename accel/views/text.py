"""`TensorText`: tensors as text and as pictures in notebooks."""

from html import escape
from itertools import chain
from typing import Any, SupportsIndex

import numpy as np

from accel.memory.storage import Writer
from accel.views.contents import TensorContents

__all__ = ["TensorText"]


class TensorText(TensorContents):
    """Mixin of tensors: `str`, `repr`, and HTML for notebooks."""

    __slots__ = ()

    def __str__(self) -> str:
        return self.text()

    def text(self, limit: SupportsIndex = 1000, edge: SupportsIndex = 3) -> str:
        """Return the elements as text: one line for each row if the rank is 2, else one colexicographic line.

        Elements of several numbers are in brackets.

        Parameters
        ----------
        limit : int
            Tensors with more elements than this are abbreviated.
        edge : int
            Number of elements shown at each end of an abbreviated row, column or line.
        """
        if not self.size:
            return ""
        shown = None if self.size <= limit.__index__() else edge.__index__()
        values = self.to_numpy()
        if self.rank == 2:
            rows = _ends(range(self.shape[0]), shown)
            return "\n".join(["... " if i is None else _row(values[i], shown) for i in rows])
        order = (*reversed(range(self.rank)), *range(self.rank, values.ndim))
        line = values.transpose(order).reshape(self.size, *values.shape[self.rank :])
        return _row(line, shown).removesuffix(" ")

    def write_to(self, file: Writer) -> None:
        """Write ``str(self)`` to a file or any other writer."""
        file.write(str(self))

    def __repr__(self) -> str:
        where = "released" if self._storage.released else str(self.device)
        parts = [self._dtype.name, str(self.layout), where]
        if self.offset:
            parts.append(f"offset={self.offset}")
        if self._geometry.element.size != 1:
            parts.append(f"element_layout={self.element_layout}")
        if self.masked:
            parts.append(f"valid={self._geometry.inside}")
        return f"<{type(self).__name__} {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        from accel.layout import Picture  # slow to import, and rarely needed

        return f"<p>{escape(repr(self))}</p>{Picture(self.layout).html()}"


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
