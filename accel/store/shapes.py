"""`Shape`: the extents of a store, which a task may still have to find out (Legate's)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import prod
from operator import index
from typing import Any, Self, SupportsIndex, overload

from accel.errors import StoreIndexError, StoreSizeError

__all__ = ["Shape"]


class Shape(Sequence[int]):
    """The number of elements in each dimension; equal to a tuple of them, with the same hash (Legate's ``Shape``).

    The shape of an unbound store is pending until its first task has written. Then `ndim` and ``repr`` return at once,
    and all else waits for the task.

    Parameters
    ----------
    extents : int or sequence of int
        Number of elements in each dimension; an integer for one dimension.

    Raises
    ------
    StoreSizeError
        If an extent is negative.

    Examples
    --------
    >>> from accel.store import Shape
    >>> shape = Shape((2, 3))
    >>> shape.volume, shape.ndim, shape[-1], shape == (2, 3)
    (6, 2, 3, True)
    """

    __slots__ = ("_extents", "_ndim", "_wait")
    _extents: tuple[int, ...] | None
    _ndim: int
    _wait: Callable[[], Iterable[SupportsIndex]] | None

    def __init__(self, extents: SupportsIndex | Iterable[SupportsIndex]) -> None:
        self._extents = _checked(extents if isinstance(extents, Iterable) else (extents,))
        self._ndim = len(self._extents)
        self._wait = None

    @classmethod
    def pending(cls, ndim: int, wait: Callable[[], Iterable[SupportsIndex]]) -> Self:
        """Return a shape of which only the number of dimensions is known.

        Parameters
        ----------
        ndim : int
            Number of dimensions.
        wait : callable
            Blocks until the extents are known, and returns them. Its error is raised at the request for the extents;
            the next request calls it again.
        """
        shape = cls.__new__(cls)
        shape._extents, shape._ndim, shape._wait = None, ndim, wait
        return shape

    @property
    def extents(self) -> tuple[int, ...]:
        """The extents as a tuple; waits if they are pending."""
        wait = self._wait
        # Several threads may wait; each sets the same extents, before it forgets the function.
        if wait is not None:
            self._extents = _checked(wait())
            self._wait = None
        assert self._extents is not None, "a shape has extents, or a function that waits for them"
        return self._extents

    @property
    def volume(self) -> int:
        """Number of elements, of any size; waits if the extents are pending."""
        return prod(self.extents)

    @property
    def ndim(self) -> int:
        """Number of dimensions; never waits."""
        return self._ndim

    def at(self, dim: SupportsIndex) -> int:
        """Return the extent of a dimension, counted from 0 (``shape[-1]`` counts from the end).

        Parameters
        ----------
        dim : int
            The dimension.

        Raises
        ------
        StoreIndexError
            If there is no such dimension.
        """
        position = index(dim)
        if 0 <= position < self._ndim:
            return self.extents[position]
        raise StoreIndexError(f"dimension {position} is out of range: this shape has {self._ndim}, counted from 0")

    @overload
    def __getitem__(self, dim: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, dim: slice) -> tuple[int, ...]: ...
    def __getitem__(self, dim: SupportsIndex | slice) -> int | tuple[int, ...]:
        if isinstance(dim, slice):
            return self.extents[dim]
        position = index(dim)
        return self.at(position + self._ndim if -self._ndim <= position < 0 else position)

    def __len__(self) -> int:
        return self._ndim

    def __iter__(self) -> Iterator[int]:
        return iter(self.extents)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Shape):
            return self is other or (self._ndim == other._ndim and self.extents == other.extents)
        return len(other) == self._ndim and self.extents == other if isinstance(other, tuple) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.extents)

    def __repr__(self) -> str:
        extents = self._extents
        return f"Shape({extents})" if extents is not None else f"Shape(pending, ndim={self._ndim})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Shape, (self.extents,)


def _checked(extents: Iterable[SupportsIndex]) -> tuple[int, ...]:
    sizes = tuple(map(index, extents))
    if sizes and min(sizes) < 0:
        raise StoreSizeError(f"an extent is 0 or more; found the shape {sizes}")
    return sizes
