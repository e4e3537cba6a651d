"""`Layout`: a function from coordinates to offsets."""

from collections.abc import Iterable, Sequence
from math import prod
from reprlib import repr as abbreviated
from types import GenericAlias
from typing import TYPE_CHECKING, Any, Generic, SupportsIndex, TypeAlias, TypeVar, overload

from accel.errors import LayoutError, reading_pickled
from accel.layout.composition import coalesced, compose
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

if TYPE_CHECKING:
    from typing_extensions import TypeVar as Parameter  # `typing` has it from Python 3.13 on

    Shape_co = Parameter("Shape_co", default=Any, covariant=True)
    Stride_co = Parameter("Stride_co", default=Any, covariant=True)
else:
    Shape_co, Stride_co = TypeVar("Shape_co", covariant=True), TypeVar("Stride_co", covariant=True)

__all__ = ["Layout", "as_layout", "joined", "modes_of", "refuse_many_bits"]

_MOST_BITS = 1 << 20
"""The most bits of all extents of one pickle: a few bytes of a pickle can repeat a long integer many times."""

_S = TypeVar("_S", bound=IntTuple)
_T = TypeVar("_T", bound=IntTuple)
_U = TypeVar("_U", bound=IntTuple)

Axis: TypeAlias = tuple[int, int, tuple[Leaf, ...]]
"""A mode as a call needs it: its size, its stride, and its leaves if it has no single stride (else an empty tuple)."""


class Layout(Generic[Shape_co, Stride_co]):
    """A shape with a stride for each of its leaves: a function from coordinates to offsets.

    ``L(c) = sum of c_k d_k`` over the leaves. An integer may replace the coordinates of several leaves; it is their
    colexicographic index: the leftmost leaf is fastest. Layouts are immutable. ``==`` compares shapes and strides;
    `equivalent` compares the functions.

    To type checkers, the types of shape and stride are parameters: ``Layout((4, 8))`` is a ``Layout[tuple[int, int]]``.
    ``Layout`` alone is a layout of any shape.

    Parameters
    ----------
    shape : int or nested tuple of int
        Extents, not negative.
    stride : int or nested tuple of int, optional
        Strides in elements, nested like the shape; by default column-major.

    Raises
    ------
    LayoutError
        If shape and stride are not equally nested, or an extent is negative.
    TypeError
        If they are not integers or nested tuples of integers.

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

    def __class_getitem__(cls, parameters: Any) -> GenericAlias:
        return GenericAlias(cls, parameters)  # also one of two, which Python before 3.13 does not allow

    @overload
    def __init__(self: "Layout[_S, Any]", shape: _S, stride: None = None) -> None: ...
    @overload
    def __init__(self: "Layout[_S, _T]", shape: _S, stride: _T) -> None: ...
    @overload
    def __init__(
        self: "Layout",
        shape: SupportsIndex | Sequence[Any],
        stride: SupportsIndex | Sequence[Any] | None = None,
    ) -> None: ...
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

    @overload
    @classmethod
    def col_major(cls, first: _S, second: _T, /) -> "Layout[tuple[_S, _T]]": ...
    @overload
    @classmethod
    def col_major(cls, first: _S, second: _T, third: _U, /) -> "Layout[tuple[_S, _T, _U]]": ...
    @overload
    @classmethod
    def col_major(cls, shape: _S, /) -> "Layout[_S]": ...
    @overload
    @classmethod
    def col_major(cls, *shape: Any) -> "Layout": ...
    @classmethod
    def col_major(cls, *shape: Any) -> "Layout":
        """The compact layout of a shape whose first leaf is fastest.

        Parameters
        ----------
        *shape : int or tuple
            The shape, which may be nested.
        """
        return cls(_single_or_all(shape))

    @overload
    @classmethod
    def row_major(cls, first: _S, second: _T, /) -> "Layout[tuple[_S, _T]]": ...
    @overload
    @classmethod
    def row_major(cls, first: _S, second: _T, third: _U, /) -> "Layout[tuple[_S, _T, _U]]": ...
    @overload
    @classmethod
    def row_major(cls, shape: _S, /) -> "Layout[_S]": ...
    @overload
    @classmethod
    def row_major(cls, *shape: Any) -> "Layout": ...
    @classmethod
    def row_major(cls, *shape: Any) -> "Layout":
        """The compact layout of a shape whose last leaf is fastest.

        Parameters
        ----------
        *shape : int or tuple
            The shape, which may be nested.

        Examples
        --------
        >>> print(Layout.row_major(2, 3), Layout.row_major((2, 3)), Layout.col_major(2, 3))
        (2,3):(3,1) (2,3):(3,1) (2,3):(1,2)
        """
        extents = as_int_tuple(_single_or_all(shape), "a shape")
        backwards = flat(column_strides(flat(extents)[::-1]))
        return cls(extents, rebuilt(iter(backwards[::-1]), extents))

    @classmethod
    def parse(cls, text: str) -> "Layout":
        """Return the layout that is written in a text.

        Parameters
        ----------
        text : str
            The text, such as ``(2,3):(1,2)``.

        Raises
        ------
        LayoutError
            If the text cannot be read; the message names the position.

        Examples
        --------
        >>> Layout.parse("((2,2),4):((1,4),2)")
        Layout(((2, 2), 4), ((1, 4), 2))
        """
        reader = Reader(text)
        layout = cls.read(reader)
        several = reader.token.startswith(",")
        reader.expect("", "the end; several extents have brackets, as in '(4,8)'," if several else "the end")
        return layout

    @classmethod
    def read(cls, reader: Reader) -> "Layout":
        """Read a layout; without strides it is column-major.

        Parameters
        ----------
        reader : Reader
            Reads the text from its place on.
        """
        shape = reader.integers()
        return cls(shape, reader.integers() if reader.accept(":") else None)

    @classmethod
    def from_strides(cls, shape: Any, strides: Any, itemsize: SupportsIndex) -> "Layout":
        """Return the layout of NumPy strides, which are in bytes.

        Parameters
        ----------
        shape : int or tuple
            The shape.
        strides : int or tuple
            The strides in bytes, one for each axis.
        itemsize : int
            The bytes of an element.

        Raises
        ------
        LayoutError
            If a stride is not a multiple of the item size.
        """
        size = itemsize.__index__()
        in_bytes = as_int_tuple(strides, "a stride")
        for step in flat(in_bytes):
            if step % size:
                raise LayoutError(
                    f"a stride of {step} bytes is not a multiple of the item size {size}; copy the array first"
                )
        return cls(shape, rebuilt(iter([step // size for step in flat(in_bytes)]), in_bytes))

    def to_strides(self, itemsize: SupportsIndex) -> tuple[int, ...]:
        """Return the strides in bytes, one for each mode, for NumPy.

        Parameters
        ----------
        itemsize : int
            The bytes of an element.

        Raises
        ------
        LayoutError
            If a mode has several leaves that do not merge into one stride.
        """
        strides = []
        for k in range(self.rank):
            leaves = coalesced(self.mode(k).leaves)
            if len(leaves) > 1:
                raise LayoutError(f"mode {k} of {self} has no single stride; copy the elements to a layout with one")
            strides.append(leaves[0][1] * itemsize.__index__() if leaves else 0)
        return tuple(strides)

    @property
    def shape(self) -> Shape_co:
        """The extents."""
        return self._shape  # type: ignore[return-value] # the parameter is known to callers only

    @property
    def stride(self) -> Stride_co:
        """The strides in elements, nested like the shape."""
        return self._stride  # type: ignore[return-value]

    @property
    def leaves(self) -> tuple[Leaf, ...]:
        """The extent and stride of each leaf, from left to right."""
        return self._leaves

    @property
    def size(self) -> int:
        """The number of coordinates: the product of the extents."""
        try:
            return self._size
        except AttributeError:
            self._size = prod([extent for extent, _ in self._leaves])
            return self._size

    @property
    def cosize(self) -> int:
        """The number of elements that the offsets span: 1 + the sum of |(s - 1) d|, or 0 if the size is 0."""
        return 1 + sum([abs((extent - 1) * stride) for extent, stride in self._leaves]) if self.size else 0

    @property
    def rank(self) -> int:
        """The number of modes at the top level; 1 for an integer shape."""
        return len(modes(self._shape))

    @property
    def depth(self) -> int:
        """The nesting depth of the shape; 0 for an integer."""
        return depth(self._shape)

    def mode(self, k: SupportsIndex) -> "Layout":
        """Return mode ``k`` of the top level; a negative ``k`` counts from the end.

        Parameters
        ----------
        k : int
            Which mode.

        Raises
        ------
        LayoutError
            If there is no such mode.
        """
        number = k.__index__()
        try:
            return Layout.unchecked(modes(self._shape)[number], modes(self._stride)[number])
        except IndexError:
            raise LayoutError(f"{self} has {self.rank} modes; found mode {number}") from None

    def __call__(self, *coordinate: Any) -> int:
        """Return the offset of a coordinate: an integer or a tuple for each mode, or one integer for all modes.

        Raises
        ------
        BoundsError
            If the coordinate is outside the shape.
        LayoutError
            If the coordinate has more or fewer parts than the shape.
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
        checked = fitted(coordinate, self._shape)
        bounded(checked, self._shape, self._shape)
        return located(checked, self._shape, self._stride)

    __iter__ = None  # iteration through __getitem__ would yield slices, perhaps 2**70 of them

    def __getitem__(self, coordinate: Any) -> "tuple[Layout, int]":
        """Return the layout of the modes that are free (`accel.layout._`), and the offset of the fixed ones.

        Examples
        --------
        >>> from accel.layout import Layout, _
        >>> Layout((4, 8))[_, 3]
        (Layout((4,), (1,)), 12)
        """
        shape, stride, offset = sliced(coordinate, self._shape, self._stride)
        return Layout.unchecked(shape, stride), offset

    def __matmul__(self, other: Any) -> "Layout":
        """Return the composition: ``(a @ b)(c) = a(b(c))``."""
        inner = as_layout(other)
        return Layout.unchecked(*compose(self, inner))

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
        from accel.layout.pictures.picture import Picture  # imported here and below, because it loads slowly

        return Picture(self).html()

    def _repr_svg_(self) -> str:
        from accel.layout.pictures.picture import Picture

        return Picture(self).svg()

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, (self._shape, self._stride)

    @classmethod
    def unchecked(cls, shape: IntTuple, stride: IntTuple, leaves: tuple[Leaf, ...] | None = None) -> "Layout":
        """Return a layout of a shape and a stride that are known to be valid; nothing is checked. For internal use.

        Parameters
        ----------
        shape : int or tuple
            The shape.
        stride : int or tuple
            The stride, nested as the shape.
        leaves : tuple of Leaf, optional
            The extents and strides of the leaves, if they are known.
        """
        layout = object.__new__(cls)
        layout._shape = shape
        layout._stride = stride
        leaves = paired(shape, stride) if leaves is None else leaves
        assert leaves is not None, "shape and stride are valid"
        layout._leaves = leaves
        return layout


def _single_or_all(shape: tuple[Any, ...]) -> Any:
    return shape[0] if len(shape) == 1 else shape


def _fitting(shape: IntTuple, stride: IntTuple) -> tuple[IntTuple, IntTuple]:
    """Return shape and stride if they are valid; raise `LayoutError` otherwise."""
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
    """Return a layout from its pickled state.

    Raises
    ------
    FormatError
        If the state is not that of a layout, or its integers are too long to multiply quickly.
    """
    with reading_pickled("layout"):
        shape, stride = state
        layout = Layout(shape, as_int_tuple(stride, "a stride"))
        refuse_many_bits(extent for extent, _ in layout.leaves)
        return layout


def refuse_many_bits(integers: Iterable[int]) -> None:
    """Raise `LayoutError` if integers from one pickle have more than 2**20 bits in all."""
    if sum(map(int.bit_length, integers)) > _MOST_BITS:
        raise LayoutError(f"found integers of more than {_MOST_BITS:,} bits in all, the most that is read")


def as_layout(value: Any) -> Layout:
    """Return a layout from a `Layout`, an object with ``shape`` and ``stride``, or a shape (column-major).

    Raises
    ------
    TypeError
        If it is none of these.
    """
    if isinstance(value, Layout):
        return value
    if hasattr(value, "shape") and hasattr(value, "stride"):  # a layout of another library
        return Layout(value.shape, value.stride)
    if isinstance(value, int | tuple):
        return Layout(value)
    text = ": write Layout.parse(text)" if isinstance(value, str) else ""
    raise TypeError(f"a layout is needed, as in Layout((4, 8), (1, 4)); found {abbreviated(value)}{text}")


def modes_of(layout: Layout) -> list[Layout]:
    """Return the modes at the top level; a layout of an integer shape is its only mode."""
    if isinstance(layout._shape, int):
        return [layout]
    parts = zip(layout._shape, layout._stride, strict=True)  # type: ignore[arg-type]
    return [Layout.unchecked(shape, stride) for shape, stride in parts]


def joined(parts: Iterable[Layout]) -> Layout:
    """Return the layout whose modes are the given layouts."""
    shapes: list[IntTuple] = []
    strides: list[IntTuple] = []
    leaves: list[Leaf] = []
    for part in parts:
        shapes.append(part._shape)
        strides.append(part._stride)
        leaves += part._leaves
    refuse_vast(shapes)
    return Layout.unchecked(tuple(shapes), tuple(strides), tuple(leaves))
