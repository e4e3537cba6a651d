"""`VectorAccess`: load and store consecutive elements of strided views, on the host."""

from math import prod
from typing import Any, SupportsIndex

from accel.errors import BoundsError, LayoutError
from accel.memory import HostStorage
from accel.memory.sizes import as_size
from accel.views.buffers.flat_memory import as_host_storage, checked_range
from accel.views.buffers.simd import PrefetchOptions
from accel.views.buffers.strided import StridedView
from accel.views.index_checks import as_alignment, position
from accel.views.load_arguments import as_vector, refuse_misaligned, split_coordinates, split_values

__all__ = ["VectorAccess"]

_FETCH = PrefetchOptions()


class VectorAccess(StridedView):
    """Mixin of strided views: `load`, `store` and `prefetch`."""

    __slots__ = ()

    def load(self, *index: Any, width: SupportsIndex | None = None, alignment: SupportsIndex | None = None) -> Any:
        """Return consecutive elements of the memory: a NumPy scalar for one, else a new 1-D array.

        Parameters
        ----------
        *index : int, or one tuple or list of int
            Coordinates of the first element; the width may follow.
        width : int, optional
            How many elements to read; by default 1. More than 1 need a contiguous view, and may continue in the next
            row.
        alignment : int, optional
            Required alignment of the address in bytes, a power of two.

        Raises
        ------
        BoundsError
            If an element is outside the view.
        LayoutError
            If the view is not contiguous, or the address is not aligned.
        DeviceMismatchError
            If the memory is not the host's.
        """
        where, (given, boundary) = split_coordinates(
            index, len(self._shape), ("width", "alignment"), (width, alignment)
        )
        storage, count = self._host(), 1 if given is None else as_size(given, self.dtype.itemsize)
        return storage.load(self._vector(where, count, boundary), count)

    def store(
        self,
        *index: Any,
        values: Any = None,
        width: SupportsIndex | None = None,
        alignment: SupportsIndex | None = None,
    ) -> None:
        """Write consecutive elements of the memory; all of them or none.

        Parameters
        ----------
        *index : int, or one tuple or list of int
            Coordinates of the first element; the values follow.
        values : number or array_like
            The values to write; more than one need a contiguous view.
        width : int, optional
            How many elements to write; by default the number of values. A single value is repeated.
        alignment : int, optional
            Required alignment of the address in bytes, a power of two.

        Raises
        ------
        BoundsError, LayoutError, DeviceMismatchError
            As for `load`.
        DTypeError, OverflowError
            If the dtype cannot hold a value.
        ReadOnlyError
            If the memory is read-only.
        """
        where, given, boundary = split_values(index, len(self._shape), values, alignment)
        storage, numbers = self._host(), as_vector(given, width, self.dtype)
        storage.store(self._vector(where, numbers.size, boundary), numbers)

    def simd_nt_store(self, *index: Any, values: Any = None) -> None:
        """As `store`; Mojo's non-temporal store. On the host it makes no difference to the caches.

        The view must be contiguous. The address must be a multiple of 64 for vectors of 64 bytes or more, of 32 for 32
        bytes or more, and of 16 for shorter ones.
        """
        self._refuse_gaps()
        where, given, _ = split_values(index, len(self._shape), values, None)
        numbers = as_vector(given, None, self.dtype)
        alignment = 64 if numbers.nbytes >= 64 else 32 if numbers.nbytes >= 32 else 16
        self.store(where, numbers, alignment)

    def prefetch(self, *index: Any, params: PrefetchOptions = _FETCH) -> None:
        """Check the coordinates of an element that will be used soon; the host prefetches by itself."""
        if not isinstance(params, PrefetchOptions):
            raise TypeError(f"params are PrefetchOptions(...); found {params!r}")
        self._cell(split_coordinates(index, len(self._shape), (), ())[0])

    def _host(self) -> HostStorage:
        return as_host_storage(self._storage, "access to elements")

    def _cell(self, coordinates: tuple[SupportsIndex, ...]) -> int:
        """Return the storage element at these coordinates."""
        if len(coordinates) != len(self._shape):
            raise BoundsError(
                f"{len(self._shape)} coordinates are needed for shape {self._shape}; found {len(coordinates)}"
            )
        cell = self._offset
        for axis, (coordinate, extent) in enumerate(zip(coordinates, self._shape, strict=True)):
            there = isinstance(coordinate, int) and 0 <= coordinate < extent
            cell += int(coordinate if there else position(coordinate, extent, axis)) * self._strides[axis]
        return cell

    def _vector(self, coordinates: tuple[SupportsIndex, ...], width: int, alignment: SupportsIndex | None) -> int:
        """Return the storage element of the first element of a vector, after checking the range and the alignment."""
        cell = self._cell(coordinates)
        if width != 1:
            self._refuse_gaps()
            checked_range(cell - self._offset, width, prod(self._shape), f"this {type(self).__name__}")
        if alignment is not None:
            refuse_misaligned(self._storage.pointer + cell * self.dtype.itemsize, as_alignment(alignment))
        return cell

    def _refuse_gaps(self) -> None:
        if not self._source.contiguous:
            raise LayoutError(
                f"Function requires contiguous buffer. This one has shape {self._shape} and strides {self._strides}; "
                f"write b.copy() for a contiguous copy"
            )
