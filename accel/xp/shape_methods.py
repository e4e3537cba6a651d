"""`ShapeMethods`: the methods of NumPy's arrays that return the same elements in another shape."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, Self, SupportsIndex, TypeAlias

from accel.device import Device, DeviceLike
from accel.xp.array_base import ArrayBase, live, view_of
from accel.xp.calls import call_with, method
from accel.xp.operators import Operators
from accel.xp.refusals import refuse_extents

__all__ = ["Axis", "Order", "ShapeMethods", "is_in_c_order"]

Axis: TypeAlias = int | tuple[int, ...] | None
Order: TypeAlias = Literal["C", "F", "A", "K"]


class ShapeMethods(Operators, ArrayBase):
    """The methods that change the shape, or the order of the axes."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __copy__(self) -> Self: ...
        def __getitem__(self, key: Any, /) -> Self: ...
        def __setitem__(self, key: Any, value: Any, /) -> None: ...
        def _item(self, kind: str) -> Any: ...
        def to_device(self, device: DeviceLike, /) -> Self: ...
        def _function(self, path: str, *arguments: Any, **keywords: Any) -> Self: ...
        def _method(self, name: str, *arguments: Any, **keywords: Any) -> Self: ...

    else:  # the functions are methods as they are, which saves a call
        _function = call_with
        _method = method

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next, along each axis."""
        return self._native.strides  # type: ignore[no-any-return]

    @property
    def T(self) -> Self:
        """The array with its axes in reverse order; of a matrix the transpose."""
        if self._library.device is not Device.CPU:
            return self.transpose()
        return view_of(self, live(self).T)  # type: ignore[no-any-return]

    def flatten(self, order: Order = "C") -> Self:
        """Return a copy of the elements as one axis."""
        flat = self.ravel(order)
        return flat if flat._shared is None else flat.__copy__()  # a view shares its record

    def ravel(self, order: Order = "C") -> Self:
        """Return the elements as one axis: a view if possible."""
        if order == "K":
            return self.transpose(*self._axes_in_memory()).reshape(-1)
        return self.reshape(-1, order=order)

    def _axes_in_memory(self) -> list[int]:
        """Return the axes in the order of their strides, the largest first."""
        return sorted(range(self.ndim), key=lambda axis: -abs(self.strides[axis]))

    def reshape(
        self, *shape: SupportsIndex | Sequence[SupportsIndex], order: Order = "C", copy: bool | None = None
    ) -> Self:
        """Return the elements in another shape: ``x.reshape(2, -1)`` or ``x.reshape((2, -1))``."""
        extents: Any = shape[0] if len(shape) == 1 else shape
        if order == "F" or (order == "A" and self._is_in_fortran_order()):
            reverse = extents[::-1] if isinstance(extents, Sequence) else extents
            return self.transpose()._reshaped(reverse, copy).transpose()
        return self._reshaped(extents, copy)

    def _is_in_fortran_order(self) -> bool:
        """Tell whether the elements are contiguous in Fortran's order, and not in C's."""
        return is_in_c_order(self.transpose()) and not is_in_c_order(self)

    def _reshaped(self, shape: Any, copy: bool | None) -> Self:
        refuse_extents(shape)
        library, array = self._library, live(self)
        if library.device is not Device.CPU:
            return self._same(library.namespace.reshape(array, shape, copy=copy))
        if copy is None and not array.flags.c_contiguous:
            try:
                return self._same(array.reshape(shape, copy=False))
            except ValueError:  # a copy is needed, or the sizes differ, which the last line reports
                from accel import copies

                array = copies.in_c_order(array)
        result = array.reshape(shape, copy=copy)
        if result.base is not None and (result.base is array or result.base is array.base):
            return view_of(self, result)  # type: ignore[no-any-return]
        return self._same(result)

    def _same(self, result: Any) -> Self:
        made: Self = self._wrap(self._library, result, self)
        return made

    def squeeze(self, axis: Axis = None) -> Self:
        """Return the array without axes of one element: all of these, or some."""
        return self._method("squeeze", axis=axis)

    def swapaxes(self, axis1: int, axis2: int) -> Self:
        """Return a view with two axes exchanged."""
        return self._method("swapaxes", axis1, axis2)

    def transpose(self, *axes: int | Sequence[int] | None) -> Self:
        """Return a view with the axes in another order, by default in reverse order."""
        return self._method("transpose", *axes)


def is_in_c_order(x: ArrayBase) -> bool:
    """Tell whether elements are contiguous in C order."""
    step = x.dtype.itemsize
    for extent, stride in zip(reversed(x.shape), reversed(x._native.strides), strict=True):
        if extent != 1 and stride != step and x.size:
            return False
        step *= extent
    return True
