"""How many blocks and threads a launch has, along up to three axes, and how much memory the threads share."""

from collections.abc import Sequence
from math import inf, prod
from operator import index, le, mul
from typing import NoReturn, SupportsIndex, TypeAlias

from accel.abc import Limits

__all__ = ["Extents", "Three", "as_block", "as_grid", "as_shared", "blocks_over"]

Extents: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
"""One number, or one for each axis, x first."""
Three: TypeAlias = tuple[int, int, int]
"""The same, written out."""

_BLOCK = (1024, 1024, 64)
_THREADS = 1024  # that all GPUs have
_SHARED = (1 << 31) - 1  # of more, CuPy would pass on but the lowest bits
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


def as_shared(given: SupportsIndex) -> int:
    """Return the bytes of dynamic shared memory of a block.

    Raises
    ------
    ValueError
        If there are less than none, or more than a driver is asked for.
    """
    found = _integer(given, "shared memory")
    if not 0 <= found <= _SHARED:
        raise ValueError(f"{found} bytes of shared memory were asked for; from 0 to {_SHARED} are possible")
    return found


def _three(given: Extents, what: str) -> Three:
    if type(given) is int:
        return given, 1, 1
    found = [_integer(each, f"a {what}") for each in (given if isinstance(given, Sequence) else (given,))]
    if not 1 <= len(found) <= 3:
        raise ValueError(f"a {what} has one to three extents, x first; found {given!r}")
    x, y, z = (*found, 1, 1)[:3]
    return x, y, z


def _integer(given: SupportsIndex, what: str) -> int:
    try:
        return index(given)
    except TypeError:
        raise TypeError(f"{what} is counted in integers; found {given!r}: write int(n)") from None


def _within(found: Three, what: str, least: int, most: tuple[float, float, float]) -> Three:
    x, y, z = found
    if least <= x <= most[0] and least <= y <= most[1] and least <= z <= most[2]:
        return found
    axis = next(axis for axis in range(3) if not least <= found[axis] <= most[axis])
    possible = f"{least} or more" if most is _ANY else f"from {least} to {most[axis]}"
    raise ValueError(f"the {what} has {found[axis]} along {'xyz'[axis]}; {possible} are possible")


def _possible(blocks: Three, block: Three, limits: Limits) -> Three:
    """Return the blocks of a grid, if the device has them and their threads."""
    few = all(map(le, blocks, limits.grid)) and max(map(mul, blocks, block)) <= limits.threads
    if not few:
        _refuse(blocks, block, limits)
    return blocks if min(blocks) > 0 else _within(blocks, "grid", 1, _ANY)


def _refuse(blocks: Three, block: Three, limits: Limits) -> NoReturn:
    """Say along which axis there are too many blocks, and what to write."""
    most = [min(extent, limits.threads // threads) for extent, threads in zip(limits.grid, block, strict=True)]
    axis = next(axis for axis in range(3) if blocks[axis] > most[axis])
    name = "xyz"[axis]
    raise ValueError(
        f"the grid has {blocks[axis]} along {name}; up to {most[axis]} blocks of {block[axis]} threads are possible "
        f"here: let threads go on in steps of gridDim.{name} * blockDim.{name}"
    )
