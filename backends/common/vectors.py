"""Vector instructions for numba, written in LLVM's portable IR.

Addresses and pitches are signed 64-bit integers, pitches in bytes. An ``item`` is a NumPy type; only its size matters.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import intrinsic

from .blocks import CHUNK, LINE

__all__ = ["drain", "move", "move_block", "move_line", "prefetch", "scratch", "stream_line"]

# Numba's decorators have no types.
_emitted: Any = intrinsic
_of_literals: Any = intrinsic(prefer_literal=True)

_Int = types.int64
_Value = Any  # an LLVM value; llvmlite is not typed
_I32 = ir.IntType(32)
_LINE = ir.VectorType(_I32, LINE // 4)


def _pointer(builder: Any, address: _Value, to: Any) -> _Value:
    return builder.inttoptr(address, to.as_pointer())


def _load(builder: Any, address: _Value, kind: Any) -> _Value:
    return builder.load(_pointer(builder, address, kind), align=1)


def _store(builder: Any, value: _Value, address: _Value, align: int = 1) -> _Value:
    return builder.store(value, _pointer(builder, address, value.type), align=align)


def _after(builder: Any, address: _Value, pitch: _Value, steps: int) -> _Value:
    return builder.add(address, builder.mul(pitch, ir.Constant(pitch.type, steps)))


def _constant(number: int) -> _Value:
    return ir.Constant(ir.IntType(64), number)


def _shuffled(builder: Any, one: _Value, other: _Value, order: Sequence[int]) -> _Value:
    return builder.shuffle_vector(one, other, ir.Constant(ir.VectorType(_I32, len(order)), list(order)))


def _concatenation(builder: Any, parts: list[_Value]) -> _Value:
    """Concatenate vectors; their number is a power of two."""
    while len(parts) > 1:
        order = range(2 * parts[0].type.count)
        parts = [_shuffled(builder, *pair, order) for pair in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


def _zipped(builder: Any, rows: list[_Value], side: int) -> list[_Value]:
    """Transpose square blocks of items, one in each lane of the rows, by repeated perfect shuffles."""
    total, half = rows[0].type.count, side // 2
    lanes = range(0, total, side)
    low = [place for lane in lanes for one in range(lane, lane + half) for place in (one, total + one)]
    high = [place + half for place in low]
    for _ in range(side.bit_length() - 1):
        pairs = zip(rows[:half], rows[half:], strict=True)
        rows = [_shuffled(builder, *pair, order) for pair in pairs for order in (low, high)]
    return rows


def _picked(builder: Any, vectors: list[_Value], places: Sequence[tuple[int, int]]) -> _Value:
    """Return a vector of items, each given by the number of its vector and its place there."""
    total = vectors[0].type.count
    result = vectors[0]
    for number, vector in enumerate(vectors):
        order = [total + place if which == number else lane for lane, (which, place) in enumerate(places)]
        result = _shuffled(builder, result, vector, order)
    return result


def _woven(builder: Any, rows: list[_Value]) -> list[_Value]:
    """Interleave rows: in the result the first items of all rows come first, then the second ones, and so on."""
    count, total = len(rows), rows[0].type.count
    step = _least_factor(count)
    if step == count:
        places = [(each % count, each // count) for each in range(count * total)]
        return [_picked(builder, rows, places[low : low + total]) for low in range(0, count * total, total)]
    streams = [_woven(builder, rows[first::step]) for first in range(step)]
    return [part for parts in zip(*streams, strict=True) for part in _woven(builder, list(parts))]


def _unwoven(builder: Any, parts: list[_Value]) -> list[_Value]:
    """Separate interleaved items: the inverse of `_woven`."""
    count, total = len(parts), parts[0].type.count
    step = _least_factor(count)
    if step == count:
        places = [divmod(each, total) for each in range(count * total)]
        return [_picked(builder, parts, places[first::count]) for first in range(count)]
    groups = [_unwoven(builder, parts[low : low + step]) for low in range(0, count, step)]
    streams = [_unwoven(builder, list(stream)) for stream in zip(*groups, strict=True)]
    return [row for rows in zip(*streams, strict=True) for row in rows]


def _least_factor(number: int) -> int:
    return next((factor for factor in range(2, number) if number % factor == 0), number)


def _turn(builder: Any, kind: Any, lanes: int, block: "_Ends") -> None:
    side = kind.count
    rows = []
    for first in range(side):
        places = [_after(builder, block.source, block.source_pitch, first + lane * side) for lane in range(lanes)]
        rows.append(_concatenation(builder, [_load(builder, place, kind) for place in places]))
    for step, column in enumerate(_zipped(builder, rows, side)):
        _store(builder, column, _after(builder, block.target, block.target_pitch, step))


def _weave(builder: Any, kind: Any, count: int, block: "_Ends") -> None:
    rows = [_load(builder, _after(builder, block.source, block.source_pitch, row), kind) for row in range(count)]
    for step, part in enumerate(_woven(builder, rows)):
        _store(builder, part, _after(builder, block.target, _constant(CHUNK), step))


def _unweave(builder: Any, kind: Any, count: int, block: "_Ends") -> None:
    parts = [_load(builder, _after(builder, block.source, _constant(CHUNK), step), kind) for step in range(count)]
    for step, column in enumerate(_unwoven(builder, parts)):
        _store(builder, column, _after(builder, block.target, block.target_pitch, step))


def _item(builder: Any, kind: Any, count: int, block: "_Ends") -> None:
    """Move an item in pieces; the last one ends where the item ends, so that it may overlap the one before."""
    last = builder.sub(block.nbytes, _constant(kind.count * kind.element.width // 8))
    for step in range(count):
        ahead = last if step == count - 1 else _constant(step * kind.count * kind.element.width // 8)
        _store(builder, _load(builder, builder.add(block.source, ahead), kind), builder.add(block.target, ahead))


class _Ends(NamedTuple):
    """The LLVM values of a block: the address and the pitch at each end, and the bytes of an item."""

    target: _Value
    target_pitch: _Value
    source: _Value
    source_pitch: _Value
    nbytes: _Value


_FORMS = {"turn": _turn, "weave": _weave, "unweave": _unweave, "items": _item}


@_of_literals
def move_block(
    _: Any,
    form: Any,
    size: Any,
    count: Any,
    target: Any,
    target_pitch: Any,
    source: Any,
    source_pitch: Any,
    nbytes: Any,
) -> Any:
    """Move a `Block`, given by three literals; the pitches are the target's columns' and the source's rows'."""
    emit_block, width, repeated = _FORMS[form.literal_value], size.literal_value, count.literal_value
    items = 1 if form.literal_value == "items" else CHUNK // width
    kind = ir.VectorType(ir.IntType(8 * width), items)

    def emit(context: Any, builder: Any, _signature: Any, arguments: Any) -> _Value:
        emit_block(builder, kind, repeated, _Ends(*arguments[3:]))
        return context.get_dummy_value()

    return types.void(form, size, count, _Int, _Int, _Int, _Int, _Int), emit


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
