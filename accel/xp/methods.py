"""`Methods`: the operators of arrays, and the methods and attributes of NumPy's, with NumPy's signatures.

The library of the array's device computes. ``out=`` takes an array on the same device.
"""

from collections.abc import Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

import numpy as np

from accel.device import Device
from accel.dtypes import DType, DTypeLike, as_dtype
from accel.errors import BoundsError
from accel.xp import byte_methods, cast_methods, conversions, flat_elements, operators, shape_methods
from accel.xp.array_base import ArrayBase, live, new_array, view_of
from accel.xp.array_library import HOST_SCALARS
from accel.xp.calls import call, call_with, large_call, method
from accel.xp.functions import FunctionAsMethod, standard
from accel.xp.operators import Scalar
from accel.xp.refusals import failure, refuse_fields
from accel.xp.shape_methods import Axis, Order, array_like, is_in_c_order, is_in_fortran_order

__all__ = ["Methods"]

if TYPE_CHECKING:
    from accel.xp.declared_methods import DeclaredMethods
else:
    DeclaredMethods = ArrayBase

_PLAIN = frozenset({int, float})
_Indices: TypeAlias = "ArrayBase | int | Sequence[int]"


class Methods(DeclaredMethods):
    """The abstract base of `Array` with the operators, methods and attributes of NumPy's arrays."""

    __slots__ = ()

    if TYPE_CHECKING:

        def _function(self, path: str, *arguments: Any, **keywords: Any) -> Self: ...
        def _method(self, name: str, *arguments: Any, **keywords: Any) -> Self: ...

    else:  # the functions are methods as they are, which saves a call
        _function = call_with
        _method = method

    if not TYPE_CHECKING:
        __abs__, __neg__, __pos__, __invert__ = operators.unary()
        __add__, __radd__, __iadd__ = operators.arithmetic("add")
        __sub__, __rsub__, __isub__ = operators.arithmetic("sub")
        __mul__, __rmul__, __imul__ = operators.arithmetic("mul")
        __truediv__, __rtruediv__, __itruediv__ = operators.arithmetic("truediv")
        __floordiv__, __rfloordiv__, __ifloordiv__ = operators.arithmetic("floordiv")
        __mod__, __rmod__, __imod__ = operators.arithmetic("mod")
        __pow__, __rpow__, __ipow__ = operators.arithmetic("pow")
        __matmul__, __rmatmul__, __imatmul__ = operators.product()
        __and__, __rand__, __iand__ = operators.bitwise("and")
        __or__, __ror__, __ior__ = operators.bitwise("or")
        __xor__, __rxor__, __ixor__ = operators.bitwise("xor")
        __lshift__, __rlshift__, __ilshift__ = operators.bitwise("lshift")
        __rshift__, __rrshift__, __irshift__ = operators.bitwise("rshift")
        __eq__, __ne__ = operators.equality()
        __lt__, __le__, __gt__, __ge__ = operators.order()
        __hash__ = conversions.to_hash

    # The shape

    shape: tuple[int, ...] = property(attrgetter("_native.shape"), shape_methods.set_shape, doc="Extent of each axis.")  # type: ignore[assignment]

    strides: tuple[int, ...] = property(attrgetter("_native.strides"), doc="Bytes between neighbours along each axis.")  # type: ignore[assignment]

    @property
    def T(self) -> Self:
        """The array with its axes in reverse order; of a matrix the transpose."""
        array = live(self)
        return view_of(self, array.T) if type(array) is np.ndarray else self.transpose()

    @property
    def real(self) -> Self:
        """The real part; of complex numbers a view."""
        return self._function("real")

    @property
    def imag(self) -> Self:
        """The imaginary part; of complex numbers a view."""
        return self._function("imag")

    @property
    def itemsize(self) -> int:
        """Size of one element in bytes."""
        return self.dtype.itemsize

    if not TYPE_CHECKING:  # functions of `accel.xp`, the first operand of which is the array
        all, any, max, mean, min, prod, sum = (FunctionAsMethod() for _ in range(7))
        argmax, argmin, cumprod, cumsum, diagonal, dot, nonzero, round, squeeze, swapaxes, trace = (
            FunctionAsMethod() for _ in range(11)
        )

    if not TYPE_CHECKING:
        flat = flat_elements.flat
        flatten = shape_methods.flatten
        ravel = shape_methods.ravel
        reshape = shape_methods.reshape
        transpose = shape_methods.transpose
        astype = cast_methods.astype
        put = flat_elements.put
        view = cast_methods.view
        byteswap = byte_methods.byteswap
        dump = byte_methods.dump
        dumps = byte_methods.dumps
        tobytes = byte_methods.tobytes
        tofile = byte_methods.tofile

    # Reductions

    def std(
        self,
        axis: Axis = None,
        dtype: DTypeLike | None = None,
        out: Self | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        **options: Any,
    ) -> Self:
        """Return the standard deviation, with divisor ``n - ddof``."""
        if out is None and dtype is None and not options:
            return standard("std")(self, axis, correction=ddof, keepdims=keepdims)  # type: ignore[no-any-return]
        return self._method("std", axis=axis, out=out, ddof=ddof, keepdims=keepdims, **_dtype(dtype), **options)

    def var(
        self,
        axis: Axis = None,
        dtype: DTypeLike | None = None,
        out: Self | None = None,
        ddof: float = 0,
        keepdims: bool = False,
        **options: Any,
    ) -> Self:
        """Return the variance, with divisor ``n - ddof``."""
        if out is None and dtype is None and not options:
            return standard("var")(self, axis, correction=ddof, keepdims=keepdims)  # type: ignore[no-any-return]
        return self._method("var", axis=axis, out=out, ddof=ddof, keepdims=keepdims, **_dtype(dtype), **options)

    # Elements in another order or selection

    def argpartition(
        self, kth: int | Sequence[int], axis: int = -1, kind: str = "introselect", order: None = None
    ) -> Self:
        """Return the indices that would partition the array: smaller elements before the ``kth``, larger ones after."""
        refuse_fields(order)
        return self._function("argpartition", kth, axis=axis)

    def argsort(
        self,
        axis: int | None = -1,
        kind: str | None = None,
        order: None = None,
        *,
        stable: bool = True,
        descending: bool = False,
    ) -> Self:
        """Return the indices that would sort the array; the order is stable, whatever ``kind`` is."""
        refuse_fields(order)
        return standard("argsort")(self, axis, descending=descending)  # type: ignore[no-any-return]

    def choose(
        self,
        choices: Any,
        out: Self | None = None,
        mode: Literal["raise", "wrap", "clip"] = "raise",
    ) -> Self:
        """Return for each element the one at its place in the array of choices of which it is the index."""
        return self._function("choose", choices, out=out, mode=mode)

    def compress(self, condition: Any, axis: int | None = None, out: Self | None = None) -> Self:
        """Return the slices along an axis for which a condition is true."""
        result: Self = call(self._library, "compress", (condition, self), {"axis": axis, "out": out})
        return result

    def repeat(self, repeats: _Indices, axis: int | None = None) -> Self:
        """Return each element several times."""
        if type(repeats) is int:
            return standard("repeat")(self, repeats, axis)  # type: ignore[no-any-return]
        return self._method("repeat", repeats, axis=axis)

    def searchsorted(
        self, v: Self | Scalar, side: Literal["left", "right"] = "left", sorter: Self | None = None
    ) -> Self:
        """Return where elements would be inserted into this sorted array."""
        return self._function("searchsorted", v, side=side, sorter=sorter)

    def sort(
        self,
        axis: int = -1,
        kind: str | None = None,
        order: None = None,
        *,
        stable: bool = True,
        descending: bool = False,
    ) -> None:
        """Sort the array in place; the order is stable, whatever ``kind`` is."""
        refuse_fields(order)
        self[...] = standard("sort")(self, axis, descending=descending)

    def partition(
        self, kth: int | Sequence[int], axis: int = -1, kind: str = "introselect", order: None = None
    ) -> None:
        """Partition the array in place: smaller elements before the ``kth``, larger ones after."""
        refuse_fields(order)
        self[...] = self._function("partition", kth, axis=axis)

    def take(
        self,
        indices: _Indices,
        axis: int | None = None,
        out: Self | None = None,
        mode: Literal["raise", "wrap", "clip"] = "raise",
    ) -> Self:
        """Return the elements at indices; without an axis those of the flat array."""
        if type(indices) is type(self) and out is None and mode == "raise":
            return standard("take")(self, indices, axis)  # type: ignore[no-any-return]
        options = {} if mode == "raise" else {"mode": mode}
        return self._function("take", indices, axis=axis, out=out, **options)

    # Values

    def clip(self, min: Any = None, max: Any = None, out: Self | None = None) -> Self:
        """Return the elements, limited to an interval."""
        array = live(self)
        if out is None and type(array) is np.ndarray and array.nbytes >= self._library.large:
            result: Self = large_call(self._library, np.clip, (self, min, max), {})
            if result is not NotImplemented:
                return result
        if out is None and type(array) is np.ndarray and type(min) in _PLAIN and type(max) in _PLAIN:
            return new_array(self, array.clip(min, max))  # type: ignore[no-any-return]
        return self._method("clip", min, max, out=out)

    def conj(self) -> Self:
        """Return the complex conjugates; of real numbers the array itself."""
        return self._function("conj") if self.dtype.kind == "c" else self

    conjugate = conj

    def copy(self, order: Order = "C") -> Self:
        """Return a copy of the array: in C order, in Fortran's, or for ``"K"`` in the library's order."""
        array = live(self)
        if type(array) is np.ndarray and array.nbytes < self._library.large:
            try:
                return new_array(self, array.copy(order))  # type: ignore[no-any-return]
            except MemoryError as error:
                raise failure(error) from None
        if order == "F" or (order == "A" and is_in_fortran_order(self)):
            return self.transpose().copy().transpose()
        if type(array) is self._library.based and array.nbytes < self._library.large:
            try:
                return new_array(self, self._library.compute(type(array).copy, array, order))  # type: ignore[no-any-return]
            except MemoryError as error:
                raise failure(error) from None
        copy = self.__copy__()
        if order == "K" or is_in_c_order(copy):
            return copy
        return array_like(self, self._library.namespace.asarray(live(copy), order="C"))

    def fill(self, value: Scalar) -> None:
        """Set all elements to a value."""
        self[...] = value

    # Values of Python

    def item(self, *index: int | tuple[int, ...]) -> Any:
        """Return one element as a Python number: the only one, or that at an index."""
        array = live(self)
        if type(array) is np.ndarray and array.dtype.type in HOST_SCALARS:
            try:
                return array.item(*index)  # type: ignore[arg-type]
            except (IndexError, TypeError, ValueError):  # said below in words of ours
                pass
        if not index:
            if self.size != 1:
                raise ValueError(
                    f"x.item() is for one element, and this array has shape {self.shape}; write x.item(index), or "
                    f"x.tolist() for all elements"
                )
            return conversions.to_number(self.reshape(()), "number")
        key = index[0] if len(index) == 1 else index
        element = self[self._unraveled(key) if isinstance(key, int) else key]
        return conversions.to_number(element, "number")

    def _unraveled(self, index: int) -> tuple[int, ...]:
        if not -self.size <= index < self.size:
            raise BoundsError(f"item {index} of {self.size}; the array's shape is {self.shape}")
        return tuple(map(int, np.unravel_index(index % self.size, self.shape)))

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers, copied to the host."""
        array = live(self)
        return (array if type(array) is np.ndarray else live(self.to_device(Device.CPU))).tolist()

    def to_numpy(
        self,
        dtype: DTypeLike | None = None,
        copy: bool = True,
        na_value: object = None,
    ) -> np.ndarray[Any, DType]:
        """Return the elements as a NumPy array: a new one, or with ``copy=False`` on the same memory if possible.

        ``na_value`` has no effect: arrays have no missing elements.

        Raises
        ------
        DeviceMismatchError
            If the array is on another device, and ``host_copies`` is ``never``.
        """
        return conversions.to_numpy(self, dtype, True if copy else None)

    # Bytes

    # Operators of Python

    def __delitem__(self, key: Any) -> None:
        raise ValueError(f"arrays keep their elements; write x = xp.delete(x, {key!r})")

    def __contains__(self, value: Any) -> bool:
        return bool((self == value).any())

    def __divmod__(self, other: Any) -> tuple[Self, Self]:
        quotient = self // other
        return quotient, self % other

    def __rdivmod__(self, other: Any) -> tuple[Self, Self]:
        return other // self, other % self

    def __round__(self, decimals: int | None = None) -> Any:
        if self.ndim == 0 and decimals is None:
            return round(self.item())
        return self.round(decimals or 0)


def _dtype(dtype: DTypeLike | None) -> dict[str, DType]:
    """Return the keyword for a dtype, if there is one."""
    return {} if dtype is None else {"dtype": as_dtype(dtype)}
