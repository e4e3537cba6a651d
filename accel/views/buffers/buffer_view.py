"""`BufferView`: view of consecutive elements (Quadrants' view) that can be sliced and passed to kernels."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic, Self, SupportsIndex, overload

from accel import copies
from accel.dtypes import Scalar_co
from accel.errors import BoundsError
from accel.memory import AnyStorage, HostStorage
from accel.views.buffers import vector_access
from accel.views.buffers.flat_memory import checked_range, flat_source
from accel.views.buffers.strided import StridedView
from accel.views.buffers.text import shown
from accel.views.buffers.vector_access import host_storage
from accel.views.index_checks import as_whole
from accel.views.rows import Rows, as_assignable

__all__ = ["BufferView"]


class BufferView(StridedView, Generic[Scalar_co]):
    """View of consecutive elements of memory, on any device.

    Its offset and size are fixed; only the elements can change. A kernel parameter is annotated ``BufferView`` or
    ``BufferView[f32]``.

    Parameters
    ----------
    source : container, storage, view or array
        The object whose memory to view; an array, of any library, must be contiguous and have one axis.
    offset : int
        The first element.
    size : int, optional
        Number of elements; by default all from ``offset`` on.

    Raises
    ------
    TypeError
        If the source has no memory, or not one axis.
    BoundsError
        If an element is outside the source.
    LayoutError
        If an array is not contiguous.

    Examples
    --------
    >>> import accel
    >>> from accel.views import BufferView
    >>> v = BufferView(accel.container([1.0, 2.0, 3.0, 4.0]), offset=1)
    >>> v[:2]
    BufferView([2., 3.], offset=1, size=2, dtype=float64, device=cpu)
    >>> v[-1], v.subview(1, 2).to_numpy()
    (np.float64(4.0), array([3., 4.]))
    """

    __slots__ = ()
    _rank = 1

    def __init__(self, source: Any, offset: SupportsIndex = 0, size: SupportsIndex | None = None) -> None:
        elements = flat_source(source, "BufferView")
        start, count = checked_range(offset, size, elements.size, f"this {type(source).__name__}")
        self._storage = elements.storage
        self._offset = elements.start + start
        self._shape = (count,)
        self._strides = (1,)

    @classmethod
    def over(cls, storage: AnyStorage) -> Self:
        """Return the view of all elements of a storage.

        Parameters
        ----------
        storage : HostStorage or DeviceStorage
            The storage.
        """
        return cls._on(storage, 0, (storage.size,), (1,))

    def subview(self, offset: SupportsIndex = 0, size: SupportsIndex | None = None) -> Self:
        """Return the view of ``size`` elements starting at ``offset``, or of all; unlike a slice, it is never clipped.

        Parameters
        ----------
        offset : int, default 0
            The place of the first element.
        size : int, optional
            The number of elements; by default all that follow.

        Raises
        ------
        BoundsError
            If an element is outside this view.
        """
        start, count = checked_range(offset, size, self._shape[0], "the parent view")
        return self._on(self._storage, self._offset + start, (count,), (1,))

    @overload
    def __getitem__(self, index: SupportsIndex) -> Scalar_co: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        """Return an element of host memory as a NumPy scalar, or the view of a slice, clipped as in Python.

        Raises
        ------
        BoundsError
            If there is no such element.
        ValueError
            If the slice has a step.
        DeviceMismatchError
            If the index is that of an element and the memory is not the host's.
        """
        if type(index) is slice:
            return self._sliced(index)
        place = index if type(index) is int and 0 <= index < self._shape[0] else self._place(index)
        storage = self._storage
        return (storage if type(storage) is HostStorage else host_storage(self))[self._offset + place]

    def __setitem__(self, index: SupportsIndex | slice, value: Any) -> None:
        """Set an element of host memory, or a slice on any device: to one number, or from as many elements.

        Raises
        ------
        BoundsError
            If there is no such element.
        LayoutError
            If the number of elements differs; nothing is written.
        DTypeError, OverflowError
            If the dtype cannot hold a value.
        ReadOnlyError, DeviceMismatchError
            If the memory is read-only, or an element is set and the memory is not the host's.
        """
        if isinstance(index, slice):
            self._sliced(index)._assign(value)
        else:
            host_storage(self)[self._offset + self._place(index)] = value

    if not TYPE_CHECKING:
        load = vector_access.load
        store = vector_access.store
        simd_nt_store = vector_access.simd_nt_store
        prefetch = vector_access.prefetch

    def _assign(self, value: Any) -> None:
        self._storage.refuse_read_only()
        values, target = as_assignable(value, self._shape, self.dtype), self._source.elements
        if isinstance(values, Rows):
            copies.copy(target, values.elements)
        elif values.ndim:
            copies.write(target, values)
        else:
            copies.fill_with(target, copies.item_of(values, self.dtype))

    def __iter__(self) -> Iterator[Any]:
        storage = host_storage(self)
        return (storage[place] for place in range(self._offset, self._offset + self._shape[0]))

    def _sliced(self, key: slice) -> Self:
        start, stop, step = key.indices(self._shape[0])
        if step != 1:
            raise ValueError(f"a slice of a BufferView has step 1; found {step}: write xp.asarray(v)[::{step}]")
        return self._on(self._storage, self._offset + start, (max(stop - start, 0),), (1,))

    def _place(self, index: Any) -> int:
        place, size = as_whole(index, "an index"), self._shape[0]
        if -size <= place < size:
            return place % size
        raise BoundsError(
            f"index {place} is out of range on axis 0: this BufferView has {size} elements (offset={self._offset}), "
            f"so it must be in [{-size}, {size})"
        )

    def values_as_text(self, prefix: str) -> str:
        """Return the elements as text to the right of a prefix, abbreviated as ``numpy.printoptions`` says.

        Parameters
        ----------
        prefix : str
            What is to the left of the text.
        """
        return shown(self._source, prefix)

    def __repr__(self) -> str:
        name = type(self).__name__
        where = "" if self._storage.released else f", device={self.device}"
        values = self.values_as_text(f"{name}(")
        return f"{name}({values}, offset={self._offset}, size={self.size}, dtype={self.dtype.name}{where})"
