"""Reductions: the operators by which tasks combine values into a store (Legate's)."""

from typing import Any, Literal

import numpy as np

from accel.dtypes import DType, DTypeLike, as_dtype, exact_cast
from accel.errors import StoreValueError
from accel.ir import neutral
from accel.support.enums import PlainEnum

__all__ = ["ADD", "AND", "MAX", "MIN", "MUL", "OR", "XOR", "ReductionOp"]


class ReductionOp(PlainEnum):
    """An operator that is associative and commutative, so the order in which tasks combine values is free.

    Integers and booleans take all seven operators. Real numbers take ``ADD``, ``MUL``, ``MIN`` and ``MAX``, and
    complex numbers ``ADD`` and ``MUL``. The sum of booleans is their "or", and the product is their "and". ``MIN`` and
    ``MAX`` of NaN and a number are NaN, as in NumPy.

    Examples
    --------
    >>> import numpy as np
    >>> from accel.store import ADD, MIN
    >>> total = np.array([1, 2])
    >>> ADD.combine(total, [10, 20])
    >>> total, MIN.identity("float32")
    (array([11, 22]), np.float32(inf))
    """

    ADD = "add"
    MUL = "multiply"
    MIN = "minimum"
    MAX = "maximum"
    AND = "bitwise_and"
    OR = "bitwise_or"
    XOR = "bitwise_xor"

    @property
    def ufunc(self) -> np.ufunc:
        """The function of NumPy that combines two values."""
        ufunc: np.ufunc = getattr(np, self.value)
        return ufunc

    def takes(self, dtype: DTypeLike) -> bool:
        """Tell whether there is such a reduction of a dtype.

        Parameters
        ----------
        dtype : dtype_like
            The dtype.
        """
        kind = as_dtype(dtype).kind
        return kind in "biu" or (self in _ON_COMPLEX if kind == "c" else self in _ON_REAL)

    def require(self, dtype: DTypeLike) -> None:
        """Raise `StoreValueError` if there is no such reduction of a dtype.

        Parameters
        ----------
        dtype : dtype_like
            The dtype.

        Raises
        ------
        StoreValueError
            If there is none.
        """
        if not self.takes(dtype):
            possible = ", ".join(op.name for op in ReductionOp if op.takes(dtype))
            raise StoreValueError(f"there is no {self.name} of {as_dtype(dtype).name}; its reductions are {possible}")

    def identity(self, dtype: DTypeLike) -> Any:
        """Return the value that changes nothing, as a NumPy scalar of a dtype.

        Parameters
        ----------
        dtype : dtype_like
            The dtype.

        Raises
        ------
        StoreValueError
            If there is no such reduction of the dtype.
        """
        self.require(dtype)
        element_type = as_dtype(dtype)
        if self is AND:
            return ~element_type.type(0)
        return neutral(_OPS.get(self, "add"), element_type)

    def combine(self, target: Any, values: Any) -> None:
        """Combine values into an array, element by element, in place.

        Parameters
        ----------
        target : array
            An array of NumPy, or one that takes NumPy's functions.
        values : array_like
            Values of the same dtype, or Python numbers; broadcast to the shape of the target.

        Raises
        ------
        StoreValueError
            If there is no such reduction of the dtype, or the values have another one.
        DTypeError, OverflowError
            If the dtype cannot hold a Python number.
        """
        self.require(target.dtype)
        self.ufunc(target, self.operand(values, target.dtype), out=target)

    def operand(self, values: Any, dtype: DType) -> Any:
        """Return values to combine with elements of a dtype; Python numbers become that dtype.

        Parameters
        ----------
        values : Any
            The values.
        dtype : numpy.dtype
            The dtype.

        Raises
        ------
        StoreValueError
            If the values have another dtype.
        DTypeError, OverflowError
            If the dtype cannot hold a Python number.
        """
        operand = values if hasattr(values, "dtype") else exact_cast(values, dtype)
        if operand.dtype != dtype:
            raise StoreValueError(
                f"{self.name} combines values of one dtype; found {operand.dtype} for {dtype}: convert them first"
            )
        return operand


ADD, MUL, MIN, MAX, AND, OR, XOR = ReductionOp

_ON_COMPLEX = frozenset({ADD, MUL})
_ON_REAL = frozenset({ADD, MUL, MIN, MAX})
_OPS: dict[ReductionOp, Literal["mul", "min", "max"]] = {MAX: "max", MIN: "min", MUL: "mul"}
"""What begins with another number than 0."""
