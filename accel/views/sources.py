"""What views are made of: a storage, and which of its elements are meant."""

from itertools import accumulate
from math import prod
from operator import mul
from typing import Any, NamedTuple, SupportsIndex, cast

import numpy as np

from accel.copies import Elements
from accel.errors import BoundsError, DeviceMismatchError, LayoutError
from accel.memory import AnyStorage, HostStorage, Interchange, Operand
from accel.memory.interchange import Lender
from accel.views.checks import as_whole

__all__ = ["Source", "on_host", "part", "row_major", "source_of"]


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
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def contiguous(self) -> bool:
        """Whether the elements lie one after another in row-major order; nothing follows the stride of a single one."""
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


def source_of(x: Any) -> Source:
    """Return the elements of a container, a storage, a view, or an array of any library, without a copy.

    Raises
    ------
    TypeError
        If it has no memory to look at, or needs gradients.
    LayoutError
        If a NumPy array is not contiguous.
    InterchangeError, DTypeError
        If another library refuses, or the elements are of a type that memory cannot have.
    """
    if isinstance(x, AnyStorage):
        return Source(x, 0, (x.size,), (1,))
    if isinstance(x, np.ndarray):
        return Source(HostStorage.on_array(x), 0, x.shape, row_major(x.shape))
    if isinstance(x, Interchange):
        lender = cast("Lender", x)
        return _placed(lender._lent_storage(), lender.__accel_operand__())
    if getattr(x, "requires_grad", False):
        raise TypeError(f"this {type(x).__name__} needs gradients, which views do not carry; write x.detach()")
    if not hasattr(x, "__dlpack__"):
        raise TypeError(
            f"a view looks at a container, a storage, or an array with __dlpack__; found {type(x).__name__}: "
            f"write accel.container(values)"
        )
    from accel.memory.receiving import receive  # DLPack is loaded when something comes by it

    received = receive(x)
    return _placed(received.storage, received.operand)


def _placed(storage: AnyStorage, operand: Operand) -> Source:
    """Find an operand in the storage that has it."""
    dtype, first = operand.dtype, operand.span.start + operand.start - storage._start
    if storage.dtype != dtype or operand.writable == storage.readonly:
        storage = storage.window(0, storage.nbytes // dtype.itemsize, dtype, const=not operand.writable)
    if any(distance % dtype.itemsize for distance in (first, *operand.strides)):
        raise LayoutError(
            f"elements of {dtype.itemsize} bytes start at byte {first} with strides {operand.strides} in bytes, which "
            f"are no multiples: write a copy, as in xp.asarray(x, copy=True)"
        )
    strides = tuple([stride // dtype.itemsize for stride in operand.strides])
    return Source(storage, first // dtype.itemsize, operand.extents, strides)


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
