"""`PhysicalAccess`: the accessors of a physical store."""

from typing import Any, NoReturn

from accel.dtypes import DTypeLike, as_dtype
from accel.errors import ReadOnlyError, StoreValueError
from accel.memory.host_storage import HostStorage
from accel.store.accessors import Accessor, ReduceAccessor, atomic
from accel.store.domains import Domain
from accel.store.parts import Bounds, Part, elements, host_elements, poison
from accel.store.physical_core import PhysicalCore
from accel.store.reductions import ReductionOp
from accel.store.regions import Access

__all__ = ["PhysicalAccess"]

_READABLE = Access.READ, Access.READ_WRITE
_WRITABLE = Access.WRITE, Access.READ_WRITE


class PhysicalAccess(PhysicalCore):
    """Base of `PhysicalStore`: accessors by global points, and arrays that count from 0."""

    __slots__ = ()

    def read_accessor(
        self,
        bounds: Bounds | None = None,
        dtype: DTypeLike | None = None,
        elem_size: int | None = None,
        validate: bool = True,
    ) -> Accessor:
        """Return an accessor that only reads."""
        if self._access not in _READABLE:
            self._refuse_read()
        return self._accessor(bounds, dtype, elem_size, validate=validate, readable=True, writable=False)

    def write_accessor(
        self,
        bounds: Bounds | None = None,
        dtype: DTypeLike | None = None,
        elem_size: int | None = None,
        validate: bool = True,
    ) -> Accessor:
        """Return an accessor that only writes."""
        if self._access not in _WRITABLE:
            self._refuse_write()
        return self._accessor(bounds, dtype, elem_size, validate=validate, readable=False, writable=True)

    def read_write_accessor(
        self,
        bounds: Bounds | None = None,
        dtype: DTypeLike | None = None,
        elem_size: int | None = None,
        validate: bool = True,
    ) -> Accessor:
        """Return an accessor that reads and writes."""
        if self._access not in _READABLE:
            self._refuse_read()
        if self._access not in _WRITABLE:
            self._refuse_write()
        return self._accessor(bounds, dtype, elem_size, validate=validate, readable=True, writable=True)

    def reduce_accessor(
        self,
        op: ReductionOp | None = None,
        exclusive: bool = False,
        bounds: Bounds | None = None,
        dtype: DTypeLike | None = None,
        elem_size: int | None = None,
        validate: bool = True,
    ) -> ReduceAccessor:
        """Return an accessor that combines values into the elements.

        Parameters
        ----------
        op : ReductionOp, optional
            The operator, by default the one that the task declares.
        exclusive : bool
            Promise that no other thread reduces into these elements meanwhile. Otherwise each reduction is atomic.
        bounds, dtype, elem_size, validate
            As for all accessors.

        Raises
        ------
        StoreValueError
            If the store may not be reduced into, or by another operator, or if there is no such reduction of its dtype.
        """
        part = self._part(bounds, dtype, elem_size, validate=validate)
        return self._reduce_accessor(part, part.domain, op, exclusive)

    def span_read_accessor(
        self,
        bounds: Bounds | None = None,
        dtype: DTypeLike | None = None,
        elem_size: int | None = None,
        validate: bool = True,
    ) -> Any:
        """Return the elements as a read-only array: of NumPy on the host, a `LayoutTensor` on a device."""
        if self._access not in _READABLE:
            self._refuse_read()
        return self._span(bounds, dtype, elem_size, validate=validate, writable=False)

    def span_write_accessor(
        self,
        bounds: Bounds | None = None,
        dtype: DTypeLike | None = None,
        elem_size: int | None = None,
        validate: bool = True,
    ) -> Any:
        """Return the elements as an array to write; before the first write, those of a task's output are undefined."""
        if self._access not in _WRITABLE:
            self._refuse_write()
        return self._span(bounds, dtype, elem_size, validate=validate, writable=True)

    def span_read_write_accessor(
        self,
        bounds: Bounds | None = None,
        dtype: DTypeLike | None = None,
        elem_size: int | None = None,
        validate: bool = True,
    ) -> Any:
        """Return the elements as an array to read and write."""
        if self._access not in _READABLE:
            self._refuse_read()
        if self._access not in _WRITABLE:
            self._refuse_write()
        return self._span(bounds, dtype, elem_size, validate=validate, writable=True)

    def span_reduce_accessor(
        self,
        op: ReductionOp | None = None,
        exclusive: bool = False,
        bounds: Bounds | None = None,
        dtype: DTypeLike | None = None,
        elem_size: int | None = None,
        validate: bool = True,
    ) -> ReduceAccessor:
        """Return an accessor that combines values into the elements, as `reduce_accessor`, with points from 0 on."""
        part = self._part(bounds, dtype, elem_size, validate=validate)
        from_zero = Domain((0,) * self.ndim, tuple([extent - 1 for extent in part.shape]))
        return self._reduce_accessor(part, from_zero, op, exclusive)

    def _accessor(
        self,
        bounds: Bounds | None,
        dtype: DTypeLike | None,
        elem_size: int | None,
        *,
        validate: bool,
        readable: bool,
        writable: bool,
    ) -> Accessor:
        storage = self._memory()
        part = self._part(bounds, dtype, elem_size, validate=validate)
        return Accessor(
            self._elements(part, writable=writable),
            part.domain,
            part.strides,
            storage.pointer + part.start,
            readable=readable,
            writable=writable,
        )

    def _reduce_accessor(self, part: Part, domain: Domain, op: ReductionOp | None, exclusive: bool) -> ReduceAccessor:
        if not self.is_reducible:
            raise StoreValueError(
                f"this physical store is for {self._access.value}; declare the parameter as Reduce[op] to reduce"
            )
        by = self._op if op is None else op
        if by is None:
            raise StoreValueError("an operator is needed; write reduce_accessor(ADD)")
        if self._op is not None and by is not self._op:
            raise StoreValueError(f"the task declares a reduction by {self._op.name}; found {by.name}")
        elements = self._elements(part, writable=True)
        return ReduceAccessor(elements, domain, by, None if exclusive else atomic(self._storage))

    def _refuse_read(self) -> NoReturn:
        self._memory()
        raise StoreValueError(
            f"this physical store is for {self._access.value}: its values are not to be read; declare the "
            f"parameter as an Input or InOut"
        )

    def _refuse_write(self) -> NoReturn:
        self._memory()
        if self._access is Access.READ:
            raise ReadOnlyError(
                "this physical store is read-only: declare the parameter of a task as an Output or InOut, and attach "
                "memory with read_only=False"
            )
        raise StoreValueError("this physical store is for reduce; write reduce_accessor() to combine values")

    def _part(self, bounds: Bounds | None, dtype: DTypeLike | None, elem_size: int | None, *, validate: bool) -> Part:
        part = Part.of(self._known_map(), self.dtype, self._origin, bounds)
        if dtype is None and elem_size is None:
            return part
        return part.seen_as(None if dtype is None else as_dtype(dtype), elem_size, validate=validate)

    def _span(
        self, bounds: Bounds | None, dtype: DTypeLike | None, elem_size: int | None, *, validate: bool, writable: bool
    ) -> Any:
        storage = self._memory()
        usual = bounds is None and dtype is None and elem_size is None and not self._undefined
        if usual and type(storage) is HostStorage:  # without a `Part`
            index_map, itemsize = self._map, self.dtype.itemsize
            strides = tuple(map(itemsize.__mul__, index_map.strides))
            start = index_map.offset * itemsize
            return host_elements(storage, self.dtype, index_map.shape, start, strides, writable=writable)
        return self._elements(self._part(bounds, dtype, elem_size, validate=validate), writable=writable)

    def _elements(self, part: Part, *, writable: bool) -> Any:
        storage = self._memory()
        if writable and self._undefined:
            self._undefined = False
            poison(storage, self._map, self.dtype.itemsize)
        return elements(storage, part, writable=writable)
