"""`BufferView`: a sub-range of flat memory (Quadrants' view), which slices, and which kernels take."""

from collections.abc import Iterator
from typing import Any, Generic, Self, SupportsIndex, TypeVar

from accel.errors import BoundsError, LayoutError
from accel.memory import AnyStorage, HostStorage
from accel.views.buffer_text import shown
from accel.views.checks import as_whole
from accel.views.sources import Source, on_host, part, source_of
from accel.views.strided import StridedView

__all__ = ["BufferView", "flat"]

Scalar_co = TypeVar("Scalar_co", covariant=True)


class BufferView(StridedView, Generic[Scalar_co]):
    """A window on consecutive elements of somebody's memory, on any device.

    Nothing of it can be changed but the elements. As an annotation of a kernel's parameter it is ``BufferView`` or
    ``BufferView[f32]``.

    Parameters
    ----------
    source : container, storage or array
        Whose memory it is; an array of any library has one axis and is contiguous.
    offset : int
        The first element.
    size : int, optional
        Number of elements; by default all the rest.

    Raises
    ------
    TypeError
        If the source is a view itself, has no memory to look at, or another number of axes than one.
    BoundsError
        If the elements are not all in the source.
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

    def __init__(self, source: Any, *, offset: SupportsIndex = 0, size: SupportsIndex | None = None) -> None:
        if isinstance(source, BufferView):
            raise TypeError("a BufferView of a BufferView is written v.subview(offset, size), or v[a:b]")
        found = flat(source, "BufferView")
        start, count = part(offset, size, found.size, f"this {type(source).__name__}")
        self._storage = found.storage
        self._offset = found.start + start
        self._shape = (count,)
        self._strides = (1,)

    @classmethod
    def over(cls, storage: AnyStorage) -> Self:
        """Return the view of all elements of a storage."""
        return cls._on(storage, 0, (storage.size,), (1,))

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._shape[0]

    def __len__(self) -> int:
        return self._shape[0]

    def subview(self, offset: SupportsIndex, size: SupportsIndex) -> Self:
        """Return the view of ``size`` elements from ``offset`` on; unlike a slice it never clips.

        Raises
        ------
        BoundsError
            If they are not all in this view.
        """
        start, count = part(offset, size, self._shape[0], "the parent view")
        return self._on(self._storage, self._offset + start, (count,), (1,))

    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        """Return an element of host memory as a NumPy scalar, or the view of a slice, which clips as Python's do.

        Raises
        ------
        BoundsError
            If there is no such element.
        ValueError
            If the slice has a step.
        DeviceMismatchError
            If it is an element of an accelerator's memory.
        """
        if type(index) is slice:
            return self._sliced(index)
        place = index if type(index) is int and 0 <= index < self._shape[0] else self._place(index)
        storage = self._storage
        return (storage if type(storage) is HostStorage else self._host())[self._offset + place]

    def __setitem__(self, index: SupportsIndex | slice, value: Any) -> None:
        """Set an element of host memory.

        Raises
        ------
        BoundsError
            If there is no such element.
        DTypeError, OverflowError
            If the dtype cannot hold the value.
        ReadOnlyError, DeviceMismatchError
            If the memory must not change, or is an accelerator's.
        """
        if isinstance(index, slice):
            raise TypeError("a slice is no element; write v[a:b].fill(x), v[a:b].from_numpy(array) or .copy_from(view)")
        self._host()[self._offset + self._place(index)] = value

    def __iter__(self) -> Iterator[Any]:
        storage = self._host()
        return (storage[place] for place in range(self._offset, self._offset + self._shape[0]))

    def _sliced(self, places: slice) -> Self:
        start, stop, step = places.indices(self._shape[0])
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

    def _host(self) -> HostStorage:
        return on_host(self._storage, "its elements")

    def __repr__(self) -> str:
        name = type(self).__name__
        where = "" if self._storage.released else f", device={self.device}"
        values = shown(self._source, f"{name}(")
        return f"{name}({values}, offset={self._offset}, size={self.size}, dtype={self.dtype.name}{where})"


def flat(x: Any, what: str) -> Source:
    """Return the elements of what has one axis and is contiguous.

    Raises
    ------
    TypeError
        If it has another number of axes.
    LayoutError
        If it is not contiguous.
    """
    found = source_of(x)
    if len(found.shape) != 1:
        raise TypeError(
            f"a {what} looks at one axis, and this {type(x).__name__} has shape {found.shape}; write x.reshape(-1) "
            f"for a 1-D view of a NumPy array, xp.reshape(x, (-1,)) for one of accel.xp, x.flatten() for an NDBuffer"
        )
    if not found.contiguous:
        raise LayoutError(
            f"a {what} looks at consecutive elements, and this {type(x).__name__} has stride {found.strides[0]}; "
            f"write a copy of it, as in xp.asarray(x, copy=True)"
        )
    return found
