"""`IndexMap`: where the elements of a store lie in its root, as a layout and as a box; the transforms of stores."""

from collections.abc import Iterable, Sequence
from functools import cache
from math import prod
from operator import index, itemgetter
from typing import Any, NoReturn, SupportsIndex

from accel.errors import NonInvertibleTransformation, StoreIndexError, StoreSizeError, StoreValueError
from accel.layout import Layout
from accel.store.boxes import Box, box_of, extents, volume

__all__ = ["IndexMap", "c_strides", "sizes_of"]

_new = object.__new__  # a transform takes less than a microsecond, so each look-up counts


class IndexMap:
    """The elements of a store: indices of the store map to elements of its root.

    Each transform gives another map and copies nothing. All of them lower to one layout.

    Attributes
    ----------
    shape : tuple of int
        Number of elements along each dimension.
    strides : tuple of int
        Elements of the root's memory from one index to the next; 0 for a dimension that repeats values.
    offset : int
        The element of the root's memory at index 0.
    box : Box
        The elements in coordinates of the root.
    transformed : bool
        Whether indices of the store differ from those of the root.
    cut : bool
        Whether the store was projected, sliced or tiled; Legate takes it for other storage than the root then.
    """

    __slots__ = ("_axes", "_inner", "_steps", "box", "cut", "offset", "shape", "strides", "transformed")
    # _axes: the axis of the root along which each dimension runs; -1 for none.
    # _inner: a bit for each dimension that is an inner part of an axis that was split.
    # _steps: the strides of the root.
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    box: Box
    transformed: bool
    cut: bool
    _axes: tuple[int, ...]
    _inner: int
    _steps: tuple[int, ...]

    @classmethod
    def whole(cls, shape: tuple[int, ...], strides: tuple[int, ...] | None = None, offset: int = 0) -> "IndexMap":
        """Return the map of a root, by default in C order."""
        index_map = _new(IndexMap)
        index_map.shape = shape
        index_map.strides = index_map._steps = c_strides(shape) if strides is None else strides
        index_map.offset = offset
        index_map.box = box_of(shape)
        index_map.transformed = index_map.cut = False
        index_map._axes = tuple(range(len(shape)))
        index_map._inner = 0
        return index_map

    def _with(
        self,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        axes: tuple[int, ...],
        offset: int,
        box: Box,
        inner: int,
        transformed: bool = True,
        cut: bool = False,
    ) -> "IndexMap":
        index_map = _new(IndexMap)
        index_map.shape = shape
        index_map.strides = strides
        index_map._axes = axes
        index_map.offset = offset
        index_map.box = box
        index_map._inner = inner
        index_map._steps = self._steps
        index_map.transformed = transformed
        index_map.cut = cut or self.cut
        return index_map

    @property
    def layout(self) -> Layout:
        """The layout of the elements, counted from `offset`."""
        return Layout(self.shape, self.strides)

    @property
    def empty(self) -> bool:
        """Whether there are no elements."""
        return 0 in self.shape

    @property
    def compact(self) -> bool:
        """Whether the elements are contiguous in C order."""
        return all(
            extent == 1 or stride == step
            for extent, stride, step in zip(self.shape, self.strides, c_strides(self.shape), strict=True)
        )

    def divisible(self, dim: int) -> bool:
        """Whether the dimension can be sliced: it is no inner part of one that was split."""
        return not self._inner >> dim & 1

    def same_storage(self, other: "IndexMap") -> bool:
        """Whether both are the same elements as Legate counts them; see `LogicalStore.equal_storage`."""
        if self.cut and not volume(self.box):
            return self.box is other.box
        return self.box == other.box and self.cut == other.cut

    def on_box(self) -> "IndexMap":
        """Return the map of the same elements in memory that holds only their box, in C order."""
        steps = c_strides(extents(self.box))
        strides = tuple(
            [
                0 if axis < 0 else stride // self._steps[axis] * steps[axis]
                for stride, axis in zip(self.strides, self._axes, strict=True)
            ]
        )
        index_map = self._with(self.shape, strides, self._axes, 0, self.box, self._inner, self.transformed)
        index_map._steps = steps
        return index_map

    def distinct(self) -> "IndexMap":
        """Return the map without repetitions: dimensions that repeat values have extent 1."""
        shape = tuple(
            [extent if stride else min(extent, 1) for extent, stride in zip(self.shape, self.strides, strict=True)]
        )
        return self._with(shape, self.strides, self._axes, self.offset, self.box, self._inner)

    def of_tile(self, origin: Sequence[int], shape: Sequence[int], *, first: bool) -> "IndexMap":
        """Return the map of a tile; the ``first`` tile of a partition keeps the indices of the root."""
        offset, box = self.offset, self.box
        for axis, (low, extent) in enumerate(zip(origin, shape, strict=True)):
            if extent == self.shape[axis]:
                continue
            if self._inner >> axis & 1:
                self._refuse_inner(axis)
            if extent:
                offset += low * self.strides[axis]
            box = self._narrowed(box, axis, low, low + extent)
        transformed = self.transformed or not first
        return self._with(tuple(shape), self.strides, self._axes, offset, box, self._inner, transformed, True)

    # Transforms

    def promote(self, dim: SupportsIndex, size: SupportsIndex) -> "IndexMap":
        """Add a dimension that repeats the values ``size`` times; it becomes dimension ``dim``."""
        shape, strides, axes = self.shape, self.strides, self._axes
        at, extent = index(dim), _size(size)
        if at < 0:
            at += len(shape)
        if not 0 <= at <= len(shape):
            raise StoreValueError(f"Invalid promotion on dimension {at} for a {len(shape)}-D store")
        return self._with(
            (*shape[:at], extent, *shape[at:]),
            (*strides[:at], 0, *strides[at:]),
            (*axes[:at], -1, *axes[at:]),
            self.offset,
            self.box,
            _moved(self._inner, at, 1) if self._inner else 0,
        )

    def project(self, dim: SupportsIndex, at: SupportsIndex) -> "IndexMap":
        """Remove a dimension: keep the elements at one index of it."""
        shape, strides, axes = self.shape, self.strides, self._axes
        axis, place = self._axis(dim, "projection"), index(at)
        if not 0 <= place < shape[axis]:
            raise StoreIndexError(f"Projection index {place} is out of bounds [0, {shape[axis]})")
        if self._inner >> axis & 1:
            self._refuse_inner(axis)
        after = axis + 1
        return self._with(
            shape[:axis] + shape[after:],
            strides[:axis] + strides[after:],
            axes[:axis] + axes[after:],
            self.offset + place * strides[axis],
            self._narrowed(self.box, axis, place, place + 1),
            _moved(self._inner, after, -1) if self._inner else 0,
            True,
            True,
        )

    def broadcast(self, dim: SupportsIndex, size: SupportsIndex) -> "IndexMap":
        """Repeat the values along a dimension of extent 1."""
        shape, strides, axes = self.shape, self.strides, self._axes
        axis, extent = self._axis(dim, "broadcast"), _size(size)
        if shape[axis] != 1:
            raise StoreValueError(f"Invalid broadcast on dimension {axis}: expected size 1 but got {shape[axis]}")
        after = axis + 1
        return self._with(
            (*shape[:axis], extent, *shape[after:]),
            (*strides[:axis], 0, *strides[after:]),
            (*axes[:axis], -1, *axes[after:]),
            self.offset,
            self.box,
            self._inner & ~(1 << axis),
        )

    def slice(self, dim: SupportsIndex, start: SupportsIndex | None, stop: SupportsIndex | None) -> "IndexMap":
        """Keep a range of a dimension; negative bounds count from the end, and a start past the stop gives nothing."""
        shape, axis, box = self.shape, self._axis(dim, "slicing of"), self.box
        extent = shape[axis]
        low = 0 if start is None else _bound(start, extent)
        high = extent if stop is None else _bound(stop, extent)
        if low == 0 and high == extent:
            return self
        if low < high:
            if high > extent:
                raise StoreIndexError(
                    f"Out-of-bounds slicing [{low}, {high}] on dimension {axis} for a store of shape {[*shape]}"
                )
            if self._inner >> axis & 1:
                self._refuse_inner(axis)
            box = self._narrowed(box, axis, low, high)
        else:
            low = high = 0
            box = tuple([(first, first) for first, _ in box])  # as in Legate, an empty slice is part of nothing
        return self._with(
            (*shape[:axis], high - low, *shape[axis + 1 :]),
            self.strides,
            self._axes,
            self.offset + low * self.strides[axis],
            box,
            self._inner,
            low != 0 or (self.transformed and low < high),
            True,
        )

    def transpose(self, axes: Iterable[SupportsIndex]) -> "IndexMap":
        """Reorder the dimensions: dimension ``i`` of the result is ``axes[i]`` of this one."""
        order, ndim = sizes_of(axes), len(self.shape)
        if len(order) != ndim or _dims(ndim) != {*order}:
            _refuse_axes(order, ndim)
        if ndim < 2:
            return self._with(self.shape, self.strides, self._axes, self.offset, self.box, self._inner)
        reordered = itemgetter(*order)
        return self._with(
            reordered(self.shape),
            reordered(self.strides),
            reordered(self._axes),
            self.offset,
            self.box,
            sum([(self._inner >> each & 1) << place for place, each in enumerate(order)]) if self._inner else 0,
        )

    def delinearize(self, dim: SupportsIndex, sizes: Iterable[SupportsIndex]) -> "IndexMap":
        """Split a dimension into several, in C order."""
        shape, strides, axes = self.shape, self.strides, self._axes
        axis, parts = self._axis(dim, "delinearization"), sizes_of(sizes)
        step, along, inner = strides[axis], axes[axis], self._inner
        steps: tuple[int, ...]
        alongs: tuple[int, ...]
        if len(parts) == 2 and parts[0] > 0 < parts[1]:  # the usual case
            count, steps, alongs, added = parts[0] * parts[1], (step * parts[1], step), (along, along), 1
        else:
            if min(parts, default=0) < 0:
                _refuse_parts(parts, shape[axis])
            count, steps, alongs, added = prod(parts), c_strides(parts, step), (along,) * len(parts), len(parts) - 1
        if count != shape[axis]:
            _refuse_parts(parts, shape[axis])
        after = axis + 1
        if inner:
            inner = _moved(inner, after, added)
        if along >= 0:
            inner |= ((1 << added) - 1) << after
        if after < len(shape):
            parts, steps, alongs = parts + shape[after:], steps + strides[after:], alongs + axes[after:]
        if axis:
            parts, steps, alongs = shape[:axis] + parts, strides[:axis] + steps, axes[:axis] + alongs
        return self._with(parts, steps, alongs, self.offset, self.box, inner)

    def _axis(self, dim: SupportsIndex, what: str) -> int:
        axis, ndim = index(dim), len(self.shape)
        if 0 <= axis < ndim:
            return axis
        if axis < 0:
            axis += ndim
        if not 0 <= axis < ndim:
            middle = "dimension" if what.endswith("of") else "on dimension"
            raise StoreValueError(f"Invalid {what} {middle} {axis} for a {ndim}-D store")
        return axis

    def _refuse_inner(self, axis: int) -> NoReturn:
        raise NonInvertibleTransformation(
            f"Non-invertible transformation: dimension {axis} is an inner part of a dimension that delinearize "
            f"split; slice or project before delinearize, or use the outermost part"
        )

    def _narrowed(self, box: Box, axis: int, low: int, high: int) -> Box:
        """Return a box with a range of a dimension."""
        along = self._axes[axis]
        if along < 0:
            return box
        first, last = box[along]
        if first == last:  # of an empty axis that was split: each part is empty
            return box
        step = self.strides[axis] // self._steps[along]
        return (*box[:along], (first + low * step, first + high * step), *box[along + 1 :])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IndexMap):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash((self.shape, self.strides, self.offset, self.box))

    def __repr__(self) -> str:
        return f"<IndexMap {self.layout} from {self.offset}, box {self.box}>"


def c_strides(shape: Sequence[int], step: int = 1) -> tuple[int, ...]:
    """Return the strides of C order, in elements of ``step``; none is 0, also if there are no elements."""
    strides = []
    for extent in reversed(shape):
        strides.append(step)
        step *= extent or 1
    return tuple(strides[::-1])


def sizes_of(values: Any) -> tuple[int, ...]:
    """Return integers as a tuple; the error for anything else is Legate's."""
    try:
        return tuple([index(each) for each in values])
    except TypeError:
        if isinstance(values, Iterable):
            raise StoreValueError(f"integers are needed here; found {values!r}") from None
        raise StoreValueError(f"Expected an iterable but got {type(values)}") from None


@cache
def _dims(ndim: int) -> frozenset[int]:
    return frozenset(range(ndim))


def _refuse_axes(order: tuple[int, ...], ndim: int) -> NoReturn:
    if len(order) != ndim:
        raise StoreValueError(f"Dimension Mismatch: expected {ndim} axes, but got {len(order)}")
    if len(set(order)) != ndim:
        raise StoreValueError("Duplicate axes found")
    wrong = next(each for each in order if not 0 <= each < ndim)
    raise StoreValueError(f"Invalid axis {wrong} for a {ndim}-D store")


def _refuse_parts(parts: tuple[int, ...], extent: int) -> NoReturn:
    if min(parts, default=0) < 0:
        raise StoreSizeError(f"can't convert negative value to uint64_t: the sizes are {[*parts]}")
    raise StoreValueError(f"Dimension of size {extent} cannot be delinearized into {[*parts]}")


def _moved(inner: int, at: int, by: int) -> int:
    """Move the bits of the dimensions from ``at`` on."""
    before, rest = inner & ((1 << at) - 1), inner >> at
    return before | rest << (at + by) if by >= 0 else before & ~(1 << (at - 1)) | rest << (at + by)


def _size(value: SupportsIndex) -> int:
    size = index(value)
    if size < 0:
        raise StoreSizeError(f"can't convert negative value to size_t: the size of the dimension is {size}")
    return size


def _bound(value: SupportsIndex, extent: int) -> int:
    bound = index(value)
    return bound if bound >= 0 else max(bound + extent, 0)
