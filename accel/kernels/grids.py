"""Checks of the launch configuration: grid, block and shared memory."""

from collections.abc import Sequence
from math import inf, prod
from operator import index, le, mul
from typing import NoReturn, SupportsIndex, TypeAlias

from accel.abc import Limits

__all__ = ["Dim3", "Extents", "as_block", "as_grid", "as_shared", "blocks_over"]

Extents: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
"""One extent, or up to three, x first."""
Dim3: TypeAlias = tuple[int, int, int]
"""The extents along x, y and z."""

_BLOCK = (1024, 1024, 64)
_THREADS = 1024  # the limit of all supported GPUs
_SHARED = (1 << 31) - 1  # CuPy passes only the lowest bits of larger numbers
_ANY = (inf, inf, inf)


def as_block(block: Extents) -> Dim3:
    """Return the threads of a block along three axes.

    Raises
    ------
    ValueError
        If there are more than three axes, or an extent or the number of threads exceeds what GPUs allow.
    """
    extents = _within(_as_dim3(block, "block"), "block", 1, _BLOCK)
    if prod(extents) > _THREADS:
        raise ValueError(f"a block of {extents} has {prod(extents)} threads; up to {_THREADS} are possible")
    return extents


def as_grid(extents: Extents, block: Dim3, limits: Limits) -> Dim3:
    """Return the blocks of a grid along three axes.

    Raises
    ------
    ValueError
        If there are more than three axes, an extent is less than 1, or the device does not allow so many blocks or
        threads.
    """
    return _within_limits(_as_dim3(extents, "grid"), block, limits)


def blocks_over(over: Extents, block: Dim3, limits: Limits) -> Dim3:
    """Return the smallest grid with at least ``over`` threads along each axis; an extent of 0 gives 0 blocks.

    Raises
    ------
    ValueError
        If there are more than three axes, or the device does not allow so many blocks or threads.
    """
    x, y, z = _within(_as_dim3(over, "number of threads"), "number of threads", 0, _ANY)
    blocks = -(-x // block[0]), -(-y // block[1]), -(-z // block[2])
    return blocks if 0 in blocks else _within_limits(blocks, block, limits)


def as_shared(size: SupportsIndex) -> int:
    """Return the bytes of dynamic shared memory of a block.

    Raises
    ------
    ValueError
        If the number is negative, or too large for a driver.
    """
    nbytes = _integer(size, "shared memory")
    if not 0 <= nbytes <= _SHARED:
        raise ValueError(f"{nbytes} bytes of shared memory were asked for; from 0 to {_SHARED} are possible")
    return nbytes


def _as_dim3(value: Extents, what: str) -> Dim3:
    if type(value) is int:
        return value, 1, 1
    extents = [_integer(each, f"a {what}") for each in (value if isinstance(value, Sequence) else (value,))]
    if not 1 <= len(extents) <= 3:
        raise ValueError(f"a {what} has one to three extents, x first; found {value!r}")
    x, y, z = (*extents, 1, 1)[:3]
    return x, y, z


def _integer(value: SupportsIndex, what: str) -> int:
    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{what} is counted in integers; found {value!r}: write int(n)") from None


def _within(extents: Dim3, what: str, least: int, most: tuple[float, float, float]) -> Dim3:
    x, y, z = extents
    if least <= x <= most[0] and least <= y <= most[1] and least <= z <= most[2]:
        return extents
    axis = next(axis for axis in range(3) if not least <= extents[axis] <= most[axis])
    possible = f"{least} or more" if most is _ANY else f"from {least} to {most[axis]}"
    raise ValueError(f"the {what} has {extents[axis]} along {'xyz'[axis]}; {possible} are possible")


def _within_limits(blocks: Dim3, block: Dim3, limits: Limits) -> Dim3:
    """Return the blocks of a grid after checking the limits of the device."""
    few = all(map(le, blocks, limits.grid)) and max(map(mul, blocks, block)) <= limits.threads
    if not few:
        _refuse(blocks, block, limits)
    return blocks if min(blocks) > 0 else _within(blocks, "grid", 1, _ANY)


def _refuse(blocks: Dim3, block: Dim3, limits: Limits) -> NoReturn:
    """Raise an error that names the axis with too many blocks, and what to write."""
    most = [min(extent, limits.threads // threads) for extent, threads in zip(limits.grid, block, strict=True)]
    axis = next(axis for axis in range(3) if blocks[axis] > most[axis])
    name = "xyz"[axis]
    raise ValueError(
        f"the grid has {blocks[axis]} along {name}; up to {most[axis]} blocks of {block[axis]} threads are possible "
        f"here: write a loop in steps of gridDim.{name} * blockDim.{name}"
    )
