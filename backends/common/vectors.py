"""Vector instructions for numba, written in LLVM's portable IR.

Addresses and pitches are signed 64-bit integers, pitches in bytes. An ``item`` is a NumPy type; only its size matters.
"""

from collections.abc import Sequence
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from .tiles import CHUNK, LANES, LINE

__all__ = ["drain", "move", "move_line", "prefetch", "scratch", "stream_line", "turn", "width"]

# Numba's decorators have no types.
_emitted: Any = intrinsic
_of_literals: Any = intrinsic(prefer_literal=True)

_Int = types.int64
_Value = Any  # an LLVM value; llvmlite is not typed
_I32 = ir.IntType(32)
_LINE = ir.VectorType(_I32, LINE // 4)


def _bytes_of(item: Any) -> int:
    return int(item.dtype.bitwidth) // 8


def _pointer(builder: Any, address: _Value, to: Any) -> _Value:
    return builder.inttoptr(address, to.as_pointer())


def _load(builder: Any, address: _Value, kind: Any) -> _Value:
    return builder.load(_pointer(builder, address, kind), align=1)


def _store(builder: Any, value: _Value, address: _Value, align: int = 1) -> _Value:
    return builder.store(value, _pointer(builder, address, value.type), align=align)


def _after(builder: Any, address: _Value, pitch: _Value, steps: int) -> _Value:
    return builder.add(address, builder.mul(pitch, ir.Constant(pitch.type, steps)))


def _shuffled(builder: Any, one: _Value, other: _Value, order: Sequence[int]) -> _Value:
    return builder.shuffle_vector(one, other, ir.Constant(ir.VectorType(_I32, len(order)), list(order)))


def _joined(builder: Any, parts: list[_Value]) -> _Value:
    """Concatenate vectors; their number is a power of two."""
    while len(parts) > 1:
        order = range(2 * parts[0].type.count)
        parts = [_shuffled(builder, *pair, order) for pair in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


def _zipped(builder: Any, rows: list[_Value]) -> list[_Value]:
    """Transpose square blocks of items, one in each lane of the rows, by repeated perfect shuffles."""
    side, total = len(rows), rows[0].type.count
    half = side // 2
    lanes = range(0, total, side)
    low = [place for lane in lanes for one in range(lane, lane + half) for place in (one, total + one)]
    high = [place + half for place in low]
    for _ in range(side.bit_length() - 1):
        pairs = zip(rows[:half], rows[half:], strict=True)
        rows = [_shuffled(builder, *pair, order) for pair in pairs for order in (low, high)]
    return rows


@_emitted
def turn(_: Any, item: Any, target: Any, target_pitch: Any, source: Any, source_pitch: Any) -> Any:
    """Transpose a block of items that is one `CHUNK` wide and `LANES` chunks high."""
    nbytes = _bytes_of(item)
    side = CHUNK // nbytes
    chunk = ir.VectorType(ir.IntType(8 * nbytes), side)

    def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> _Value:
        _, target, target_pitch, source, source_pitch = arguments
        rows = [
            [_load(builder, _after(builder, source, source_pitch, row + lane * side), chunk) for lane in range(LANES)]
            for row in range(side)
        ]
        for step, column in enumerate(_zipped(builder, [_joined(builder, row) for row in rows])):
            _store(builder, column, _after(builder, target, target_pitch, step))
        return context.get_dummy_value()

    return types.void(item, _Int, _Int, _Int, _Int), emit


@_emitted
def move(_: Any, target: Any, source: Any, nbytes: Any) -> Any:
    """Copy fewer bytes than a cache line has, the largest powers of two first."""

    def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> _Value:
        target, source, nbytes = arguments
        for size in (32, 16, 8, 4, 2, 1):
            larger = builder.and_(nbytes, ir.Constant(nbytes.type, LINE - 2 * size))
            with builder.if_then(builder.trunc(builder.udiv(nbytes, ir.Constant(nbytes.type, size)), ir.IntType(1))):
                value = _load(builder, builder.add(source, larger), ir.VectorType(ir.IntType(8), size))
                _store(builder, value, builder.add(target, larger))
        return context.get_dummy_value()

    return types.void(_Int, _Int, _Int), emit


@_emitted
def move_line(_: Any, target: Any, source: Any) -> Any:
    """Copy as many bytes as a cache line has, between addresses of any alignment."""

    def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> _Value:
        _store(builder, _load(builder, arguments[1], _LINE), arguments[0])
        return context.get_dummy_value()

    return types.void(_Int, _Int), emit


@_emitted
def stream_line(_: Any, target: Any, source: Any) -> Any:
    """Copy a cache line by a store that bypasses the caches; the target is aligned to a line."""

    def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> _Value:
        stored = _store(builder, _load(builder, arguments[1], _LINE), arguments[0], align=LINE)
        stored.set_metadata("nontemporal", builder.module.add_metadata([ir.Constant(_I32, 1)]))
        return context.get_dummy_value()

    return types.void(_Int, _Int), emit


@_emitted
def width(_: Any, item: Any) -> Any:
    """Return the bytes of an item, as a constant."""
    nbytes = _bytes_of(item)

    def emit(context: Any, _builder: Any, _signature: Any, _arguments: Any) -> _Value:
        return context.get_constant(_Int, nbytes)

    return _Int(item), emit


@_emitted
def drain(_: Any) -> Any:
    """Order the stores that bypass the caches before all later ones."""

    def emit(context: Any, builder: Any, _signature: Any, _arguments: Any) -> _Value:
        builder.fence("seq_cst")  # on x86 this is mfence, or a locked instruction: both drain its write buffers
        return context.get_dummy_value()

    return types.void(), emit


@_emitted
def prefetch(_: Any, address: Any) -> Any:
    """Prefetch the cache line at an address, which need not be valid."""

    def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> _Value:
        byte = ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [byte, _I32, _I32, _I32])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        hints = [ir.Constant(_I32, hint) for hint in (0, 3, 1)]  # to read, to keep close, data
        builder.call(function, [_pointer(builder, arguments[0], ir.IntType(8)), *hints])
        return context.get_dummy_value()

    return types.void(_Int), emit


@_of_literals
def scratch(_: Any, nbytes: Any) -> Any:
    """Return the address of a buffer on the stack, of a literal size, valid until the function returns."""
    size = nbytes.literal_value

    def emit(_context: Any, builder: Any, _signature: Any, _arguments: Any) -> _Value:
        with builder.goto_entry_block():
            place = builder.alloca(ir.ArrayType(ir.IntType(8), size))
            place.align = LINE
        return builder.ptrtoint(place, ir.IntType(64))

    return _Int(nbytes), emit
