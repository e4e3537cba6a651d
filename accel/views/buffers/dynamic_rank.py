"""`DynamicRankBuffer`: a buffer whose rank and dtype are checked on access."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Self, SupportsIndex, TypeVar

from accel.abc import Operand
from accel.device import Device
from accel.dtypes import DType, DTypeLike, as_dtype
from accel.errors import BoundsError, DTypeError, LayoutError, reading_pickled
from accel.interchange import Interchange
from accel.memory import AnyStorage
from accel.memory.host_storage import HostArray
from accel.views.buffers.buffer import Buffer, NDBuffer, Shape, as_shape
from accel.views.buffers.text import html
from accel.views.index_checks import as_whole

__all__ = ["DynamicRankBuffer"]

_MAX_RANK = 8
_Result = TypeVar("_Result")


class DynamicRankBuffer(Interchange):
    """View of memory with up to eight axes; conversions to other buffers state the expected dtype and rank.

    Parameters
    ----------
    source : container, storage, view or array of any library
        The object whose memory to view.
    rank : int
        Number of axes, at most 8.
    shape : int or tuple of int
        Extent of each axis.
    dtype : dtype_like
        Expected dtype of the source.

    Raises
    ------
    LayoutError
        If the rank is more than 8 or not the length of the shape, or the source is not contiguous.
    DTypeError
        If the source has another dtype.
    BoundsError
        If the source has too few elements.

    Examples
    --------
    >>> import accel
    >>> from accel.views import DynamicRankBuffer
    >>> d = DynamicRankBuffer(accel.zeros(6, "float32"), 2, (2, 3), "float32")
    >>> d.rank_dispatch(lambda rank: d.to_ndbuffer("float32", rank).get_shape())
    (2, 3)
    """

    __slots__ = ("__weakref__", "_whole")
    _whole: NDBuffer

    def __init__(self, source: Any, rank: SupportsIndex, shape: Shape, dtype: DTypeLike) -> None:
        axes, extents = as_whole(rank, "a rank"), as_shape(shape)
        if not 0 <= axes <= _MAX_RANK:
            raise LayoutError(f"a rank is 0 to {_MAX_RANK}; found {axes}")
        if len(extents) != axes:
            raise LayoutError(f"rank {axes} needs a shape of {axes} extents; found {extents}")
        buffer = NDBuffer(source, extents)
        _refuse_other_dtype(buffer.dtype, dtype)
        self._whole = buffer

    @property
    def data(self) -> int:
        """Address of the first element on its device; 0 if there are no bytes."""
        return self._whole.data

    @property
    def rank(self) -> int:
        """Number of axes."""
        return self._whole.get_rank()

    @property
    def shape(self) -> tuple[int, ...]:
        """Extent of each axis."""
        return self._whole.shape

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._whole.size

    @property
    def nbytes(self) -> int:
        """Size of the elements in bytes."""
        return self._whole.nbytes

    @property
    def type(self) -> DType:
        """Type of the elements."""
        return self._whole.dtype

    @property
    def dtype(self) -> DType:
        """Type of the elements."""
        return self._whole.dtype

    @property
    def readonly(self) -> bool:
        """Whether the memory is read-only."""
        return self._whole.readonly

    @property
    def storage(self) -> AnyStorage:
        """The storage of the elements; it may have more elements."""
        return self._whole.storage

    @property
    def device(self) -> Device:
        """Device of the memory."""
        return self._whole.device

    def num_elements(self) -> int:
        """Return the number of elements."""
        return prod(self.shape)

    def get_shape(self, rank: SupportsIndex) -> tuple[int, ...]:
        """Return the extents of the first ``rank`` axes; `BoundsError` if there are fewer.

        Parameters
        ----------
        rank : int
            How many axes.

        Raises
        ------
        BoundsError
            If there are fewer.
        """
        axes = as_whole(rank, "a rank")
        if not 0 <= axes <= self.rank:
            raise BoundsError(f"{axes} extents are asked for; there are {self.rank}")
        return self.shape[:axes]

    def dim(self, index: SupportsIndex) -> int:
        """Return the extent of an axis; `BoundsError` if there is no such axis.

        Parameters
        ----------
        index : int
            The axis.
        """
        return self._whole.dim(index)

    def to_buffer(self, dtype: DTypeLike) -> Buffer:
        """Return all elements as a buffer of one axis; `DTypeError` if their dtype differs.

        Parameters
        ----------
        dtype : dtype_like
            The dtype of the elements.
        """
        _refuse_other_dtype(self.type, dtype)
        return self._whole.flatten()

    def to_ndbuffer(
        self, dtype: DTypeLike, rank: SupportsIndex, stride: Sequence[SupportsIndex] | None = None
    ) -> NDBuffer:
        """Return the elements as an `NDBuffer`.

        Parameters
        ----------
        dtype : dtype_like
            Expected dtype of the elements.
        rank : int
            Expected number of axes.
        stride : tuple of int, optional
            Stride of each axis, in elements; by default row-major.

        Raises
        ------
        DTypeError, LayoutError
            If the dtype or the rank differs.
        BoundsError
            If the strides reach outside this buffer.
        """
        _refuse_other_dtype(self.type, dtype)
        if as_whole(rank, "a rank") != self.rank:
            raise LayoutError(f"the rank is {self.rank}, and {rank} is asked for; write x.to_ndbuffer(dtype, x.rank)")
        return NDBuffer(self._whole, self.shape, stride)

    def rank_dispatch(self, func: Callable[[int], _Result]) -> _Result:
        """Call a function with the rank, and return what it returns; `LayoutError` unless the rank is 1 to 8.

        Parameters
        ----------
        func : callable
            What is called with the rank.

        Raises
        ------
        LayoutError
            If the rank is not 1 to 8.
        """
        if not 1 <= self.rank <= _MAX_RANK:
            raise LayoutError(f"functions are called with ranks of 1 to {_MAX_RANK}; this buffer has rank {self.rank}")
        return func(self.rank)

    def to_numpy(self) -> HostArray:
        """Return the elements as a new NumPy array of the same shape, from any device."""
        return self._whole.to_numpy()

    def copy(self) -> Self:
        """Return a copy in new memory on the same device."""
        return self._on(self._whole.copy())

    def __copy__(self) -> Self:
        return self._on(self._whole)

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.copy()

    @classmethod
    def _on(cls, whole: NDBuffer) -> Self:
        buffer = object.__new__(cls)
        buffer._whole = whole
        return buffer

    # Exchange with other views and libraries

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> HostArray:
        return self._whole.__array__(dtype, copy)

    def __accel_operand__(self) -> Operand:
        """Describe the elements to a backend."""
        return self._whole.__accel_operand__()

    def _lent_storage(self) -> AnyStorage:
        return self._whole.storage

    def _lent_array(self, storage: AnyStorage) -> HostArray:
        return self._whole._lent_array(storage)

    def _lent_copy(self, device: Device) -> Self:
        return self._on(self._whole._lent_copy(device))

    def __repr__(self) -> str:
        return f"DynamicRankBuffer(rank={self.rank}, shape={self.shape}, dtype={self.type.name})"

    def _repr_html_(self) -> str:
        return html(type(self).__name__, self._whole._source)

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, (type(self), self._whole)


def _unpickled(*state: Any) -> DynamicRankBuffer:
    """Return the buffer that was pickled.

    Raises
    ------
    FormatError
        If the state is not that of a buffer.
    """
    with reading_pickled("buffer of dynamic rank"):
        kind, whole = state
        if not (isinstance(kind, type) and issubclass(kind, DynamicRankBuffer) and isinstance(whole, NDBuffer)):
            raise TypeError(f"found {type(kind).__name__} and {type(whole).__name__} for its class and its elements")
        buffer: DynamicRankBuffer = kind(whole, whole.get_rank(), whole.shape, whole.dtype)
        return buffer


def _refuse_other_dtype(dtype: DType, wanted: DTypeLike) -> None:
    if as_dtype(wanted) != dtype:
        raise DTypeError(f"the elements are {dtype.name}, and {wanted!r} is asked for; write dtype={dtype.name!r}")
