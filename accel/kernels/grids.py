"""How many blocks and threads a launch has, along up to three axes."""

from collections.abc import Sequence
from math import prod
from operator import index
from typing import SupportsIndex, TypeAlias

__all__ = ["Extents", "Three", "as_block", "as_grid", "blocks_over"]

Extents: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
"""One number, or one for each axis, x first."""
Three: TypeAlias = tuple[int, int, int]
"""The same, written out."""

_BLOCK = (1024, 1024, 64)
_THREADS = 1024  # that all GPUs have


def as_block(given: Extents) -> Three:
    """Return the threads of a block along three axes.

    Raises
    ------
    ValueError
        If there are more axes, or there is an extent or a number of threads that no GPU has.
    """
    found = _three(given, "block", 1, _BLOCK)
    if prod(found) > _THREADS:
        raise ValueError(f"a block of {found} has {prod(found)} threads; up to {_THREADS} are possible")
    return found


def as_grid(given: Extents, most: Three) -> Three:
    """Return the blocks of a grid along three axes.

    Raises
    ------
    ValueError
        If there are more axes, or an extent is less than 1 or more than the device has.
    """
    return _three(given, "grid", 1, most)


def blocks_over(over: Extents, block: Three, most: Three) -> Three:
    """Return the fewest blocks with so many threads at least along each axis, which is none over nothing.

    Raises
    ------
    ValueError
        If there are more axes, or they are more blocks than the device has.
    """
    x, y, z = _three(over, "number of threads", 0)
    blocks = -(-x // block[0]), -(-y // block[1]), -(-z // block[2])
    return blocks if 0 in blocks else as_grid(blocks, most)


def _three(given: Extents, what: str, least: int, most: Three | None = None) -> Three:
    found = [index(each) for each in (given if isinstance(given, Sequence) else (given,))]
    if not 1 <= len(found) <= 3:
        raise ValueError(f"a {what} has one to three extents, x first; found {given!r}")
    x, y, z = (*found, 1, 1, 1)[:3]
    for axis, extent in enumerate((x, y, z)):
        limit = extent if most is None else most[axis]
        if not least <= extent <= limit:
            possible = f"from {least} to {limit} are" if most else f"{least} or more are"
            raise ValueError(f"the {what} has {extent} along {'xyz'[axis]}; {possible} possible")
    return x, y, z
