"""What views are made of: a storage, and which of its elements are meant."""

from itertools import accumulate
from math import prod
from operator import mul
from typing import Any, NamedTuple, SupportsIndex, cast

import numpy as np

from accel.abc import Operand
from accel.copies import Elements
from accel.copies.elements import offset_range
from accel.dtypes import DType, as_dtype
from accel.errors import BoundsError, DeviceMismatchError, LayoutError
from accel.interchange import Interchange
from accel.interchange.export import Lender
from accel.memory import AnyStorage, HostStorage
from accel.memory.host_arrays import bytes_at
from accel.memory.host_storage import HostArray
from accel.views.checks import as_whole

__all__ = ["Source", "flat", "has_memory", "on_host", "part", "row_major", "source_of"]


class Source(NamedTuple):
    """Elements of a storage, by coordinates.

    Attributes
    ----------
    storage : HostStorage or DeviceStorage
        The memory, by the handle of whoever was asked.
    start : int
        Its element at which they start.
    shape : tuple of int
        Extent of each axis.
    strides : tuple of int
        Distance between neighbours along each axis, in elements.
    """

    storage: AnyStorage
    start: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]

    @property
    def dtype(self) -> DType:
        """Type of the elements."""
        return self.storage.dtype

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def contiguous(self) -> bool:
        """Whether the elements lie one after another in row-major order; nothing follows the stride of a single one."""
        if self.strides == (1,):
            return True
        expected = row_major(self.shape)
        steps = zip(self.shape, self.strides, expected, strict=True)
        return self.size == 0 or all(extent == 1 or stride == dense for extent, stride, dense in steps)

    @property
    def elements(self) -> Elements:
        """The elements in row-major order, as copies take them."""
        return Elements(self.storage, self.start, tuple(zip(self.shape[::-1], self.strides[::-1], strict=True)))


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of a dense row-major shape."""
    return tuple(accumulate(shape[:0:-1], mul, initial=1))[::-1] if shape else ()


def has_memory(x: Any) -> bool:
    """Tell whether something has elements in memory that can be looked at, and is no number and no sequence."""
    return isinstance(x, AnyStorage | np.ndarray | Interchange) or hasattr(x, "__dlpack__")


def source_of(x: Any) -> Source:
    """Return the elements of a container, a storage, a view, or an array of any library, without a copy.

    Raises
    ------
    TypeError
        If it has no memory to look at, or needs gradients.
    LayoutError
        If no whole numbers of elements lie between its elements.
    InterchangeError, DTypeError
        If another library refuses, or the elements are of a type that memory cannot have.
    """
    if isinstance(x, Interchange):
        lender = cast("Lender", x)
        storage = lender._lent_storage()
        if not hasattr(x, "shape"):  # a container, which is all of its storage
            return _whole(storage)
        return _placed(storage, lender.__accel_operand__())
    if isinstance(x, AnyStorage):
        return _whole(x)
    if isinstance(x, np.ndarray):
        return _of_array(x)
    if getattr(x, "requires_grad", False):
        raise TypeError(f"this {type(x).__name__} needs gradients, which views do not carry; write x.detach()")
    if not hasattr(x, "__dlpack__"):
        raise TypeError(
            f"a view looks at a container, a storage, or an array with __dlpack__; found {type(x).__name__}: "
            f"write accel.container(x)"
        )
    from accel.interchange.from_dlpack import receive  # DLPack is loaded when something comes by it

    received = receive(x)
    return _placed(received.storage, received.operand)


def _whole(storage: AnyStorage) -> Source:
    if storage._owner is None:
        storage.refuse_released()
    return Source(storage, 0, (storage.size,), (1,))


def _of_array(array: HostArray) -> Source:
    """Look at a NumPy array, wherever its strides lead."""
    if array.flags.c_contiguous and array.flags.aligned:
        return Source(HostStorage.on_array(array), 0, array.shape, row_major(array.shape))
    itemsize = as_dtype(array.dtype).itemsize
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError("memory has no mask; write x.filled(value), or x.data to disregard the mask")
    if not array.flags.aligned or any(step % itemsize for step in array.strides):
        raise LayoutError(
            f"an array of shape {array.shape} with strides {array.strides} in bytes does not have its elements of "
            f"{itemsize} bytes at multiples of that, so it cannot be looked at; write x.copy() for one that has"
        )
    strides = tuple([step // itemsize for step in array.strides])
    size, low, high = offset_range(tuple(zip(array.shape, strides, strict=True)))
    pointer = array.__array_interface__["data"][0] + low * itemsize
    held = bytes_at(pointer, (high - low + 1) * itemsize if size else 0, not array.flags.writeable, array)
    return Source(HostStorage.on_array(held.view(array.dtype)), -low, array.shape, strides)


def _placed(storage: AnyStorage, operand: Operand) -> Source:
    """Find an operand in the storage that has it."""
    dtype, first = operand.dtype, operand.span.start + operand.start - storage._start
    if storage.dtype != dtype or operand.writable == storage.readonly:
        storage = storage.window(0, storage.nbytes // dtype.itemsize, dtype, const=not operand.writable)
    if any(distance % dtype.itemsize for distance in (first, *operand.strides)):
        raise LayoutError(
            f"elements of {dtype.itemsize} bytes start at byte {first} with strides {operand.strides} in bytes, which "
            f"are no multiples: write xp.asarray(x, copy=True)"
        )
    strides = tuple([stride // dtype.itemsize for stride in operand.strides])
    return Source(storage, first // dtype.itemsize, operand.extents, strides)


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
            f"a {what} looks at one axis, and this {type(x).__name__} has shape {found.shape}; write "
            f"NDBuffer(x).flatten() for a view of its elements by rows"
        )
    if not found.contiguous:
        raise LayoutError(
            f"a {what} looks at consecutive elements, and this {type(x).__name__} has stride {found.strides[0]}; "
            f"write NDBuffer(x).copy() for consecutive ones"
        )
    return found


def part(offset: SupportsIndex, size: SupportsIndex | None, available: int, parent: str) -> tuple[int, int]:
    """Return an offset and a size that lie within a parent; the size is by default all the rest.

    Raises
    ------
    BoundsError
        If they do not.
    """
    start = as_whole(offset, "an offset")
    count = available - start if size is None else as_whole(size, "a size")
    if start < 0 or count < 0 or start + count > available:
        raise BoundsError(
            f"{'no' if count < 0 else count} elements from offset {start} are required, and {parent} has {available} "
            f"available: 0 <= offset and offset + size <= {available}"
        )
    return start, count


def on_host(storage: AnyStorage, what: str) -> HostStorage:
    """Return the storage, if the host can read it.

    Raises
    ------
    DeviceMismatchError
        If it cannot.
    """
    if isinstance(storage, HostStorage):
        return storage
    raise DeviceMismatchError(
        f"{what} can be had on the cpu only, and this memory is on {storage.device}: "
        f"write x.to_numpy() for a copy, or c.to('cpu') for a container there"
    )
