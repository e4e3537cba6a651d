"""`LayoutTensor`: a view of a storage with a layout (Mojo's)."""

import operator
from collections.abc import Iterator
from contextlib import contextmanager
from operator import index
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, overload

from accel.dtypes import DTypeLike, Scalar_co, Typed, as_dtype
from accel.errors import DTypeError
from accel.layout import ComposedLayout, Swizzle
from accel.layout.layout import as_layout
from accel.views import access, arithmetic, copying, display, dtype_view, operators, relayout, tiling
from accel.views.cells import ends
from accel.views.contents import TensorContents
from accel.views.core import TensorCore
from accel.views.index_checks import as_alignment, as_pad
from accel.views.iterator import LayoutTensorIter
from accel.views.scoped_storage import scoped_storage
from accel.views.slicing import sliced

__all__ = ["LayoutTensor"]

if TYPE_CHECKING:
    from accel.views.declared_methods import DeclaredMethods
else:
    DeclaredMethods = TensorContents

Range = slice  # inside the class, `slice` is a method


class LayoutTensor(DeclaredMethods, Typed[Scalar_co]):
    """View of typed memory with a layout; it copies nothing and keeps the storage alive.

    Tiles, slices and other layouts are views of the same memory: a write through one is visible through all. A single
    integer in place of a coordinate counts elements colexicographically, so the leftmost mode is fastest.

    Parameters
    ----------
    source : container, storage, view or array of any library
        The object whose memory to view. Offsets count from its first element, or from the ``offset`` of a tensor.
    layout : Layout or ComposedLayout, optional
        Layout of the elements; by default that of the source. In views of a swizzled tensor the offset inside the
        swizzle changes.
    offset : int
        Number of elements before the first one.
    element_layout : Layout, optional
        Layout of the numbers of one element; by default an element is one number.
    alignment : int, optional
        Alignment of the first element in bytes, a power of two; it is checked.

    Raises
    ------
    BoundsError
        If the layout reaches past the storage; the message says how many elements are required and available.
    LayoutError
        If the first element is not aligned, or a layout is given and the source is not contiguous.
    TypeError
        If the source has no memory.

    Examples
    --------
    >>> import accel
    >>> from accel.layout import row_major
    >>> t = accel.LayoutTensor(accel.container([0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), row_major(2, 3))
    >>> t[1, 0]
    np.float64(3.0)
    >>> t.tile((2, 2), (0, 1)).to_numpy()  # its second column has no memory
    array([[2.],
           [5.]])
    >>> (t.transpose() + 1).to_numpy()
    array([[1., 4.],
           [2., 5.],
           [3., 6.]])
    """

    __slots__ = ("__weakref__",)

    def __class_getitem__(cls, parameters: Any) -> GenericAlias:
        """Return the annotation of a kernel's parameter, as in ``LayoutTensor[f32]``."""
        return GenericAlias(cls, parameters)

    # Elements

    if TYPE_CHECKING:

        @overload
        def __getitem__(  # type: ignore[overload-overlap]
            self, key: SupportsIndex | tuple[SupportsIndex, ...]
        ) -> Scalar_co: ...
        @overload
        def __getitem__(self, key: Range | tuple[SupportsIndex | Range, ...]) -> Self: ...
        def __getitem__(self, key: Any) -> Any: ...
    else:
        __getitem__ = access.get_item
        __setitem__ = access.set_item
        __len__ = access.length
        __iter__ = access.iterate
        load = access.load
        store = access.store
        aligned_load = access.aligned_load
        aligned_store = access.aligned_store
        prefetch = access.prefetch
        copy_from_async = copying.copy_from_async
        bitcast = dtype_view.bitcast

    # Arithmetic

    if not TYPE_CHECKING:
        add = arithmetic.add
        sub = arithmetic.sub
        mul = arithmetic.mul
        truediv = arithmetic.truediv
        __add__, __radd__, __iadd__ = operators.methods(operator.add)
        __sub__, __rsub__, __isub__ = operators.methods(operator.sub)
        __mul__, __rmul__, __imul__ = operators.methods(operator.mul)
        __truediv__, __rtruediv__, __itruediv__ = operators.methods(operator.truediv)
        __array_ufunc__ = operators.array_ufunc

    _computed = arithmetic.computed
    _computed_in_place = arithmetic.computed_in_place

    @classmethod
    def _view_of(cls, source: Any) -> Self:
        return arithmetic.tensor_of(cls, source)

    # Text

    if not TYPE_CHECKING:
        text = __str__ = display.text
        write_to = display.write_to
        __repr__ = display.representation
    _repr_html_ = display.html

    # Tiles, parts and slices

    def tile(self, sizes: Any, coords: Any, tail: str = "mask", pad_value: Any = None) -> Self:
        """Return the tile at tile coordinates.

        Parameters
        ----------
        sizes, coords : tuple of int
            For each mode, the extent of a tile and the coordinate of this one; negative ones count from the end.
        tail : {"mask", "shrink", "pad", "raise"}
            For a tile that reaches past the end: ``"mask"`` keeps the layout and makes only the part inside valid;
            ``"shrink"`` makes the layout smaller; ``"pad"`` reads ``pad_value`` outside and drops what is written
            there; ``"raise"`` is a BoundsError. Tiles of a padded tensor are padded too.
        pad_value : number, optional
            The value read outside, with ``"mask"`` only by `load`; by default that of this tensor, or 0.

        Raises
        ------
        BoundsError
            If there is no such tile.
        LayoutError
            If there is not one number for each mode, or a nested mode cannot be divided into such tiles.
        """
        if type(sizes) is not tuple or type(coords) is not tuple:
            sizes, coords = _hashable(sizes), _hashable(coords)
        tile = self._view(*tiling.tiled(self._geometry, sizes, coords, tail))
        if pad_value is not None:
            tile._pad = as_pad(pad_value, self._dtype)
        return tile

    def tiles(self, sizes: Any, tail: str = "mask", pad_value: Any = None) -> Iterator[Self]:
        """Yield all tiles, with the tile coordinate of mode 0 fastest; as `tile`.

        Parameters
        ----------
        sizes : int or tuple
            The extents of a tile, one for each mode.
        tail : str, default "mask"
            What becomes of tiles that reach past the end, as for `tile`.
        pad_value : number or sequence of numbers, optional
            What is read past the end.
        """
        extents = tiling.tile_sizes(self._geometry, sizes)
        for coords in tiling.coordinates_of_tiles(self._geometry, extents):
            yield self.tile(extents, coords, tail, pad_value)

    def tiled_iterator(
        self, sizes: Any, coords: Any, axis: SupportsIndex = 0, circular: bool = False
    ) -> LayoutTensorIter[Self]:
        """Return an iterator over the tiles along an axis, starting at the tile at ``coords``.

        Parameters
        ----------
        sizes : int or tuple
            The extents of a tile, one for each mode.
        coords : int or tuple
            The coordinates of the first tile.
        axis : int, default 0
            The mode along which the tiles follow each other.
        circular : bool, default False
            Whether the first tile follows the last.
        """
        return LayoutTensorIter(self, sizes, coords, axis, circular)

    def split(self, count: SupportsIndex, axis: SupportsIndex = 0) -> tuple[Self, ...]:
        """Return equal parts along an axis.

        Parameters
        ----------
        count : int
            How many parts.
        axis : int, default 0
            The axis.

        Raises
        ------
        LayoutError
            If the count does not divide the extent; `split_part` allows parts of different length.
        """
        return tuple([self._view(*part) for part in tiling.split(self._geometry, count, axis)])

    def split_part(
        self, count: SupportsIndex, part: SupportsIndex, axis: SupportsIndex = 0, alignment: SupportsIndex = 1
    ) -> Self:
        """Return one of ``count`` parts along an axis; negative numbers of parts count from the end.

        The extent of a part is a multiple of ``alignment``; the last parts may be shorter.

        Parameters
        ----------
        count : int
            How many parts there are.
        part : int
            Which of them.
        axis : int, default 0
            The axis.
        alignment : int, default 1
            A number that divides the extent of each part but the last.

        Raises
        ------
        BoundsError
            If there is no such part.
        """
        return self._view(*tiling.split_part(self._geometry, count, part, axis, alignment))

    def distribute(
        self,
        threads_layout: Any,
        thread_id: int,
        axis: int | None = None,
        swizzle: Swizzle | None = None,
        submode_axis: int | None = None,
    ) -> Self:
        """Return the elements of one thread: along each mode, every ``T``-th element, starting at the thread's own.

        Parameters
        ----------
        threads_layout : Layout
            Maps thread coordinates to thread numbers; ``T`` is the extent of a mode.
        thread_id : int
            Number of the thread.
        axis : int, optional
            Divide only this mode, by the threads along it. If this mode of the threads is nested, with one submode
            for each mode of the tensor, the submodes divide the modes.
        swizzle : Swizzle, optional
            Maps the offset of the thread's first element, in elements.
        submode_axis : int, optional
            Use only this submode of the mode ``axis`` of the threads.

        Raises
        ------
        BoundsError
            If there is no such thread, or a swizzled offset is outside the storage.
        LayoutError
            If the threads do not have one mode for each mode of the tensor, or a swizzle is given and the threads
            do not divide the tensor evenly.
        """
        threads = as_layout(threads_layout)
        part = self._view(*tiling.distributed(self._geometry, threads, thread_id, axis, swizzle, submode_axis))
        if swizzle is not None:
            part._cells().refuse_outside()
        return part

    def vectorize(self, *shape: SupportsIndex) -> "LayoutTensor":
        """Return a view whose elements are blocks of this shape; vectorizing again makes larger blocks.

        Parameters
        ----------
        *shape : int
            The extents of a block, one for each mode.

        Raises
        ------
        LayoutError
            If the blocks do not divide the extents.
        """
        return self._view(*tiling.vectorized(self._geometry, shape))

    def slice(self, s0: Range, s1: Range, indices: Any = (0, 1), offsets: Any = ()) -> Self:
        """Return ranges of two modes, at fixed coordinates of the others; ranges are clamped as in Python.

        Parameters
        ----------
        s0, s1 : slice
            The ranges, without a step.
        indices : tuple of int
            The two modes, in ascending order.
        offsets : tuple of int
            A coordinate for each of the other modes.

        Raises
        ------
        LayoutError
            If there is a step, or the modes or coordinates do not fit.
        BoundsError
            If a coordinate is out of bounds.
        """
        return self._view(*sliced(self._geometry, (s0, s1), indices, offsets))

    def slice_1d(self, s0: Range, indices: Any = (0,), offsets: Any = ()) -> Self:
        """Return a range of one mode, at fixed coordinates of the others; as `slice`.

        Parameters
        ----------
        s0 : Range
            The range.
        indices : int or tuple, default (0,)
            The mode that the range is of.
        offsets : int or tuple, default ()
            The coordinates of the other modes.
        """
        return self._view(*sliced(self._geometry, (s0,), indices, offsets))

    # Other layouts of the same cells

    def transpose(self) -> Self:
        """Return a view with the two modes exchanged.

        Raises
        ------
        LayoutError
            If the tensor does not have two modes.
        """
        return self._view(relayout.transposed(self._geometry))

    def reshape(self, layout: Any) -> Self:
        """Return a view of the same cells with exactly this layout, in its order, from the same first element.

        A swizzle stays; the layout under it is replaced.

        Parameters
        ----------
        layout : Layout
            The layout of the result.

        Raises
        ------
        LayoutError
            If the layout addresses other cells, or the tensor is masked.
        """
        return self._view(relayout.reshaped(self._geometry, layout))

    def composition(self, layout: Any) -> Self:
        """Return the elements at the indices that another layout gives; these may be fewer elements.

        Parameters
        ----------
        layout : Layout
            The layout whose offsets are indices of this tensor.

        Raises
        ------
        LayoutError
            If an index is out of bounds, no layout describes the result, or the tensor is masked.
        """
        return self._view(relayout.composed(self._geometry, layout))

    def coalesce(self, keep_rank: bool = False) -> Self:
        """Return a view with the fewest modes, same elements, same order; with ``keep_rank`` simplify each mode.

        Parameters
        ----------
        keep_rank : bool, default False
            Whether each mode is simplified by itself.

        Raises
        ------
        LayoutError
            If the tensor is masked and ``keep_rank`` is false.
        """
        return self._view(relayout.coalesced(self._geometry, keep_rank))

    def distance(self, other: "TensorCore | SupportsIndex") -> int:
        """Return the distance in elements from this first element to another's first element, or to an address.

        Parameters
        ----------
        other : TensorCore or int
            A tensor on the same memory, or an address.

        Raises
        ------
        ValueError
            If it is in another storage, or the distance is not a whole number of elements.
        DTypeError
            If the dtypes differ.
        """
        if isinstance(other, TensorCore):
            if other._dtype != self._dtype:
                raise DTypeError(f"distances are between equal dtypes; found {self._dtype.name}, {other._dtype.name}")
            if other._storage.owner is not self._storage.owner:
                raise ValueError("distances are within one storage; these tensors are on two")
            return (other.ptr - self.ptr) // self._dtype.itemsize
        return self._distance_to(index(other))

    def _distance_to(self, address: int) -> int:
        start = self._storage.pointer
        if not start <= address <= start + self._storage.nbytes:
            raise ValueError(f"{address:#x} is in another storage; this one is at {start:#x}")
        steps, rest = divmod(address - self.ptr, self._dtype.itemsize)
        if rest:
            raise ValueError(f"{address:#x} is no whole number of {self._dtype.name} elements from {self.ptr:#x}")
        return steps

    @classmethod
    @contextmanager
    def stack_allocation(cls, layout: Any, dtype: DTypeLike, alignment: SupportsIndex | None = None) -> Iterator[Self]:
        """Return a context manager for a tensor on new, uninitialized memory, which is released at its end.

        Parameters
        ----------
        layout : Layout or ComposedLayout
            Layout of the elements.
        dtype : dtype_like
            Type of the elements.
        alignment : int, optional
            Alignment of the first element in bytes: a power of two, at least the alignment of the dtype.

        Raises
        ------
        ValueError
            If the alignment is not such a power of two.

        Examples
        --------
        >>> import accel
        >>> from accel.layout import Layout
        >>> with accel.LayoutTensor.stack_allocation(Layout(4), "float32", alignment=256) as t:
        ...     t.fill(1.5)[3], t.ptr % 256
        (np.float32(1.5), 0)
        """
        layout, kind = layout if isinstance(layout, ComposedLayout) else as_layout(layout), as_dtype(dtype)
        boundary = kind.alignment if alignment is None else as_alignment(alignment)
        first, low, high = ends(layout)
        offset = -low + (low - first) % max(1, boundary // kind.itemsize)  # the first element is then aligned
        with scoped_storage(offset + high + 1, kind, boundary) as storage:
            yield cls(storage, layout, offset, alignment=boundary)


def _hashable(values: Any) -> Any:
    return tuple(values) if isinstance(values, list) else values
