"""Coordinates with free parts: `sliced` keeps the modes under the free parts, `diced` the others."""

from typing import Any, Final

from accel.errors import LayoutError
from accel.layout.coordinates import bounded, fitted, located
from accel.layout.int_tuple import IntTuple, refuse_vast
from accel.layout.notation import written

__all__ = ["ALL", "Free", "diced", "is_free", "sliced"]


class Free:
    """The type of `accel.layout._`, a free part of a coordinate."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "_"

    def __reduce__(self) -> str:
        return "ALL"


ALL: Final = Free()
"""A free part of a coordinate; also available as `accel.layout._`."""


def is_free(part: object) -> bool:
    """Tell whether a part of a coordinate is free: ``_`` or ``:``."""
    return part is ALL or (isinstance(part, slice) and part == slice(None))


def sliced(coordinate: Any, shape: IntTuple, stride: IntTuple) -> tuple[IntTuple, IntTuple, int]:
    """Return shape and stride of the modes under the free parts, and the offset of the fixed parts."""
    _refuse_vast(coordinate)
    modes: list[tuple[IntTuple, IntTuple]] = []
    offset = _sliced(coordinate, shape, stride, shape, modes)
    return tuple([extents for extents, _ in modes]), tuple([steps for _, steps in modes]), offset


def diced(coordinate: Any, shape: IntTuple, stride: IntTuple) -> tuple[IntTuple, IntTuple]:
    """Return shape and stride of the modes under the fixed parts."""
    _refuse_vast(coordinate)
    modes: list[tuple[IntTuple, IntTuple]] = []
    _diced(coordinate, shape, stride, modes)
    return tuple([extents for extents, _ in modes]), tuple([steps for _, steps in modes])


def _refuse_vast(coordinate: Any) -> None:
    if isinstance(coordinate, tuple | list):
        refuse_vast(coordinate)


def _sliced(
    coordinate: Any, shape: IntTuple, stride: IntTuple, whole: IntTuple, modes: list[tuple[IntTuple, IntTuple]]
) -> int:
    if is_free(coordinate):
        modes.append((shape, stride))
        return 0
    if _has_free(coordinate):
        parts = _paired(coordinate, shape, stride)
        return sum([_sliced(part, extents, steps, whole, modes) for part, extents, steps in parts])
    fixed = fitted(coordinate, shape)
    bounded(fixed, shape, whole)
    return located(fixed, shape, stride)


def _diced(coordinate: Any, shape: IntTuple, stride: IntTuple, modes: list[tuple[IntTuple, IntTuple]]) -> None:
    if isinstance(coordinate, tuple | list):
        for part, extents, steps in _paired(coordinate, shape, stride):
            _diced(part, extents, steps, modes)
    elif not is_free(coordinate):
        fitted(coordinate, shape)
        modes.append((shape, stride))


def _has_free(coordinate: Any) -> bool:
    return isinstance(coordinate, tuple | list) and any(is_free(part) or _has_free(part) for part in coordinate)


def _paired(coordinate: Any, shape: IntTuple, stride: IntTuple) -> "zip[tuple[Any, IntTuple, IntTuple]]":
    if isinstance(shape, int) or isinstance(stride, int) or len(coordinate) != len(shape):
        parts = 1 if isinstance(shape, int) else len(shape)
        raise LayoutError(f"{written(shape)} expects {parts} coordinates; found {coordinate}")
    return zip(coordinate, shape, stride, strict=True)
