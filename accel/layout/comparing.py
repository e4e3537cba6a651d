"""Where two layouts differ."""

from typing import Any, NamedTuple

from accel.layout.composing import coalesced
from accel.layout.layout import Layout, as_layout

__all__ = ["Difference", "diff"]


class Difference(NamedTuple):
    """The first integer coordinate at which two layouts differ.

    Attributes
    ----------
    coordinate : int
        Which.
    a, b : int or None
        The offsets there; None where the layout has ended.
    """

    coordinate: int
    a: int | None
    b: int | None

    def __str__(self) -> str:
        one, other = ("past the end" if offset is None else offset for offset in self[1:])
        return f"at coordinate {self.coordinate}: {one} and {other}"


def diff(a: Any, b: Any) -> Difference | None:
    """The least i with A(i) != B(i), and both; None if A and B are the same function.

    Of layouts of different sizes, the end of one is a difference too. The time does not depend on the sizes.

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
    """Return where the tables part, or one ends.

    Coalesced leaves have the same table as far as they are equal. The first two that are not part at their first step
    if the strides differ, and else where the shorter ends: what follows that does not go on with its stride.
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
