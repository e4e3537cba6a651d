"""`Part`: some elements of a physical store as offset, shape and strides in its memory, and as an array."""

from collections.abc import Iterable
from typing import Any, NamedTuple, NoReturn, SupportsIndex

import numpy as np

from accel.dtypes import DType, as_dtype
from accel.errors import StoreValueError
from accel.layout import Layout
from accel.memory.any_storage import AnyStorage
from accel.memory.host_storage import HostArray, HostStorage
from accel.store.domains import Domain
from accel.store.index_maps import IndexMap
from accel.views import LayoutTensor

__all__ = ["Bounds", "Part", "elements", "host_elements", "poison"]

_Point = SupportsIndex | Iterable[SupportsIndex]
Bounds = Domain | tuple[_Point, _Point]
"""A domain, or its first and its last point; points of one dimension may be integers."""

_BYTE = as_dtype("uint8")
_POISON = 0xFF


class Part(NamedTuple):
    """Elements at the points of a domain.

    Attributes
    ----------
    first : tuple of int
        The first point of the domain.
    dtype : numpy.dtype
        Type of the elements.
    shape : tuple of int
        Number of points along each dimension.
    start : int
        Bytes before the first element.
    strides : tuple of int
        Bytes from one point to the next; all 0 if there is no point.
    """

    first: tuple[int, ...]
    dtype: DType
    shape: tuple[int, ...]
    start: int
    strides: tuple[int, ...]

    @classmethod
    def of(
        cls, index_map: IndexMap, dtype: DType, origin: tuple[int, ...] | None = None, bounds: Bounds | None = None
    ) -> "Part":
        """Return the elements of a store whose domain begins at a point, in some bounds."""
        shape, offset = index_map.shape, index_map.offset
        first = origin or (0,) * len(shape)
        if bounds is not None:
            domain = Domain.of_extents(shape, first).intersection(_as_domain(bounds))
            steps = zip(domain.lo, first, index_map.strides, strict=True)
            offset += sum([(low - start) * stride for low, start, stride in steps])
            first, shape = domain.lo, domain.extents
        if 0 in shape:
            return cls(first, dtype, shape, 0, (0,) * len(shape))
        itemsize = dtype.itemsize
        return cls(first, dtype, shape, offset * itemsize, tuple([step * itemsize for step in index_map.strides]))

    @property
    def domain(self) -> Domain:
        """The points."""
        return Domain.of_extents(self.shape, self.first)

    def seen_as(self, dtype: DType | None, elem_size: int | None, *, validate: bool) -> "Part":
        """Return the part with elements of another type, each from the first byte of an element of this one on.

        Raises
        ------
        StoreValueError
            If the type is another one and ``validate`` is true, or its elements are larger, or ``elem_size`` is not
            the size of these elements.
        """
        element, itemsize = dtype or self.dtype, self.dtype.itemsize
        if validate and element != self.dtype:
            raise StoreValueError(
                f"this store is of {self.dtype.name}; found dtype={element.name!r}: to see its bytes as that type "
                f"write validate=False, elem_size={itemsize}"
            )
        size = element.itemsize if elem_size is None else elem_size
        if size != itemsize or element.itemsize > itemsize:
            self._refuse_size(size if size != itemsize else element.itemsize)
        return self if element == self.dtype else self._replace(dtype=element)

    def _refuse_size(self, size: int) -> NoReturn:
        raise StoreValueError(
            f"an element of this store of {self.dtype.name} has {self.dtype.itemsize} bytes; found {size}: write "
            f"elem_size={self.dtype.itemsize}, and a dtype that is not larger"
        )


def elements(storage: AnyStorage, part: Part, *, writable: bool) -> Any:
    """Return a part as an array that waits for pending work: of NumPy on the host, a `LayoutTensor` on a device."""
    if type(storage) is HostStorage:
        return host_elements(storage, part.dtype, part.shape, part.start, part.strides, writable=writable)
    tensor = _tensor(storage, part)
    return tensor if writable else tensor.get_immutable()


def host_elements(
    storage: HostStorage, dtype: DType, shape: tuple[int, ...], start: int, strides: tuple[int, ...], *, writable: bool
) -> HostArray:
    """Return elements of host memory as a NumPy array that waits for pending work; in bytes as in `Part`."""
    storage.settle(writing=writable, of_tasks=False)
    if 0 in shape:
        array: HostArray = np.ndarray(shape, dtype, strides=(0,) * len(shape))
    else:
        array = np.ndarray(shape, dtype, storage.lend(), start, strides)
    if not writable:
        array.setflags(write=False)
    return array


def _tensor(storage: AnyStorage, part: Part) -> LayoutTensor:
    itemsize = part.dtype.itemsize
    if any(stride % itemsize for stride in part.strides):
        raise StoreValueError(
            f"the strides {part.strides} in bytes are no multiples of the {itemsize} bytes of {part.dtype.name}; on a "
            f"device choose a dtype whose size divides them"
        )
    layout = Layout(part.shape, tuple([stride // itemsize for stride in part.strides]))
    if storage.dtype != part.dtype:
        storage = storage.window(0, storage.nbytes // itemsize, part.dtype)
    return LayoutTensor(storage, layout, part.start // itemsize)


def poison(storage: AnyStorage, index_map: IndexMap, itemsize: int) -> None:
    """Fill elements with bytes that are no sensible values, as fresh memory of a simulated device is."""
    distinct = index_map.distinct()
    steps = tuple([stride * itemsize for stride in distinct.strides])
    with storage.window(0, storage.nbytes, _BYTE) as content:
        layout = Layout((*distinct.shape, itemsize), (*steps, 1))
        LayoutTensor(content, layout, distinct.offset * itemsize).fill(_POISON)


def _as_domain(bounds: Bounds) -> Domain:
    return bounds if isinstance(bounds, Domain) else Domain(*[_point(each) for each in bounds])


def _point(point: _Point) -> tuple[int, ...]:
    return tuple([each.__index__() for each in point]) if isinstance(point, Iterable) else (point.__index__(),)
