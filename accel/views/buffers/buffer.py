"""`NDBuffer` and `Buffer`: windows on memory in row-major order (Mojo's buffers)."""

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from math import prod
from operator import mul, sub
from typing import IO, Any, Literal, Self, SupportsIndex, TypeAlias

import numpy as np

from accel.copies.elements import offset_range
from accel.dtypes import DTypeLike
from accel.errors import BoundsError, LayoutError
from accel.memory import HostStorage
from accel.memory.sizes import as_size
from accel.views.buffers.access import ElementAccess
from accel.views.buffers.arithmetic import Arithmetic
from accel.views.buffers.text import shown
from accel.views.checks import (
    as_axis,
    as_count,
    as_sizes,
    as_whole,
    position,
    refuse_partial_tile,
    tile_position,
)
from accel.views.scoped import scoped_storage
from accel.views.sources import Source, flat, part, row_major, source_of

__all__ = ["Buffer", "NDBuffer", "Shape", "Tail", "as_shape"]

Shape: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
"""An extent for each axis; for one axis also the extent alone."""

Tail: TypeAlias = Literal["mask", "shrink", "raise"]
"""What becomes of tiles at the edge: they end there, under either name, or are refused."""

_EMPTY_DTYPE = "float64"


class NDBuffer(ElementAccess, Arithmetic):
    """A window of any number of axes on somebody's memory, in row-major order unless strides say otherwise.

    Its length is the extent of its first axis, which is NumPy's rule and not Mojo's; `size` counts all elements. It
    owns nothing, and holds the handle of whoever it was made from.

    Parameters
    ----------
    source : container, storage, view or array of any library, optional
        Whose memory it is; without one there are no elements.
    shape : int or tuple of int, optional
        Extent of each axis; by default as the source has it.
    strides : tuple of int, optional
        Distance between neighbours along each axis in elements; by default row-major.
    offset : int
        The element of the source at which it starts.

    Raises
    ------
    TypeError
        If the source has no memory to look at.
    BoundsError
        If an element is not in the source.
    LayoutError
        If the source is not contiguous and a shape or an offset is given, or shape and strides are of different ranks.

    Examples
    --------
    >>> import accel
    >>> from accel.views import NDBuffer
    >>> b = NDBuffer(accel.container([0, 1, 2, 3, 4, 5]), (2, 3))
    >>> b[1, 0], len(b), b.size, b.stride(0)
    (np.int64(3), 2, 6, 3)
    >>> b.tile((2, 2), (0, 1))
    NDBuffer([[2],
              [5]], dtype=int64, shape=2x1)
    """

    __slots__ = ()

    def __init__(
        self,
        source: Any = None,
        shape: Shape | None = None,
        strides: Sequence[SupportsIndex] | None = None,
        *,
        offset: SupportsIndex = 0,
    ) -> None:
        found = source_of(_nothing() if source is None else source)
        start = as_whole(offset, "an offset")
        if shape is None and start and len(found.shape) == 1:
            shape = max(found.size - start, 0)
        if shape is not None:
            found = _shaped(found, as_shape(shape), strides, start)
        elif strides is not None or start:
            raise TypeError(
                "strides, and an offset into several axes, need a shape; "
                "write NDBuffer(x, shape, strides, offset=offset)"
            )
        self._storage, self._offset, self._shape, self._strides = found

    # What it is

    @property
    def data(self) -> int:
        """Address of the first element on its device; 0 where there are no bytes."""
        pointer = self._storage.pointer
        return pointer and pointer + self._offset * self.dtype.itemsize

    @property
    def dynamic_shape(self) -> tuple[int, ...]:
        """Extent of each axis."""
        return self._shape

    @property
    def dynamic_stride(self) -> tuple[int, ...]:
        """Distance between neighbours along each axis, in elements."""
        return self._strides

    def num_elements(self) -> int:
        """Return the number of elements."""
        return prod(self._shape)

    def bytecount(self) -> int:
        """Return the size of the elements in bytes."""
        return self.nbytes

    def get_rank(self) -> int:
        """Return the number of axes."""
        return len(self._shape)

    def get_shape(self) -> tuple[int, ...]:
        """Return the extent of each axis."""
        return self._shape

    def dim(self, index: SupportsIndex) -> int:
        """Return the extent of an axis; `BoundsError` if there is no such axis."""
        return self._shape[as_axis(index, len(self._shape))]

    def stride(self, index: SupportsIndex) -> int:
        """Return the distance between neighbours along an axis, in elements; `BoundsError` if there is no such axis."""
        return self._strides[as_axis(index, len(self._shape))]

    def get_nd_index(self, index: SupportsIndex) -> tuple[int, ...]:
        """Return the coordinates of the element with a number in row-major order.

        Raises
        ------
        BoundsError
            If there is no such element.
        """
        place = position(index, prod(self._shape), 0)
        return tuple(map(int, np.unravel_index(place, self._shape)))

    @classmethod
    def _over(cls, source: Any) -> "NDBuffer":
        return NDBuffer(source)

    # All elements

    def zero(self) -> None:
        """Set every byte to 0, on whatever device; `LayoutError` if the buffer is not contiguous."""
        self._refuse_gaps()
        self.fill(np.zeros((), self.dtype))

    def tofile(self, path: str | os.PathLike[str] | IO[bytes]) -> None:
        """Write the elements to a file in row-major order: the bytes as they are here, without a header."""
        self.to_numpy().tofile(path)

    # Other windows on the same memory

    def flatten(self) -> "Buffer":
        """Return the elements as a buffer of one axis; `LayoutError` if they are not contiguous."""
        self._refuse_gaps()
        return Buffer._on(self._storage, self._offset, (self.size,), (1,))

    def tile(self, sizes: Shape, coords: Shape, tail: Tail = "mask") -> Self:
        """Return one of the tiles into which the axes are cut.

        Parameters
        ----------
        sizes : int or tuple of int
            Extent of a tile along each axis.
        coords : int or tuple of int
            Which tile; negative ones count from the end.
        tail : str
            ``"mask"`` or ``"shrink"``: a tile at the edge ends there, and is smaller. ``"raise"``: it is refused.

        Raises
        ------
        BoundsError
            If there is no such tile, or with ``tail="raise"`` not all of it.
        LayoutError
            If there is another number of axes.
        ValueError
            If a size is not positive, or the tail is another.
        """
        if tail not in {"mask", "shrink", "raise"}:
            raise ValueError(f"the tail of a buffer's tiles is 'mask', 'shrink' or 'raise'; found {tail!r}")
        rank = len(self._shape)
        extents = tuple([as_count(size, "the size of a tile") for size in as_sizes(sizes, rank, "sizes of a tile")])
        given = as_sizes(coords, rank, "coordinates of a tile")
        places = map(tile_position, given, self._shape, extents, count())
        starts = tuple(map(mul, extents, places))
        shape = tuple(map(min, extents, map(sub, self._shape, starts)))
        if tail == "raise":
            refuse_partial_tile(extents, shape)
        return self._on(self._storage, self._offset + sum(map(mul, starts, self._strides)), shape, self._strides)

    def make_dims_unknown(self) -> Self:
        """Return another window on the same elements; in Python no extent is known before."""
        return self._on(self._storage, self._offset, self._shape, self._strides)

    # Memory of a scope

    @classmethod
    def stack_allocation(cls, shape: Shape, dtype: DTypeLike) -> AbstractContextManager[Self]:
        """Return a scope with a buffer on memory of its own, which is uninitialised, and released at the end.

        Examples
        --------
        >>> from accel.views import Buffer
        >>> with Buffer.stack_allocation(4, "int32") as b:
        ...     b.fill(7)
        ...     int(b[3])
        7
        """
        return cls.aligned_stack_allocation(1, shape, dtype)

    @classmethod
    @contextmanager
    def aligned_stack_allocation(cls, alignment: SupportsIndex, shape: Shape, dtype: DTypeLike) -> Iterator[Self]:
        """Return such a scope, in which the address is a multiple of a power of two."""
        extents = cls._own_shape(shape)
        with scoped_storage(prod(extents), dtype, alignment) as storage:
            yield cls._on(storage, 0, extents, row_major(extents))

    @classmethod
    def _own_shape(cls, shape: Shape) -> tuple[int, ...]:
        """Return a shape that such a buffer may have."""
        return as_shape(shape)

    # Text

    def __repr__(self) -> str:
        name = type(self).__name__
        extents = "x".join(map(str, self._shape))
        return f"{name}({shown(self._source, f'{name}(')}, dtype={self.dtype.name}, shape={extents})"


class Buffer(NDBuffer):
    """A window on consecutive elements of somebody's memory (Mojo's ``Buffer``); an `NDBuffer` of one axis.

    Parameters
    ----------
    source : container, storage, view or array of any library, optional
        Whose memory it is; without one there are no elements.
    size : int, optional
        Number of elements; by default all the rest.
    offset : int
        The first element.

    Raises
    ------
    TypeError
        If the source has no memory to look at, or another number of axes than one.
    BoundsError
        If the elements are not all in the source.
    LayoutError
        If the source is not contiguous.
    """

    __slots__ = ()
    _rank = 1

    def __init__(self, source: Any = None, size: SupportsIndex | None = None, *, offset: SupportsIndex = 0) -> None:
        found = flat(_nothing() if source is None else source, "Buffer")
        start, length = part(
            offset, size, found.size, "no memory" if source is None else f"this {type(source).__name__}"
        )
        self._storage, self._offset, self._shape, self._strides = found.storage, found.start + start, (length,), (1,)

    @property
    def dynamic_size(self) -> int:
        """Number of elements."""
        return self._shape[0]

    @classmethod
    def _own_shape(cls, shape: Shape) -> tuple[int, ...]:
        found = as_shape(shape)
        if len(found) != 1:
            raise LayoutError(
                f"a {cls.__name__} has one axis; found the shape {found}: "
                f"write NDBuffer.stack_allocation({found}, dtype)"
            )
        return found


def as_shape(shape: Shape) -> tuple[int, ...]:
    """Return a shape as a tuple of Python ints.

    Raises
    ------
    TypeError
        If an extent is not a whole number.
    ValueError
        If one is negative.
    """
    return tuple([as_size(extent, 1) for extent in (shape if isinstance(shape, Sequence) else (shape,))])


def _nothing() -> HostStorage:
    return HostStorage.new()


def _shaped(found: Source, shape: tuple[int, ...], strides: Sequence[SupportsIndex] | None, offset: int) -> Source:
    """Give consecutive elements a shape."""
    if not found.contiguous:
        raise LayoutError(
            f"only consecutive elements get a shape, and the source has strides {found.strides}; write "
            f"NDBuffer(NDBuffer(x).copy(), {shape})"
        )
    steps = row_major(shape) if strides is None else tuple([as_whole(stride, "a stride") for stride in strides])
    if len(steps) != len(shape):
        raise LayoutError(f"shape {shape} needs as many strides; found {steps}")
    size, low, high = offset_range(tuple(zip(shape, steps, strict=True)))
    if offset + low < 0 or offset + high >= found.size + (not size):
        raise BoundsError(
            f"shape {shape} with strides {steps} from offset {offset} requires elements {offset + low} to "
            f"{offset + high}; there are {found.size} available"
        )
    return Source(found.storage, found.start + offset, shape, steps)
