"""`Swizzle`: an exclusive or of some bits of an offset with others; `ComposedLayout`: a layout under a swizzle."""

from reprlib import repr as abbreviated
from typing import Any, NamedTuple, SupportsIndex

from accel.errors import LayoutError, reading_pickled
from accel.layout.composition import compose
from accel.layout.int_tuple import as_integer
from accel.layout.layout import Layout, as_layout, refuse_many_bits
from accel.layout.notation import Reader
from accel.layout.slicing import sliced

__all__ = ["ComposedLayout", "Swizzle"]

_WIDEST = 1 << 16
"""The most bits of a number that a swizzle works on: more than any offset has, and still fast."""


class Swizzle:
    """S(x) = x ^ ((x & Y) >> shift), where Y has ``bits`` bits from bit ``base + max(shift, 0)`` on.

    The bits of Y are xored into those from ``base`` on. With a negative shift, the bits from ``base`` on are xored into
    those ``-shift`` above them. S(S(x)) = x.

    Parameters
    ----------
    bits : int
        The number of bits that are xored into others.
    base : int
        The number of low bits that take no part.
    shift : int
        The distance of the two groups of bits; its absolute value is at least ``bits``.

    Raises
    ------
    LayoutError
        If bits or base are negative, the two groups of bits overlap, or they reach beyond 65,536 bits.

    Examples
    --------
    >>> from accel.layout import Swizzle
    >>> swizzle = Swizzle(2, 0, 3)
    >>> [swizzle(x) for x in (0, 8, 16, 24)]
    [0, 9, 18, 27]
    """

    __slots__ = ("_base", "_bits", "_shift")

    def __init__(self, bits: SupportsIndex, base: SupportsIndex, shift: SupportsIndex) -> None:
        numbers = [as_integer(part, "a swizzle has three integers") for part in (bits, base, shift)]
        self._bits, self._base, self._shift = numbers
        if min(numbers[:2]) < 0 or abs(numbers[2]) < numbers[0]:
            raise LayoutError(
                f"the bits and the base of a swizzle are at least 0, and the absolute value of its shift is at least "
                f"its bits; found S<{','.join(map(str, numbers))}>"
            )
        if self._bits + self._base + abs(self._shift) > _WIDEST:
            raise LayoutError(f"a swizzle xors bits within the first {_WIDEST:,}; found {self}, which reaches beyond")

    @classmethod
    def parse(cls, text: str) -> "Swizzle":
        """Return the swizzle that is written in a text.

        Parameters
        ----------
        text : str
            The text, such as ``S<3,4,3>``.

        Raises
        ------
        LayoutError
            If it is no swizzle.

        Examples
        --------
        >>> Swizzle.parse("S<3,2,3>")
        Swizzle(3, 2, 3)
        """
        reader = Reader(text)
        reader.expect("S")
        numbers = reader.parts(reader.integer, "<", ">")
        reader.expect("", "the end")
        if len(numbers) != 3:
            raise LayoutError(f"a swizzle has bits, base and shift, as in S<3,2,3>; found {text!r}")
        return cls(*numbers)

    @property
    def bits(self) -> int:
        """The number of bits that are xored into others."""
        return self._bits

    @property
    def base(self) -> int:
        """The number of low bits that take no part."""
        return self._base

    @property
    def shift(self) -> int:
        """The distance of the two groups of bits; negative if the lower ones are xored into the upper ones."""
        return self._shift

    def __call__(self, offset: Any) -> Any:
        """Return a swizzled offset, or an array of offsets swizzled elementwise."""
        source = ((1 << self._bits) - 1) << (self._base + max(self._shift, 0))
        selected = offset & source
        return offset ^ (selected >> self._shift if self._shift >= 0 else selected << -self._shift)

    def __matmul__(self, layout: Any) -> "ComposedLayout":
        return ComposedLayout(self, 0, layout)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Swizzle):
            return NotImplemented
        return (self._bits, self._base, self._shift) == (other._bits, other._base, other._shift)

    def __hash__(self) -> int:
        return hash((self._bits, self._base, self._shift))

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled_swizzle, (self._bits, self._base, self._shift)

    def __str__(self) -> str:
        return f"S<{self._bits},{self._base},{self._shift}>"

    def __repr__(self) -> str:
        return f"Swizzle({self._bits}, {self._base}, {self._shift})"

    def _repr_html_(self) -> str:
        return self._smallest_table()._repr_html_()

    def _repr_svg_(self) -> str:
        return self._smallest_table()._repr_svg_()

    def _smallest_table(self) -> "ComposedLayout":
        """Return the smallest layout that shows the whole pattern: a row for each value of the upper bits."""
        apart = abs(self._shift)
        return self @ Layout.unchecked((1 << self._bits, 1 << apart), (1 << self._base + apart, 1 << self._base))


class _Fields(NamedTuple):
    swizzle: Swizzle
    offset: int
    layout: Layout


class ComposedLayout:
    """R(c) = S(offset + L(c)): a layout under a swizzle, with the offset inside.

    Parameters
    ----------
    swizzle : Swizzle
        S.
    offset : int
        Added to the offset of the layout before the swizzle.
    layout : Layout
        L.

    Examples
    --------
    >>> from accel.layout import ComposedLayout, Layout, Swizzle
    >>> composed = ComposedLayout(Swizzle(2, 0, 3), 8, Layout((4, 2)))
    >>> print(composed)
    S<2,0,3> o 8 o (4,2):(1,4)
    >>> composed(1, 0), composed.size
    (8, 8)
    """

    __slots__ = ("_fields",)

    def __init__(self, swizzle: Swizzle, offset: SupportsIndex, layout: Any) -> None:
        if not isinstance(swizzle, Swizzle):
            raise TypeError(f"a swizzle is needed, as in Swizzle(3, 2, 3); found {abbreviated(swizzle)}")
        self._fields = _Fields(swizzle, as_integer(offset, "an offset is an integer"), as_layout(layout))

    @property
    def swizzle(self) -> Swizzle:
        """S."""
        return self._fields.swizzle

    @property
    def offset(self) -> int:
        """The number that is added before the swizzle."""
        return self._fields.offset

    @property
    def layout(self) -> Layout:
        """L."""
        return self._fields.layout

    @property
    def shape(self) -> Any:
        """The extents."""
        return self.layout.shape

    @property
    def size(self) -> int:
        """The number of coordinates."""
        return self.layout.size

    @property
    def rank(self) -> int:
        """The number of modes at the top level."""
        return self.layout.rank

    def __call__(self, *coordinate: Any) -> int:
        """Return the offset of a coordinate, written as for a `Layout`."""
        offset: int = self.swizzle(self.offset + self.layout(*coordinate))
        return offset

    __iter__ = None  # iteration through __getitem__ would yield slices, perhaps 2**70 of them

    def __getitem__(self, coordinate: Any) -> "tuple[ComposedLayout, int]":
        """Return the layout of the free modes, and 0: the offset of the fixed modes is inside the swizzle."""
        shape, stride, offset = sliced(coordinate, self.layout.shape, self.layout.stride)
        return ComposedLayout(self.swizzle, self.offset + offset, Layout.unchecked(shape, stride)), 0

    def __matmul__(self, other: Any) -> "ComposedLayout":
        """Return the composition with a layout: ``(a @ b)(c) = a(b(c))``."""
        return ComposedLayout(self.swizzle, self.offset, Layout.unchecked(*compose(self.layout, as_layout(other))))

    def __eq__(self, other: object) -> bool:
        return self._fields == other._fields if isinstance(other, ComposedLayout) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._fields)

    def __reduce__(self) -> tuple[object, ...]:
        return _unpickled, tuple(self._fields)

    def __str__(self) -> str:
        return f"{self.swizzle} o {self.offset} o {self.layout}"

    def __repr__(self) -> str:
        return f"ComposedLayout({self.swizzle!r}, {self.offset}, {self.layout!r})"

    def _repr_html_(self) -> str:
        from accel.layout.pictures.picture import Picture  # imported here and below, because it loads slowly

        return Picture(self).html()

    def _repr_svg_(self) -> str:
        from accel.layout.pictures.picture import Picture

        return Picture(self).svg()


def _unpickled_swizzle(*state: Any) -> Swizzle:
    with reading_pickled("swizzle"):
        return Swizzle(*state)


def _unpickled(*state: Any) -> ComposedLayout:
    with reading_pickled("composed layout"):
        swizzle, offset, layout = state
        if not isinstance(layout, Layout):
            raise TypeError(f"a layout is needed; found {type(layout).__name__}")
        composed = ComposedLayout(swizzle, offset, layout)
        refuse_many_bits([composed.offset])
        return composed
