"""The structures that kernels take by value; their fields match the declarations in `kernels/`."""

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np

from accel.abc import Fill, Leaf, Plan, Swizzling
from accel.errors import CapabilityError

__all__ = ["Struct", "divisor", "index_bits", "loops", "mask", "steps", "structure", "swizzle"]

Struct = np.ndarray[Any, Any]
"""An array of one item: CuPy passes it by value."""

_UNBOUND = (1 << 63) - 1
_ROOMS = (8, 64)
"""The numbers of loops a kernel is compiled for: 8, enough for nearly all copies, or NumPy's maximum of dimensions."""


def index_bits(count: int, *, narrow: bool) -> int:
    """Return the bits of indices, 32 or 64, for ``count`` items; ``narrow`` says whether all offsets fit 32 bits.

    The limit is not 2**32: threads count past the last item, and a `divisor` is only right for half of the range.
    """
    return 32 if narrow and count <= 1 << 30 else 64


@cache
def _types(bits: int, room: int) -> dict[str, np.dtype[Any]]:
    """Return the types of the structures by name, with the alignment of C++."""
    index, distance = f"u{bits // 8}", f"i{bits // 8}"

    def struct(*fields: tuple[Any, ...]) -> np.dtype[Any]:
        return np.dtype(list(fields), align=True)

    divisor = struct(("value", index), ("magic", index), ("shift", "u4"))
    swizzle = struct(("mask", "i8"), ("offset", "i8"), ("shift", "i4"))
    mask = struct(("bound", "i8"), ("zero", "i4"))
    loop = struct(("extent", divisor), ("target_stride", distance), ("source_stride", distance))
    starts = (("target_start", distance), ("source_start", distance))
    end = struct(("start", "i8"), ("stride", "i8"), ("swizzle", swizzle))
    strides = [(f"{name}_stride", distance) for name in ("a_target", "a_source", "b_target", "b_source")]
    return {
        "loops": struct(("count", index), ("rank", "u4"), *starts, ("loop", loop, (room,))),
        "gathering": struct(("pieces", divisor), ("target", swizzle), ("source", swizzle), ("mask", mask)),
        "lookup": struct(("count", index), ("pieces", divisor), ("target", end), ("source", end), ("mask", mask)),
        "filling": struct(("pieces", divisor), ("swizzle", swizzle)),
        "pattern": struct(("low", "u8"), ("high", "u8")),
        "plane": struct(("a_extent", index), ("b_extent", index), *strides),
    }


def structure(name: str, bits: int, *fields: Any) -> Struct:
    """Return the structure with this name, with indices of ``bits`` bits."""
    return np.array([fields], _types(bits, _ROOMS[0])[name])


def loops(leaves: Iterable[Leaf], bits: int, *, start: tuple[int, int] = (0, 0), pieces: int = 1) -> Struct:
    """Return the structure of some loops, over ``pieces`` accesses for each item.

    Raises
    ------
    CapabilityError
        If there are more than 64.
    """
    nest = list(leaves) or [Leaf(1, 0, 0)]
    if len(nest) > _ROOMS[-1]:
        raise CapabilityError(f"a copy on a device has at most {_ROOMS[-1]} loops; found {len(nest)}; copy it in parts")
    room = next(room for room in _ROOMS if room >= len(nest))
    made = np.zeros(1, _types(bits, room)["loops"])
    made["rank"] = len(nest)
    made["target_start"], made["source_start"] = start
    made["loop"][0, : len(nest)] = [(divisor(leaf.extent, bits), *steps(leaf)) for leaf in nest]
    made["count"] = pieces * int(np.prod([leaf.extent for leaf in nest], dtype=object))
    return made


def steps(leaf: Leaf) -> tuple[int, int]:
    """Return the strides of a loop; zeros for an extent of 1, whose strides may not fit the structure."""
    return leaf[1:] if leaf.extent > 1 else (0, 0)


def divisor(value: int, bits: int) -> tuple[int, int, int]:
    """Return a divisor, and the multiplier and the shift that replace the division."""
    value = max(value, 1)
    shift = (value - 1).bit_length()
    return value, ((1 << bits) * ((1 << shift) - value)) // value + 1, shift


def swizzle(swizzling: Swizzling | None) -> tuple[int, int, int]:
    """Return the mask, the offset and the shift of a swizzle; zeros, which change nothing, for None."""
    return (0, 0, 0) if swizzling is None else (swizzling.mask, swizzling.offset, swizzling.shift)


def mask(plan: Plan) -> tuple[int, int]:
    """Return the raw offset from which on the source is not read, and whether zeros are written for it."""
    return _UNBOUND if plan.bound is None else plan.bound, plan.fill is Fill.ZERO
