"""`TensorCore`: what a tensor is made of, and what can be asked of that alone."""

import enum
from math import gcd
from operator import index
from typing import Any, Self, SupportsIndex

from accel.copies import Elements
from accel.device import Device
from accel.dtypes import DType
from accel.errors import DeviceMismatchError, LayoutError, ReadOnlyError
from accel.layout import Layout
from accel.layout.layout import as_layout
from accel.memory import AnyStorage, DeviceStorage, HostStorage
from accel.views.cells import cells, compact
from accel.views.checks import as_axis
from accel.views.geometry import SCALAR, Geometry, geometry

__all__ = ["AddressSpace", "TensorCore"]


class AddressSpace(enum.Enum):
    """Which memory an address means, with the numbers that compilers for GPUs have for it."""

    GENERIC = 0
    GLOBAL = 1


class TensorCore:
    """Storage and geometry, and where in the storage the first element is."""

    __slots__ = ("_direct", "_dtype", "_geometry", "_offset", "_pad", "_promise", "_readonly", "_storage")
    _direct: bool  # whether the storage itself reads elements: it is the host's, and of the same dtype
    _dtype: DType
    _geometry: Geometry
    _offset: int
    _pad: Any
    _promise: tuple[int, int]  # an alignment in bytes, and the element that has it
    _readonly: bool
    _storage: AnyStorage

    def __init__(
        self,
        source: Any,
        layout: Any,
        offset: SupportsIndex = 0,
        element_layout: Any = None,
        alignment: SupportsIndex | None = None,
    ) -> None:
        start = getattr(source, "offset", 0)  # of a view; that of a storage is a method
        found = geometry(as_layout(layout), SCALAR if element_layout is None else _element(element_layout))
        self._on(_storage_of(source), found, index(offset) + (start if isinstance(start, int) else 0), source.dtype)
        self._readonly = source.readonly
        if alignment is not None:
            self._promise = (self._promised(index(alignment)), self._offset)

    def _on(self, storage: AnyStorage, found: Geometry, offset: int, dtype: DType | None = None) -> None:
        """Become the view of a storage.

        Raises
        ------
        BoundsError
            If it reaches past the storage.
        """
        self._storage = storage
        self._geometry = found
        self._offset = offset
        self._dtype = storage.dtype if dtype is None else dtype
        self._direct = isinstance(storage, HostStorage) and self._dtype == storage.dtype
        self._pad = None
        self._promise = (self._dtype.alignment, offset)
        self._readonly = False
        cells(self).refuse_outside()

    def _promised(self, alignment: int) -> int:
        least = self._dtype.alignment
        if alignment < least or alignment & (alignment - 1):
            raise ValueError(f"an alignment is a power of two and at least {least} bytes; found {alignment}")
        if self.ptr % alignment:
            raise LayoutError(f"the first element lies at {self.ptr:#x}, which is no multiple of {alignment} bytes")
        return alignment

    def _view(self, found: Geometry, offset: int = 0) -> Self:
        """Return another view of the storage, whose first element lies some elements further on."""
        made = object.__new__(type(self))
        made._storage = self._storage
        made._geometry = found
        made._offset = self._offset + offset
        made._dtype = self._dtype
        made._direct = self._direct
        made._pad = self._pad
        made._promise = self._promise
        made._readonly = self._readonly
        return made

    # What it is

    @property
    def storage(self) -> AnyStorage:
        """The handle on the memory, not counted again."""
        return self._storage

    @property
    def layout(self) -> Layout:
        """Where the elements lie; that of a masked tensor is the whole tile's."""
        return self._geometry.layout

    @property
    def runtime_layout(self) -> Layout:
        """The layout: in Python there is no other."""
        return self._geometry.layout

    @property
    def element_layout(self) -> Layout:
        """Where the numbers of one element lie; 1:1 unless vectorised."""
        return self._geometry.element

    @property
    def element_size(self) -> int:
        """How many numbers an element has."""
        return self._geometry.element.size

    @property
    def offset(self) -> int:
        """How many elements of the dtype come before the first one, from the start of the storage."""
        return self._offset

    @property
    def dtype(self) -> DType:
        """Type of the numbers."""
        return self._dtype

    @property
    def device(self) -> Device:
        """The device that has the memory."""
        return self._storage.device

    @property
    def ptr(self) -> int:
        """Address of the first element on its device."""
        return self._storage.pointer + self._offset * self._dtype.itemsize

    @property
    def alignment(self) -> int:
        """The power of two in bytes that the address is known to be a multiple of."""
        promised, where = self._promise
        return gcd(promised, (self._offset - where) * self._dtype.itemsize)

    @property
    def address_space(self) -> AddressSpace:
        """Generic on the host, global on a device."""
        return AddressSpace.GENERIC if isinstance(self._storage, HostStorage) else AddressSpace.GLOBAL

    @property
    def rank(self) -> int:
        """How many modes there are at the top."""
        return self._geometry.rank

    @property
    def size(self) -> int:
        """How many elements there are; of a masked tensor the valid ones."""
        return self._geometry.size

    @property
    def shape(self) -> tuple[int, ...]:
        """The extent of each mode at the top; of a masked tensor the valid part's."""
        return self._geometry.shape

    @property
    def masked(self) -> bool:
        """Whether less than the layout may be valid."""
        return self._geometry.valid is not None

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements fill a stretch of memory, each once, in whatever order."""
        return compact(self._geometry)

    @property
    def readonly(self) -> bool:
        """Whether writing is forbidden."""
        return self._readonly or self._storage.readonly

    def dim(self, i: SupportsIndex) -> int:
        """Return the extent of a mode; the valid part's where masked.

        Raises
        ------
        LayoutError
            If the mode is nested; `shape` has its size.
        BoundsError
            If there is none.
        """
        axis = as_axis(i, self.rank)
        self._refuse_nested(axis, f"no single extent; shape[{axis}] is its size")
        return self.shape[axis]

    def stride(self, i: SupportsIndex) -> int:
        """Return how many elements of memory lie between neighbours along a mode.

        Raises
        ------
        LayoutError
            If the mode is nested.
        BoundsError
            If there is none.
        """
        axis = as_axis(i, self.rank)
        self._refuse_nested(axis, "no single stride; layout.mode(i) has all of them")
        return self._geometry.modes[axis].leaves[0][1]

    def _refuse_nested(self, axis: int, reason: str) -> None:
        mode = self._geometry.modes[axis]
        if isinstance(mode.shape, tuple):
            raise LayoutError(f"mode {axis} is nested, {mode}, and has {reason}")

    def get_immutable(self) -> Self:
        """Return a view through which nothing can be written."""
        return self.origin_cast(mutable=False)

    def origin_cast(self, mutable: bool) -> Self:
        """Return a view through which writing is allowed or not.

        Raises
        ------
        ReadOnlyError
            If it is to be allowed, and the storage must not change.
        """
        if mutable and self._storage.readonly:
            raise ReadOnlyError(f"{self._storage} is read-only, and so is every view of it; write to a copy()")
        made = self._view(self._geometry)
        made._readonly = not mutable
        return made

    def __copy__(self) -> Self:
        return self._view(self._geometry)

    def _refuse_read_only(self) -> None:
        if self._readonly:
            raise ReadOnlyError("this view is read-only; write through origin_cast(mutable=True), or to a copy()")
        self._storage.refuse_read_only()

    def _on_host(self, what: str) -> HostStorage:
        """Return the storage if the host can read it."""
        if isinstance(self._storage, DeviceStorage):
            raise DeviceMismatchError(
                f"the elements are on {self.device}, so there is no {what}; write t.to_numpy() for their values, or "
                f"make the tensor on c.to('cpu')"
            )
        return self._storage

    def _cells(self, *, by_rows: bool = False) -> Elements:
        return cells(self, by_rows=by_rows)


def _storage_of(source: Any) -> AnyStorage:
    found = source if isinstance(source, HostStorage | DeviceStorage) else getattr(source, "storage", None)
    if not isinstance(found, HostStorage | DeviceStorage):
        raise TypeError(f"a tensor is a view of a container, a storage or another view; found {type(source).__name__}")
    return found


def _element(value: Any) -> Layout:
    found = as_layout(value)
    if not found.size:
        raise LayoutError(f"an element has at least one number; found the element layout {found}")
    return found
