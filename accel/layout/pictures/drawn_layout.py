"""`DrawnLayout`: a layout of any library, or one under a swizzle, in the form that pictures need."""

from collections.abc import Callable
from functools import cached_property
from reprlib import repr as abbreviated
from typing import Any

from accel.errors import LayoutError
from accel.layout.coordinates import located, natural
from accel.layout.int_tuple import IntTuple, as_int_tuple, congruent, flat, modes, product
from accel.layout.notation import written

__all__ = ["DrawnLayout", "drawn_layouts"]


class DrawnLayout:
    """The function offset = finish(sum of c_k d_k): a layout, or a layout under a swizzle.

    Parameters
    ----------
    name : str
        The caption of its grids.
    shape, stride : int or nested tuple of int
        Equally nested.
    finish : callable
        Maps the sum to the offset: the identity, or an offset and a swizzle.

    Raises
    ------
    LayoutError
        If shape and stride are not equally nested.
    """

    def __init__(self, name: str, shape: Any, stride: Any, finish: Callable[[int], int]) -> None:
        self.name = name
        self.shape: IntTuple = as_int_tuple(shape, "a shape")
        self.stride: IntTuple = as_int_tuple(stride, "a stride")
        self.finish = finish
        if not congruent(self.shape, self.stride):
            raise LayoutError(f"shape and stride must be equally nested; found {self}")

    def __str__(self) -> str:
        return f"{written(self.shape)}:{written(self.stride)}"

    @property
    def size(self) -> int:
        """The number of coordinates."""
        return product(self.shape)

    @property
    def cosize(self) -> int:
        """The number of elements that the sums span, before ``finish``; 0 if the size is 0."""
        return 1 + sum(abs((extent - 1) * stride) for _, extent, stride in self.leaves) if self.size else 0

    @property
    def modes(self) -> list[tuple[IntTuple, IntTuple]]:
        """Shape and stride of each mode at the top level."""
        return list(zip(modes(self.shape), modes(self.stride), strict=True))

    @property
    def leaves(self) -> list[tuple[int, int, int]]:
        """Mode, extent and stride of each leaf."""
        return [
            (mode, extent, stride)
            for mode, (shape, strides) in enumerate(self.modes)
            for extent, stride in zip(flat(shape), flat(strides), strict=True)
        ]

    @cached_property
    def mode_offsets(self) -> list[list[int]]:
        """For each mode, what each of its coordinates adds to the sum."""
        return [
            [located(natural(i, shape), shape, stride) for i in range(product(shape))] for shape, stride in self.modes
        ]


def drawn_layouts(layout: Any) -> list[DrawnLayout]:
    """Return what to draw: the layout itself, or a swizzled layout before and after its swizzle.

    Raises
    ------
    TypeError
        If ``layout`` is not a layout.
    """
    if hasattr(layout, "swizzle"):
        inner, offset = layout.layout, layout.offset
        after = f"after {layout.swizzle}"
        return [
            DrawnLayout("before", inner.shape, inner.stride, lambda sum: offset + sum),
            DrawnLayout(after, inner.shape, inner.stride, lambda sum: layout.swizzle(offset + sum)),
        ]
    if hasattr(layout, "shape") and hasattr(layout, "stride"):
        drawn = DrawnLayout("", layout.shape, layout.stride, int)
        drawn.name = str(drawn)
        return [drawn]
    raise TypeError(f"Picture needs a layout, as in Layout((4, 8), (1, 4)); found {abbreviated(layout)}")
