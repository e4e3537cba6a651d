"""`TensorCore`: the storage and geometry of a tensor, and the properties that follow from them."""

from math import gcd
from operator import index
from typing import Any, Self, SupportsIndex

from accel.copies import Elements
from accel.device import Device
from accel.dtypes import DType
from accel.errors import DeviceMismatchError, LayoutError, ReadOnlyError
from accel.layout import ComposedLayout, Layout
from accel.layout.layout import as_layout, joined
from accel.memory import AnyStorage, DeviceStorage, HostStorage
from accel.support.enums import PlainEnum
from accel.views.cells import cells, compact
from accel.views.geometry import SCALAR, Geometry, Shifted, geometry_from_layout, geometry_of
from accel.views.index_checks import as_axis
from accel.views.sources import Source, source_of

__all__ = ["AddressSpace", "TensorCore"]


class AddressSpace(PlainEnum):
    """The address space of a pointer, with the numbers that GPU compilers use."""

    GENERIC = 0
    GLOBAL = 1
    SHARED = 3
    LOCAL = 5


class TensorCore:
    """A storage, a geometry, and an offset; the abstract base of tensors.

    The geometry maps coordinates to offsets in elements of the storage. `_offset` is added to them. A swizzle, if there
    is one, is applied to the sum.
    """

    __slots__ = ("_alignment", "_direct", "_dtype", "_geometry", "_offset", "_pad", "_readonly", "_storage")
    _direct: bool  # whether storage[i] is an element: host memory of the same dtype
    _dtype: DType
    _geometry: Geometry
    _offset: int
    _pad: Any
    _alignment: tuple[int, int]  # an alignment in bytes, and a storage element with this alignment
    _readonly: bool
    _storage: AnyStorage

    def __init__(
        self,
        source: Any,
        layout: Any = None,
        offset: SupportsIndex = 0,
        element_layout: Any = None,
        alignment: SupportsIndex | None = None,
    ) -> None:
        base = source if isinstance(source, TensorCore) else source_of(source)
        if layout is None:
            geometry, first = _geometry_of(base, element_layout)
            first += index(offset)
        else:
            element = SCALAR if element_layout is None else _as_element_layout(element_layout)
            start = base.offset if isinstance(base, TensorCore) else _start(base, source)
            geometry, first = geometry_from_layout(layout, element, index(offset) + start)
        self._on(base.storage, geometry, first, base.dtype)
        if isinstance(base, TensorCore):
            self._pad, self._readonly = base._pad, base._readonly
        if alignment is not None:
            self._alignment = (self._checked_alignment(index(alignment)), self._place())

    def _on(self, storage: AnyStorage, geometry: Geometry, offset: int, dtype: DType | None = None) -> None:
        """Initialise the view of a storage.

        Raises
        ------
        BoundsError
            If the geometry reaches outside the storage.
        """
        self._storage = storage
        self._geometry = geometry
        self._offset = offset
        self._dtype = storage.dtype if dtype is None else dtype
        self._direct = isinstance(storage, HostStorage) and self._dtype == storage.dtype
        self._pad = None
        self._alignment = (self._dtype.alignment, offset)
        self._readonly = False
        cells(self).refuse_outside()

    def _checked_alignment(self, alignment: int) -> int:
        """Return the alignment after checking that the first element has it."""
        least = self._dtype.alignment
        if alignment < least or alignment & (alignment - 1):
            raise ValueError(f"an alignment is a power of two and at least {least} bytes; found {alignment}")
        if self.ptr % alignment:
            raise LayoutError(f"the first element is at {self.ptr:#x}, which is not a multiple of {alignment} bytes")
        return alignment

    def _view(self, geometry: Geometry, offset: int = 0) -> Self:
        """Return another view of the storage; its first element is ``offset`` storage elements after this one's."""
        view = object.__new__(type(self))
        view._storage = self._storage
        view._geometry = geometry
        view._offset = self._offset + offset
        view._dtype = self._dtype
        view._direct = self._direct
        view._pad = self._pad
        view._alignment = self._alignment
        view._readonly = self._readonly
        return view

    # Properties

    @property
    def storage(self) -> AnyStorage:
        """The storage handle; this does not add a reference."""
        return self._storage

    @property
    def layout(self) -> Layout | ComposedLayout:
        """The layout of the elements, counted from `offset`; for a masked tensor, the layout of the whole tile."""
        geometry = self._geometry
        if geometry.swizzled is None:
            return geometry.layout
        return ComposedLayout(geometry.swizzled.swizzle, self._offset - geometry.swizzled.origin, geometry.layout)

    @property
    def runtime_layout(self) -> Layout | ComposedLayout:
        """The same as `layout`: Python has no compile-time layouts."""
        return self.layout

    @property
    def element_layout(self) -> Layout:
        """The layout of the numbers of one element; 1:1 unless the tensor is vectorized."""
        return self._geometry.element

    @property
    def element_size(self) -> int:
        """Number of numbers in an element."""
        return self._geometry.element.size

    @property
    def offset(self) -> int:
        """The storage element from which the layout counts.

        This is the first element, except under a swizzle: views of a swizzled tensor keep its offset.
        """
        swizzled = self._geometry.swizzled
        return self._offset if swizzled is None else swizzled.origin

    @property
    def dtype(self) -> DType:
        """Data type of the numbers."""
        return self._dtype

    @property
    def device(self) -> Device:
        """Device of the memory."""
        return self._storage.device

    @property
    def ptr(self) -> int:
        """Address of the first element on the device."""
        return self._storage.pointer + self._place() * self._dtype.itemsize

    @property
    def alignment(self) -> int:
        """Known alignment of the first element in bytes, a power of two."""
        alignment, aligned_element = self._alignment
        return gcd(alignment, (self._place() - aligned_element) * self._dtype.itemsize)

    @property
    def address_space(self) -> AddressSpace:
        """GENERIC on the host, GLOBAL on a device."""
        return AddressSpace.GENERIC if isinstance(self._storage, HostStorage) else AddressSpace.GLOBAL

    @property
    def rank(self) -> int:
        """Number of top-level modes."""
        return self._geometry.rank

    @property
    def size(self) -> int:
        """Number of elements; for a masked tensor, of valid elements."""
        return self._geometry.size

    @property
    def shape(self) -> tuple[int, ...]:
        """Extent of each top-level mode; for a masked tensor, of its valid part."""
        return self._geometry.shape

    @property
    def masked(self) -> bool:
        """Whether a part of the layout may be invalid, that is without memory."""
        return self._geometry.valid is not None

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements fill a range of memory without gaps or overlaps, in any order."""
        return compact(self._geometry)

    @property
    def readonly(self) -> bool:
        """Whether writing is forbidden."""
        return self._readonly or self._storage.readonly

    @property
    def _pad_value(self) -> Any:
        """The value of elements without memory."""
        return 0 if self._pad is None else self._pad

    @property
    def nbytes(self) -> int:
        """Size in bytes of all elements; for a masked tensor, of the valid elements."""
        return self.size * self.element_size * self._dtype.itemsize

    def dim(self, index: SupportsIndex) -> int:
        """Return the extent of a mode; for a masked tensor, of its valid part.

        Raises
        ------
        LayoutError
            If the mode is nested; `shape` has its size.
        BoundsError
            If there is no such mode.
        """
        axis = as_axis(index, self.rank)
        self._refuse_nested(axis, f"no single extent; shape[{axis}] is its size")
        return self.shape[axis]

    def stride(self, i: SupportsIndex) -> int:
        """Return the stride of a mode, in storage elements.

        Raises
        ------
        LayoutError
            If the mode is nested, or the tensor is swizzled.
        BoundsError
            If there is no such mode.
        """
        axis = as_axis(i, self.rank)
        if self._geometry.swizzled is not None:
            raise LayoutError(
                f"a tensor under {self._geometry.swizzled.swizzle} has no constant strides; t.layout(i, j) is an "
                f"offset, and t.layout.layout has the strides before the swizzle"
            )
        self._refuse_nested(axis, "no single stride; layout.mode(i) has all of them")
        return self._geometry.modes[axis].leaves[0][1]

    def _refuse_nested(self, axis: int, reason: str) -> None:
        mode = self._geometry.modes[axis]
        if isinstance(mode.shape, tuple):
            raise LayoutError(f"mode {axis} is nested, {mode}, and has {reason}")

    def get_immutable(self) -> Self:
        """Return a read-only view."""
        return self.origin_cast(mutable=False)

    def origin_cast(self, mutable: bool) -> Self:
        """Return a view that is writable or read-only.

        Raises
        ------
        ReadOnlyError
            If ``mutable`` is true and the storage is read-only.
        """
        if mutable and self._storage.readonly:
            raise ReadOnlyError(f"{self._storage} is read-only, and so is every view of it; write to t.copy()")
        view = self._view(self._geometry)
        view._readonly = not mutable
        return view

    def __copy__(self) -> Self:
        return self._view(self._geometry)

    def _refuse_read_only(self) -> None:
        self._storage.refuse_read_only()
        if self._readonly:
            raise ReadOnlyError("this view is read-only; write through t.origin_cast(mutable=True), or to t.copy()")

    def _host_storage(self, what: str) -> HostStorage:
        """Return the storage if it is host memory; ``what`` is the operation for the error message."""
        if isinstance(self._storage, DeviceStorage):
            raise DeviceMismatchError(
                f"{what} needs host memory, and the elements are on {self.device}; write t.to_numpy() for their "
                f"values, or make the tensor on c.to('cpu')"
            )
        return self._storage

    def _place(self, step: int = 0) -> int:
        """Return the storage element at ``step``, an offset from the first element before the swizzle."""
        swizzled = self._geometry.swizzled
        return self._offset + step if swizzled is None else swizzled(self._offset + step)

    def _cells(self, *, by_rows: bool = False) -> Elements:
        return cells(self, by_rows=by_rows)


def _geometry_of(base: TensorCore | Source, element_layout: Any) -> Shifted:
    """Return the geometry of a source's own shape and strides, and the storage element of its first element."""
    if element_layout is not None:
        raise TypeError("an element layout goes with a layout; write LayoutTensor(x, layout, 0, element_layout)")
    if isinstance(base, TensorCore):
        return base._geometry, base._offset
    modes = [Layout.unchecked(extent, step) for extent, step in zip(base.shape, base.strides, strict=True)]
    return geometry_of(modes[0] if len(modes) == 1 else joined(modes)), base.start


def _start(elements: Source, source: Any) -> int:
    """Return the storage element of the first element of a contiguous source."""
    if not elements.contiguous:
        raise LayoutError(
            f"a layout needs contiguous memory, and this {type(source).__name__} has strides {elements.strides}; write "
            f"LayoutTensor(x), which keeps its strides, or LayoutTensor(NDBuffer(x).copy(), layout)"
        )
    return elements.start


def _as_element_layout(value: Any) -> Layout:
    layout = as_layout(value)
    if not layout.size:
        raise LayoutError(f"an element has at least one number; found the element layout {layout}")
    return layout
