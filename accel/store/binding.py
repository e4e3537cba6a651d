"""`Binding`: how a task gives an unbound store its shape and its elements."""

from collections.abc import Iterable
from math import prod
from typing import NoReturn, SupportsIndex

from accel.dtypes import DType
from accel.errors import StoreError, StoreSizeError, StoreValueError
from accel.layout import Layout
from accel.memory.any_storage import AnyStorage
from accel.store.index_maps import c_strides, sizes_of
from accel.store.local_buffer import TaskLocalBuffer, create_buffer
from accel.store.scratch import elements_of
from accel.store.store_targets import Place, StoreTarget
from accel.views import LayoutTensor

__all__ = ["Binding"]

_HOST_KINDS = StoreTarget.SYSMEM, StoreTarget.SOCKETMEM


class Binding:
    """The data of an unbound store in a task, bound once.

    Attributes
    ----------
    dtype : numpy.dtype
        Type of the elements.
    ndim : int
        Number of dimensions.
    place : Place
        The kind of memory that the data must be in.
    """

    __slots__ = ("_bound", "dtype", "ndim", "place")

    def __init__(self, dtype: DType, ndim: int, place: Place) -> None:
        self.dtype: DType = dtype
        self.ndim: int = ndim
        self.place: Place = place
        # The memory, the extents of what was bound, and those of the store.
        self._bound: tuple[AnyStorage, tuple[int, ...], tuple[int, ...]] | None = None

    @property
    def bound(self) -> tuple[AnyStorage, tuple[int, ...]] | None:
        """The storage and the extents, once bound; what the body writes until it is over belongs to the data."""
        if self._bound is None:
            return None
        storage, whole, sizes = self._bound
        if storage.size == prod(sizes):
            return storage, sizes
        packed = elements_of(self.place, prod(sizes), self.dtype)
        part = LayoutTensor(storage, Layout(sizes, c_strides(whole)))
        LayoutTensor(packed, Layout(sizes, c_strides(sizes))).copy_from(part)
        return packed, sizes

    def create_output_buffer(self, extents: SupportsIndex | Iterable[SupportsIndex], bind: bool) -> TaskLocalBuffer:
        """Return a new buffer in the memory of the store."""
        sizes = self._extents(extents)
        if bind:
            self._refuse_bound()
        buffer = create_buffer(self.dtype, sizes, self.place)
        if bind:
            self.bind(buffer, sizes)
        return buffer

    def bind(
        self,
        buffer: TaskLocalBuffer,
        extents: SupportsIndex | Iterable[SupportsIndex] | None,
        check_type: bool = False,
    ) -> None:
        """Take the elements of a buffer at the first ``extents`` points."""
        self._refuse_bound()
        self._refuse_elsewhere(buffer)
        whole = buffer.domain.extents
        sizes = whole if extents is None else self._extents(extents)
        if len(whole) != self.ndim:
            raise StoreValueError(f"this store has {self.ndim} dimensions, and the buffer has {len(whole)}")
        if any(size > most for size, most in zip(sizes, whole, strict=True)):
            raise StoreValueError(f"the extents {[*sizes]} are larger than those of the buffer, {[*whole]}")
        if check_type and buffer.type != self.dtype:
            raise StoreValueError(f"this store is of {self.dtype.name}, and the buffer of {buffer.type.name}")
        if buffer.type.itemsize != self.dtype.itemsize:
            raise StoreValueError(
                f"elements of {self.dtype.name} have {self.dtype.itemsize} bytes, and those of the buffer "
                f"({buffer.type.name}) have {buffer.type.itemsize}; for a buffer of bytes write bind_untyped_data"
            )
        self._bind(buffer._storage(), whole, sizes)

    def bind_bytes(self, buffer: TaskLocalBuffer, extents: SupportsIndex | Iterable[SupportsIndex] | None) -> None:
        """Take the bytes of a buffer as elements."""
        self._refuse_bound()
        self._refuse_elsewhere(buffer)
        itemsize, storage = self.dtype.itemsize, buffer._storage()
        if self.ndim != 1 or buffer.dim != 1:
            raise StoreValueError(f"untyped data is for stores of 1 dimension; found {self.ndim}, and {buffer.dim}")
        if buffer.type.itemsize != 1:
            raise StoreValueError(f"untyped data is a buffer of bytes, such as uint8; found {buffer.type.name}")
        if storage.nbytes % itemsize:
            raise StoreValueError(
                f"{storage.nbytes} bytes are no whole number of elements of {self.dtype.name}, of {itemsize} bytes"
            )
        available = (storage.nbytes // itemsize,)
        sizes = available if extents is None else self._extents(extents)
        if sizes[0] > available[0]:
            raise StoreValueError(f"{sizes[0]} elements of {itemsize} bytes are more than the {storage.nbytes} bytes")
        self._bind(storage, available, sizes)

    def bind_empty(self) -> None:
        """Give the store no elements."""
        self._refuse_bound()
        empty = (0,) * self.ndim
        self._bound = elements_of(self.place, 0, self.dtype), empty, empty

    def refuse_access(self) -> NoReturn:
        """Raise `StoreError`: an unbound store has no elements to access."""
        raise StoreError(
            "Illegal to access an uninitialized unbound store: a task gives it its elements with "
            "create_output_buffer, bind_data or bind_empty_data, and later tasks access them"
        )

    def _bind(self, storage: AnyStorage, whole: tuple[int, ...], sizes: tuple[int, ...]) -> None:
        # A window: the buffer may be destroyed, and its task ends, before the store does.
        packed = whole[1:] == sizes[1:] or not prod(sizes)
        self._bound = storage.window(0, prod(sizes if packed else whole), self.dtype), whole, sizes

    def _extents(self, extents: SupportsIndex | Iterable[SupportsIndex]) -> tuple[int, ...]:
        sizes = sizes_of(extents) if isinstance(extents, Iterable) else sizes_of((extents,))
        if len(sizes) != self.ndim:
            raise StoreValueError(f"this store has {self.ndim} dimensions; found the extents {[*sizes]}")
        if min(sizes, default=0) < 0:
            raise StoreSizeError(f"an extent is not negative; found {[*sizes]}")
        return sizes

    def _refuse_bound(self) -> None:
        if self._bound is not None:
            raise StoreError(f"this store is bound already, to extents {self._bound[2]}; a store is bound once")

    def _refuse_elsewhere(self, buffer: TaskLocalBuffer) -> None:
        if not isinstance(buffer, TaskLocalBuffer):
            raise TypeError(
                f"a TaskLocalBuffer is bound; found {type(buffer).__name__}: fill one of create_output_buffer(extents)"
            )
        own, other = self.place, Place(buffer.memory_kind, buffer.device)
        on_host = own.kind in _HOST_KINDS and other.kind in _HOST_KINDS
        if own != other and not on_host:
            raise StoreValueError(
                f"this store is in {own.kind.name} of {own.device}, and the buffer in {other.kind.name} of "
                f"{other.device}; make the buffer with create_output_buffer"
            )
