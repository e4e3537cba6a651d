"""`Text`: tensors as text and as pictures."""

from html import escape
from itertools import chain
from typing import Any, SupportsIndex

import numpy as np

from accel.memory.storage import Writer
from accel.views.contents import TensorContents

__all__ = ["TensorText"]


class TensorText(TensorContents):
    """What `str`, `repr` and notebooks show; to be mixed into a tensor."""

    __slots__ = ()

    def __str__(self) -> str:
        return self.text()

    def text(self, limit: SupportsIndex = 1000, edge: SupportsIndex = 3) -> str:
        """Return the elements: by rows for rank 2, else in one line, colexicographically; vectors in brackets.

        Parameters
        ----------
        limit : int
            How many elements are written out at most.
        edge : int
            How many of more there are at each end of a row, a column or the line.
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
        """Write the text that `str` gives to a file or any other writer."""
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
        from accel.layout import Picture  # which takes longer to load than most views take in all

        return f"<p>{escape(repr(self))}</p>{Picture(self.layout).html()}"


def _ends(places: range, shown: int | None) -> "list[int | None]":
    """Return all places, or those at each end with None between."""
    if shown is None or len(places) <= 2 * shown:
        return list(places)
    return [*chain(places[:shown], [None], places[len(places) - shown :])]


def _row(values: Any, shown: int | None) -> str:
    places = _ends(range(len(values)), shown)
    return "".join(["... " if i is None else f"{_number(values[i])} " for i in places])


def _number(value: Any) -> str:
    if np.ndim(value):
        return f"[{', '.join(map(_number, value.reshape(-1)))}]"
    # What is no dtype of NumPy's own has a text that looks like an integer's.
    return str(np.float32(value)) if value.dtype.kind == "V" or value.dtype.isbuiltin == 2 else str(value)
