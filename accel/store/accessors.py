"""Accessors: elements of a physical store by the points of its domain, with checked reads, writes and reductions."""

import threading
from contextlib import AbstractContextManager, nullcontext
from operator import index
from typing import Any, NoReturn

import numpy as np

from accel.dtypes import DType
from accel.errors import ReadOnlyError, StoreIndexError, StoreValueError
from accel.memory.any_storage import AnyStorage
from accel.memory.host_storage import HostArray
from accel.store.domains import Domain
from accel.store.reductions import ReductionOp
from accel.support.locks import open_after_fork

__all__ = ["Accessor", "ReduceAccessor", "atomic"]

_locks = tuple([open_after_fork(threading.RLock()) for _ in range(16)])


def atomic(storage: AnyStorage) -> AbstractContextManager[object]:
    """Return the lock of some memory: no two reductions that hold it happen at the same time."""
    return _locks[id(storage.owner) // 64 % len(_locks)]


class Accessor:
    """The elements of a physical store by the points of its domain, which are global: those of the whole store.

    ``a[i, j]`` is one element. Slices give an array on the same memory: of NumPy on the host, a `LayoutTensor` on a
    device. Negative coordinates do not count from the end.

    Parameters
    ----------
    elements : numpy.ndarray or None
        The elements as an array, if the host can use them.
    address : int
        The address of each element.
    readable : bool
        Whether elements may be read.
    writable : bool
        Whether elements may be written.

    Examples
    --------
    >>> from accel.store import create_store
    >>> a = create_store("int64", (2, 3)).get_physical_store().read_write_accessor()
    >>> a[...] = 0
    >>> a[1, 1:] = 7
    >>> a[1, 2], a[1, :]
    (np.int64(7), array([0, 7, 7]))

    Attributes
    ----------
    domain : Domain
        The points.
    strides : tuple of int
        Bytes from one point to the next, along each dimension; all 0 if there is no point.
    """

    __slots__ = ("_address", "_elements", "_readable", "_writable", "domain", "strides")

    def __init__(
        self,
        elements: Any,
        domain: Domain,
        strides: tuple[int, ...],
        address: int,
        *,
        readable: bool,
        writable: bool,
    ) -> None:
        self._elements = elements
        self._address = address
        self._readable = readable
        self._writable = writable
        self.domain: Domain = domain
        self.strides: tuple[int, ...] = strides

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of points along each dimension."""
        return tuple(self._elements.shape)

    @property
    def dtype(self) -> DType:
        """Type of the elements."""
        return self._elements.dtype  # type: ignore[no-any-return]

    def ptr(self, point: Any = None) -> int:
        """Return the address of an element, by default of the first.

        Parameters
        ----------
        point : int or tuple of int, optional
            The point.

        Raises
        ------
        StoreIndexError
            If the point is not in the domain.
        """
        if point is None:
            return self._address
        address = self._address
        for place, stride in zip(local(self.domain, point), self.strides, strict=True):
            if type(place) is not int:
                raise StoreIndexError(f"one element has an address; found the index {point!r}")
            address += place * stride
        return address

    def __getitem__(self, point: Any) -> Any:
        if not self._readable:
            raise StoreValueError("this accessor only writes; write read_accessor() or read_write_accessor() to read")
        return self._elements[local(self.domain, point)]

    def __setitem__(self, point: Any, value: Any) -> None:
        if not self._writable:
            raise ReadOnlyError("this accessor only reads; write write_accessor() or read_write_accessor() to write")
        self._elements[local(self.domain, point)] = value

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.dtype.name}, {self.domain}>"


class ReduceAccessor:
    """Combines values into the elements of a physical store by an operator, and reads none.

    Without ``exclusive``, each call of `reduce` is atomic: no other such call on the same memory happens at the same
    time, also not in another thread.

    Parameters
    ----------
    elements : numpy.ndarray or None
        The elements as an array.
    lock : context manager, optional
        What is held while values are combined.

    Examples
    --------
    >>> import numpy as np
    >>> from accel.store import ADD, create_store
    >>> store = create_store("int64", (4,))
    >>> store.fill(0)
    >>> counts = store.get_physical_store().reduce_accessor(ADD)
    >>> counts.reduce([1, 3, 1], 1)
    >>> np.asarray(store.get_physical_store())
    array([0, 2, 0, 1])

    Attributes
    ----------
    domain : Domain
        The points.
    op : ReductionOp
        The operator.
    """

    __slots__ = ("_elements", "_lock", "domain", "op")

    def __init__(
        self, elements: Any, domain: Domain, op: ReductionOp, lock: AbstractContextManager[object] | None
    ) -> None:
        op.require(elements.dtype)
        self._elements = elements
        self._lock = nullcontext() if lock is None else lock
        self.domain: Domain = domain
        self.op: ReductionOp = op

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of points along each dimension."""
        return tuple(self._elements.shape)

    @property
    def dtype(self) -> DType:
        """Type of the elements."""
        return self._elements.dtype  # type: ignore[no-any-return]

    def reduce(self, point: Any, value: Any) -> None:
        """Combine values into elements.

        Parameters
        ----------
        point : int, slice, array of int, or tuple of these
            The points. A point that is given several times gets all of its values.
        value : number or array_like
            One value, or an array of the shape that the points have.

        Raises
        ------
        StoreIndexError
            If a point is not in the domain.
        StoreValueError
            If the values are of another dtype than the elements.
        DTypeError, OverflowError
            If the dtype cannot hold a Python number.
        """
        places = local(self.domain, point)
        operand = self.op.operand(value, self.dtype)
        with self._lock:
            if isinstance(self._elements, np.ndarray):
                _combine(self.op, self._elements, places, operand)
                return
            strides = self._elements.layout.stride
            first = tuple([slice(None if stride else 1) for stride in strides])  # without repetitions
            values = self._elements.to_numpy()
            distinct = values[(*first, ...)]
            _combine(self.op, _repeating(distinct, values.shape), places, operand)
            (self._elements[first] if first else self._elements).copy_from(distinct)

    def __getitem__(self, point: Any) -> NoReturn:
        raise StoreValueError("a reduction accessor reads nothing; write a.reduce(point, value) to combine a value")

    def __setitem__(self, point: Any, value: Any) -> NoReturn:
        raise StoreValueError("a reduction accessor overwrites nothing; write a.reduce(point, value)")

    def __repr__(self) -> str:
        return f"<ReduceAccessor of {self.dtype.name}, {self.op.name}, {self.domain}>"


def _combine(op: ReductionOp, array: HostArray, places: tuple[Any, ...], values: Any) -> None:
    if any(isinstance(place, np.ndarray) for place in places):
        op.ufunc.at(array, places, values)  # combines all values of a place that is there twice
        return
    target = array[(*places, ...)]  # the ellipsis makes an array of one element, too
    for axis, stride in enumerate(target.strides):
        if not stride and target.shape[axis] > 1:  # one element gets all values along this dimension
            values = op.ufunc.reduce(np.broadcast_to(values, target.shape), axis, target.dtype, keepdims=True)
            target = target[(*[slice(None)] * axis, slice(1))]
    op.ufunc(target, values, out=target)


def _repeating(values: HostArray, shape: tuple[int, ...]) -> HostArray:
    """Return a writable array that repeats values along dimensions of extent 1."""
    pairs = zip(values.strides, values.shape, shape, strict=True)
    steps = [step if extent == size else 0 for step, extent, size in pairs]
    return np.lib.stride_tricks.as_strided(values, shape, steps)


def local(domain: Domain, key: Any) -> tuple[Any, ...]:
    """Return an index of an accessor as one of an array from 0 on.

    Raises
    ------
    StoreIndexError
        If it has not one coordinate for each dimension, or leaves the domain.
    """
    lo, hi = domain.lo, domain.hi
    parts = key if isinstance(key, tuple) else (key,)
    if any(part is Ellipsis for part in parts):
        parts = _filled(parts, len(lo))
    if len(parts) != len(lo):
        raise StoreIndexError(f"a point has {len(lo)} coordinates here; found {len(parts)} in {key!r}")
    return tuple([_place(part, first, last, domain) for part, first, last in zip(parts, lo, hi, strict=True)])


def _filled(parts: tuple[Any, ...], ndim: int) -> tuple[Any, ...]:
    at = next(number for number, part in enumerate(parts) if part is Ellipsis)
    return (*parts[:at], *[slice(None)] * (ndim - len(parts) + 1), *parts[at + 1 :])


def _place(part: Any, first: int, last: int, domain: Domain) -> Any:
    if isinstance(part, slice):
        return _range(part, first, last, domain)
    if isinstance(part, list | np.ndarray) and np.ndim(part):
        return _places(np.asarray(part), first, last, domain)
    try:
        at = index(part)
    except TypeError:
        raise TypeError(f"coordinates are integers, slices, or arrays of integers; found {part!r}") from None
    if not first <= at <= last:
        _refuse(at, first, last, domain)
    return at - first


def _range(part: slice, first: int, last: int, domain: Domain) -> slice:
    start = first if part.start is None else index(part.start)
    stop = last + 1 if part.stop is None else index(part.stop)
    step = 1 if part.step is None else index(part.step)
    if step < 1:
        raise StoreIndexError(f"the step of a slice is positive here; found {part}")
    if start >= stop:
        return slice(0, 0)
    if start < first or stop > last + 1:
        _refuse(part, first, last, domain)
    return slice(start - first, stop - first, step)


def _places(coordinates: HostArray, first: int, last: int, domain: Domain) -> HostArray:
    if coordinates.size == 0:
        return coordinates.astype(np.intp)
    if coordinates.dtype.kind not in "iu":
        raise TypeError(f"coordinates are integers; found an array of {coordinates.dtype}")
    if coordinates.min() < first or coordinates.max() > last:
        _refuse([int(coordinates.min()), int(coordinates.max())], first, last, domain)
    return coordinates - first


def _refuse(coordinate: object, first: int, last: int, domain: Domain) -> NoReturn:
    raise StoreIndexError(
        f"{coordinate} leaves the domain of this accessor, {domain}: coordinates of this dimension are in "
        f"[{first}, {last}], both included"
    )
