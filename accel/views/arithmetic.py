"""The elementwise arithmetic of tensors, into a new compact tensor or in place, computed on the host.

The other operand is a number, or a tensor, view, container, storage or array of the same dtype and element shape on the
same device. Both have the same shape, or the tensor has rank 2 and the other rank 1 with one number for each ROW:
``r[i, j] = a[i, j] op b[i]``.
"""

import operator
from typing import Any, SupportsIndex, TypeVar

from accel.dtypes import exact_cast
from accel.errors import DTypeError, LayoutError
from accel.memory import HostStorage, allocate
from accel.memory.host_storage import HostArray
from accel.views.cells import compact
from accel.views.contents import TensorContents
from accel.views.core import TensorCore
from accel.views.geometry import Geometry, by_rows
from accel.views.index_checks import as_axis
from accel.views.operators import Operation, apply_operation, refuse_booleans, refuse_different_dtypes
from accel.views.rows import is_array, refuse_different_devices

__all__ = ["add", "computed", "computed_in_place", "mul", "sub", "tensor_of", "truediv"]

_Tensor = TypeVar("_Tensor", bound=TensorContents)


def add(tensor: _Tensor, other: Any, axis: SupportsIndex | None = None) -> _Tensor:
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
    return computed(tensor, operator.add, other, axis)


def sub(tensor: _Tensor, other: Any, axis: SupportsIndex | None = None) -> _Tensor:
    """Return a new compact tensor of the differences; as `add`.

    Parameters
    ----------
    other : number, LayoutTensor, view, container, storage or array
        The right operand, as `add` takes it.
    axis : int, optional
        The axis along which an operand of fewer axes lies, as for `add`.
    """
    return computed(tensor, operator.sub, other, axis)


def mul(tensor: _Tensor, other: Any, axis: SupportsIndex | None = None) -> _Tensor:
    """Return a new compact tensor of the elementwise products; as `add`.

    Parameters
    ----------
    other : number, LayoutTensor, view, container, storage or array
        The right operand, as `add` takes it.
    axis : int, optional
        The axis along which an operand of fewer axes lies, as for `add`.
    """
    return computed(tensor, operator.mul, other, axis)


def truediv(tensor: _Tensor, other: Any, axis: SupportsIndex | None = None) -> _Tensor:
    """Return a new compact tensor of the quotients; as `add`. Integer quotients are rounded down.

    Parameters
    ----------
    other : number, LayoutTensor, view, container, storage or array
        The right operand, as `add` takes it.
    axis : int, optional
        The axis along which an operand of fewer axes lies, as for `add`.

    Raises
    ------
    ZeroDivisionError
        If an integer is divided by zero.
    """
    return computed(tensor, operator.truediv, other, axis)


def tensor_of(kind: type[_Tensor], source: Any) -> _Tensor:
    """Return a tensor on all elements of an object with memory."""
    tensor = object.__new__(kind)
    TensorCore.__init__(tensor, source)
    return tensor


def computed(
    tensor: _Tensor, operation: Operation, other: Any, axis: SupportsIndex | None = None, *, reflected: bool = False
) -> _Tensor:
    """Return the results in a new compact tensor; ``reflected`` if ``other`` is the left operand."""
    values = _result(tensor, operation, other, axis, reflected=reflected)
    geometry = tensor._geometry
    keeps = geometry.valid is None and compact(geometry) and not _descends(geometry)
    memory = allocate(tensor.device, values.size, tensor._dtype)
    result = tensor._on_new_memory(memory, geometry if keeps else by_rows(geometry))
    result._write_rows(values)
    return result


def computed_in_place(tensor: _Tensor, operation: Operation, other: Any) -> _Tensor:
    """Write the results to the elements of a tensor, and return it."""
    tensor._refuse_read_only()
    tensor._write_rows(_result(tensor, operation, other, None))
    return tensor


def _result(
    tensor: TensorContents, operation: Operation, other: Any, axis: SupportsIndex | None, *, reflected: bool = False
) -> HostArray:
    refuse_booleans(tensor._dtype)
    left, right = _values(tensor), _right_operand(tensor, other, axis)
    return apply_operation(operation, *((right, left) if reflected else (left, right)), dtype=tensor._dtype)


def _values(tensor: TensorContents) -> HostArray:
    """Return the elements as an array: on the host, without a copy if the geometry has strides."""
    strided = isinstance(tensor._storage, HostStorage) and tensor._geometry.steps is not None
    return tensor.__array__() if strided else tensor.to_numpy()


def _right_operand(tensor: TensorContents, other: Any, axis: SupportsIndex | None) -> HostArray:
    if not isinstance(other, TensorContents) and not is_array(other):
        return _as_number(tensor, other)
    right = other if isinstance(other, TensorContents) else tensor_of(type(tensor), other)
    refuse_different_devices(tensor, tensor.device, other, right.device)
    if right.rank or right is other:
        return _fitted(tensor, right, axis)
    return _as_number(tensor, _values(right))


def _as_number(tensor: TensorContents, value: Any) -> HostArray:
    number = exact_cast(value, tensor._dtype)
    if number.ndim:
        raise TypeError(
            f"an operand is a number or a tensor, or an array; found {type(value).__name__} of shape "
            f"{number.shape}: write numpy.asarray(x, {tensor._dtype.name!r})"
        )
    return number


def _fitted(tensor: TensorContents, other: TensorContents, axis: SupportsIndex | None) -> HostArray:
    refuse_different_dtypes(tensor._dtype, other._dtype)
    if other._geometry.element_shape != tensor._geometry.element_shape:
        raise DTypeError(
            f"operands have equal elements; found elements of shape {tensor._geometry.element_shape} and "
            f"{other._geometry.element_shape}: vectorize alike"
        )
    if axis is None and other.shape == tensor.shape:
        return _values(other)
    return _along(tensor, other, _axis_of(tensor, other, axis))


def _axis_of(tensor: TensorContents, other: TensorContents, axis: SupportsIndex | None) -> int:
    """Return the mode along which an operand of rank 1 extends."""
    if other.rank != 1 or tensor.rank < 2 or (axis is None and tensor.rank != 2):
        raise LayoutError(
            f"operands have the same shape, or rank 2 and rank 1; found {tensor.shape} and {other.shape}: slice one"
        )
    mode = 0 if axis is None else as_axis(axis, tensor.rank)
    if other.shape[0] == tensor.shape[mode]:
        return mode
    if axis is None and other.shape[0] == tensor.shape[1]:
        raise LayoutError(
            f"a tensor of rank 1 has a number for each ROW, r[i, j] = a[i, j] op b[i]; found {other.shape[0]} "
            f"numbers, one for each column of {tensor.shape}: write a.add(b, axis=1), or xp.asarray(a) and "
            f"xp.asarray(b), whose rule this is"
        )
    raise LayoutError(f"{other.shape[0]} numbers do not fit mode {mode} of {tensor.shape}: there must be one for each")


def _along(tensor: TensorContents, other: TensorContents, axis: int) -> HostArray:
    values = _values(other)
    after = (1,) * (tensor.rank - 1 - axis)
    return values.reshape(values.shape[0], *after, *values.shape[1:])


def _descends(geometry: Geometry) -> bool:
    """Tell whether the geometry has a negative stride."""
    return any(stride < 0 for layout in (geometry.layout, geometry.element) for _, stride in layout.leaves)
