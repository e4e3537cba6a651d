"""Chooses the kernel for a plan, its launch size and its arguments: in integers, without CuPy and without a device."""

import math
from functools import cache, lru_cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from accel.abc import CacheEviction, Limits, Operand, Plan, Swizzling

from .accesses import (
    TILES,
    are_long_rows,
    in_accesses,
    in_pieces,
    in_stores,
    is_tiled,
    outside,
    row_bytes,
    size_of,
    word_of,
)
from .boxes import SOURCE, TARGET, Box, box_of, box_structure
from .structures import Bits, Struct, bits_of, divisor, loops, mask, structure, swizzle

__all__ = ["Launch", "copy_launch", "fill_launch", "module_source"]

_SOURCES = (
    "items.cuh",
    "loops.cuh",
    "swizzles.cuh",
    "moves.cuh",
    "words.cuh",
    "copy_boxes.cu",
    "copy_items.cu",
    "gather_items.cu",
    "copy_rows.cu",
    "copy_table.cu",
    "fill_items.cu",
    "transpose_tiles.cu",
)
_THREADS = 256
_IN_FLIGHT = 4
"""Accesses that a thread has in flight at once."""
_PART = 32 * 16 * _IN_FLIGHT
"""Bytes of a row that 32 threads copy at once, in accesses of 16 bytes."""
_BOX = 1 << 14
"""Bytes of the largest box."""


class Launch(NamedTuple):
    """One launch of one kernel.

    Attributes
    ----------
    kernel : str
        Name of the function.
    defines : tuple of str
        Compiler options that turn `module_source` into a module of this kernel alone.
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
    aligned = math.gcd(16, target_address, source_address)
    launch = _copy(plan, _end(target), _end(source), aligned, _most_blocks(limits))
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
    return _with_addresses(launch, address, table, *np.frombuffer(repeated, np.uint64))


class _End(NamedTuple):
    """The properties of an operand that a launch depends on."""

    swizzle: Swizzling | None
    table: bool


def _end(operand: Operand) -> _End:
    # A swizzle changes the offsets that strides give; the offsets of a table are final.
    return _End(None, True) if operand.table is not None else _End(operand.swizzle, False)


def _with_addresses(launch: Launch, *addresses: Any) -> Launch:
    return launch._replace(arguments=(*map(np.uint64, addresses), *launch.arguments))


@lru_cache(1 << 12)
def _fill(
    extents: tuple[int, ...], strides: tuple[int, ...], itemsize: int, end: _End, aligned: int, most: int
) -> Launch:
    """Return a launch without its addresses and its value."""
    width, leaves = in_stores(extents, strides, itemsize, aligned, end.swizzle, apart=end.table)
    pieces = max(itemsize // width, 1)
    count = size_of(leaves) * pieces
    bits = bits_of(count, leaves, beyond=_beyond(end))
    if end.table:
        bits = bits._replace(distances=64)
    arguments = (loops(leaves, bits, pieces=pieces), structure("filling", bits, swizzle(end.swizzle)))
    constants = {"PIECES": pieces, "TARGET_SWIZZLE": int(end.swizzle is not None), "TABLE": int(end.table)}
    defines = _defines("fill_items", width, bits, arguments[0], constants)
    return Launch("fill_items", defines, _grid(count, _THREADS, most), (_THREADS, 1, 1), 0, arguments)


@lru_cache(1 << 12)
def _copy(plan: Plan, target: _End, source: _End, aligned: int, most: int) -> Launch:
    """Return a launch without its addresses, which change between copies of equal plans."""
    if plan.kind == "table":
        return _table_copy(plan, target, source, most)
    if plan.bound is not None or target.swizzle is not None or source.swizzle is not None:
        return _gather(plan, target, source, most)
    # Distances are in accesses, so the starts must be too: a start may be aligned only together with its address.
    plan = plan._replace(vector=math.gcd(plan.vector, *_start(plan)))
    width, leaves = in_accesses(plan)
    if is_tiled(plan):
        return _transpose(plan, aligned, most)
    if are_long_rows(plan):
        return _rows(plan, most)
    box = box_of(tuple(leaves), width, _BOX)
    if box.is_worth_it:
        return _boxes(plan, box, aligned, most)
    bits = bits_of(size_of(leaves), leaves, start=_start(plan), unit=width)
    return _each("copy_items", plan, (width, bits), most, loops(leaves, bits, start=_start(plan), unit=width))


def _gather(plan: Plan, target: _End, source: _End, most: int) -> Launch:
    width, pieces = in_pieces(plan)
    beyond = max(_beyond(target), _beyond(source))
    bits = bits_of(plan.size * pieces, plan.leaves, start=_start(plan), beyond=beyond)
    gathering = structure("gathering", bits, swizzle(target.swizzle), swizzle(source.swizzle), mask(plan, bits))
    walked = loops(plan.leaves, bits, start=_start(plan), pieces=pieces)
    return _each("gather_items", plan, (width, bits), most, walked, gathering, **_changes(plan, target, source))


def _table_copy(plan: Plan, target: _End, source: _End, most: int) -> Launch:
    width, pieces = in_pieces(plan)
    ((extent, *strides),) = plan.leaves
    ends = [
        (0, plan.itemsize, swizzle(None)) if end.table else (start, stride, swizzle(end.swizzle))
        for end, start, stride in zip((target, source), _start(plan), strides, strict=True)
    ]
    bits = bits_of(extent * pieces)._replace(distances=64)
    lookup = structure("lookup", bits, extent * pieces, *ends, mask(plan, bits))
    return _each("copy_table", plan, (width, bits), most, lookup, **_changes(plan, target, source))


def _changes(plan: Plan, target: _End, source: _End) -> dict[str, int]:
    """Return the macros for the changes of distances: pieces, swizzles and the mask."""
    return {
        "PIECES": in_pieces(plan)[1],
        "TARGET_SWIZZLE": int(target.swizzle is not None),
        "SOURCE_SWIZZLE": int(source.swizzle is not None),
        "MASK": int(plan.bound is not None),
    }


def _beyond(end: _End) -> int:
    """Return by how many bytes a swizzle may change a distance, or more."""
    if end.swizzle is None:
        return 0
    mask, shift, offset = end.swizzle
    return mask + offset + (mask >> shift if shift >= 0 else mask << -shift)


def _each(kernel: str, plan: Plan, sizes: tuple[int, Bits], most: int, *structures: Struct, **constants: int) -> Launch:
    """Return a launch whose threads copy some items each; ``sizes`` are bytes of an access and bits of integers."""
    grid = _grid(int(structures[0]["count"][0]), _THREADS * _IN_FLIGHT, most)
    defines = _defines(kernel, *sizes, structures[0], constants, plan.eviction)
    return Launch(kernel, defines, grid, (_THREADS, 1, 1), 0, structures)


def _transpose(plan: Plan, aligned: int, most: int) -> Launch:
    """Return a launch whose blocks transpose tiles of the plane."""
    assert plan.tile is not None, "a transpose has a tile"
    a, b = [plan.leaves[i] for i in plan.tile]
    item, word, sides = plan.itemsize, word_of(plan, aligned), TILES[plan.itemsize]
    tiles = [-(-leaf.extent // side) for leaf, side in zip((a, b), sides, strict=True)]
    planes = outside(plan)
    count = math.prod(tiles) * size_of(planes)
    bits = bits_of(max(count, a.extent, b.extent), plan.leaves, start=_start(plan), unit=item)
    walked = loops(planes, bits, start=_start(plan), unit=item)
    divisors = [divisor(extent, bits.counts) for extent in tiles]
    plane = structure("plane", bits, *divisors, a.extent, b.extent, a.source_stride // item, b.target_stride // item)
    constants = {"WORD": word, "SIDE_A": sides[0], "SIDE_B": sides[1]}
    defines = _defines("transpose_tiles", item, bits, walked, constants, plan.eviction)
    return Launch("transpose_tiles", defines, _grid(count, 1, most), (_THREADS, 1, 1), 0, (walked, plane))


def _rows(plan: Plan, most: int) -> Launch:
    """Return a launch in which 32 threads copy a part of a row."""
    leaves, item = plan.leaves[:-1], plan.vector
    parts = -(-(row_bytes(plan) + 15) // _PART)  # the first is shorter if the row does not start at a multiple of 16
    count = size_of(leaves) * parts
    bits = bits_of(count, leaves, start=_start(plan), unit=item)
    walked = loops(leaves, bits, start=_start(plan), unit=item)
    rows = structure("rows", bits, divisor(parts, bits.counts), row_bytes(plan))
    defines = _defines("copy_rows", item, bits, walked, {}, plan.eviction)
    return Launch("copy_rows", defines, _grid(count, _THREADS // 32, most), (_THREADS, 1, 1), 0, (walked, rows))


def _boxes(plan: Plan, box: Box, aligned: int, most: int) -> Launch:
    """Return a launch whose blocks copy boxes."""
    unit, outside = box.unit, box.outside
    starts = math.gcd(aligned, *_start(plan))
    words = box.word(TARGET, starts), box.word(SOURCE, starts)
    count = size_of(outside) * math.prod([-(-box.leaves[i].extent // box.parts[i]) for i in box.cut])
    longest = max([box.leaves[i].extent for i in box.inside])
    bits = bits_of(max(count, longest), box.leaves, start=_start(plan), unit=unit)
    walked = loops(outside, bits, start=_start(plan), unit=unit)
    constants = {
        "WRITE": words[0],
        "READ": words[1],
        "WRITE_ROWS": len(box.rows(TARGET)),
        "READ_ROWS": len(box.rows(SOURCE)),
        "RUN_LOOPS": len(box.run(TARGET)),
        "GAPS": int(box.has_gaps),
    }
    defines = _defines("copy_boxes", unit, bits, walked, constants, plan.eviction)
    arguments = (walked, box_structure(box, words, bits))
    return Launch("copy_boxes", defines, _grid(count, 1, most), (_THREADS, 1, 1), box.shared_bytes, arguments)


def _start(plan: Plan) -> tuple[int, int]:
    return plan.target_start, plan.source_start


def _defines(
    kernel: str,
    width: int,
    bits: Bits,
    walked: Struct,
    constants: dict[str, int],
    eviction: CacheEviction = CacheEviction.NORMAL,
) -> tuple[str, ...]:
    """Return the compiler options of a module; ``walked`` determines how many loops it supports."""
    room = walked["loop"].shape[-1] if "loop" in (walked.dtype.names or ()) else 0
    sizes = {"ITEM": width, "COUNT": bits.counts, "DISTANCE": bits.distances, "LOOPS": max(room, 8)}
    hints = {} if eviction is CacheEviction.NORMAL else {"EVICTION": eviction.value}
    values = {kernel.upper(): 1, **sizes, "FLIGHT": _IN_FLIGHT, **constants, **hints}
    return tuple([f"-DACCEL_{name}={value}" for name, value in values.items()])


def _grid(count: int, per_block: int, most: int) -> tuple[int, int, int]:
    """Return the blocks for ``count`` items, at most ``most``; with fewer, each block does several parts."""
    return max(1, min(-(-count // per_block), most)), 1, 1


def _most_blocks(limits: Limits) -> int:
    return min(limits.grid[0], limits.threads // _THREADS)
