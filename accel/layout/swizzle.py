"""`Swizzle`: an exclusive or of some bits of an offset with others, and layouts under one."""

from reprlib import repr as abbreviated
from typing import Any, NamedTuple, SupportsIndex

from accel.errors import LayoutError, reading_pickled
from accel.layout.composing import compose
from accel.layout.int_tuple import IntTuple, as_integer
from accel.layout.layout import Layout, as_layout, refuse_many_bits
from accel.layout.notation import Reader
from accel.layout.slicing import sliced

__all__ = ["ComposedLayout", "Swizzle"]

_WIDEST = 1 << 16
"""Bits of the largest number that a swizzle has to do with: more than any offset has, and soon worked with."""


class Swizzle:
    """S(x) = x ^ ((x & Y) >> shift): the bits of Y are mixed into those from ``base`` on, ``shift`` below them.

    With a negative shift the lower bits are mixed into the upper ones. S(S(x)) = x.

    Parameters
    ----------
    bits : int
        How many bits.
    base : int
        How many bits stay as they are, below all that take part.
    shift : int
        How far apart; at least ``bits`` either way.

    Raises
    ------
    LayoutError
        If bits or base are negative, the two groups of bits overlap, or they lie beyond 65,536 bits.

    Examples
    --------
    >>> from accel.layout import Swizzle
    >>> swizzle = Swizzle(2, 0, 3)
    >>> [swizzle(x) for x in (0, 8, 16, 24)]
    [0, 9, 18, 27]
    """

    __slots__ = ("_base", "_bits", "_shift")

    def __init__(self, bits: SupportsIndex, base: SupportsIndex, shift: SupportsIndex) -> None:
        found = [as_integer(part, "a swizzle has three integers") for part in (bits, base, shift)]
        self._bits, self._base, self._shift = found
        if min(found[:2]) < 0 or abs(found[2]) < found[0]:
            raise LayoutError(
                f"a swizzle has no negative bits or base, and its shift is at least its bits either way, so that no "
                f"bit is mixed with itself; found S<{','.join(map(str, found))}>"
            )
        if self._bits + self._base + abs(self._shift) > _WIDEST:
            raise LayoutError(f"a swizzle mixes bits within the first {_WIDEST:,}; found {self}, which goes beyond")

    @classmethod
    def parse(cls, text: str) -> "Swizzle":
        """Return the swizzle that some text means.

        Examples
        --------
        >>> Swizzle.parse("S<3,2,3>")
        Swizzle(3, 2, 3)
        """
        reader = Reader(text)
        reader.expect("S")
        found = reader.parts(reader.integer, "<", ">")
        reader.expect("", "the end")
        if len(found) != 3:
            raise LayoutError(f"a swizzle has bits, base and shift, as in S<3,2,3>; found {text!r}")
        return cls(*found)

    @property
    def bits(self) -> int:
        """How many bits are mixed into others."""
        return self._bits

    @property
    def base(self) -> int:
        """How many bits below them stay as they are."""
        return self._base

    @property
    def shift(self) -> int:
        """How far apart the two groups are; negative where the lower ones are mixed into the upper."""
        return self._shift

    def __call__(self, offset: Any) -> Any:
        """Return the swizzled offset, or an array of them."""
        source = ((1 << self._bits) - 1) << (self._base + max(self._shift, 0))
        taken = offset & source
        return offset ^ (taken >> self._shift if self._shift >= 0 else taken << -self._shift)

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
        return self._spread()._repr_html_()

    def _repr_svg_(self) -> str:
        return self._spread()._repr_svg_()

    def _spread(self) -> "ComposedLayout":
        """Return all offsets that it tells apart: a row for each value of the upper bits."""
        apart = abs(self._shift)
        return self @ Layout.made((1 << self._bits, 1 << apart), (1 << self._base + apart, 1 << self._base))


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
        Added before the swizzle.
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
        """What is added before the swizzle."""
        return self._fields.offset

    @property
    def layout(self) -> Layout:
        """L."""
        return self._fields.layout

    @property
    def shape(self) -> IntTuple:
        """The extents."""
        return self.layout.shape

    @property
    def size(self) -> int:
        """How many coordinates there are."""
        return self.layout.size

    @property
    def rank(self) -> int:
        """How many modes there are at the top."""
        return self.layout.rank

    def __call__(self, *coordinate: Any) -> int:
        """Return the offset of a coordinate, as a `Layout` does."""
        found: int = self.swizzle(self.offset + self.layout(*coordinate))
        return found

    __iter__ = None  # slices are no elements, and a layout may have 2**70

    def __getitem__(self, coordinate: Any) -> "tuple[ComposedLayout, int]":
        """Return what stands under the free parts of a coordinate; the offset goes inside the swizzle, so 0 is left."""
        shape, stride, offset = sliced(coordinate, self.layout.shape, self.layout.stride)
        return ComposedLayout(self.swizzle, self.offset + offset, Layout.made(shape, stride)), 0

    def __matmul__(self, other: Any) -> "ComposedLayout":
        """Return the composition with a layout: ``(a @ b)(c) = a(b(c))``."""
        return ComposedLayout(self.swizzle, self.offset, Layout.made(*compose(self.layout, as_layout(other))))

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
        from accel.layout.pictures.picture import Picture  # here and below: it takes longer to load than all the rest

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
        found = ComposedLayout(swizzle, offset, layout)
        refuse_many_bits([found.offset])
        return found
