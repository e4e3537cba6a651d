"""Chooses the kernel for a plan, its launch size and its arguments: in integers, without CuPy and without a device."""

import math
from functools import cache, lru_cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from accel.abc import CacheEviction, Leaf, Limits, Operand, Plan, Swizzling

from .accesses import in_accesses, in_pieces, in_stores, outside, packable, shorter_side, size_of
from .structures import Struct, divisor, index_bits, loops, mask, steps, structure, swizzle

__all__ = ["Launch", "copy_launch", "fill_launch", "module_source"]

_SOURCES = (
    "items.cuh",
    "loops.cuh",
    "moves.cuh",
    "copy_items.cu",
    "copy_table.cu",
    "fill_items.cu",
    "transpose_items.cu",
)
_THREADS = 256
_IN_FLIGHT = 4
"""Accesses that a thread has in flight at once."""
_TILE = (32, 8)
"""Threads of a block of a transpose; the first is also the side of a tile in words."""
_NARROW = 8
"""Items along the short side of a plane below which tiles would be mostly empty."""


class Launch(NamedTuple):
    """One launch of one kernel.

    Attributes
    ----------
    kernel : str
        Name of the function.
    defines : tuple of str
        Compiler options that turn `module_source` into its module; launches with equal options share a module.
    grid, block : tuple of three ints
        Blocks of the launch, and threads of a block, along each axis.
    shared_bytes : int
        Dynamic shared memory of a block.
    arguments : tuple of NumPy scalars and arrays of one item
        The arguments, all passed by value: addresses, then structures.
    """

    kernel: str
    defines: tuple[str, ...]
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    arguments: tuple[Any, ...]


@cache
def module_source() -> str:
    """Return the source of all kernels, in C++17, to be compiled with the ``defines`` of a launch."""
    folder = resources.files(__package__) / "kernels"
    return "\n".join([(folder / name).read_text("utf-8") for name in _SOURCES])


def copy_launch(
    plan: Plan,
    target: Operand,
    source: Operand,
    target_address: int,
    source_address: int,
    *,
    target_table: int = 0,
    source_table: int = 0,
    limits: Limits,
) -> Launch:
    """Return the launch that copies as planned, for operands that share no bytes.

    Parameters
    ----------
    plan : Plan
        The copy; its field ``buffered`` is ignored.
    target, source : Operand
        The operands; only their swizzles and tables are used.
    target_address, source_address : int
        Addresses of the operands' ``start``.
    target_table, source_table : int
        Addresses of the operands' tables in the device's memory; 0 if there is no table.
    limits : Limits
        The limits of the device.

    Raises
    ------
    CapabilityError
        If there are more loops than a kernel takes: 64.
    """
    packed = packable(plan, target_address, source_address)
    launch = _copy(plan, _end(target), _end(source), packed, _most_blocks(limits))
    tables = (target_table, source_table) if plan.kind == "table" else ()
    return _with_addresses(launch, target_address, source_address, *tables)


def fill_launch(target: Operand, value: Any, address: int, *, table: int = 0, limits: Limits) -> Launch:
    """Return the launch that sets all elements of an operand to a value.

    Parameters
    ----------
    target : Operand
        The elements.
    value : scalar
        The value, of the operand's dtype.
    address : int
        Address of the operand's ``start``.
    table : int
        Address of the operand's table in the device's memory; 0 if there is no table.
    limits : Limits
        The limits of the device.

    Raises
    ------
    CapabilityError
        If there are more loops than a kernel takes: 64.
    """
    itemsize, end = target.dtype.itemsize, _end(target)
    axes = ((target.table.size,), (itemsize,)) if target.table is not None else (target.extents, target.strides)
    launch = _fill(*axes, itemsize, end, math.gcd(16, address), _most_blocks(limits))
    repeated = np.array([value], target.dtype).tobytes() * (16 // itemsize)
    pattern = structure("pattern", 64, *np.frombuffer(repeated, np.uint64))
    return _with_addresses(launch._replace(arguments=(*launch.arguments, pattern)), address, table)


class _End(NamedTuple):
    """The properties of an operand that a launch depends on."""

    swizzle: Swizzling | None
    table: bool


def _end(operand: Operand) -> _End:
    # A swizzle changes the offsets that strides give; the offsets of a table are final.
    return _End(None, True) if operand.table is not None else _End(operand.swizzle, False)


def _with_addresses(launch: Launch, *addresses: int) -> Launch:
    return launch._replace(arguments=(*map(np.uint64, addresses), *launch.arguments))


@lru_cache(1 << 12)
def _fill(
    extents: tuple[int, ...], strides: tuple[int, ...], itemsize: int, end: _End, aligned: int, most: int
) -> Launch:
    """Return a launch without its addresses and its value."""
    width, leaves = in_stores(extents, strides, itemsize, aligned, end.swizzle, apart=end.table)
    pieces = max(itemsize // width, 1)
    count = size_of(leaves) * pieces
    bits = index_bits(count, narrow=sum([leaf.extent * abs(leaf.target_stride) for leaf in leaves]) < 1 << 31)
    walked = loops(leaves, bits, pieces=pieces)
    arguments = (walked, structure("filling", bits, divisor(pieces, bits), swizzle(end.swizzle)))
    grid = _grid(count, _THREADS, most)
    return Launch("fill_items", _defines(width, bits, walked), grid, (_THREADS, 1, 1), 0, arguments)


@lru_cache(1 << 12)
def _copy(plan: Plan, target: _End, source: _End, packed: bool, most: int) -> Launch:
    """Return a launch without its addresses, which change between copies of equal plans."""
    if plan.kind == "table":
        return _table_copy(plan, target, source, most)
    if plan.bound is not None or target.swizzle is not None or source.swizzle is not None:
        return _gather(plan, target, source, most)
    if plan.kind == "transpose" and shorter_side(plan) >= _NARROW:
        return _transpose(plan, packed, most)
    width, leaves = in_accesses(plan)
    bits = _bits(plan, size_of(leaves))
    return _each("copy_items", plan, (width, bits), size_of(leaves), most, loops(leaves, bits, start=_start(plan)))


def _gather(plan: Plan, target: _End, source: _End, most: int) -> Launch:
    width, pieces = in_pieces(plan)
    count = plan.size * pieces
    bits = _bits(plan, count)
    ends = (swizzle(target.swizzle), swizzle(source.swizzle))
    gathering = structure("gathering", bits, divisor(pieces, bits), *ends, mask(plan))
    walked = loops(plan.leaves, bits, start=_start(plan), pieces=pieces)
    return _each("gather_items", plan, (width, bits), count, most, walked, gathering)


def _table_copy(plan: Plan, target: _End, source: _End, most: int) -> Launch:
    width, pieces = in_pieces(plan)
    ((extent, *strides),) = plan.leaves
    ends = [
        (0, plan.itemsize, swizzle(None)) if end.table else (start, stride, swizzle(end.swizzle))
        for end, start, stride in zip((target, source), _start(plan), strides, strict=True)
    ]
    count = extent * pieces
    lookup = structure("lookup", 64, count, divisor(pieces, 64), *ends, mask(plan))
    return _each("copy_table", plan, (width, 64), count, most, lookup)


def _each(kernel: str, plan: Plan, sizes: tuple[int, int], count: int, most: int, *structures: Struct) -> Launch:
    """Return a launch whose threads copy some items each; ``sizes`` are bytes of an access and bits of an index."""
    grid = _grid(count, _THREADS * _IN_FLIGHT, most)
    return Launch(kernel, _defines(*sizes, structures[0], plan.eviction), grid, (_THREADS, 1, 1), 0, structures)


def _transpose(plan: Plan, packed: bool, most: int) -> Launch:
    """Return a launch whose blocks transpose tiles of the plane, once for each access that an item takes."""
    assert plan.tile is not None, "a transpose has a tile"
    width, pieces = in_pieces(plan)
    a, b = [plan.leaves[i] for i in plan.tile]
    side = _TILE[0] * (4 // width if packed else 1)
    tiles = [*outside(plan), Leaf(pieces, width, width), _tiled(b, side), _tiled(a, side)]
    bits = _bits(plan, size_of(tiles))
    walked = loops(tiles, bits, start=_start(plan))
    plane = structure("plane", bits, a.extent, b.extent, *steps(a), *steps(b))
    kernel = "transpose_packed" if packed else "transpose_items"
    grid = _grid(size_of(tiles), 1, most)
    return Launch(kernel, _defines(width, bits, walked, plan.eviction), grid, (*_TILE, 1), 0, (walked, plane))


def _start(plan: Plan) -> tuple[int, int]:
    return plan.target_start, plan.source_start


def _bits(plan: Plan, count: int) -> int:
    return index_bits(count, narrow=plan.index_bits == 32)


def _tiled(leaf: Leaf, side: int) -> Leaf:
    return Leaf(-(-leaf.extent // side), leaf.target_stride * side, leaf.source_stride * side)


def _defines(width: int, bits: int, walked: Struct, eviction: CacheEviction = CacheEviction.NORMAL) -> tuple[str, ...]:
    """Return the compiler options of a module; ``walked`` determines how many loops it supports."""
    room = walked["loop"].shape[-1] if "loop" in (walked.dtype.names or ()) else 0
    defines = (f"ITEM={width}", f"INDEX={bits}", f"LOOPS={max(room, 8)}", f"FLIGHT={_IN_FLIGHT}")
    hints = () if eviction is CacheEviction.NORMAL else (f"EVICTION={eviction.value}",)
    return tuple([f"-DACCEL_{define}" for define in (*defines, *hints)])


def _grid(count: int, per_block: int, most: int) -> tuple[int, int, int]:
    """Return the blocks for ``count`` items, at most ``most``; with fewer, each block does several parts."""
    return max(1, min(-(-count // per_block), most)), 1, 1


def _most_blocks(limits: Limits) -> int:
    return min(limits.grid[0], limits.threads // _THREADS)
