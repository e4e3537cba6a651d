"""`TensorArithmetic`: elementwise arithmetic, into a new compact tensor or in place, computed on the host."""

from operator import add, mul, sub, truediv
from typing import Any, Self, SupportsIndex

from accel.dtypes import exact_cast
from accel.errors import DTypeError, LayoutError
from accel.memory import HostStorage, allocate
from accel.memory.host_storage import HostArray
from accel.views.cells import compact
from accel.views.contents import TensorContents
from accel.views.core import TensorCore
from accel.views.geometry import Geometry, by_rows
from accel.views.index_checks import as_axis
from accel.views.operators import Operation, Operators, apply_operation, refuse_booleans, refuse_different_dtypes
from accel.views.rows import is_array, refuse_different_devices

__all__ = ["TensorArithmetic"]


class TensorArithmetic(TensorContents, Operators):
    """Mixin of tensors: the four arithmetic operations.

    The other operand is a number, or a tensor, view, container, storage or array of the same dtype and element shape on
    the same device. Both have the same shape, or this tensor has rank 2 and the other rank 1 with one number for each
    ROW: ``r[i, j] = a[i, j] op b[i]``.
    """

    __slots__ = ()

    def add(self, other: Any, axis: SupportsIndex | None = None) -> Self:
        """Return a new compact tensor of the sums.

        Parameters
        ----------
        other : number, LayoutTensor, view, container, storage or array
            Of the same dtype, on the same device.
        axis : int, optional
            The mode along which an operand of rank 1 extends; by default mode 0 of a tensor of rank 2.

        Raises
        ------
        LayoutError
            If the shapes do not fit.
        DTypeError, OverflowError
            If the dtypes differ, or the dtype cannot hold the number.
        DeviceMismatchError
            If the operands are on different devices.
        """
        return self._computed(add, other, axis)

    def sub(self, other: Any, axis: SupportsIndex | None = None) -> Self:
        """Return a new compact tensor of the differences; as `add`."""
        return self._computed(sub, other, axis)

    def mul(self, other: Any, axis: SupportsIndex | None = None) -> Self:
        """Return a new compact tensor of the elementwise products; as `add`."""
        return self._computed(mul, other, axis)

    def truediv(self, other: Any, axis: SupportsIndex | None = None) -> Self:
        """Return a new compact tensor of the quotients; as `add`. Integer quotients are rounded down.

        Raises
        ------
        ZeroDivisionError
            If an integer is divided by zero.
        """
        return self._computed(truediv, other, axis)

    @classmethod
    def _view_of(cls, source: Any) -> Self:
        made = object.__new__(cls)
        TensorCore.__init__(made, source)
        return made

    def _computed(
        self, operation: Operation, other: Any, axis: SupportsIndex | None = None, *, reflected: bool = False
    ) -> Self:
        values = self._result(operation, other, axis, reflected=reflected)
        geometry = self._geometry
        keeps = geometry.valid is None and compact(geometry) and not _descends(geometry)
        made = self._on_new_memory(
            allocate(self.device, values.size, self._dtype), geometry if keeps else by_rows(geometry)
        )
        made._write_rows(values)
        return made

    def _computed_in_place(self, operation: Operation, other: Any) -> Self:
        self._refuse_read_only()
        self._write_rows(self._result(operation, other, None))
        return self

    def _result(
        self, operation: Operation, other: Any, axis: SupportsIndex | None, *, reflected: bool = False
    ) -> HostArray:
        refuse_booleans(self._dtype)
        left, right = self._values(), self._right_operand(other, axis)
        return apply_operation(operation, *((right, left) if reflected else (left, right)), dtype=self._dtype)

    def _values(self) -> HostArray:
        """Return the elements as an array: on the host, without a copy if the geometry has strides."""
        strided = isinstance(self._storage, HostStorage) and self._geometry.steps is not None
        return self.__array__() if strided else self.to_numpy()

    def _right_operand(self, other: Any, axis: SupportsIndex | None) -> HostArray:
        if not isinstance(other, TensorArithmetic) and not is_array(other):
            return self._as_number(other)
        right = other if isinstance(other, TensorArithmetic) else self._view_of(other)
        refuse_different_devices(self, self.device, other, right.device)
        if right.rank or right is other:
            return self._fitted(right, axis)
        return self._as_number(right._values())

    def _as_number(self, value: Any) -> HostArray:
        number = exact_cast(value, self._dtype)
        if number.ndim:
            raise TypeError(
                f"an operand is a number or a tensor, or an array; found {type(value).__name__} of shape "
                f"{number.shape}: write numpy.asarray(x, {self._dtype.name!r})"
            )
        return number

    def _fitted(self, other: "TensorArithmetic", axis: SupportsIndex | None) -> HostArray:
        refuse_different_dtypes(self._dtype, other._dtype)
        if other._geometry.element_shape != self._geometry.element_shape:
            raise DTypeError(
                f"operands have equal elements; found elements of shape {self._geometry.element_shape} and "
                f"{other._geometry.element_shape}: vectorize alike"
            )
        if axis is None and other.shape == self.shape:
            return other._values()
        return self._along(other, self._axis_of(other, axis))

    def _axis_of(self, other: "TensorArithmetic", axis: SupportsIndex | None) -> int:
        """Return the mode along which an operand of rank 1 extends."""
        if other.rank != 1 or self.rank < 2 or (axis is None and self.rank != 2):
            raise LayoutError(
                f"operands have the same shape, or rank 2 and rank 1; found {self.shape} and {other.shape}: slice one"
            )
        mode = 0 if axis is None else as_axis(axis, self.rank)
        if other.shape[0] == self.shape[mode]:
            return mode
        if axis is None and other.shape[0] == self.shape[1]:
            raise LayoutError(
                f"a tensor of rank 1 has a number for each ROW, r[i, j] = a[i, j] op b[i]; found {other.shape[0]} "
                f"numbers, one for each column of {self.shape}: write a.add(b, axis=1), or xp.asarray(a) and "
                f"xp.asarray(b), whose rule this is"
            )
        raise LayoutError(
            f"{other.shape[0]} numbers do not fit mode {mode} of {self.shape}: there must be one for each"
        )

    def _along(self, other: "TensorArithmetic", axis: int) -> HostArray:
        values = other._values()
        after = (1,) * (self.rank - 1 - axis)
        return values.reshape(values.shape[0], *after, *values.shape[1:])


def _descends(geometry: Geometry) -> bool:
    """Tell whether the geometry has a negative stride."""
    return any(stride < 0 for layout in (geometry.layout, geometry.element) for _, stride in layout.leaves)
