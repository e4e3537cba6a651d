"""`Layout`: a function from coordinates to offsets, and the only thing that the algebra is about."""

from collections.abc import Iterable
from math import prod
from reprlib import repr as abbreviated
from typing import Any, Self, SupportsIndex, TypeAlias

from accel.errors import LayoutError, reading_pickled
from accel.layout.composing import coalesced, compose
from accel.layout.coordinates import Leaf, bounded, evaluated, fitted, located, paired
from accel.layout.int_tuple import (
    IntTuple,
    as_int_tuple,
    column_strides,
    congruent,
    depth,
    flat,
    modes,
    rebuilt,
    refuse_negative,
    refuse_vast,
)
from accel.layout.notation import Reader, written
from accel.layout.slicing import sliced

__all__ = ["Layout", "as_layout", "joined", "modes_of", "refuse_many_bits"]

_MOST_BITS = 1 << 20
"""How many bits the extents of one pickle may have together: a few bytes of it may name a long one many times."""

Axis: TypeAlias = tuple[int, int, tuple[Leaf, ...]]
"""A mode as a call needs it: its size, and its stride or, where it has no single one, its leaves."""


class Layout:
    """A shape and a stride for each of its leaves: coordinates of the shape become offsets.

    ``L(c) = sum of c_k d_k`` over the leaves, where an integer stands for the coordinates of all leaves it spans,
    colexicographically: the leftmost leaf is fastest. Layouts do not change; ``==`` compares structure, and
    `equivalent` functions.

    Parameters
    ----------
    shape : int or nested tuple of int
        Extents, not negative.
    stride : int or nested tuple of int, optional
        Strides in elements, as nested as the shape; by default column-major.

    Raises
    ------
    LayoutError
        If they are not equally nested, or an extent is negative.
    TypeError
        If they are not made of integers.

    Examples
    --------
    >>> from accel.layout import Layout
    >>> layout = Layout((4, (2, 2)), (2, (1, 8)))
    >>> print(layout)
    (4,(2,2)):(2,(1,8))
    >>> layout(3, (1, 0)), layout(3, 1), layout(7), layout.size, layout.cosize
    (7, 7, 7, 16, 16)
    """

    __slots__ = ("_axes", "_hash", "_leaves", "_shape", "_size", "_stride")
    _axes: tuple[Axis, ...]
    _hash: int
    _leaves: tuple[Leaf, ...]
    _shape: IntTuple
    _size: int
    _stride: IntTuple

    def __init__(self, shape: Any, stride: Any = None) -> None:
        if stride is None:
            shape = as_int_tuple(shape, "a shape")
            stride = column_strides(shape)
        leaves = paired(shape, stride)
        if leaves is None:
            shape, stride = _fitting(as_int_tuple(shape, "a shape"), as_int_tuple(stride, "a stride"))
            leaves = tuple(zip(flat(shape), flat(stride), strict=True))
        self._shape = shape
        self._stride = stride
        self._leaves = leaves

    @classmethod
    def col_major(cls, *shape: Any) -> Self:
        """The compact layout of a shape whose first leaf is fastest."""
        return cls(_of_arguments(shape))

    @classmethod
    def row_major(cls, *shape: Any) -> Self:
        """The compact layout of a shape whose last leaf is fastest.

        Examples
        --------
        >>> print(Layout.row_major(2, 3), Layout.row_major((2, 3)), Layout.col_major(2, 3))
        (2,3):(3,1) (2,3):(3,1) (2,3):(1,2)
        """
        found = as_int_tuple(_of_arguments(shape), "a shape")
        backwards = flat(column_strides(flat(found)[::-1]))
        return cls(found, rebuilt(iter(backwards[::-1]), found))

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the layout that some text means.

        Raises
        ------
        LayoutError
            If it cannot be read; says at which position.

        Examples
        --------
        >>> Layout.parse("((2,2),4):((1,4),2)")
        Layout(((2, 2), 4), ((1, 4), 2))
        """
        reader = Reader(text)
        layout = cls.read(reader)
        reader.expect("", "the end")
        return layout

    @classmethod
    def read(cls, reader: Reader) -> Self:
        """Read a layout; without strides it is column-major."""
        shape = reader.integers()
        return cls(shape, reader.integers() if reader.goes_on(":") else None)

    @classmethod
    def from_strides(cls, shape: Any, strides: Any, itemsize: SupportsIndex) -> Self:
        """Return the layout with strides in bytes, as NumPy has them.

        Raises
        ------
        LayoutError
            If a stride is no multiple of the item size.
        """
        size = itemsize.__index__()
        found = as_int_tuple(strides, "a stride")
        for step in flat(found):
            if step % size:
                raise LayoutError(
                    f"a stride of {step} bytes is no whole number of elements of {size}; copy the array first"
                )
        return cls(shape, rebuilt(iter([step // size for step in flat(found)]), found))

    def to_strides(self, itemsize: SupportsIndex) -> tuple[int, ...]:
        """Return the strides in bytes, one for each mode, as NumPy needs them.

        Raises
        ------
        LayoutError
            If a mode has several leaves that no single stride can go through.
        """
        found = []
        for k in range(self.rank):
            leaves = coalesced(self.mode(k).leaves)
            if len(leaves) > 1:
                raise LayoutError(f"mode {k} of {self} has no single stride; copy the elements to a layout that does")
            found.append(leaves[0][1] * itemsize.__index__() if leaves else 0)
        return tuple(found)

    @property
    def shape(self) -> IntTuple:
        """The extents."""
        return self._shape

    @property
    def stride(self) -> IntTuple:
        """The strides in elements, as nested as the shape."""
        return self._stride

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """Extent and stride of each leaf, from left to right."""
        return self._leaves

    @property
    def size(self) -> int:
        """How many coordinates there are: the product of the extents."""
        try:
            return self._size
        except AttributeError:
            self._size = prod([extent for extent, _ in self._leaves])
            return self._size

    @property
    def cosize(self) -> int:
        """How many elements are spanned: 1 + the sum of |(s - 1) d|, or 0 where there is no coordinate."""
        return 1 + sum([abs((extent - 1) * stride) for extent, stride in self._leaves]) if self.size else 0

    @property
    def rank(self) -> int:
        """How many modes there are at the top; 1 for an integer shape."""
        return len(modes(self._shape))

    @property
    def depth(self) -> int:
        """How deep the tuples of the shape are nested; 0 for an integer."""
        return depth(self._shape)

    def mode(self, k: SupportsIndex) -> "Layout":
        """Return a mode of those at the top; negative ``k`` counts from the end.

        Raises
        ------
        LayoutError
            If there is none.
        """
        place = k.__index__()
        try:
            return Layout.made(modes(self._shape)[place], modes(self._stride)[place])
        except IndexError:
            raise LayoutError(f"{self} has {self.rank} modes; found mode {place}") from None

    def __call__(self, *coordinate: Any) -> int:
        """Return the offset of a coordinate: one for each mode, or an integer for all, or a mixture of these.

        Raises
        ------
        BoundsError
            If it leaves the shape.
        LayoutError
            If it has more or fewer parts than the shape.
        """
        where: Any = coordinate
        if len(coordinate) == 1:
            where = coordinate[0]
            if type(where) is int and 0 <= where < self.size:
                return evaluated(self._leaves, where)
        try:
            axes = self._axes
        except AttributeError:
            axes = self._axes = _axes_of(self)
        if type(where) is tuple and len(where) == len(axes):
            offset = 0
            for c, (extent, stride, leaves) in zip(where, axes):  # noqa: B905 - the keyword is a tenth of a call
                if type(c) is not int or not 0 <= c < extent:
                    break
                offset += evaluated(leaves, c) if leaves else c * stride
            else:
                return offset
        return self._offset(where)

    def _offset(self, coordinate: Any) -> int:
        found = fitted(coordinate, self._shape)
        bounded(found, self._shape, self._shape)
        return located(found, self._shape, self._stride)

    __iter__ = None  # slices are no elements, and a layout may have 2**70

    def __getitem__(self, coordinate: Any) -> "tuple[Layout, int]":
        """Return what stands under the free parts of a coordinate (`accel.layout._`), and the offset of the rest.

        Examples
        --------
        >>> from accel.layout import Layout, _
        >>> Layout((4, 8))[_, 3]
        (Layout((4,), (1,)), 12)
        """
        shape, stride, offset = sliced(coordinate, self._shape, self._stride)
        return Layout.made(shape, stride), offset

    def __matmul__(self, other: Any) -> "Layout":
        """Return the composition: ``(a @ b)(c) = a(b(c))``."""
        inner = as_layout(other)
        return Layout.made(*compose(self, inner))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layout):
            return NotImplemented
        return self._shape == other._shape and self._stride == other._stride

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            self._hash = hash((self._shape, self._stride))
            return self._hash

    def __str__(self) -> str:
        return f"{written(self._shape)}:{written(self._stride)}"

    def __repr__(self) -> str:
        return f"Layout({self._shape}, {self._stride})"

    def _repr_html_(self) -> str:
        from accel.layout.pictures.picture import Picture  # here and below: it takes longer to load than all the rest

        return Picture(self).html()

    def _repr_svg_(self) -> str:
        from accel.layout.pictures.picture import Picture

        return Picture(self).svg()

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, (self._shape, self._stride)

    @classmethod
    def made(cls, shape: IntTuple, stride: IntTuple, leaves: tuple[Leaf, ...] | None = None) -> "Layout":
        """Return a layout of what is known to fit, without looking again: for use inside the library."""
        layout = object.__new__(cls)
        layout._shape = shape
        layout._stride = stride
        found = paired(shape, stride) if leaves is None else leaves
        assert found is not None, "shape and stride are known to fit"
        layout._leaves = found
        return layout


def _of_arguments(shape: tuple[Any, ...]) -> Any:
    return shape[0] if len(shape) == 1 else shape


def _fitting(shape: IntTuple, stride: IntTuple) -> tuple[IntTuple, IntTuple]:
    """Return shape and stride if they make a layout; raise `LayoutError` otherwise."""
    if not congruent(shape, stride):
        raise LayoutError(
            f"shape and stride must be equally nested; found {written(shape)} and {written(stride)}: "
            f"write one stride for each extent"
        )
    refuse_negative(shape)
    return shape, stride


def _axes_of(layout: Layout) -> tuple[Axis, ...]:
    parts = modes_of(layout) if isinstance(layout.shape, tuple) else []
    return tuple(
        [
            (part.size, 0, part.leaves) if isinstance(part.stride, tuple) else (part.size, part.stride, ())
            for part in parts
        ]
    )


def _unpickled(*state: Any) -> Layout:
    """Return the layout that came out of a pickle.

    Raises
    ------
    FormatError
        If it is none, or its integers are so long that to multiply them would take long.
    """
    with reading_pickled("layout"):
        shape, stride = state
        found = Layout(shape, as_int_tuple(stride, "a stride"))
        refuse_many_bits(extent for extent, _ in found.leaves)
        return found


def refuse_many_bits(integers: Iterable[int]) -> None:
    """Raise `LayoutError` if integers together have more bits than those of one pickle may have."""
    if sum(map(int.bit_length, integers)) > _MOST_BITS:
        raise LayoutError(f"integers of more than {_MOST_BITS:,} bits in all are not read")


def as_layout(value: Any) -> Layout:
    """Return a layout: one of ours, one of another library that has ``shape`` and ``stride``, or an integer's n:1.

    Raises
    ------
    TypeError
        If it is neither.
    """
    if isinstance(value, Layout):
        return value
    if hasattr(value, "shape") and hasattr(value, "stride"):  # any library's
        return Layout(value.shape, value.stride)
    if isinstance(value, int | tuple):
        return Layout(value)
    raise TypeError(f"a layout is needed, as in Layout((4, 8), (1, 4)); found {abbreviated(value)}")


def modes_of(layout: Layout) -> list[Layout]:
    """Return the modes at the top; an integer's layout is its own only one."""
    if isinstance(layout._shape, int):
        return [layout]
    parts = zip(layout._shape, layout._stride, strict=True)  # type: ignore[arg-type]
    return [Layout.made(shape, stride) for shape, stride in parts]


def joined(parts: Iterable[Layout]) -> Layout:
    """Return the layout that has others as its modes."""
    shapes: list[IntTuple] = []
    strides: list[IntTuple] = []
    leaves: list[Leaf] = []
    for part in parts:
        shapes.append(part._shape)
        strides.append(part._stride)
        leaves += part._leaves
    refuse_vast(shapes)
    return Layout.made(tuple(shapes), tuple(strides), tuple(leaves))
