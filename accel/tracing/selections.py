"""`Selection`: the elements of an array where a mask is true. How many they are is not known while a trace is made.

It is the whole array beside the mask. So functions of elements compute all elements, a write to the same places of an
array is a choice, and sums leave out the others.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from typing import Any, NoReturn

import numpy as np

from accel.dtypes import DType
from accel.errors import FuseError
from accel.fusion.nodes import Node
from accel.tracing.symbols import OPERATORS, Symbol

__all__ = ["Selection", "knowing_selections"]

_OF_ELEMENTS = frozenset({"asarray", "astype", "clip", "imag", "pow", "real", "round", "where"})
"""Functions of elements that are no ufuncs."""

_WHOLE: Mapping[str, tuple[Any, ...]] = {"axis": (None, 0, -1), "dtype": (None,), "keepdims": (False,)}


class _Count:
    """A number of elements or bytes, which is not known: for what treats large arrays in another way it is small."""

    def __init__(self, error: FuseError) -> None:
        self._error = error

    def __ge__(self, other: object) -> bool:
        if other != sys.maxsize:
            raise self._error
        return False


class Selection:
    """The elements of an array where a mask is true.

    Attributes
    ----------
    full : Symbol
        All elements of the array.
    mask : Node
        The mask.
    """

    __slots__ = ("_error", "full", "mask")
    ndim = 1
    __array_ufunc__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, full: Symbol, mask: Node, error: FuseError) -> None:
        self.full, self.mask, self._error = full, mask, error

    @property
    def dtype(self) -> DType:
        """Of the elements."""
        return self.full.dtype

    @property
    def tracer(self) -> Any:
        """The trace."""
        return self.full.tracer

    def refuse(self) -> NoReturn:
        """Raise the error for what needs the number of elements; it names the line of the index."""
        raise self._error

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        self.refuse()

    @property
    def size(self) -> "_Count":
        """The number of elements, which is not known."""
        return _Count(self._error)

    nbytes = size

    def __len__(self) -> int:  # noqa: PLE0303 - it raises
        self.refuse()

    def __getitem__(self, key: Any) -> Any:
        self.refuse()

    def __setitem__(self, key: Any, value: Any) -> None:
        self.refuse()

    def astype(self, dtype: Any, copy: bool = True) -> "Selection":
        """Return the elements with another dtype."""
        return self.tracer.namespace.astype(self, dtype, copy=copy)  # type: ignore[no-any-return]

    def of(self, full: Symbol) -> "Selection":
        """Return the same elements of another array."""
        return Selection(full, self.mask, self._error)

    def full_of(self, operand: Any) -> Any:
        """Return all elements of an operand that is combined with this one."""
        if type(operand) is Selection and operand.mask is self.mask:
            return operand.full
        if type(operand) is Selection or (isinstance(operand, Symbol) and operand.ndim):
            self.refuse()
        return operand


def _add_operators() -> None:
    def refused(self: Any, *_: Any) -> Any:
        raise self._error

    for name in OPERATORS:
        setattr(Selection, name, getattr(Symbol, name))
    for name in {*OPERATORS, "__bool__", "__int__", "__float__", "__index__", "__hash__"} - {"__ge__"}:
        setattr(_Count, name, refused)


_add_operators()


def knowing_selections(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of the namespace that takes selections too, or refuses them."""
    ufunc = getattr(np, name, None)
    is_elementwise = isinstance(ufunc, np.ufunc) and ufunc.nout == 1 and ufunc.signature is None

    def call(*operands: Any, **options: Any) -> Any:
        for selection in operands:
            if type(selection) is Selection:
                break
        else:
            return function(*operands, **options)
        if (is_elementwise or name in _OF_ELEMENTS) and options.get("out") is None:
            return selection.of(function(*map(selection.full_of, operands), **options))
        return _reduced(name, selection, operands, options)

    return update_wrapper(call, function)


def _reduced(name: str, x: Selection, operands: Sequence[Any], options: Mapping[str, Any]) -> Any:
    reduction = _REDUCTIONS.get(name) if len(operands) == 1 else None
    if reduction is None or any(value not in _WHOLE.get(option, ()) for option, value in options.items()):
        raise x.tracer.needs_value(f"{name} of elements selected by a boolean mask, whose number is not known")
    return reduction(x.tracer.functions, x.tracer.namespace, x.full, x.tracer.symbol(x.mask))


def _mean(functions: Any, namespace: Any, full: Symbol, mask: Symbol) -> Any:
    if full.dtype.kind in "biu":
        full = functions.astype(full, np.dtype(np.float64))
    total = namespace.sum(functions.where(mask, full, 0))
    return namespace.divide(total, functions.astype(namespace.sum(mask), total.dtype))


_REDUCTIONS: dict[str, Callable[[Any, Any, Symbol, Symbol], Any]] = {
    "all": lambda _, xp, full, mask: xp.all(xp.logical_or(xp.logical_not(mask), full)),
    "any": lambda _, xp, full, mask: xp.any(xp.logical_and(mask, full)),
    "count_nonzero": lambda _, xp, full, mask: xp.sum(xp.logical_and(mask, full)),
    "mean": _mean,
    "prod": lambda functions, xp, full, mask: xp.prod(functions.where(mask, full, 1)),
    "sum": lambda functions, xp, full, mask: xp.sum(functions.where(mask, full, 0)),
}
