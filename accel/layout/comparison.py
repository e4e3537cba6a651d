"""Where two layouts differ."""

from typing import Any, NamedTuple

from accel.layout.composition import coalesced
from accel.layout.layout import Layout, as_layout

__all__ = ["Difference", "diff"]


class Difference(NamedTuple):
    """The first integer coordinate at which two layouts differ.

    Attributes
    ----------
    coordinate : int
        The coordinate.
    a, b : int or None
        The offsets there; None if the coordinate is past the end of the layout.
    """

    coordinate: int
    a: int | None
    b: int | None

    def __str__(self) -> str:
        one, other = ("past the end" if offset is None else offset for offset in self[1:])
        return f"at coordinate {self.coordinate}: {one} and {other}"


def diff(a: Any, b: Any) -> Difference | None:
    """The least i with A(i) != B(i), and both offsets there; None if A and B are the same function.

    If one layout is shorter, its end counts as a difference. The time does not depend on the sizes.

    Parameters
    ----------
    a : Layout
        The first layout.
    b : Layout
        The second layout.

    Examples
    --------
    >>> from accel.layout import Layout, diff
    >>> print(diff(Layout((2, 2, 2), (1, 2, 8)), Layout(8)))
    at coordinate 4: 8 and 4
    >>> print(diff(Layout(4), Layout(8)))
    at coordinate 4: past the end and 4
    """
    one, other = as_layout(a), as_layout(b)
    ours, theirs = coalesced(one.leaves), coalesced(other.leaves)
    if ours == theirs:
        return None
    index = min(_first_difference(ours, theirs), one.size, other.size)
    return Difference(index, _at(one, index), _at(other, index))


def _first_difference(ours: tuple[tuple[int, int], ...], theirs: tuple[tuple[int, int], ...]) -> int:
    """Return the first index at which the values of two coalesced layouts differ, or one layout ends.

    As long as the leaves are equal, so are the values. At the first pair of different leaves, the values differ at the
    first step if the strides differ, and otherwise where the shorter leaf ends, because the next leaf never continues
    with the same stride.
    """
    place = 1
    for (extent, stride), (other_extent, other_stride) in zip(ours, theirs, strict=False):
        if stride != other_stride:
            return place
        place *= min(extent, other_extent)
        if extent != other_extent:
            return place
    return place


def _at(layout: Layout, index: int) -> int | None:
    return layout(index) if index < layout.size else None
