"""Checks of arguments that all views share."""

from operator import index
from reprlib import repr as abbreviated
from typing import Any

from accel.dtypes import DType, exact_cast
from accel.errors import BoundsError, LayoutError

__all__ = [
    "as_alignment",
    "as_axis",
    "as_count",
    "as_pad",
    "as_sizes",
    "as_whole",
    "position",
    "refuse_partial_tile",
    "tile_position",
]


def as_whole(value: Any, what: str) -> int:
    """Return a value as a Python int.

    Raises
    ------
    TypeError
        If it is not an integer.
    """
    if type(value) is int:
        return value
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{what} is a whole number; found {abbreviated(value)}") from None


def as_count(value: Any, what: str) -> int:
    """Return a value as a positive integer.

    Raises
    ------
    ValueError
        If it is not positive.
    """
    number = as_whole(value, what)
    if number < 1:
        raise ValueError(f"{what} is at least 1; found {number}")
    return number


def as_alignment(value: Any) -> int:
    """Return an alignment in bytes as a Python int.

    Raises
    ------
    ValueError
        If it is not a power of two.
    """
    alignment = as_whole(value, "an alignment")
    if alignment < 1 or alignment & (alignment - 1):
        raise ValueError(f"an alignment is a power of two in bytes; found {alignment}")
    return alignment


def as_sizes(values: Any, rank: int, what: str) -> tuple[int, ...]:
    """Return one integer for each mode; for one mode, the integer alone is accepted.

    Raises
    ------
    LayoutError
        If there are more or fewer integers than modes.
    """
    sizes = tuple(values) if isinstance(values, tuple | list) else (values,)
    if len(sizes) != rank:
        raise LayoutError(f"{what}: one number for each of the {rank} modes is needed; found {len(sizes)}")
    return tuple([as_whole(value, what) for value in sizes])


def as_axis(value: Any, rank: int) -> int:
    """Return the index of a mode; negative ones count from the end.

    Raises
    ------
    BoundsError
        If there is no such mode.
    """
    axis = as_whole(value, "an axis")
    if not -rank <= axis < rank:
        raise BoundsError(f"axis {axis} is out of range: there are {rank} modes, so it must be in [{-rank}, {rank})")
    return axis % rank


def position(value: Any, extent: int, axis: int) -> int:
    """Return a coordinate that is in bounds; negative ones count from the end.

    Raises
    ------
    BoundsError
        If it is out of bounds; the message names axis, index and extent.
    """
    number = as_whole(value, "an index")
    if not -extent <= number < extent:
        raise BoundsError(
            f"index {number} is out of range on axis {axis}: its extent is {extent}, so it must be in "
            f"[{-extent}, {extent})"
        )
    return number + extent if number < 0 else number


def tile_position(value: Any, extent: int, size: int, axis: int) -> int:
    """Return the coordinate of a tile that exists; negative ones count from the end.

    Raises
    ------
    BoundsError
        If there is no such tile; the message names axis, coordinate and extent.
    """
    number, count = as_whole(value, "the coordinate of a tile"), -(-extent // size)
    if not -count <= number < count:
        raise BoundsError(
            f"tile {number} is out of range on axis {axis}: extent {extent} has {count} tiles of {size}, so it must be "
            f"in [{-count}, {count})"
        )
    return number + count if number < 0 else number


def refuse_partial_tile(sizes: tuple[int, ...], valid: tuple[int, ...]) -> None:
    """Raise `BoundsError` if a part of a tile is past the end."""
    if sizes != valid:
        raise BoundsError(f"of a tile of shape {sizes}, only {valid} is in bounds; write tail='mask'")


def as_pad(value: Any, dtype: DType) -> Any:
    """Return a pad value as a scalar of the dtype.

    Raises
    ------
    ValueError
        If it is not a single number.
    DTypeError, OverflowError
        If the dtype cannot hold it.
    """
    pad = exact_cast(value, dtype)
    if pad.ndim:
        raise ValueError(f"a pad is one value; found {pad.size}")
    return pad[()]
