"""`Source`: the storage, offset, shape and strides of any object with memory, from which views are made."""

from itertools import accumulate
from math import prod
from operator import mul
from typing import Any, NamedTuple, cast

import numpy as np

from accel.abc import Operand
from accel.copies import Elements
from accel.copies.elements import offset_range
from accel.dtypes import DType, as_dtype
from accel.errors import LayoutError
from accel.interchange import Interchange
from accel.interchange.export import Lender
from accel.memory import AnyStorage, HostStorage
from accel.memory.host_arrays import bytes_at
from accel.memory.host_storage import HostArray

__all__ = ["Source", "has_memory", "requires_gradients", "row_major", "source_of"]


class Source(NamedTuple):
    """Strided elements of a storage.

    Attributes
    ----------
    storage : HostStorage or DeviceStorage
        The memory; the handle of the object it came from.
    start : int
        The storage element of the first element.
    shape : tuple of int
        Extent of each axis.
    strides : tuple of int
        Stride of each axis, in elements.
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
        """Whether the elements are contiguous in row-major order; strides of axes with extent 1 do not matter."""
        if self.strides == (1,):
            return True
        expected = row_major(self.shape)
        steps = zip(self.shape, self.strides, expected, strict=True)
        return self.size == 0 or all(extent == 1 or stride == dense for extent, stride, dense in steps)

    @property
    def elements(self) -> Elements:
        """The elements in row-major order, as `accel.copies` takes them."""
        return Elements(self.storage, self.start, tuple(zip(self.shape[::-1], self.strides[::-1], strict=True)))


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of a dense row-major shape."""
    return tuple(accumulate(shape[:0:-1], mul, initial=1))[::-1] if shape else ()


def has_memory(x: Any) -> bool:
    """Tell whether an object has memory that a view can use, unlike numbers and sequences."""
    return isinstance(x, AnyStorage | np.ndarray | Interchange) or hasattr(x, "__dlpack__")


def requires_gradients(x: Any) -> bool:
    """Tell whether an array of another library requires gradients, by the name of PyTorch or of Quadrants."""
    return bool(getattr(x, "requires_grad", False) or getattr(x, "needs_grad", False))


def source_of(x: Any) -> Source:
    """Return the elements of a container, a storage, a view, or an array of any library, without a copy.

    Raises
    ------
    TypeError
        If the object has no memory, or requires gradients.
    LayoutError
        If its strides are no multiples of the element size.
    InterchangeError, DTypeError
        If another library refuses the export, or accel has no such dtype.
    """
    if isinstance(x, Interchange):
        lender = cast("Lender", x)
        storage = lender._lent_storage()
        if not hasattr(x, "shape"):  # a container: all of its storage
            return _source_of_storage(storage)
        return _source_of_operand(storage, lender.__accel_operand__())
    if isinstance(x, AnyStorage):
        return _source_of_storage(x)
    if isinstance(x, np.ndarray):
        return _source_of_array(x)
    if requires_gradients(x):
        raise TypeError(
            f"this {type(x).__name__} requires gradients, which views do not track; take one without them: write "
            f"x.detach()"
        )
    if not hasattr(x, "__dlpack__"):
        raise TypeError(
            f"a view needs a container, a storage, or an array with __dlpack__; found {type(x).__name__}: "
            f"write accel.container(x) for a copy of its values"
        )
    from accel.interchange.from_dlpack import receive  # loaded only if DLPack is used

    received = receive(x)
    return _source_of_operand(received.storage, received.operand)


def _source_of_storage(storage: AnyStorage) -> Source:
    if storage._owner is None:
        storage.refuse_released()
    return Source(storage, 0, (storage.size,), (1,))


def _source_of_array(array: HostArray) -> Source:
    """Return the elements of a NumPy array with any strides."""
    if array.flags.c_contiguous and array.flags.aligned:
        return Source(HostStorage.on_array(array), 0, array.shape, row_major(array.shape))
    itemsize = as_dtype(array.dtype).itemsize
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError("a view has no mask; write x.filled(value), or x.data to ignore the mask")
    if not array.flags.aligned or any(step % itemsize for step in array.strides):
        raise LayoutError(
            f"a view needs aligned elements, and strides that are multiples of {itemsize} bytes; found an array "
            f"of shape {array.shape} with strides {array.strides} in bytes: write x.copy()"
        )
    strides = tuple([step // itemsize for step in array.strides])
    size, low, high = offset_range(tuple(zip(array.shape, strides, strict=True)))
    pointer = array.__array_interface__["data"][0] + low * itemsize
    memory = bytes_at(pointer, (high - low + 1) * itemsize if size else 0, not array.flags.writeable, array)
    return Source(HostStorage.on_array(memory.view(array.dtype)), -low, array.shape, strides)


def _source_of_operand(storage: AnyStorage, operand: Operand) -> Source:
    """Return the elements of an operand, in a storage of its dtype."""
    dtype, first = operand.dtype, operand.span.start + operand.start - storage._start
    if storage.dtype != dtype or operand.writable == storage.readonly:
        storage = storage.window(0, storage.nbytes // dtype.itemsize, dtype, const=not operand.writable)
    if any(distance % dtype.itemsize for distance in (first, *operand.strides)):
        raise LayoutError(
            f"a view needs an offset and strides that are multiples of the {dtype.itemsize} bytes of an element; found "
            f"offset {first} and strides {operand.strides} in bytes, which are no multiples: "
            f"write xp.asarray(x, copy=True)"
        )
    strides = tuple([stride // dtype.itemsize for stride in operand.strides])
    return Source(storage, first // dtype.itemsize, operand.extents, strides)
