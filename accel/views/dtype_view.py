"""The view of a tensor's bytes as another dtype."""

from typing import Any, TypeVar

from accel.dtypes import DType, DTypeLike, as_dtype
from accel.errors import DTypeError, LayoutError
from accel.layout.layout import as_layout
from accel.views.core import TensorCore
from accel.views.geometry import geometry_of

__all__ = ["bitcast"]

_Tensor = TypeVar("_Tensor", bound=TensorCore)


def bitcast(tensor: _Tensor, dtype: DTypeLike, element_layout: Any = None, allow_resize: bool = False) -> _Tensor:
    """Return a view of the same bytes as another dtype; shape and strides, in elements, stay.

    Parameters
    ----------
    dtype : dtype_like
        A dtype of the same size in bytes.
    element_layout : Layout, optional
        Layout of the numbers of one element; by default unchanged.
    allow_resize : bool
        Allow a dtype of another size. The view then starts at the same byte, and covers other bytes.

    Raises
    ------
    DTypeError
        If the sizes differ, without ``allow_resize``.
    LayoutError
        If the first byte is not aligned for the dtype, or the sizes differ and the tensor is swizzled.
    BoundsError
        If the view reaches outside the storage.
    """
    wanted = as_dtype(dtype)
    if wanted.itemsize != tensor._dtype.itemsize:
        _refuse_resizing(tensor, wanted, allow_resize)
    first, rest = divmod(tensor._offset * tensor._dtype.itemsize, wanted.itemsize)
    if rest or tensor._storage.pointer % wanted.alignment:
        remedy = f"write t.copy().bitcast({wanted.name!r})"
        if wanted.itemsize != tensor._dtype.itemsize:
            remedy = f"take a part whose first byte is a multiple of {wanted.itemsize} from the start of the storage"
        raise LayoutError(f"the first element is at {tensor.ptr:#x}, where no {wanted.name} can be; {remedy}")
    return _recast(tensor, wanted, first, element_layout)


def _refuse_resizing(tensor: _Tensor, wanted: DType, allowed: bool) -> None:
    swizzled, dtype = tensor._geometry.swizzled, tensor._dtype
    sizes = f"{wanted.name} has {wanted.itemsize} bytes, and {dtype.name} {dtype.itemsize}"
    if swizzled is not None:
        raise LayoutError(
            f"{sizes}; {swizzled.swizzle} would address other bytes: write u.copy_from(t) for a tensor u "
            f"without a swizzle first"
        )
    if not allowed:
        raise DTypeError(f"{sizes}; write allow_resize=True, which covers other bytes")


def _recast(tensor: _Tensor, dtype: Any, offset: int, element_layout: Any) -> _Tensor:
    result, geometry = type(tensor).__new__(type(tensor)), tensor._geometry
    element = geometry.element if element_layout is None else as_layout(element_layout)
    recast = geometry_of(geometry.layout, element, geometry.valid, geometry.padded, geometry.swizzled)
    result._on(tensor._storage, recast, offset, dtype)
    result._readonly = tensor._readonly
    return result
