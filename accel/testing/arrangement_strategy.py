"""`arrangements`: a Hypothesis strategy for extents and strides, with all awkward cases."""

from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from accel.dtypes import DType, DTypeLike, as_dtype

__all__ = ["Arrangement", "arrangements"]


class Arrangement(NamedTuple):
    """Extents and strides of elements in a flat array (the room).

    Attributes
    ----------
    extents, strides : tuple of int
        Of each axis, the slowest first. Strides are in elements. They may be negative or 0, and several coordinates
        may name the same element.
    start : int
        Index in the room of the element at coordinates 0.
    room : int
        Number of elements in the room.
    """

    extents: tuple[int, ...]
    strides: tuple[int, ...]
    start: int
    room: int

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.extents)

    def array(self, dtype: DTypeLike = "float64", seed: int = 0) -> np.ndarray[Any, DType]:
        """Return a NumPy array with these extents and strides; its base is a room of random values.

        Parameters
        ----------
        dtype : dtype_like, default "float64"
            The dtype of the elements.
        seed : int, default 0
            What the values are drawn from.
        """
        element = as_dtype(dtype)
        room = np.random.default_rng(seed).integers(0, 2 if element.kind == "b" else 100, self.room).astype(element)
        return self.within(room)

    def within(self, room: np.ndarray[Any, DType]) -> np.ndarray[Any, DType]:
        """Return a view, with these extents and strides, of a flat array of at least ``room`` elements.

        Parameters
        ----------
        room : numpy.ndarray
            The flat array, or how many elements it has at least.
        """
        size = room.itemsize
        # Not as_strided: the constructor refuses elements outside of the room.
        return np.ndarray(self.extents, room.dtype, room, self.start * size, [step * size for step in self.strides])


@st.composite
def arrangements(
    draw: st.DrawFn, *, extents: Sequence[int] | None = None, distinct: bool = False, most: int = 60
) -> Arrangement:
    """Draw an `Arrangement`: empty, single, reversed, broadcast, overlapping, with gaps, in any order of axes.

    Parameters
    ----------
    extents : sequence of int, optional
        The extents; by default any, of up to four axes.
    distinct : bool
        Whether all coordinates name different elements, as a target of a copy needs.
    most : int
        Largest number of elements.

    Returns
    -------
    Arrangement
        A strategy of Hypothesis.

    Examples
    --------
    >>> from hypothesis import find
    >>> from accel.testing import arrangements
    >>> find(arrangements(extents=(2, 3)), lambda arrangement: True).array("int32").shape
    (2, 3)
    """
    if extents is None:
        shapes = st.lists(st.integers(0, 6), max_size=4).filter(lambda drawn: prod(drawn) <= most)
        extents = draw(shapes)
    strides = draw(_distinct_strides(extents) if distinct else _any_strides(extents))
    steps = [(extent - 1) * stride for extent, stride in zip(extents, strides, strict=True)]
    low, high = (sum(step for step in steps if step < 0), sum(step for step in steps if step > 0))
    if 0 in extents:
        low = high = 0
    before, after = draw(st.integers(0, 5)), draw(st.integers(0, 5))
    return Arrangement(tuple(extents), tuple(strides), before - low, before - low + high + 1 + after)


@st.composite
def _distinct_strides(draw: st.DrawFn, extents: Sequence[int]) -> list[int]:
    """Draw strides, each longer than the reach of all shorter ones together; some are negative."""
    strides, longer = [0] * len(extents), 1
    for axis in draw(st.permutations(range(len(extents)))):
        stride = longer + draw(st.sampled_from([0, 0, 0, 1, 3]))
        strides[axis] = stride * draw(st.sampled_from([1, 1, 1, -1]))
        longer = stride * max(extents[axis], 1)
    return strides


def _any_strides(extents: Sequence[int]) -> st.SearchStrategy[list[int]]:
    overlapping = st.lists(st.integers(-7, 7), min_size=len(extents), max_size=len(extents))
    return st.one_of(_distinct_strides(extents), overlapping)
