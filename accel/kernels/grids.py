"""How many blocks and threads a launch has, along up to three axes."""

from collections.abc import Sequence
from operator import index
from typing import SupportsIndex, TypeAlias

__all__ = ["Extents", "as_extents", "blocks_over"]

Extents: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
"""One number, or one for each axis, x first."""


def as_extents(given: Extents, what: str, most: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return the extents of a grid or a block along three axes.

    Raises
    ------
    ValueError
        If there are more than three, or one is less than 1 or more than a device has.
    """
    found = [index(each) for each in given] if isinstance(given, Sequence) else [index(given)]
    if not 1 <= len(found) <= 3:
        raise ValueError(f"a {what} has one to three extents; found {given!r}")
    found += [1] * (3 - len(found))
    for extent, limit, axis in zip(found, most, "xyz", strict=True):
        if not 1 <= extent <= limit:
            raise ValueError(f"the {what} has {extent} along {axis}; from 1 to {limit} are possible")
    return found[0], found[1], found[2]


def blocks_over(over: Extents | None, block: tuple[int, int, int]) -> tuple[int, int, int]:
    """Return the fewest blocks that have at least so many threads along each axis.

    Raises
    ------
    ValueError
        If it is not said how many.
    """
    if over is None:
        raise ValueError("a launch needs its extent: write grid=blocks, or over=threads, as in over=x.size")
    threads = as_extents(over, "extent of threads", (2**63 - 1,) * 3)
    wanted = [-(-each // per_block) for each, per_block in zip(threads, block, strict=True)]
    return wanted[0], wanted[1], wanted[2]
