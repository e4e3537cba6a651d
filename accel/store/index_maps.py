"""`IndexMap`: where the elements of a store lie in its root, as a layout and as a box; the transforms of stores."""

from collections.abc import Iterable, Sequence
from math import prod
from operator import index
from typing import Any, Self, SupportsIndex

from accel.errors import NonInvertibleTransformation, StoreIndexError, StoreSizeError, StoreValueError
from accel.layout import Layout
from accel.store.boxes import Box, box_of, extents

__all__ = ["IndexMap", "c_strides", "sizes_of"]


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
    # _inner: the dimensions that are inner parts of an axis that was split.
    # _steps: the strides of the root.
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int
    box: Box
    transformed: bool
    cut: bool
    _axes: tuple[int, ...]
    _inner: frozenset[int]
    _steps: tuple[int, ...]

    @classmethod
    def whole(cls, shape: tuple[int, ...], strides: tuple[int, ...] | None = None, offset: int = 0) -> "IndexMap":
        """Return the map of a root, by default in C order."""
        made = object.__new__(cls)
        made.shape = shape
        made.strides = made._steps = c_strides(shape) if strides is None else strides
        made.offset = offset
        made.box = box_of(shape)
        made.transformed = made.cut = False
        made._axes = tuple(range(len(shape)))
        made._inner = _NONE
        return made

    def _with(
        self,
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        axes: tuple[int, ...],
        offset: int,
        box: Box,
        inner: frozenset[int],
        transformed: bool = True,
        cut: bool = False,
    ) -> Self:
        made = object.__new__(type(self))
        made.shape = shape
        made.strides = strides
        made._axes = axes
        made.offset = offset
        made.box = box
        made._inner = inner
        made._steps = self._steps
        made.transformed = transformed
        made.cut = cut or self.cut
        return made

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
        return dim not in self._inner

    def on_box(self) -> "IndexMap":
        """Return the map of the same elements in memory that holds only their box, in C order."""
        steps = c_strides(extents(self.box))
        strides = tuple(
            [
                0 if axis < 0 else stride // self._steps[axis] * steps[axis]
                for stride, axis in zip(self.strides, self._axes, strict=True)
            ]
        )
        made = self._with(self.shape, strides, self._axes, 0, self.box, self._inner, self.transformed)
        made._steps = steps
        return made

    def distinct(self) -> "IndexMap":
        """Return the map without repetitions: dimensions that repeat values have extent 1."""
        shape = tuple(
            [extent if stride else min(extent, 1) for extent, stride in zip(self.shape, self.strides, strict=True)]
        )
        return self._with(shape, self.strides, self._axes, self.offset, self.box, self._inner)

    def of_tile(self, origin: Sequence[int], shape: Sequence[int], *, first: bool) -> "IndexMap":
        """Return the map of a tile; the ``first`` tile of a partition keeps the indices of the root."""
        made = self
        for dim, (low, extent) in enumerate(zip(origin, shape, strict=True)):
            made = made.slice(dim, low, low + extent)
        transformed = self.transformed or not first
        return made._with(made.shape, made.strides, made._axes, made.offset, made.box, made._inner, transformed, True)

    # Transforms

    def promote(self, dim: SupportsIndex, size: SupportsIndex) -> Self:
        """Add a dimension that repeats the values ``size`` times; it becomes dimension ``dim``."""
        ndim = len(self.shape)
        at, extent = index(dim), _size(size)
        if at < 0:
            at += ndim
        if not 0 <= at <= ndim:
            raise StoreValueError(f"Invalid promotion on dimension {at} for a {ndim}-D store")
        return self._with(
            (*self.shape[:at], extent, *self.shape[at:]),
            (*self.strides[:at], 0, *self.strides[at:]),
            (*self._axes[:at], -1, *self._axes[at:]),
            self.offset,
            self.box,
            frozenset([each + (each >= at) for each in self._inner]) if self._inner else _NONE,
        )

    def project(self, dim: SupportsIndex, at: SupportsIndex) -> Self:
        """Remove a dimension: keep the elements at one index of it."""
        axis, place = self._axis(dim, "projection"), index(at)
        if not 0 <= place < self.shape[axis]:
            raise StoreIndexError(f"Projection index {place} is out of bounds [0, {self.shape[axis]})")
        self._refuse_inner(axis)
        return self._with(
            self.shape[:axis] + self.shape[axis + 1 :],
            self.strides[:axis] + self.strides[axis + 1 :],
            self._axes[:axis] + self._axes[axis + 1 :],
            self.offset + place * self.strides[axis],
            self._narrowed(axis, place, place + 1),
            frozenset([each - (each > axis) for each in self._inner]) if self._inner else _NONE,
            cut=True,
        )

    def broadcast(self, dim: SupportsIndex, size: SupportsIndex) -> Self:
        """Repeat the values along a dimension of extent 1."""
        axis, extent = self._axis(dim, "broadcast"), _size(size)
        if self.shape[axis] != 1:
            raise StoreValueError(f"Invalid broadcast on dimension {axis}: expected size 1 but got {self.shape[axis]}")
        return self._with(
            (*self.shape[:axis], extent, *self.shape[axis + 1 :]),
            (*self.strides[:axis], 0, *self.strides[axis + 1 :]),
            (*self._axes[:axis], -1, *self._axes[axis + 1 :]),
            self.offset,
            self.box,
            self._inner - {axis} if self._inner else _NONE,
        )

    def slice(self, dim: SupportsIndex, start: SupportsIndex | None, stop: SupportsIndex | None) -> Self:
        """Keep a range of a dimension; negative bounds count from the end, and a start past the stop gives nothing."""
        axis = self._axis(dim, "slicing of")
        extent = self.shape[axis]
        low, high = _bound(start, 0, extent), _bound(stop, extent, extent)
        if low < high and high > extent:
            raise StoreIndexError(
                f"Out-of-bounds slicing [{low}, {high}] on dimension {axis} for a store of shape {[*self.shape]}"
            )
        if low == 0 and high == extent:
            return self
        if low >= high:
            low = high = 0
        self._refuse_inner(axis)
        return self._with(
            (*self.shape[:axis], high - low, *self.shape[axis + 1 :]),
            self.strides,
            self._axes,
            self.offset + low * self.strides[axis],
            self._narrowed(axis, low, high),
            self._inner,
            self.transformed or low != 0,
            True,
        )

    def transpose(self, axes: Iterable[SupportsIndex]) -> Self:
        """Reorder the dimensions: dimension ``i`` of the result is ``axes[i]`` of this one."""
        order = sizes_of(axes)
        ndim = len(self.shape)
        if len(order) != ndim:
            raise StoreValueError(f"Dimension Mismatch: expected {ndim} axes, but got {len(order)}")
        if len(set(order)) != ndim:
            raise StoreValueError("Duplicate axes found")
        for each in order:
            if not 0 <= each < ndim:
                raise StoreValueError(f"Invalid axis {each} for a {ndim}-D store")
        return self._with(
            tuple([self.shape[each] for each in order]),
            tuple([self.strides[each] for each in order]),
            tuple([self._axes[each] for each in order]),
            self.offset,
            self.box,
            frozenset([order.index(each) for each in self._inner]) if self._inner else _NONE,
        )

    def delinearize(self, dim: SupportsIndex, sizes: Iterable[SupportsIndex]) -> Self:
        """Split a dimension into several, in C order."""
        axis, parts = self._axis(dim, "delinearization"), sizes_of(sizes)
        if any(part < 0 for part in parts):
            raise StoreSizeError(f"can't convert negative value to uint64_t: the sizes are {[*parts]}")
        if prod(parts) != self.shape[axis]:
            raise StoreValueError(f"Dimension of size {self.shape[axis]} cannot be delinearized into {[*parts]}")
        added, stride = len(parts) - 1, self.strides[axis]
        moved = frozenset([each + added * (each > axis) for each in self._inner])
        return self._with(
            self.shape[:axis] + parts + self.shape[axis + 1 :],
            self.strides[:axis] + tuple([step * stride for step in c_strides(parts)]) + self.strides[axis + 1 :],
            self._axes[:axis] + (self._axes[axis],) * len(parts) + self._axes[axis + 1 :],
            self.offset,
            self.box,
            moved if self._axes[axis] < 0 else moved.union(range(axis + 1, axis + 1 + added)),
        )

    def _axis(self, dim: SupportsIndex, what: str) -> int:
        axis, ndim = index(dim), len(self.shape)
        if axis < 0:
            axis += ndim
        if not 0 <= axis < ndim:
            middle = "dimension" if what.endswith("of") else "on dimension"
            raise StoreValueError(f"Invalid {what} {middle} {axis} for a {ndim}-D store")
        return axis

    def _refuse_inner(self, axis: int) -> None:
        if axis in self._inner:
            raise NonInvertibleTransformation(
                f"Non-invertible transformation: dimension {axis} is an inner part of a dimension that delinearize "
                f"split; slice or project before delinearize, or use the outermost part"
            )

    def _narrowed(self, axis: int, low: int, high: int) -> Box:
        """Return the box of a range of a dimension."""
        along = self._axes[axis]
        if along < 0:
            return self.box
        step = self.strides[axis] // self._steps[along]
        first = self.box[along][0]
        return (*self.box[:along], (first + low * step, first + high * step), *self.box[along + 1 :])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IndexMap):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash((self.shape, self.strides, self.offset, self.box))

    def __repr__(self) -> str:
        return f"<IndexMap {self.layout} from {self.offset}, box {self.box}>"


_NONE: frozenset[int] = frozenset()


def c_strides(shape: Sequence[int]) -> tuple[int, ...]:
    """Return the strides of C order, in elements; none is 0, also if there are no elements."""
    strides, step = [], 1
    for extent in reversed(shape):
        strides.append(step)
        step *= extent or 1
    return tuple(reversed(strides))


def sizes_of(given: Any) -> tuple[int, ...]:
    """Return integers as a tuple; the error for anything else is Legate's."""
    try:
        return tuple([index(each) for each in given])
    except TypeError:
        raise StoreValueError(f"Expected an iterable but got {type(given)}") from None


def _size(given: SupportsIndex) -> int:
    size = index(given)
    if size < 0:
        raise StoreSizeError(f"can't convert negative value to size_t: the size of the dimension is {size}")
    return size


def _bound(given: SupportsIndex | None, default: int, extent: int) -> int:
    if given is None:
        return default
    bound = index(given)
    return bound if bound >= 0 else max(bound + extent, 0)
