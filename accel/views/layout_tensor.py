"""`LayoutTensor`: a storage looked at through a layout (Mojo's)."""

from collections.abc import Iterator
from contextlib import contextmanager
from operator import index
from typing import Any, Self, SupportsIndex

from accel.dtypes import DType, DTypeLike, as_dtype
from accel.errors import DTypeError, LayoutError
from accel.layout import ComposedLayout, Swizzle
from accel.layout.layout import as_layout
from accel.views import relayout, tiling
from accel.views.access import TensorAccess
from accel.views.arithmetic import TensorArithmetic
from accel.views.cells import ends
from accel.views.checks import as_alignment, as_pad
from accel.views.copying import AsyncCopying
from accel.views.core import TensorCore
from accel.views.geometry import geometry_of
from accel.views.iterator import LayoutTensorIter
from accel.views.scoped_storage import scoped_storage
from accel.views.slicing import sliced
from accel.views.text import TensorText

__all__ = ["LayoutTensor"]

Range = slice  # which inside the class is a method


class LayoutTensor(TensorAccess, TensorArithmetic, TensorText, AsyncCopying):
    """Typed memory at the coordinates of a layout: a view, which copies nothing and holds the storage.

    Everything that cuts, slices or relabels it is another view of the same memory; what is written there is written
    here. Where one integer stands for a coordinate, the leftmost mode is fastest.

    Parameters
    ----------
    source : container, storage, view or array of any library
        What has the memory. Offsets are from its first element, or from the ``offset`` of a tensor.
    layout : Layout or ComposedLayout, optional
        Where the elements lie; by default as the source has them. In views of a swizzled tensor the offset inside the
        swizzle changes.
    offset : int
        How many elements come before the first one.
    element_layout : Layout, optional
        Where the numbers of one element lie; by default an element is one number.
    alignment : int, optional
        A power of two in bytes, of which the address of the first element is a multiple.

    Raises
    ------
    BoundsError
        If the layout reaches past the storage; says what is required, and what available.
    LayoutError
        If the address is not aligned so, or a layout is given and the source has strides of its own.
    TypeError
        If the source has no memory to look at.

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

    # Parts

    def tile(self, sizes: Any, coords: Any, tail: str = "mask", pad_value: Any = None) -> Self:
        """Return the tile at some tile coordinates.

        Parameters
        ----------
        sizes, coords : tuple of int
            One for each mode: the extent of tiles, and which of them; negative ones count from the end.
        tail : {"mask", "shrink", "pad", "raise"}
            Of a tile that goes past the end: nothing outside is accessed; or the layout is cut; or what is read outside
            is ``pad_value`` and what is written there dropped; or it is a BoundsError. The tiles of a padded tensor
            are padded too.
        pad_value : number, optional
            What is read outside, with ``"mask"`` by `load` alone; by default that of this tensor, or 0.

        Raises
        ------
        BoundsError
            If there is no such tile.
        LayoutError
            If there is not one number for each mode, or a nested mode does not come in such tiles.
        """
        if type(sizes) is not tuple or type(coords) is not tuple:
            sizes, coords = _hashable(sizes), _hashable(coords)
        made = self._view(*tiling.tiled(self._geometry, sizes, coords, tail))
        if pad_value is not None:
            made._pad = as_pad(pad_value, self._dtype)
        return made

    def tiles(self, sizes: Any, tail: str = "mask", pad_value: Any = None) -> Iterator[Self]:
        """Yield all tiles, those along mode 0 first; as `tile`."""
        extents = tiling.tile_sizes(self._geometry, sizes)
        for coords in tiling.coordinates_of_tiles(self._geometry, extents):
            yield self.tile(extents, coords, tail, pad_value)

    def tiled_iterator(
        self, sizes: Any, coords: Any, axis: SupportsIndex = 0, circular: bool = False
    ) -> LayoutTensorIter[Self]:
        """Return a tile that goes along an axis, from some tile on."""
        return LayoutTensorIter(self, sizes, coords, axis, circular)

    def split(self, count: SupportsIndex, axis: SupportsIndex = 0) -> tuple[Self, ...]:
        """Return equal parts along an axis.

        Raises
        ------
        LayoutError
            If the count does not divide the extent; `split_part` has parts of different length.
        """
        return tuple([self._view(*part) for part in tiling.split(self._geometry, count, axis)])

    def split_part(
        self, count: SupportsIndex, part: SupportsIndex, axis: SupportsIndex = 0, alignment: SupportsIndex = 1
    ) -> Self:
        """Return one part along an axis, from the end if negative; its extent is a multiple of an alignment.

        The last ones may be shorter.

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
        """Return what one thread has: along each mode, every ``T``-th element from its own one on.

        Parameters
        ----------
        threads_layout : Layout
            The number of each thread; ``T`` is the extent of a mode.
        thread_id : int
            Which thread.
        axis : int, optional
            Divide this mode alone, by the threads along it. Where that mode of the threads is nested and has as many
            parts as the tensor has modes, these divide the modes.
        swizzle : Swizzle, optional
            Maps the offset of the thread's first element, in elements.
        submode_axis : int, optional
            Of the mode that ``axis`` names, use only this part.

        Raises
        ------
        BoundsError
            If there is no such thread, or a swizzle leads out of the storage.
        LayoutError
            If the threads do not have a mode for each of the tensor's, or the tensor is masked and swizzled.
        """
        threads = as_layout(threads_layout)
        made = self._view(*tiling.distributed(self._geometry, threads, thread_id, axis, swizzle, submode_axis))
        if swizzle is not None:
            made._cells().refuse_outside()
        return made

    def vectorize(self, *shape: SupportsIndex) -> Self:
        """Return a view whose elements are blocks of a shape; vectors of vectors are larger blocks.

        Raises
        ------
        LayoutError
            If the blocks do not divide the extents.
        """
        return self._view(*tiling.vectorized(self._geometry, shape))

    def slice(self, s0: Range, s1: Range, indices: Any = (0, 1), offsets: Any = ()) -> Self:
        """Return ranges of two modes, at fixed coordinates of the others; they are clamped as Python's.

        Parameters
        ----------
        s0, s1 : slice
            Without a step.
        indices : tuple of int
            Which two modes, in ascending order.
        offsets : tuple of int
            A coordinate for each of the others.

        Raises
        ------
        LayoutError
            If there is a step, or the modes or coordinates do not fit.
        BoundsError
            If a coordinate leaves its mode.
        """
        return self._view(*sliced(self._geometry, (s0, s1), indices, offsets))

    def slice_1d(self, s0: Range, indices: Any = (0,), offsets: Any = ()) -> Self:
        """Return a range of one mode, at fixed coordinates of the others; as `slice`."""
        return self._view(*sliced(self._geometry, (s0,), indices, offsets))

    # The same cells under another layout

    def transpose(self) -> Self:
        """Return the two modes exchanged.

        Raises
        ------
        LayoutError
            If there are not two.
        """
        return self._view(relayout.transposed(self._geometry))

    def reshape(self, layout: Any) -> Self:
        """Return the same cells under exactly this layout, from the same first element; in whatever order it says.

        A swizzle stays, and the layout under it is exchanged.

        Raises
        ------
        LayoutError
            If the layout addresses other cells, or the tensor is masked.
        """
        return self._view(relayout.reshaped(self._geometry, layout))

    def composition(self, layout: Any) -> Self:
        """Return the elements at the integers that another layout gives, which may be fewer.

        Raises
        ------
        LayoutError
            If it leaves the domain, no layout has these elements, or the tensor is masked.
        """
        return self._view(relayout.composed(self._geometry, layout))

    def coalesce(self, keep_rank: bool = False) -> Self:
        """Return the fewest modes with the same elements in the same order; with ``keep_rank`` mode by mode.

        Raises
        ------
        LayoutError
            If the tensor is masked, without ``keep_rank``.
        """
        return self._view(relayout.coalesced(self._geometry, keep_rank))

    def bitcast(self, dtype: DTypeLike, element_layout: Any = None, allow_resize: bool = False) -> Self:
        """Return the same bytes read as another dtype; shape and strides, in elements, stay.

        Parameters
        ----------
        dtype : dtype_like
            Of the same size in bytes.
        element_layout : Layout, optional
            Where the numbers of one element lie; by default as here.
        allow_resize : bool
            Allow another size: the elements are then other ones, from the same first byte on.

        Raises
        ------
        DTypeError
            If the sizes differ, without ``allow_resize``.
        LayoutError
            If the first byte is not aligned for the dtype, or the sizes differ and the tensor is swizzled.
        BoundsError
            If the elements leave the storage.
        """
        wanted = as_dtype(dtype)
        if wanted.itemsize != self._dtype.itemsize:
            self._refuse_resizing(wanted, allow_resize)
        first, rest = divmod(self._offset * self._dtype.itemsize, wanted.itemsize)
        if rest or self._storage.pointer % wanted.alignment:
            remedy = f"write t.copy().bitcast({wanted.name!r})"
            if wanted.itemsize != self._dtype.itemsize:
                remedy = (
                    f"take a part whose first byte is a multiple of {wanted.itemsize} from the start of the storage"
                )
            raise LayoutError(f"the first element lies at {self.ptr:#x}, where no {wanted.name} can; {remedy}")
        return self._recast(wanted, first, element_layout)

    def _refuse_resizing(self, wanted: DType, allowed: bool) -> None:
        swizzled, dtype = self._geometry.swizzled, self._dtype
        sizes = f"{wanted.name} has {wanted.itemsize} bytes, and {dtype.name} {dtype.itemsize}"
        if swizzled is not None:
            raise LayoutError(
                f"{sizes}; {swizzled.swizzle} would lead to other bytes: write u.copy_from(t) for a tensor u "
                f"without a swizzle first"
            )
        if not allowed:
            raise DTypeError(f"{sizes}; write allow_resize=True, which reads other elements")

    def _recast(self, dtype: Any, offset: int, element_layout: Any) -> Self:
        made, geometry = type(self).__new__(type(self)), self._geometry
        element = geometry.element if element_layout is None else as_layout(element_layout)
        recast = geometry_of(geometry.layout, element, geometry.valid, geometry.padded, geometry.swizzled)
        made._on(self._storage, recast, offset, dtype)
        made._readonly = self._readonly
        return made

    def distance(self, other: "TensorCore | SupportsIndex") -> int:
        """Return how many elements lie from the first one here to another's first one, or to an address.

        Raises
        ------
        ValueError
            If it is in another storage, or no whole number of elements away.
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
            raise ValueError(f"{address:#x} is no whole number of {self._dtype.name} away from {self.ptr:#x}")
        return steps

    @classmethod
    @contextmanager
    def stack_allocation(cls, layout: Any, dtype: DTypeLike, alignment: SupportsIndex | None = None) -> Iterator[Self]:
        """Make a tensor on memory of its own that is given back when the block ends; nothing is in it yet.

        Parameters
        ----------
        layout : Layout or ComposedLayout
            Of the elements.
        dtype : dtype_like
            Of the elements.
        alignment : int, optional
            A power of two in bytes, at least the dtype's own; that of the first element.

        Raises
        ------
        ValueError
            If the alignment is none.

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
        offset = -low + (low - first) % max(1, boundary // kind.itemsize)  # so many that the first one is aligned
        with scoped_storage(offset + high + 1, kind, boundary) as storage:
            yield cls(storage, layout, offset, alignment=boundary)


def _hashable(values: Any) -> Any:
    return tuple(values) if isinstance(values, list) else values
