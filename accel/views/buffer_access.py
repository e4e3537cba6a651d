"""`ElementAccess`: single elements and vectors of buffers, on the host."""

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, SupportsIndex, TypeAlias

import numpy as np

from accel.dtypes import exact_cast
from accel.errors import BoundsError, LayoutError
from accel.memory import HostStorage
from accel.memory.sizes import as_size
from accel.views.buffer_arithmetic import Arithmetic
from accel.views.checks import position
from accel.views.scoped import power_of_two
from accel.views.simd import PrefetchOptions
from accel.views.sources import on_host, part

__all__ = ["Coordinates", "ElementAccess", "coordinates_of"]

Coordinates: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
"""An integer for each axis; for one axis also the integer alone."""

_FETCH = PrefetchOptions()


class ElementAccess(Arithmetic):
    """The members of buffers that read and write elements one by one, or some in a row; see `NDBuffer`."""

    __slots__ = ()

    def __getitem__(self, index: SupportsIndex | tuple[SupportsIndex, ...]) -> Any:
        """Return an element of host memory as a NumPy scalar; negative coordinates count from the end.

        Raises
        ------
        BoundsError
            If there is another number of axes, or no such element.
        DeviceMismatchError
            If the memory is an accelerator's.
        """
        return self._host()[self._cell(index if isinstance(index, tuple) else (index,))]

    def __setitem__(self, index: SupportsIndex | tuple[SupportsIndex, ...], value: Any) -> None:
        """Set an element of host memory to a number, or to a vector of one.

        Raises
        ------
        BoundsError
            If there is another number of axes, or no such element.
        DTypeError, OverflowError
            If the dtype cannot hold the value.
        ReadOnlyError, DeviceMismatchError
            If the memory must not change, or is an accelerator's.
        """
        given = exact_cast(value, self.dtype)
        cell = self._cell(index if isinstance(index, tuple) else (index,))
        self._host()[cell] = given.reshape(()) if given.size == 1 else given

    def __iter__(self) -> Iterator[Any]:
        """Iterate over all elements in row-major order."""
        self._host()
        return (self[place] for place in np.ndindex(self._shape))

    def load(self, *index: Coordinates, width: SupportsIndex = 1, alignment: SupportsIndex | None = None) -> Any:
        """Return ``width`` elements, one after another in memory: a NumPy scalar for 1, else a new 1-D array.

        Parameters
        ----------
        *index : int, or one tuple or list of int
            Coordinates of the first.
        width : int
            Number of elements; more than one are read from contiguous buffers only, and may go on in the next row.
        alignment : int, optional
            A power of two of which the address must be a multiple.

        Raises
        ------
        BoundsError
            If they are not all in the buffer.
        LayoutError
            If the buffer is not contiguous, or the address not aligned.
        DeviceMismatchError
            If the memory is an accelerator's.
        """
        storage, count = self._host(), as_size(width, self.dtype.itemsize)
        return storage.load(self._vector(coordinates_of(index), count, alignment), count)

    def store(self, index: Coordinates, values: Any, alignment: SupportsIndex | None = None) -> None:
        """Write one or more elements, one after another in memory; all of them or none.

        Parameters
        ----------
        index : int, or tuple or list of int
            Coordinates of the first.
        values : number or array_like
            What to write; more than one are written to contiguous buffers only.
        alignment : int, optional
            A power of two of which the address must be a multiple.

        Raises
        ------
        BoundsError, LayoutError, DeviceMismatchError
            As for `load`.
        DTypeError, OverflowError
            If the dtype cannot hold a value.
        ReadOnlyError
            If the memory must not change.
        """
        storage, given = self._host(), exact_cast(values, self.dtype).reshape(-1)
        storage.store(self._vector(coordinates_of((index,)), given.size, alignment), given)

    def simd_nt_store(self, index: Coordinates, values: Any) -> None:
        """Write as `store` does what will not be read again soon; the host's caches take no notice.

        The buffer is contiguous, and the address a multiple of 64 for vectors of 64 bytes or more, of 32 for those of
        32 or more, and of 16 for shorter ones.
        """
        self._refuse_gaps()
        given = exact_cast(values, self.dtype).reshape(-1)
        self.store(index, given, alignment=64 if given.nbytes >= 64 else 32 if given.nbytes >= 32 else 16)

    def prefetch(self, *index: Coordinates, params: PrefetchOptions = _FETCH) -> None:
        """Say that an element will be used soon; a hint, of which Python makes nothing but to check the coordinates."""
        if not isinstance(params, PrefetchOptions):
            raise TypeError(f"params are PrefetchOptions(...); found {params!r}")
        self._cell(coordinates_of(index))

    def _host(self) -> HostStorage:
        return on_host(self._storage, "its elements")

    def _cell(self, coordinates: tuple[SupportsIndex, ...]) -> int:
        """Return which element of the storage is at these coordinates."""
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
        """Return which element of the storage is the first of a vector."""
        cell = self._cell(coordinates)
        if width != 1:
            self._refuse_gaps()
            part(cell - self._offset, width, prod(self._shape), "this buffer")
        if alignment is not None:
            self._refuse_misaligned(cell, power_of_two(alignment))
        return cell

    def _refuse_misaligned(self, cell: int, alignment: int) -> None:
        address = self._storage.pointer + cell * self.dtype.itemsize
        if address % alignment:
            raise LayoutError(
                f"the address {address:#x} is no multiple of {alignment}; write another index, or memory of "
                f"aligned_stack_allocation({alignment}, ...)"
            )

    def _refuse_gaps(self) -> None:
        if not self._source.contiguous:
            raise LayoutError(
                f"Function requires contiguous buffer. This one has shape {self._shape} and strides {self._strides}; "
                f"write NDBuffer(b.to_numpy())"
            )


def coordinates_of(given: tuple[Any, ...]) -> tuple[SupportsIndex, ...]:
    """Return coordinates that were given one by one, or together in one tuple or list."""
    together = len(given) == 1 and isinstance(given[0], Sequence)
    return tuple(given[0]) if together else given
