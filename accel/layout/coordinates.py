"""Coordinates of nested shapes, and their integer indices.

Integer indices are colexicographic: the leftmost leaf of the shape varies fastest.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from accel.errors import BoundsError, LayoutError
from accel.layout.int_tuple import IntTuple, as_int_tuple, column_strides, modes, product, refuse_vast
from accel.layout.notation import written

__all__ = ["Leaf", "bounded", "evaluated", "located", "natural", "paired"]

Leaf = tuple[int, int]
"""An extent and its stride in elements."""


def paired(shape: Any, stride: Any) -> tuple[Leaf, ...] | None:
    """Return the leaves of a shape and a stride: equally nested tuples of `int`; None for anything else.

    Layouts are constructed more often than anything else, so one pass both checks and pairs. If it returns None, the
    caller looks for the reason.
    """
    if type(shape) is not tuple or type(stride) is not tuple or len(shape) != len(stride):
        return ((shape, stride),) if type(shape) is type(stride) is int and shape >= 0 else None
    leaves = tuple(zip(shape, stride))  # noqa: B905 - the keyword is a tenth of what a layout costs
    for extent, step in leaves:
        if type(extent) is not int or type(step) is not int or extent < 0:
            refuse_vast(shape)
            return _nested_leaves(leaves)
    return leaves


def _nested_leaves(parts: Iterable[tuple[Any, Any]]) -> tuple[Leaf, ...] | None:
    leaves: list[Leaf] = []
    for extent, step in parts:
        if type(extent) is tuple and type(step) is tuple and len(extent) == len(step):
            inner = _nested_leaves(zip(extent, step, strict=True))
            if inner is None:
                return None
            leaves += inner
        elif type(extent) is type(step) is int and extent >= 0:
            leaves.append((extent, step))
        else:
            return None
    return tuple(leaves)


def evaluated(leaves: Sequence[Leaf], i: int) -> int:
    """L(i) = sum of ((i div s_0 ... s_(k-1)) mod s_k) d_k; the last leaf has no modulo."""
    offset = 0
    for extent, stride in leaves[:-1]:
        i, digit = divmod(i, extent)
        offset += digit * stride
    return offset + i * leaves[-1][1] if leaves else 0


def located(coordinate: IntTuple, shape: IntTuple, stride: IntTuple) -> int:
    """Return the offset of a coordinate whose nesting fits the shape; bounds are not checked."""
    if isinstance(shape, int):
        return coordinate * stride  # type: ignore[operator,return-value]
    if isinstance(coordinate, tuple):
        return sum(map(located, coordinate, shape, stride))  # type: ignore[arg-type]
    offset, last = 0, len(shape) - 1
    for k, (part, steps) in enumerate(zip(shape, stride, strict=True)):  # type: ignore[arg-type]
        if k < last:
            coordinate, digit = divmod(coordinate, _size(part, shape))
            offset += located(digit, part, steps)
        else:
            offset += located(coordinate, part, steps)
    return offset


def natural(i: int, shape: IntTuple) -> IntTuple:
    """Return the coordinate, nested as the shape, of an integer index; the last leaf has no modulo."""
    if isinstance(shape, int):
        return i
    parts: list[IntTuple] = []
    for part in shape[:-1]:
        i, digit = divmod(i, _size(part, shape))
        parts.append(natural(digit, part))
    return (*parts, natural(i, shape[-1])) if shape else ()


def fitted(coordinate: Any, shape: IntTuple) -> IntTuple:
    """Return a coordinate as nested tuples of `int`, checked to fit the nesting of a shape.

    Raises
    ------
    LayoutError
        If a tuple of it has more or fewer parts than the shape has modes.
    TypeError
        If it is not made of integers.
    """
    nested = as_int_tuple(coordinate, "a coordinate")
    _refuse_profile(nested, shape, nested, shape)
    return nested


def bounded(coordinate: IntTuple, shape: IntTuple, whole: IntTuple, axis: str = "") -> None:
    """Check that a coordinate is within the bounds of a shape.

    Raises
    ------
    BoundsError
        If it is not; the message names the axis.
    """
    if isinstance(coordinate, int):
        extent = product(shape)
        if not 0 <= coordinate < extent:
            where = f"axis {axis[1:]} of " if axis else ""
            raise BoundsError(
                f"index {coordinate} is out of range on {where}shape {written(whole)}: its extent is {extent}, so it "
                f"must be in [0, {extent})"
            )
    else:
        for k, (part, extent_there) in enumerate(zip(coordinate, modes(shape), strict=True)):
            bounded(part, extent_there, whole, f"{axis}.{k}")


def crd2idx_of_shape(coordinate: IntTuple, shape: IntTuple) -> int:
    """Return the integer index of a coordinate."""
    return located(coordinate, shape, column_strides(shape))


def _refuse_profile(coordinate: IntTuple, shape: IntTuple, whole: IntTuple, whole_shape: IntTuple) -> None:
    if isinstance(coordinate, int):
        return
    if isinstance(shape, int) or len(coordinate) != len(shape):
        expected = "an integer" if isinstance(shape, int) else f"{len(shape)} coordinates"
        inside = "" if shape is whole_shape else f" of shape {written(whole_shape)}"
        raise LayoutError(
            f"{written(shape)}{inside} expects {expected}{'' if isinstance(shape, int) else ', or one integer for all'}"
            f"; found {written(coordinate)}{'' if coordinate is whole else f' in {written(whole)}'}"
        )
    for part, there in zip(coordinate, shape, strict=True):
        _refuse_profile(part, there, whole, whole_shape)


def _size(part: IntTuple, shape: IntTuple) -> int:
    size = product(part)
    if not size:
        raise LayoutError(f"shape {written(shape)} has no elements, so it has no integer coordinates")
    return size
