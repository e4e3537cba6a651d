"""`NDBuffer` and `Buffer`: strided views of memory, row-major by default (Mojo's buffers)."""

import os
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from itertools import count
from math import prod
from operator import add, mul, sub, truediv
from types import GenericAlias
from typing import IO, TYPE_CHECKING, Any, Literal, Self, SupportsIndex, TypeAlias

import numpy as np

from accel.copies.elements import offset_range
from accel.dtypes import DTypeLike, Rank_co, Scalar_co, Typed
from accel.errors import BoundsError, LayoutError
from accel.memory import HostStorage
from accel.memory.sizes import as_size
from accel.views import operators
from accel.views.buffers import access, arithmetic, vector_access
from accel.views.buffers.flat_memory import checked_range, flat_source
from accel.views.buffers.strided import StridedView
from accel.views.buffers.text import shown
from accel.views.index_checks import as_axis, as_count, as_sizes, as_whole, position, refuse_partial_tile, tile_position
from accel.views.scoped_storage import scoped_storage
from accel.views.sources import Source, row_major, source_of

__all__ = ["Buffer", "NDBuffer", "Shape", "Tail", "as_shape"]

Shape: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
"""An extent for each axis; for one axis also the extent alone."""

Tail: TypeAlias = Literal["mask", "shrink", "raise"]
"""Treatment of tiles at the edge: "mask" and "shrink" make them smaller, "raise" refuses them."""

_EMPTY_DTYPE = "float64"


class NDBuffer(StridedView, Typed[Scalar_co, Rank_co]):
    """View of memory with any number of axes, row-major unless strides are given.

    As in NumPy, and unlike Mojo, ``len`` is the extent of the first axis; `size` counts all elements. A buffer owns no
    memory; it uses the storage handle of its source.

    Parameters
    ----------
    source : container, storage, view or array of any library, optional
        The object whose memory to view; without it, the buffer has no elements.
    shape : int or tuple of int, optional
        Extent of each axis; by default that of the source.
    strides : tuple of int, optional
        Stride of each axis in elements; by default row-major.
    offset : int
        The first element, counted in elements of the source.

    Raises
    ------
    TypeError
        If the source has no memory.
    BoundsError
        If an element is outside the source.
    LayoutError
        If a shape or an offset is given and the source is not contiguous, or the lengths of shape and strides differ.

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

    def __class_getitem__(cls, parameters: Any) -> GenericAlias:
        """Return the annotation of a kernel's parameter, as in ``NDBuffer[f32, Literal[2]]``."""
        return GenericAlias(cls, parameters)

    def __init__(
        self,
        source: Any = None,
        shape: Shape | None = None,
        strides: Sequence[SupportsIndex] | None = None,
        *,
        offset: SupportsIndex = 0,
    ) -> None:
        elements = source_of(_empty_storage() if source is None else source)
        start = as_whole(offset, "an offset")
        if shape is None and start and len(elements.shape) == 1:
            shape = max(elements.size - start, 0)
        if shape is not None:
            elements = _reshaped(elements, as_shape(shape), strides, start)
        elif strides is not None or start:
            raise TypeError(
                "strides, and an offset into several axes, need a shape; "
                "write NDBuffer(x, shape, strides, offset=offset)"
            )
        self._storage, self._offset, self._shape, self._strides = elements

    # Properties

    @property
    def data(self) -> int:
        """Address of the first element on its device; 0 if there are no bytes."""
        pointer = self._storage.pointer
        return pointer and pointer + self._offset * self.dtype.itemsize

    @property
    def dynamic_shape(self) -> tuple[int, ...]:
        """Extent of each axis."""
        return self._shape

    @property
    def dynamic_stride(self) -> tuple[int, ...]:
        """Stride of each axis, in elements."""
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
        """Return the extent of an axis; `BoundsError` if there is no such axis.

        Parameters
        ----------
        index : int
            The axis.
        """
        return self._shape[as_axis(index, len(self._shape))]

    def stride(self, index: SupportsIndex) -> int:
        """Return the stride of an axis, in elements; `BoundsError` if there is no such axis.

        Parameters
        ----------
        index : int
            The axis.
        """
        return self._strides[as_axis(index, len(self._shape))]

    def get_nd_index(self, index: SupportsIndex) -> tuple[int, ...]:
        """Return the coordinates of the element at an index in row-major order.

        Parameters
        ----------
        index : int
            The index of the element in row-major order.

        Raises
        ------
        BoundsError
            If there is no such element.
        """
        element = position(index, prod(self._shape), 0)
        return tuple(map(int, np.unravel_index(element, self._shape)))

    # Elements

    if TYPE_CHECKING:

        def __getitem__(self, index: SupportsIndex | tuple[SupportsIndex, ...]) -> Scalar_co: ...
        def __setitem__(self, index: SupportsIndex | tuple[SupportsIndex, ...], value: Any) -> None: ...
        def __iter__(self) -> Iterator[Any]: ...
        def __add__(self, other: Any, /) -> Self: ...
        def __radd__(self, other: Any, /) -> Any: ...
        def __iadd__(self, other: Any, /) -> Self: ...
        def __sub__(self, other: Any, /) -> Self: ...
        def __rsub__(self, other: Any, /) -> Any: ...
        def __isub__(self, other: Any, /) -> Self: ...
        def __mul__(self, other: Any, /) -> Self: ...
        def __rmul__(self, other: Any, /) -> Any: ...
        def __imul__(self, other: Any, /) -> Self: ...
        def __truediv__(self, other: Any, /) -> Self: ...
        def __rtruediv__(self, other: Any, /) -> Any: ...
        def __itruediv__(self, other: Any, /) -> Self: ...
        def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any: ...
    else:
        __getitem__ = access.get_item
        __setitem__ = access.set_item
        __iter__ = access.iterate
        load = vector_access.load
        store = vector_access.store
        simd_nt_store = vector_access.simd_nt_store
        prefetch = vector_access.prefetch
        __add__, __radd__, __iadd__ = operators.methods(add)
        __sub__, __rsub__, __isub__ = operators.methods(sub)
        __mul__, __rmul__, __imul__ = operators.methods(mul)
        __truediv__, __rtruediv__, __itruediv__ = operators.methods(truediv)
        __array_ufunc__ = operators.array_ufunc

    # Arithmetic

    _computed = arithmetic.computed
    _computed_in_place = arithmetic.computed_in_place

    @classmethod
    def _view_of(cls, source: Any) -> "NDBuffer":
        return NDBuffer(source)

    # All elements

    def zero(self) -> None:
        """Set every byte to 0, on any device; `LayoutError` if the buffer is not contiguous."""
        vector_access.refuse_gaps(self)
        self.fill(np.zeros((), self.dtype))

    def tofile(self, path: str | os.PathLike[str] | IO[bytes]) -> None:
        """Write the raw bytes of the elements to a file in row-major order, without a header.

        Parameters
        ----------
        path : str, path or file
            Where to.
        """
        self.to_numpy().tofile(path)

    # Other views of the same memory

    def flatten(self) -> "Buffer":
        """Return the elements as a buffer of one axis; `LayoutError` if they are not contiguous."""
        vector_access.refuse_gaps(self)
        return Buffer._on(self._storage, self._offset, (self.size,), (1,))

    def tile(self, sizes: Shape, coords: Shape, tail: Tail = "mask") -> Self:
        """Return a view of one tile.

        Parameters
        ----------
        sizes : int or tuple of int
            Extent of a tile along each axis.
        coords : int or tuple of int
            Tile coordinates; negative ones count from the end.
        tail : str
            For a tile that reaches past the end: ``"mask"`` and ``"shrink"`` make it smaller, ``"raise"`` refuses it.

        Raises
        ------
        BoundsError
            If there is no such tile, or with ``tail="raise"`` a part of it is past the end.
        LayoutError
            If there is not one size and one coordinate for each axis.
        ValueError
            If a size is not positive, or ``tail`` is unknown.
        """
        if tail not in {"mask", "shrink", "raise"}:
            raise ValueError(f"the tail of a buffer's tiles is 'mask', 'shrink' or 'raise'; found {tail!r}")
        rank = len(self._shape)
        extents = tuple([as_count(size, "the size of a tile") for size in as_sizes(sizes, rank, "sizes of a tile")])
        tile = as_sizes(coords, rank, "coordinates of a tile")
        indices = map(tile_position, tile, self._shape, extents, count())
        starts = tuple(map(mul, extents, indices))
        shape = tuple(map(min, extents, map(sub, self._shape, starts)))
        if tail == "raise":
            refuse_partial_tile(extents, shape)
        return self._on(self._storage, self._offset + sum(map(mul, starts, self._strides)), shape, self._strides)

    def make_dims_unknown(self) -> Self:
        """Return another view of the same elements; Python has no compile-time shapes to forget."""
        return self._on(self._storage, self._offset, self._shape, self._strides)

    # Scoped memory

    @classmethod
    def stack_allocation(cls, shape: Shape, dtype: DTypeLike) -> AbstractContextManager[Self]:
        """Return a context manager for a buffer on new, uninitialized host memory, which is released at its end.

        Parameters
        ----------
        shape : int or tuple
            The shape.
        dtype : dtype_like
            The dtype of the elements.

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
        """As `stack_allocation`, with the address aligned to ``alignment`` bytes, a power of two.

        Parameters
        ----------
        alignment : int
            The bytes that the address is a multiple of.
        shape : int or tuple
            The shape.
        dtype : dtype_like
            The dtype of the elements.
        """
        extents = cls._own_shape(shape)
        with scoped_storage(prod(extents), dtype, alignment) as storage:
            yield cls._on(storage, 0, extents, row_major(extents))

    @classmethod
    def _own_shape(cls, shape: Shape) -> tuple[int, ...]:
        """Return a shape after checking that this class allows it."""
        return as_shape(shape)

    # Text

    def __repr__(self) -> str:
        name = type(self).__name__
        extents = "x".join(map(str, self._shape))
        return f"{name}({shown(self._source, f'{name}(')}, dtype={self.dtype.name}, shape={extents})"


class Buffer(NDBuffer[Scalar_co, Literal[1]]):
    """View of consecutive elements (Mojo's ``Buffer``): an `NDBuffer` of one axis.

    Parameters
    ----------
    source : container, storage, view or array of any library, optional
        The object whose memory to view; without it, the buffer has no elements.
    size : int, optional
        Number of elements; by default all from ``offset`` on.
    offset : int
        The first element.

    Raises
    ------
    TypeError
        If the source has no memory, or not one axis.
    BoundsError
        If an element is outside the source.
    LayoutError
        If the source is not contiguous.
    """

    __slots__ = ()
    _rank = 1

    def __init__(self, source: Any = None, size: SupportsIndex | None = None, *, offset: SupportsIndex = 0) -> None:
        elements = flat_source(_empty_storage() if source is None else source, "Buffer")
        start, length = checked_range(
            offset, size, elements.size, "no memory" if source is None else f"this {type(source).__name__}"
        )
        self._storage, self._offset, self._shape, self._strides = (
            elements.storage,
            elements.start + start,
            (length,),
            (1,),
        )

    @property
    def dynamic_size(self) -> int:
        """Number of elements."""
        return self._shape[0]

    @classmethod
    def _own_shape(cls, shape: Shape) -> tuple[int, ...]:
        extents = as_shape(shape)
        if len(extents) != 1:
            raise LayoutError(
                f"a {cls.__name__} has one axis; found the shape {extents}: "
                f"write NDBuffer.stack_allocation({extents}, dtype)"
            )
        return extents


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


def _empty_storage() -> HostStorage:
    return HostStorage.new()


def _reshaped(elements: Source, shape: tuple[int, ...], strides: Sequence[SupportsIndex] | None, offset: int) -> Source:
    """Return contiguous elements with another shape."""
    if not elements.contiguous:
        raise LayoutError(
            f"a shape needs a contiguous source, and this one has strides {elements.strides}; write "
            f"NDBuffer(NDBuffer(x).copy(), {shape})"
        )
    steps = row_major(shape) if strides is None else tuple([as_whole(stride, "a stride") for stride in strides])
    if len(steps) != len(shape):
        raise LayoutError(f"shape {shape} needs as many strides; found {steps}")
    size, low, high = offset_range(tuple(zip(shape, steps, strict=True)))
    if offset + low < 0 or offset + high >= elements.size + (not size):
        raise BoundsError(
            f"shape {shape} with strides {steps} from offset {offset} requires elements {offset + low} to "
            f"{offset + high}; there are {elements.size} available"
        )
    return Source(elements.storage, elements.start + offset, shape, steps)
