"""Functions of symbols that arrange elements: they join, split, repeat and pad arrays, and select elements by place."""

from collections.abc import Sequence
from itertools import pairwise, product
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from accel.fusion.index_maps import Axis, Turn, broadcast, identity
from accel.tracing.symbols import Symbol
from accel.tracing.trace import Trace

__all__ = ["ArraysOfParts"]

_NUMBERS = (bool, int, float)


class ArraysOfParts:
    """Functions of a trace that are views, and writes of parts; where options are rare, the library computes."""

    _trace: Trace

    def _of_library(self, name: str, *operands: Any, **options: Any) -> Any:
        return self._trace.call(name, getattr(self._trace.real.namespace, name), operands, options)

    def _function(self, name: str) -> Any:
        return getattr(self._trace.functions, name)

    def _array(self, value: Any) -> Symbol:
        """Return an operand as an array, also a list of arrays."""
        if isinstance(value, list | tuple):
            return self.stack(value)  # type: ignore[no-any-return]
        return self._function("asarray")(value)  # type: ignore[no-any-return]

    def _several(self, arrays: Sequence[Any]) -> list[Symbol]:
        return [self._array(each) for each in arrays]

    # Joined

    def concat(self, arrays: Sequence[Any], /, axis: int | None = 0) -> Any:
        """Join arrays along an axis."""
        parts = self._several(arrays)
        if axis is None:
            parts, axis = [each.reshape(-1) for each in parts], 0
        axis = normalize_axis_index(axis, parts[0].ndim)
        extents = {(*each.shape[:axis], -1, *each.shape[axis + 1 :]) for each in parts}
        if len(extents) != 1:
            return self._of_library("concat", list(arrays), axis=axis)
        dtype = np.result_type(*[each.dtype for each in parts])
        shape = list(parts[0].shape)
        shape[axis] = sum(each.shape[axis] for each in parts)
        joined, first = self._function("empty")(tuple(shape), dtype), 0
        for each in parts:
            joined[(slice(None),) * axis + (slice(first, first + each.shape[axis]),)] = each
            first += each.shape[axis]
        return joined

    def concatenate(self, arrays: Sequence[Any], /, axis: int | None = 0, **options: Any) -> Any:
        """Join arrays along an axis, as NumPy's function does."""
        given = {name: value for name, value in options.items() if value not in (None, "same_kind")}
        return self._of_library("concatenate", arrays, axis, **given) if given else self.concat(arrays, axis)

    def stack(self, arrays: Sequence[Any], /, *, axis: int = 0) -> Any:
        """Join arrays along a new axis."""
        parts = self._several(arrays)
        axis = normalize_axis_index(axis, parts[0].ndim + 1)
        return self.concat([self._function("expand_dims")(each, axis=axis) for each in parts], axis=axis)

    def vstack(self, tup: Sequence[Any], **options: Any) -> Any:
        """Join arrays along the first axis of two or more."""
        return self.concatenate([self.atleast_2d(each) for each in self._several(tup)], 0, **options)

    def hstack(self, tup: Sequence[Any], **options: Any) -> Any:
        """Join arrays along the second axis, or the only one."""
        parts = [self.atleast_1d(each) for each in self._several(tup)]
        return self.concatenate(parts, 0 if parts[0].ndim == 1 else 1, **options)

    def atleast_1d(self, *arrays: Any) -> Any:
        """Return arrays with one axis or more."""
        return self._with_axes(arrays, lambda x: x.reshape(1) if not x.ndim else x)

    def atleast_2d(self, *arrays: Any) -> Any:
        """Return arrays with two axes or more."""
        return self._with_axes(arrays, lambda x: x.reshape(1, -1) if x.ndim < 2 else x)

    def _with_axes(self, arrays: Sequence[Any], change: Any) -> Any:
        parts = tuple(map(change, self._several(arrays)))
        return parts[0] if len(parts) == 1 else parts

    # Split

    def unstack(self, x: Symbol, /, *, axis: int = 0) -> Any:
        """Return the arrays at each index along an axis."""
        if type(axis) is not int:
            return self._of_library("unstack", x, axis=axis)
        x = self._array(x)
        axis = normalize_axis_index(axis, x.ndim)
        return tuple([x[(slice(None),) * axis + (index,)] for index in range(x.shape[axis])])

    def array_split(self, ary: Symbol, indices_or_sections: Any, axis: int = 0) -> Any:
        """Return parts along an axis, of nearly the same extents or between indices."""
        if type(indices_or_sections) is not int or indices_or_sections < 1:
            return self._of_library("array_split", ary, indices_or_sections, axis)
        ary = self._array(ary)
        axis = normalize_axis_index(axis, ary.ndim)
        least, larger = divmod(ary.shape[axis], indices_or_sections)
        ends = np.cumsum([0] + [least + (place < larger) for place in range(indices_or_sections)]).tolist()
        before = (slice(None),) * axis
        return [ary[(*before, slice(*pair))] for pair in pairwise(ends)]

    def split(self, ary: Symbol, indices_or_sections: Any, axis: int = 0) -> Any:
        """Return parts along an axis, of the same extents or between indices."""
        ary, count = self._array(ary), indices_or_sections
        if type(count) is not int or count < 1 or ary.shape[normalize_axis_index(axis, ary.ndim)] % count:
            return self._of_library("split", ary, indices_or_sections, axis)
        return self.array_split(ary, count, axis)

    # Repeated

    def repeat(self, x: Any, repeats: Any, /, axis: int | None = None) -> Any:
        """Return each element several times."""
        x = self._array(x)
        if type(repeats) is not int or repeats < 1 or not x.size:
            return self._of_library("repeat", x, repeats, axis=axis)
        if axis is None:
            x, axis = x.reshape(-1), 0
        axis = normalize_axis_index(axis, x.ndim)
        counts = [1] * x.ndim
        counts[axis] = repeats
        return self._repeated(x, counts, of_elements=True)

    def tile(self, x: Any, reps: Any, /) -> Any:
        """Return the whole array several times along each axis."""
        x = self._array(x)
        counts = [reps] if type(reps) is int else [*reps]
        if any(type(count) is not int or count < 1 for count in counts) or not x.size:
            return self._of_library("tile", x, reps)
        counts = [1] * (x.ndim - len(counts)) + counts
        return self._repeated(x[(None,) * (len(counts) - x.ndim) + (...,)], counts, of_elements=False)

    def _repeated(self, x: Symbol, counts: Sequence[int], *, of_elements: bool) -> Symbol:
        pairs = [
            (extent, count) if of_elements else (count, extent) for extent, count in zip(x.shape, counts, strict=True)
        ]
        apart = x[
            tuple([part for _ in x.shape for part in ((slice(None), None) if of_elements else (None, slice(None)))])
        ]
        extents = tuple([extent for pair in pairs for extent in pair])
        node = self._trace.view(apart.node, broadcast(apart.shape, extents), extents)
        return self._trace.symbol(self._trace.reshaped(node, tuple([one * other for one, other in pairs])))

    def broadcast_arrays(self, *arrays: Any) -> Any:
        """Return arrays repeated along axes, so that they have one shape."""
        parts = self._several(arrays)
        shape = np.broadcast_shapes(*[each.shape for each in parts])
        return tuple([each if each.shape == shape else self._function("broadcast_to")(each, shape) for each in parts])

    def meshgrid(self, *arrays: Any, indexing: str = "xy", **options: Any) -> Any:
        """Return the coordinates of a grid."""
        if options or indexing not in ("xy", "ij"):
            return self._of_library("meshgrid", *arrays, indexing=indexing, **options)
        count = len(arrays)
        places = [*range(count)]
        if indexing == "xy" and count > 1:
            places[:2] = 1, 0
        parts = [
            each.reshape((1,) * place + (-1,) + (1,) * (count - place - 1))
            for each, place in zip(self._several(arrays), places, strict=True)
        ]
        return tuple(map(self._function("copied"), self.broadcast_arrays(*parts)))

    def outer(self, a: Any, b: Any, /) -> Any:
        """Return the products of each pair of elements."""
        one, other = self._several((a, b))
        return self._trace.namespace.multiply(one.reshape(-1, 1), other.reshape(1, -1))

    # Selected by place

    def roll(self, x: Symbol, /, shift: Any, axis: Any = None) -> Any:
        """Return the elements moved along axes, the last ones to the beginning."""
        if axis is None:
            return self.roll(x.reshape(-1), shift, 0).reshape(x.shape)
        shifts, axes = np.broadcast_arrays(shift, axis)
        places = [*identity(x.shape)]
        for by, along in zip(shifts.ravel().tolist(), axes.ravel().tolist(), strict=True):
            place = normalize_axis_index(along, x.ndim)
            extent = x.shape[place]
            if extent > 1:
                start = (places[place].start - by) % extent
                places[place] = Axis(start, ((place, 1),), Turn(extent) if start else None)
        return self._trace.symbol(self._trace.view(x.node, tuple(places), x.shape))

    def fliplr(self, m: Symbol) -> Any:
        """Return the opposite order along the second axis."""
        m = self._array(m)
        return self._of_library("fliplr", m) if m.ndim < 2 else m[:, ::-1]

    def flipud(self, m: Symbol) -> Any:
        """Return the opposite order along the first axis."""
        m = self._array(m)
        return m[::-1, ...] if m.ndim else self._of_library("flipud", m)

    def ravel(self, x: Symbol, /, order: str = "C") -> Any:
        """Return the elements along one axis."""
        return self._of_library("ravel", x, order) if order != "C" else self._array(x).reshape(-1)

    def diff(self, x: Symbol, /, n: int = 1, axis: int = -1, *, prepend: Any = None, append: Any = None) -> Any:
        """Return the differences of neighbours."""
        x = self._array(x)
        if n != 1 or not x.ndim or prepend is not None or append is not None:
            ends = {name: end for name, end in (("prepend", prepend), ("append", append)) if end is not None}
            return self._of_library("diff", x, n=n, axis=axis, **ends)
        before = (slice(None),) * normalize_axis_index(axis, x.ndim)
        name = "not_equal" if x.dtype.kind == "b" else "subtract"
        return getattr(self._trace.namespace, name)(x[(*before, slice(1, None))], x[(*before, slice(None, -1))])

    def tril(self, x: Symbol, /, k: int = 0) -> Any:
        """Return the elements below a diagonal, and zeros."""
        x = self._array(x)
        if x.ndim < 2 or type(k) is not int:
            return self._of_library("tril", x, k=k)
        return self._where_below(x, k, x, self._zero(x))

    def triu(self, x: Symbol, /, k: int = 0) -> Any:
        """Return the elements above a diagonal, and zeros."""
        x = self._array(x)
        if x.ndim < 2 or type(k) is not int:
            return self._of_library("triu", x, k=k)
        return self._where_below(x, k - 1, self._zero(x), x)

    def _zero(self, x: Symbol) -> Symbol:
        return self._function("zeros")((), x.dtype)  # type: ignore[no-any-return]

    def _where_below(self, x: Symbol, k: int, below: Symbol, above: Symbol) -> Any:
        rows, columns = x.shape[-2:]
        arange = self._function("arange")
        mask = self._trace.namespace.less_equal(arange(columns), arange(k, rows + k).reshape(-1, 1))
        return self._function("where")(mask, below, above)

    def pad(self, array: Symbol, pad_width: Any, mode: Any = "constant", **options: Any) -> Any:
        """Return the array with more elements before and after, of one value or its own again."""
        array, widths = self._array(array), _widths(pad_width, array.ndim)
        if mode in _REPEATED and widths is not None and array.size and not options:
            runs = [_runs(mode, extent, *each) for extent, each in zip(array.shape, widths, strict=True)]
            if max([len(each) for each in runs], default=0) <= _MOST_RUNS:
                return self._padded(array, widths, runs)
        value = options.get("constant_values", 0)
        is_exact = type(value) in _NUMBERS and not (type(value) is float and array.dtype.kind in "biu")
        if mode != "constant" or widths is None or options.keys() - {"constant_values"} or not is_exact:
            return self._of_library("pad", array, pad_width, mode, **options)
        padded = self._function("full")(_padded_shape(array.shape, widths), value, array.dtype)
        padded[tuple([slice(w[0], w[0] + extent) for extent, w in zip(array.shape, widths, strict=True)])] = array
        return padded

    def _padded(self, array: Symbol, widths: Sequence[Sequence[int]], runs: Sequence[Sequence["_Run"]]) -> Any:
        padded = self._function("empty")(_padded_shape(array.shape, widths), array.dtype)
        for part in product(*runs):
            padded[tuple([each.places for each in part])] = array[tuple([each.source for each in part])]
        return padded


class _Run(NamedTuple):
    """Neighbours along an axis that are those of an array, in its order or the opposite one, or one of them repeated.

    Attributes
    ----------
    places : slice
        Where they are.
    source : slice
        Those of the array.
    """

    places: slice
    source: slice


_REPEATED: dict[str, Any] = {
    "edge": lambda places, extent: np.clip(places, 0, extent - 1),
    "reflect": lambda places, extent: _mirrored(places, max(extent - 1, 1), 0) * (extent > 1),
    "symmetric": lambda places, extent: _mirrored(places, extent, 1),
    "wrap": lambda places, extent: places % extent,
}
"""For modes of `pad`, which element each place repeats."""

_MOST_RUNS = 8
"""Runs along an axis, each of which has loops of its own."""


def _mirrored(places: Any, half: int, shift: int) -> Any:
    """Return numbers that go up and down by turns; the last one of each turn comes twice if they are shifted by 1."""
    number = places % (2 * half)
    return np.minimum(number, 2 * half - shift - number)


def _runs(mode: str, extent: int, before: int, after: int) -> list[_Run]:
    sources = _REPEATED[mode](np.arange(-before, extent + after), extent).tolist()
    runs = []
    for first, end in ((0, before), (before, before + extent), (before + extent, before + extent + after)):
        start = first
        while start < end:
            stop = start + 1
            step = sources[stop] - sources[start] if stop < end else 1
            while abs(step) < 2 and stop < end and sources[stop] - sources[stop - 1] == step:
                stop += 1
            last = sources[stop - 1]
            if last < sources[start]:
                source = slice(sources[start], last - 1 if last else None, -1)
            else:
                source = slice(sources[start], last + 1)
            runs.append(_Run(slice(start, stop), source))
            start = stop
    return runs


def _widths(pad_width: Any, rank: int) -> list[list[int]] | None:
    """Return how many elements come before and after, along each axis; None if the library should say so."""
    try:
        widths = np.broadcast_to(np.asarray(pad_width), (rank, 2))
    except ValueError:
        return None
    return widths.tolist() if widths.dtype.kind in "iu" and not (widths < 0).any() else None


def _padded_shape(shape: Sequence[int], widths: Sequence[Sequence[int]]) -> tuple[int, ...]:
    return tuple([before + extent + after for extent, (before, after) in zip(shape, widths, strict=True)])
