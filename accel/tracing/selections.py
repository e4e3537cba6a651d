"""`Selection`: the elements of an array where a mask is true, or its rows where a mask of the first axes is.

How many they are is not known while a trace is made. It is the whole array beside the mask. So functions of elements
compute all elements, a write to the same places of an array is a choice, and sums leave out the others.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import update_wrapper
from math import prod
from typing import Any, ClassVar, NamedTuple, NoReturn

import numpy as np
from numpy.lib.array_utils import normalize_axis_tuple

from accel.dtypes import DType
from accel.errors import FuseError
from accel.fusion.nodes import Node
from accel.tracing.symbols import OPERATORS, Symbol

__all__ = ["Selection", "knowing_selections"]

_OF_ELEMENTS = frozenset({"asarray", "astype", "clip", "imag", "pow", "real", "round", "where"})
"""Functions of elements that are no ufuncs."""

_DEFAULTS: Mapping[str, Any] = {"dtype": None, "keepdims": False}

_BASIC = frozenset({int, slice, type(None)})

_OF_ROWS = frozenset({"argmax", "argmin", "max", "min"})
"""Functions along an axis of each row, beside those that reduce the selected axis too."""


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
        The mask, of the first axes of the array.
    """

    __slots__ = ("_error", "full", "mask")
    __array_ufunc__ = None
    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __init__(self, full: Symbol, mask: Node, error: FuseError) -> None:
        self.full: Symbol = full
        self.mask: Node = mask
        self._error = error

    @property
    def dtype(self) -> DType:
        """Of the elements."""
        return self.full.dtype

    @property
    def ndim(self) -> int:
        """Number of axes: the selected one, and those of a row."""
        return 1 + len(self.full.shape) - len(self.mask.shape)

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
        if type(key) is not tuple or key[:1] != (slice(None),) or not all(type(part) in _BASIC for part in key):
            self.refuse()
        return self.of(self.full[(slice(None),) * len(self.mask.shape) + key[1:]])

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
        if type(operand) is Selection and operand.mask is self.mask and operand.ndim == self.ndim:
            return operand.full
        if type(operand) is Selection or (isinstance(operand, Symbol) and operand.ndim >= self.ndim):
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
        return _reduced(name, function, selection, operands, options)

    return update_wrapper(call, function)


class _Chosen(NamedTuple):
    """What is reduced of a selection.

    Attributes
    ----------
    functions, xp
        Functions of symbols.
    full, mask : Symbol
        All elements, and which of them are selected, with as many axes.
    axes : tuple of int
        The axes that are reduced: those of the mask, and perhaps others.
    """

    functions: Any
    xp: Any
    full: Symbol
    mask: Symbol
    axes: tuple[int, ...]

    def elements(self, other: Any) -> Symbol:
        """Return the selected elements, and another value in the place of the others."""
        return self.functions.where(self.mask, self.full, other)  # type: ignore[no-any-return]

    def total(self, full: Symbol) -> Any:
        """Return the sum of the selected elements of an array."""
        return self.xp.sum(self._replace(full=full).elements(0), axis=self.axes)

    def count(self, dtype: DType) -> Any:
        """Return how many elements are combined to one, as a number of a dtype."""
        shape = zip(self.full.shape, self.mask.shape, strict=True)
        rows = prod([extent for axis, (extent, other) in enumerate(shape) if axis in self.axes and other != extent])
        return self.functions.astype(self.xp.multiply(self.xp.sum(self.mask), rows), dtype)


def _reduced(
    name: str, function: Callable[..., Any], x: Selection, operands: Sequence[Any], options: Mapping[str, Any]
) -> Any:
    reduction, named = _REDUCTIONS.get(name), dict(options)
    axis = named.pop("axis", None)
    axes = tuple(range(x.ndim)) if axis is None else normalize_axis_tuple(axis, x.ndim)
    before = len(x.mask.shape)
    if len(operands) == 1 and 0 not in axes and (reduction is not None or name in _OF_ROWS):
        moved = tuple([each + before - 1 for each in axes])
        return x.of(function(x.full, axis=moved if type(axis) is tuple else moved[0], **named))
    correction = named.pop("correction", named.pop("ddof", 0)) if name in ("std", "var") else None
    is_default = all(option in _DEFAULTS and value == _DEFAULTS[option] for option, value in named.items())
    if reduction is None or len(operands) != 1 or not is_default or (correction is not None and x.dtype.kind == "c"):
        raise x.tracer.needs_value(f"{name} of elements selected by a boolean mask, whose number is not known")
    mask = x.tracer.symbol(x.mask)[(..., *(None,) * (x.ndim - 1))]
    chosen = (*range(before), *[each + before - 1 for each in axes if each])
    what = _Chosen(x.tracer.functions, x.tracer.namespace, x.full, mask, chosen)
    return reduction(what) if correction is None else reduction(what, correction)


def _of_floats(x: _Chosen) -> Symbol:
    kind = x.full.dtype.kind
    return x.functions.astype(x.full, np.dtype(np.float64)) if kind in "biu" else x.full


def _mean(x: _Chosen) -> Any:
    total = x.total(_of_floats(x))
    return x.xp.divide(total, x.count(total.dtype))


def _var(x: _Chosen, correction: float) -> Any:
    full = _of_floats(x)
    total = x.total(full)
    mean = x.xp.divide(total, x.count(total.dtype))
    kept = tuple([1 if axis in x.axes else extent for axis, extent in enumerate(full.shape)])
    squares = x.xp.square(x.xp.subtract(full, mean.reshape(kept)))
    divisor = x.xp.maximum(x.xp.subtract(x.count(total.dtype), correction), 0)
    return x.xp.divide(x.total(squares), divisor)


_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "all": lambda x: x.xp.all(x.xp.logical_or(x.xp.logical_not(x.mask), x.full), axis=x.axes),
    "any": lambda x: x.xp.any(x.xp.logical_and(x.mask, x.full), axis=x.axes),
    "count_nonzero": lambda x: x.xp.sum(x.xp.logical_and(x.mask, x.full), axis=x.axes),
    "mean": _mean,
    "prod": lambda x: x.xp.prod(x.elements(1), axis=x.axes),
    "std": lambda x, correction: x.xp.sqrt(_var(x, correction)),
    "sum": lambda x: x.total(x.full),
    "var": _var,
}
