"""`TensorCore`: what a tensor is made of, and what can be asked of that alone."""

from math import gcd
from operator import index
from typing import Any, Self, SupportsIndex

from accel.copies import Elements
from accel.device import Device
from accel.dtypes import DType
from accel.enums import PlainEnum
from accel.errors import DeviceMismatchError, LayoutError, ReadOnlyError
from accel.layout import ComposedLayout, Layout
from accel.layout.layout import as_layout, joined
from accel.memory import AnyStorage, DeviceStorage, HostStorage
from accel.views.cells import cells, compact
from accel.views.checks import as_axis
from accel.views.geometry import SCALAR, Geometry, Moved, geometry, of_layout
from accel.views.sources import Source, source_of

__all__ = ["AddressSpace", "TensorCore"]


class AddressSpace(PlainEnum):
    """Which memory an address means, with the numbers that compilers for GPUs have for it."""

    GENERIC = 0
    GLOBAL = 1


class TensorCore:
    """Storage and geometry, and to which element of the storage strides lead first; a swizzle comes after that."""

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
        layout: Any = None,
        offset: SupportsIndex = 0,
        element_layout: Any = None,
        alignment: SupportsIndex | None = None,
    ) -> None:
        given = source if isinstance(source, TensorCore) else source_of(source)
        if layout is None:
            found, place = _as_it_is(given, element_layout)
            place += index(offset)
        else:
            element = SCALAR if element_layout is None else _element(element_layout)
            start = given.offset if isinstance(given, TensorCore) else _start(given, source)
            found, place = of_layout(layout, element, index(offset) + start)
        self._on(given.storage, found, place, given.dtype)
        if isinstance(given, TensorCore):
            self._pad, self._readonly = given._pad, given._readonly
        if alignment is not None:
            self._promise = (self._promised(index(alignment)), self._place())

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
    def layout(self) -> Layout | ComposedLayout:
        """Where the elements lie, from `offset` on; that of a masked tensor is the whole tile's."""
        found = self._geometry
        if found.swizzled is None:
            return found.layout
        return ComposedLayout(found.swizzled.swizzle, self._offset - found.swizzled.origin, found.layout)

    @property
    def runtime_layout(self) -> Layout | ComposedLayout:
        """The layout: in Python there is no other."""
        return self.layout

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
        """From which element of the storage the layout counts: the first one; views keep it where they are swizzled."""
        swizzled = self._geometry.swizzled
        return self._offset if swizzled is None else swizzled.origin

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
        return self._storage.pointer + self._place() * self._dtype.itemsize

    @property
    def alignment(self) -> int:
        """The power of two in bytes that the address is known to be a multiple of."""
        promised, where = self._promise
        return gcd(promised, (self._place() - where) * self._dtype.itemsize)

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

    @property
    def _pad_value(self) -> Any:
        """What is read where there is no memory."""
        return 0 if self._pad is None else self._pad

    @property
    def nbytes(self) -> int:
        """Size in bytes of the numbers of all elements; of a masked tensor the valid ones."""
        return self.size * self.element_size * self._dtype.itemsize

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
            If the mode is nested, or the tensor swizzled.
        BoundsError
            If there is none.
        """
        axis = as_axis(i, self.rank)
        if self._geometry.swizzled is not None:
            raise LayoutError(
                f"neighbours under {self._geometry.swizzled.swizzle} are not equally far apart, so no mode has a "
                f"stride; t.layout(i, j) is an offset, and t.layout.layout has the strides before the swizzle"
            )
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
            raise ReadOnlyError(f"{self._storage} is read-only, and so is every view of it; write to t.copy()")
        made = self._view(self._geometry)
        made._readonly = not mutable
        return made

    def __copy__(self) -> Self:
        return self._view(self._geometry)

    def _refuse_read_only(self) -> None:
        self._storage.refuse_read_only()
        if self._readonly:
            raise ReadOnlyError("this view is read-only; write through t.origin_cast(mutable=True), or to t.copy()")

    def _on_host(self, what: str) -> HostStorage:
        """Return the storage if the host can read it."""
        if isinstance(self._storage, DeviceStorage):
            raise DeviceMismatchError(
                f"the elements are on {self.device}, so there is no {what}; write t.to_numpy() for their values, or "
                f"make the tensor on c.to('cpu')"
            )
        return self._storage

    def _place(self, step: int = 0) -> int:
        """Return which element of the storage lies so many elements, by strides alone, from the first one."""
        swizzled = self._geometry.swizzled
        return self._offset + step if swizzled is None else swizzled(self._offset + step)

    def _cells(self, *, by_rows: bool = False) -> Elements:
        return cells(self, by_rows=by_rows)


def _as_it_is(given: TensorCore | Source, element_layout: Any) -> Moved:
    """Return the geometry by which a source itself looks at its memory, and to which element strides lead first."""
    if element_layout is not None:
        raise TypeError("an element layout goes with a layout; write LayoutTensor(x, layout, 0, element_layout)")
    if isinstance(given, TensorCore):
        return given._geometry, given._offset
    modes = [Layout.made(extent, step) for extent, step in zip(given.shape, given.strides, strict=True)]
    return geometry(modes[0] if len(modes) == 1 else joined(modes)), given.start


def _start(given: Source, source: Any) -> int:
    """Return the first element, if all lie one after another, as a layout's offsets count them."""
    if not given.contiguous:
        raise LayoutError(
            f"a layout counts elements of memory, and would not follow the strides {given.strides} of this "
            f"{type(source).__name__}; write LayoutTensor(x), which does, or LayoutTensor(NDBuffer(x).copy(), layout)"
        )
    return given.start


def _element(value: Any) -> Layout:
    found = as_layout(value)
    if not found.size:
        raise LayoutError(f"an element has at least one number; found the element layout {found}")
    return found
