"""Functions of symbols that need no memory: views, new arrays, casts, and writes."""

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple
from numpy.lib.stride_tricks import as_strided

from accel.fusion.index_maps import Axis, broadcast, identity
from accel.fusion.nodes import Empty, Node, Position
from accel.tracing.arrays_of_parts import ArraysOfParts
from accel.tracing.basic_indices import is_basic, reshaped_extents, selection, split
from accel.tracing.bounds import greatest
from accel.tracing.choices import Choices
from accel.tracing.composites import Composites
from accel.tracing.selections import Selection
from accel.tracing.symbols import Symbol
from accel.tracing.trace import Trace
from accel.tracing.view_bases import PartBase, ReshapedBase

__all__ = ["Functions"]

_INDEX = np.dtype(np.int64)
_TRUTH = np.dtype(np.bool_)


class Functions(ArraysOfParts, Choices, Composites):
    """Functions of a trace; those with names of the array standard are found by `Namespace`."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    # Indices and writes

    def getitem(self, x: Symbol, key: Any) -> Any:
        """Return what an index selects."""
        key = _plain(key)
        if not is_basic(key):
            return self._selected(x, key)
        index_map, shape = selection(x.shape, key)
        view = x.viewed(index_map, shape, operator.itemgetter(key))
        if shape or any(part is ... for part in _parts(key)):
            return view
        return self._trace.symbol(view.node)  # an element is no view

    def _selected(self, x: Symbol, key: Any) -> Any:
        """Return what a mask or arrays of indices select."""
        if any(isinstance(part, Symbol) and part.dtype == _TRUTH for part in _parts(key)):
            error = self._trace.needs_value("a boolean mask as an index, whose number of elements is not known")
            if not _selects_rows(x, key):
                raise error
            return Selection(self.copied(x), key.node, error)
        return self._trace.call("getitem", operator.getitem, (x, self._with_indices(x, key)), {})

    def setitem(self, x: Symbol, key: Any, value: Any) -> None:
        """Write elements."""
        trace, key = self._trace, _plain(key)
        if type(value) is Selection:
            self._set_selected(x, key, value)
            return
        value = trace.operand(value)
        if _is_mask(key) and key.shape == x.shape and not _shape_of(value):
            key = trace.of_numpy(key)
        if is_basic(key):
            index_map, shape = selection(x.shape, key)
            parts = _parts(key)
            whole = parts if any(part is ... for part in parts) else (*parts, ...)  # an element is a view, too
            view = x.viewed(index_map, shape, operator.itemgetter(whole))
            view.write(self._fitting(value, view))
        elif _selects_rows(x, key) and len(_shape_of(value)) <= x.ndim - key.ndim:
            x.write(self._chosen(key, trace.symbol(trace.cast(value, x.dtype)), x).node)
        else:
            self._set_at_indices(x, key, value)

    def _set_at_indices(self, x: Symbol, key: Any, value: Any) -> None:
        x.write(self._trace.call("setitem", _written, (x, self._with_indices(x, key), value), {}).node)

    def _with_indices(self, x: Symbol, key: Any) -> Any:
        """Return an index with the indices of each mask of NumPy in its place."""
        parts = _parts(key)
        if not any(map(_is_mask, parts)):
            return key
        zeros = [np.zeros(part.shape, part.dtype) if isinstance(part, Symbol) else part for part in parts]
        np.broadcast_to(np.False_, x.shape)[tuple(zeros)]  # refuses masks of other shapes
        return tuple(
            [each for part in parts for each in (self._trace.existing.selected(part) if _is_mask(part) else (part,))]
        )

    def _set_selected(self, x: Symbol, mask: Any, value: Selection) -> None:
        if not _selects_rows(x, mask) or mask.node is not value.mask or value.full.ndim != x.ndim:
            value.refuse()
        x.write(self._chosen(mask, self._trace.symbol(self._trace.cast(value.full, x.dtype)), x).node)

    def _chosen(self, mask: Symbol, value: Symbol, x: Symbol) -> Any:
        """Return the rows of a value where a mask is true, and others of an array."""
        if np.broadcast_shapes(value.shape, x.shape) != x.shape:
            raise ValueError(f"could not broadcast rows of shape {value.shape} into an array of shape {x.shape}")
        return self.where(mask[(..., *(None,) * (x.ndim - mask.ndim))], value, x)

    def store(self, result: Symbol, x: Symbol) -> Symbol:
        """Write a result to ``x``, as functions do with ``out=``, and return that.

        Raises
        ------
        TypeError, ValueError
            If the dtype or the shape of the result does not fit.
        """
        if not np.can_cast(result.dtype, x.dtype, "same_kind"):
            raise TypeError(f"Cannot cast output from dtype('{result.dtype}') to dtype('{x.dtype}')")
        if result.shape != x.shape and np.broadcast_shapes(result.shape, x.shape) != x.shape:
            raise ValueError(f"non-broadcastable output operand with shape {x.shape}; the result has {result.shape}")
        x.write(self._trace.view(self._trace.cast(result, x.dtype), broadcast(result.shape, x.shape), x.shape))
        return x

    def _fitting(self, value: Any, view: Symbol) -> Node:
        node = self._trace.cast(value, view.dtype)
        shape = node.shape
        while len(shape) > len(view.shape) and shape[0] == 1:
            shape = shape[1:]
        if shape != node.shape:
            node = self._trace.symbol(node).reshape(shape).node
        if shape not in ((), view.shape) and np.broadcast_shapes(shape, view.shape) != view.shape:
            raise ValueError(f"could not broadcast input array from shape {node.shape} into shape {view.shape}")
        return self._trace.view(node, broadcast(shape, view.shape), view.shape)

    # Views

    def reshape(self, x: Symbol, /, shape: Any, order: str = "C", *, copy: bool | None = None) -> Any:
        """Return the elements with another shape."""
        if order != "C":
            return self._trace.call("reshape", self._trace.real.namespace.reshape, (x, shape), {"order": order})
        extents = reshaped_extents(x.size, shape)
        if copy:
            x = self.copied(x)
        steps = split(x.shape, extents)
        if steps is not None:
            return x.viewed(steps, extents, lambda array: array.reshape(extents))
        if _is_view_of(x, extents):
            base = ReshapedBase(x, extents)
            return Symbol(self._trace, base, None, extents, (x, lambda array: array.reshape(extents)))
        return self._trace.symbol(self._trace.reshaped(x.node, extents))

    def permute_dims(self, x: Symbol, /, axes: Sequence[int]) -> Symbol:
        """Return the array with its axes in another order."""
        order = [normalize_axis_index(axis, x.ndim) for axis in axes]
        if sorted(order) != [*range(x.ndim)]:
            raise ValueError("axes don't match array")
        index_map = tuple([Axis(0, ((order.index(axis), 1),)) for axis in range(x.ndim)])
        shape = tuple([x.shape[axis] for axis in order])
        return x.viewed(index_map, shape, lambda array: array.transpose(*order))

    def transpose(self, x: Symbol, axes: Any = None) -> Symbol:
        """Return the array with its axes in another order, by default the opposite one."""
        return self.permute_dims(x, axes if axes is not None else tuple(range(x.ndim))[::-1])

    def matrix_transpose(self, x: Symbol) -> Symbol:
        """Return the array with its last two axes exchanged."""
        return self.permute_dims(x, (*range(x.ndim - 2), x.ndim - 1, x.ndim - 2))

    def moveaxis(self, x: Symbol, source: Any, destination: Any, /) -> Symbol:
        """Return the array with axes at other places."""
        moved = dict(zip(normalize_axis_tuple(destination, x.ndim), normalize_axis_tuple(source, x.ndim), strict=True))
        others = (axis for axis in range(x.ndim) if axis not in moved.values())
        return self.permute_dims(x, [moved[axis] if axis in moved else next(others) for axis in range(x.ndim)])

    def swapaxes(self, x: Symbol, one: int, other: int, /) -> Symbol:
        """Return the array with two axes exchanged."""
        return x.swapaxes(one, other)  # type: ignore[no-any-return]

    def squeeze(self, x: Symbol, axis: Any = None) -> Symbol:
        """Return the array without axes of extent 1."""
        if axis is None:
            dropped = {each for each, extent in enumerate(x.shape) if extent == 1}
        else:
            dropped = {*normalize_axis_tuple(axis, x.ndim)}
            if any(x.shape[each] != 1 for each in dropped):
                raise ValueError("cannot select an axis to squeeze out which has size not equal to one")
        return self._of_kept(x, tuple([0 if each in dropped else slice(None) for each in range(x.ndim)]))

    def expand_dims(self, x: Symbol, /, axis: Any = 0) -> Symbol:
        """Return the array with more axes of extent 1."""
        count = len(axis) if isinstance(axis, tuple | list) else 1
        added = {*normalize_axis_tuple(axis, x.ndim + count)}
        return self._of_kept(x, tuple([None if each in added else slice(None) for each in range(x.ndim + count)]))

    def _of_kept(self, x: Symbol, key: tuple[Any, ...]) -> Symbol:
        index_map, shape = selection(x.shape, key)
        return x.viewed(index_map, shape, operator.itemgetter((*key, ...)))

    def flip(self, x: Symbol, /, axis: Any = None) -> Symbol:
        """Return the array with the opposite order along axes."""
        axes = range(x.ndim) if axis is None else normalize_axis_tuple(axis, x.ndim)
        if not x.ndim:  # NumPy returns the element
            return self.copied(x)
        return self._of_kept(x, tuple([slice(None, None, -1 if each in axes else 1) for each in range(x.ndim)]))

    def real(self, x: Symbol, /) -> Symbol:
        """Return the real part: a view."""
        if x.dtype.kind == "c":
            return Symbol(self._trace, PartBase(x, "real"), parent=(x, operator.attrgetter("real")))
        return x.viewed(identity(x.shape), x.shape, operator.itemgetter(...))

    def imag(self, x: Symbol, /) -> Any:
        """Return the imaginary part: a view, or zeros for real numbers."""
        if x.dtype.kind == "c":
            return Symbol(self._trace, PartBase(x, "imag"), parent=(x, operator.attrgetter("imag")))
        return self._trace.call("imag", self._trace.real.namespace.imag, (x,), {})

    def iscomplexobj(self, x: Any) -> bool:
        """Tell whether elements are complex numbers."""
        return any(each.dtype.kind == "c" for each in (x if isinstance(x, list | tuple) else [x]))

    def isrealobj(self, x: Any) -> bool:
        """Tell whether the elements are real numbers."""
        return not self.iscomplexobj(x)

    def broadcast_to(self, x: Any, /, shape: Any) -> Symbol:
        """Return the array repeated along axes, read-only."""
        x, extents = self._symbol(x), (shape,) if isinstance(shape, int) else tuple(shape)
        if np.broadcast_shapes(x.shape, extents) != extents:
            raise ValueError(f"operands could not be broadcast together with remapped shapes {x.shape} and {extents}")
        index_map = broadcast(x.shape, extents)

        def repeated(array: Any) -> Any:
            return array.__array_namespace__().broadcast_to(array, extents)

        view: Symbol = x.viewed(index_map, extents, repeated)
        view.readonly = True
        return view

    def _symbol(self, x: Any) -> Symbol:
        symbol = self._trace.operand(x)
        return symbol if isinstance(symbol, Symbol) else self._trace.symbol(self._trace.constant(x, np.result_type(x)))

    # New arrays

    def astype(self, x: Symbol, dtype: Any, /, *, copy: bool = True) -> Symbol:
        """Return the elements with another dtype."""
        if not copy and x.dtype == dtype:
            return x
        return self._trace.symbol(self._trace.cast(x, np.dtype(dtype)), (x,))

    def asarray(
        self, obj: Any, /, dtype: Any = None, *, copy: bool | None = None, order: str | None = None, **_: Any
    ) -> Symbol:
        """Return values as an array."""
        x = self._symbol(obj)
        target = x.dtype if dtype is None else np.dtype(dtype)
        if order == "C" and not x.flags.c_contiguous:
            return self._trace.symbol(self._trace.cast(x, target))
        return self.astype(x, target, copy=bool(copy) or x.weak is not None)

    def copied(self, x: Symbol) -> Symbol:
        """Return a copy."""
        return self._trace.symbol(x.node)

    def copy(self, x: Symbol, /, **_: Any) -> Symbol:
        """Return a copy, in the order of the array."""
        return self._trace.symbol(x.node, (x,))

    def empty(self, shape: Any, dtype: Any = None, **_: Any) -> Symbol:
        """Return an array with elements of no meaning."""
        return self._trace.symbol(Empty(_extents(shape), _dtype(dtype)))

    def zeros(self, shape: Any, dtype: Any = None, **_: Any) -> Symbol:
        """Return an array of zeros."""
        return self._filled(shape, 0, _dtype(dtype))

    def ones(self, shape: Any, dtype: Any = None, **_: Any) -> Symbol:
        """Return an array of ones."""
        return self._filled(shape, 1, _dtype(dtype))

    def full(self, shape: Any, fill_value: Any, dtype: Any = None, **_: Any) -> Symbol:
        """Return an array of one value."""
        value = self._trace.operand(fill_value)
        target = value.dtype if isinstance(value, Symbol) else np.result_type(value)
        return self._filled(shape, value, target if dtype is None else np.dtype(dtype))

    def empty_like(self, x: Symbol, dtype: Any = None, **_: Any) -> Symbol:
        """Return an array of the same shape, with elements of no meaning."""
        return self._like(x, self.empty(x.shape, x.dtype if dtype is None else dtype))

    def zeros_like(self, x: Symbol, dtype: Any = None, **_: Any) -> Symbol:
        """Return an array of zeros of the same shape."""
        return self._like(x, self.zeros(x.shape, x.dtype if dtype is None else dtype))

    def ones_like(self, x: Symbol, dtype: Any = None, **_: Any) -> Symbol:
        """Return an array of ones of the same shape."""
        return self._like(x, self.ones(x.shape, x.dtype if dtype is None else dtype))

    def full_like(self, x: Symbol, fill_value: Any, dtype: Any = None, **_: Any) -> Symbol:
        """Return an array of one value of the same shape."""
        return self._like(x, self.full(x.shape, fill_value, x.dtype if dtype is None else dtype))

    def _like(self, x: Symbol, array: Symbol) -> Symbol:
        """Return a new array in the order of another one."""
        return self._trace.symbol(array.node, (x,))

    def _filled(self, shape: Any, value: Any, dtype: Any) -> Symbol:
        extents, node = _extents(shape), self._trace.cast(value, dtype)
        return self._trace.symbol(self._trace.view(node, broadcast(node.shape, extents), extents))

    def bincount(self, x: Any, /, weights: Any = None, minlength: int = 0) -> Any:
        """Return how often each integer is found; those that are found must be known to be less than ``minlength``."""
        x = self._symbol(x)
        is_known = type(minlength) is int and x.dtype.kind in "biu" and x.ndim == 1 and greatest(x.node) < minlength
        name = "bincount of bounded integers" if is_known else "bincount"
        return self._trace.call(name, self._trace.real.namespace.bincount, (x, weights, minlength), {})

    def arange(self, start: Any, /, stop: Any = None, step: Any = 1, dtype: Any = None, **_: Any) -> Any:
        """Return evenly spaced numbers."""
        first, end = (0, start) if stop is None else (start, stop)
        make, cast = self._trace.make, self._trace.cast
        shape = np.arange(first, end, step)
        target = shape.dtype if dtype is None else np.dtype(dtype)
        if shape.dtype.kind != target.kind or target.kind not in "if":
            return self._trace.call("arange", self._trace.real.namespace.arange, (first, end, step), {"dtype": dtype})
        position = cast(self._trace.symbol(Position(shape.shape, _INDEX)), target)
        pace = target.type(target.type(first + step) - target.type(first)) if target.kind == "f" else step
        scaled = make("binary", "mul", (position, self._trace.constant(pace, target)), target)
        return self._trace.symbol(make("binary", "add", (scaled, self._trace.constant(first, target)), target))


def _plain(key: Any) -> Any:
    """Return an index with NumPy's integers as Python's."""
    if type(key) is tuple:
        return tuple([_plain(part) for part in key])
    return int(key) if isinstance(key, np.integer) else key


def _selects_rows(x: Symbol, key: Any) -> bool:
    """Tell whether an index is a mask of the first axes of an array, or of all."""
    is_mask = isinstance(key, Symbol) and key.dtype == _TRUTH and (key.ndim > 0 or not x.ndim)
    return is_mask and key.shape == x.shape[: key.ndim]


def _is_mask(part: Any) -> bool:
    return isinstance(part, np.ndarray) and part.dtype == _TRUTH and part.ndim > 0


def _parts(key: Any) -> tuple[Any, ...]:
    return key if type(key) is tuple else (key,)


def _shape_of(value: Any) -> tuple[int, ...]:
    return value.shape if isinstance(value, Symbol) else ()


def _extents(shape: Any) -> tuple[int, ...]:
    return (operator.index(shape),) if not isinstance(shape, tuple | list) else tuple(map(operator.index, shape))


def _dtype(dtype: Any) -> Any:
    return np.dtype(np.float64 if dtype is None else dtype)


def _is_view_of(x: Symbol, shape: tuple[int, ...]) -> bool:
    """Tell whether a reshape of an array is a view of it."""
    model = as_strided(np.empty((), x.dtype), x.shape, x.strides)
    try:
        np.reshape(model, shape, copy=False)
    except ValueError:
        return False
    return True


def _written(array: Any, key: Any, value: Any) -> Any:
    copy = array.copy()
    copy[key] = value
    return copy
