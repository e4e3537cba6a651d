"""The structures that kernels take by value; their fields match the declarations in `kernels/`."""

from collections.abc import Iterable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from accel.abc import Fill, Leaf, Plan, Swizzling
from accel.errors import CapabilityError

__all__ = ["Bits", "Struct", "bits_of", "divisor", "loops", "mask", "structure", "swizzle"]

Struct = np.ndarray[Any, Any]
"""An array of one item: CuPy passes it by value."""

_NARROW = (1 << 31) - 1
_ROOMS = (8, 64)
"""The numbers of loops a kernel is compiled for: 8, enough for nearly all copies, or NumPy's maximum of dimensions."""


class Bits(NamedTuple):
    """The bits of integers in a kernel: 32 or 64."""

    counts: int
    distances: int


def bits_of(
    count: int, leaves: Iterable[Leaf] = (), *, start: tuple[int, int] = (0, 0), unit: int = 1, beyond: int = 0
) -> Bits:
    """Return the bits for ``count`` items, and for their distances in units of ``unit`` bytes.

    The limit of a count is not 2**32: threads count past the last item, and a `divisor` is only right for half of the
    range. ``beyond`` says by how many bytes swizzles may increase a distance.
    """
    steps = [(max(leaf.extent - 1, 0), *_steps(leaf)) for leaf in leaves]
    farthest = 0
    for end, first in enumerate(start, 1):
        ways = [step[0] * step[end] for step in steps]
        low, high = (first + sum([way for way in ways if sign * way > 0]) for sign in (-1, 1))
        farthest = max(farthest, -low, high, abs(first), *[abs(step[end]) for step in steps])
    return Bits(32 if count <= 1 << 30 else 64, 32 if (farthest + beyond) // unit < _NARROW else 64)


@cache
def _types(bits: Bits, room: int) -> dict[str, np.dtype[Any]]:
    """Return the types of the structures by name, with the alignment of C++."""
    index, distance = f"u{bits.counts // 8}", f"i{bits.distances // 8}"

    def struct(*fields: tuple[Any, ...]) -> np.dtype[Any]:
        return np.dtype(list(fields), align=True)

    divisor = struct(("value", index), ("magic", index), ("shift", "u4"))
    swizzle = struct(("mask", distance), ("offset", distance), ("left", "i4"), ("right", "i4"))
    mask = struct(("bound", distance), ("zero", "i4"))
    loop = struct(("extent", divisor), ("target_stride", distance), ("source_stride", distance))
    starts = (("target_start", distance), ("source_start", distance))
    end = struct(("start", "i8"), ("stride", "i8"), ("swizzle", swizzle))
    tiles = (("a_tiles", divisor), ("b_tiles", divisor), ("a_extent", index), ("b_extent", index))
    rows = (("a_source_stride", distance), ("b_target_stride", distance))
    return {
        "loops": struct(("count", index), ("rank", "u4"), *starts, ("loop", loop, (room,))),
        "gathering": struct(("target", swizzle), ("source", swizzle), ("mask", mask)),
        "lookup": struct(("count", index), ("target", end), ("source", end), ("mask", mask)),
        "filling": struct(("swizzle", swizzle)),
        "plane": struct(*tiles, *rows),
        "rows": struct(("parts", divisor), ("length", "i8")),
        "box": _box(index, distance, divisor),
    }


def _box(index: str, distance: str, divisor: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of a box."""

    def struct(*fields: tuple[Any, ...]) -> np.dtype[Any]:
        return np.dtype(list(fields), align=True)

    row = struct(("extent", divisor), ("stride", distance), ("shared", "u4"), ("cut", "u4"))
    run = [(name, "u4") for name in ("count", "run", "inner", "cut")]
    side = struct(("words", divisor), *run, ("rows", row, (3,)))
    return struct(
        ("boxes", divisor, (2,)),
        ("extents", index, (2,)),
        ("parts", "u4", (2,)),
        ("target_steps", distance, (2,)),
        ("source_steps", distance, (2,)),
        ("read", side),
        ("write", side),
        ("run", divisor, (3,)),
        ("shared", "u4", (4,)),
    )


def structure(name: str, bits: Bits, *fields: Any) -> Struct:
    """Return the structure with this name, with integers of ``bits`` bits."""
    return np.array([fields], _types(bits, _ROOMS[0])[name])


def loops(
    leaves: Iterable[Leaf], bits: Bits, *, start: tuple[int, int] = (0, 0), unit: int = 1, pieces: int = 1
) -> Struct:
    """Return the structure of some loops, over ``pieces`` accesses for each item, in units of ``unit`` bytes.

    Raises
    ------
    CapabilityError
        If there are more than 64.
    """
    nest = list(leaves) or [Leaf(1, 0, 0)]
    if len(nest) > _ROOMS[-1]:
        raise CapabilityError(f"a copy on a device has at most {_ROOMS[-1]} loops; found {len(nest)}; copy it in parts")
    room = next(room for room in _ROOMS if room >= len(nest))
    result = np.zeros(1, _types(bits, room)["loops"])
    result["rank"] = len(nest)
    result["target_start"], result["source_start"] = [first // unit for first in start]
    result["loop"][0, : len(nest)] = [
        (divisor(leaf.extent, bits.counts), *[stride // unit for stride in _steps(leaf)]) for leaf in nest
    ]
    result["count"] = pieces * int(np.prod([leaf.extent for leaf in nest], dtype=object))
    return result


def _steps(leaf: Leaf) -> tuple[int, int]:
    """Return the strides of a loop; zeros for an extent of 1, whose strides may not fit the structure."""
    return leaf[1:] if leaf.extent > 1 else (0, 0)


def divisor(value: int, bits: int) -> tuple[int, int, int]:
    """Return a divisor, and the multiplier and the shift that replace the division."""
    value = max(value, 1)
    shift = (value - 1).bit_length()
    return value, ((1 << bits) * ((1 << shift) - value)) // value + 1, shift


def swizzle(swizzling: Swizzling | None) -> tuple[int, int, int, int]:
    """Return the mask, the offset and the shifts of a swizzle, to the left and to the right; zeros for None."""
    if swizzling is None:
        return 0, 0, 0, 0
    mask, shift, offset = swizzling
    return mask, offset, max(-shift, 0), max(shift, 0)


def mask(plan: Plan, bits: Bits) -> tuple[int, int]:
    """Return the raw offset from which on the source is not read, and whether zeros are written for it.

    A bound that does not fit the distances is as good as the nearest that does.
    """
    most = (1 << (bits.distances - 1)) - 1
    bound = most if plan.bound is None else max(min(plan.bound, most), -most - 1)
    return bound, plan.fill is Fill.ZERO
