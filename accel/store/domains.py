"""`Domain`: the points of a store or a buffer, between two corners (Legate's)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from operator import index
from typing import Self, SupportsIndex

from accel.errors import StoreValueError

__all__ = ["Domain", "PointInRectIterator"]


@dataclass(frozen=True, slots=True)
class Domain:
    """The points from ``lo`` to ``hi``, both included (Legate's ``Domain``).

    An empty dimension has ``hi`` = ``lo`` - 1. Iteration gives the points in C order, and ``in`` tells whether a point
    is one of them.

    Parameters
    ----------
    lo, hi : sequence of int
        The first and the last point, as tuples.

    Raises
    ------
    StoreValueError
        If they have different numbers of coordinates.

    Examples
    --------
    >>> from accel.store import Domain
    >>> domain = Domain((1, 2), (2, 3))
    >>> [*domain], domain.volume, (2, 4) in domain
    ([(1, 2), (1, 3), (2, 2), (2, 3)], 4, False)
    """

    lo: tuple[int, ...]
    hi: tuple[int, ...]

    def __post_init__(self) -> None:
        lo, hi = tuple(map(index, self.lo)), tuple(map(index, self.hi))
        if len(lo) != len(hi):
            raise StoreValueError(f"both corners have one coordinate for each dimension; found lo={lo} and hi={hi}")
        object.__setattr__(self, "lo", lo)
        object.__setattr__(self, "hi", hi)

    @classmethod
    def of_extents(cls, extents: Iterable[SupportsIndex], lo: Iterable[SupportsIndex] | None = None) -> Self:
        """Return the domain with a number of points in each dimension, from ``lo`` on, or else from 0.

        Parameters
        ----------
        extents : iterable of int
            The number of points in each dimension.
        lo : iterable of int, optional
            The first point.

        Raises
        ------
        StoreValueError
            If both have different numbers of dimensions.

        Examples
        --------
        >>> Domain.of_extents((2, 3)), Domain.of_extents((2, 0), lo=(4, 6))
        (Domain(lo=(0, 0), hi=(1, 2)), Domain(lo=(4, 6), hi=(5, 5)))
        """
        counts = tuple(map(index, extents))
        first = (0,) * len(counts) if lo is None else tuple(map(index, lo))
        if len(counts) != len(first):
            raise StoreValueError(f"one extent for each coordinate; found the extents {counts} and lo={first}")
        return cls(first, tuple(start + count - 1 for start, count in zip(first, counts, strict=True)))

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.lo)

    @property
    def extents(self) -> tuple[int, ...]:
        """Number of points in each dimension."""
        return tuple(max(0, last - first + 1) for first, last in zip(self.lo, self.hi, strict=True))

    @property
    def volume(self) -> int:
        """Number of points."""
        return prod(self.extents)

    @property
    def empty(self) -> bool:
        """Whether there is no point."""
        return any(last < first for first, last in zip(self.lo, self.hi, strict=True))

    def intersection(self, other: "Domain") -> "Domain":
        """Return the points that both domains have.

        Parameters
        ----------
        other : Domain
            The other domain.

        Raises
        ------
        StoreValueError
            If the number of dimensions differs.
        """
        if self.ndim != other.ndim:
            raise StoreValueError(f"{self} and {other} have different numbers of dimensions")
        lo = tuple(map(max, self.lo, other.lo))
        hi = tuple(map(min, self.hi, other.hi))
        return Domain(lo, tuple(max(first - 1, last) for first, last in zip(lo, hi, strict=True)))

    def __contains__(self, point: object) -> bool:
        if not isinstance(point, tuple) or len(point) != self.ndim:
            return False
        return all(
            hasattr(at, "__index__") and first <= at <= last
            for first, at, last in zip(self.lo, point, self.hi, strict=True)
        )

    def __iter__(self) -> "PointInRectIterator":
        return PointInRectIterator(self)


class PointInRectIterator(Iterator[tuple[int, ...]]):
    """Iterates over the points of a domain in C order: the last coordinate changes first (Legate's).

    Parameters
    ----------
    domain : Domain
        The points.

    Examples
    --------
    >>> from accel.store import Domain, PointInRectIterator
    >>> points = PointInRectIterator(Domain((0,), (1,)))
    >>> next(points), next(points)
    ((0,), (1,))
    """

    __slots__ = ("_points",)

    def __init__(self, domain: Domain) -> None:
        self._points = _points([range(first, last + 1) for first, last in zip(domain.lo, domain.hi, strict=True)])

    def __next__(self) -> tuple[int, ...]:
        return next(self._points)


def _points(ranges: Sequence[range]) -> Iterator[tuple[int, ...]]:
    # Not `itertools.product`, which makes tuples of all ranges first: they may be longer than fits into memory.
    if not ranges:
        yield ()
        return
    *outer, inner = ranges
    for point in _points(outer):
        for last in inner:
            yield (*point, last)
