"""How many blocks and threads a launch has, along up to three axes."""

from collections.abc import Sequence
from math import inf, prod
from operator import index, mul
from typing import SupportsIndex, TypeAlias

from accel.memory import Limits

__all__ = ["Extents", "Three", "as_block", "as_grid", "blocks_over"]

Extents: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
"""One number, or one for each axis, x first."""
Three: TypeAlias = tuple[int, int, int]
"""The same, written out."""

_BLOCK = (1024, 1024, 64)
_THREADS = 1024  # that all GPUs have
_ANY = (inf, inf, inf)


def as_block(given: Extents) -> Three:
    """Return the threads of a block along three axes.

    Raises
    ------
    ValueError
        If there are more axes, or there is an extent or a number of threads that no GPU has.
    """
    found = _within(_three(given, "block"), "block", 1, _BLOCK)
    if prod(found) > _THREADS:
        raise ValueError(f"a block of {found} has {prod(found)} threads; up to {_THREADS} are possible")
    return found


def as_grid(given: Extents, block: Three, limits: Limits) -> Three:
    """Return the blocks of a grid along three axes.

    Raises
    ------
    ValueError
        If there are more axes, an extent is less than 1 or more than the device has, or the blocks have more threads.
    """
    return _possible(_three(given, "grid"), block, limits)


def blocks_over(over: Extents, block: Three, limits: Limits) -> Three:
    """Return the fewest blocks with so many threads at least along each axis, which is none over nothing.

    Raises
    ------
    ValueError
        If there are more axes, or they are more blocks or threads than the device has.
    """
    x, y, z = _within(_three(over, "number of threads"), "number of threads", 0, _ANY)
    blocks = -(-x // block[0]), -(-y // block[1]), -(-z // block[2])
    return blocks if 0 in blocks else _possible(blocks, block, limits)


def _three(given: Extents, what: str) -> Three:
    if type(given) is int:
        return given, 1, 1
    found = [index(each) for each in (given if isinstance(given, Sequence) else (given,))]
    if not 1 <= len(found) <= 3:
        raise ValueError(f"a {what} has one to three extents, x first; found {given!r}")
    x, y, z = (*found, 1, 1)[:3]
    return x, y, z


def _within(found: Three, what: str, least: int, most: tuple[float, float, float]) -> Three:
    x, y, z = found
    if least <= x <= most[0] and least <= y <= most[1] and least <= z <= most[2]:
        return found
    axis = next(axis for axis in range(3) if not least <= found[axis] <= most[axis])
    possible = f"{least} or more" if most is _ANY else f"from {least} to {most[axis]}"
    raise ValueError(f"the {what} has {found[axis]} along {'xyz'[axis]}; {possible} are possible")


def _possible(blocks: Three, block: Three, limits: Limits) -> Three:
    """Return the blocks of a grid, if the device has them and their threads."""
    threads = list(map(mul, _within(blocks, "grid", 1, limits.grid), block))
    most = max(threads)
    if most > limits.threads:
        axis = threads.index(most)
        name = "xyz"[axis]
        raise ValueError(
            f"the launch has {most} threads along {name}; up to {limits.threads} are possible here: write a grid of "
            f"up to {limits.threads // block[axis]} blocks, whose threads go on in steps of "
            f"gridDim.{name} * blockDim.{name}"
        )
    return blocks
