"""Views of tensors in a kernel: their layouts are constants, and coordinates may be computed when the kernel runs."""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from accel.ir import Expr
from accel.kernels.frontend import indexing
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.memory import Tensor, checked, indices_of, refuse_negative
from accel.kernels.frontend.operands import constant_object, index_of
from accel.kernels.frontend.values import Constant, Entity, Tuple
from accel.layout import Layout
from accel.layout.layout import as_layout, joined, modes_of
from accel.views import relayout, tiling
from accel.views.geometry import Geometry, blocks_of, geometry_of
from accel.views.index_checks import as_pad

__all__ = ["METHODS"]

_ZERO = indexing.number(0)
_NONE, _MASK = Constant(None), Constant("mask")


def _tile(
    act: Activation,
    node: ast.AST,
    tensor: Tensor,
    sizes: Entity,
    coords: Entity,
    tail: Entity = _MASK,
    pad_value: Entity = _NONE,
) -> Tensor:
    geometry, how = tensor.geometry, constant_object(act, node, tail, "the tail of a tile")
    if how not in ("mask", "pad"):
        raise act.error(node, f"in a kernel the tail of a tile is 'mask' or 'pad'; found {how!r}")
    extents = _integers(act, node, sizes, geometry.rank, "the sizes of a tile")
    pairs = [blocks_of(mode, size) for mode, size in zip(geometry.modes, extents, strict=True)]
    counts = [-(-extent // size) for extent, size in zip(geometry.extents, extents, strict=True)]
    for coordinate, count in zip(coords.items if isinstance(coords, Tuple) else (), counts, strict=False):
        place = index_of(act, node, coordinate, "the coordinate of a tile")
        refuse_negative(act, node, place, "the coordinate of a tile", count)
    indices = indices_of(act, node, tensor, coords)
    places = checked(act, node, "tile", tensor.memory, indices, list(map(indexing.number, counts)))
    offset = tensor.offset
    for (_, rest), place in zip(pairs, places, strict=True):
        offset = indexing.plus(offset, indexing.distance(rest, place))
    divided = zip(geometry.modes, extents, strict=True)
    masked = tensor.valid is not None or any(mode.size % size for mode, size in divided)
    valid = _valid_tile(act, tensor, extents, places) if masked else None
    padded = masked and (geometry.padded or how == "pad")
    tile = _view(tensor, _geometry(tensor, [block for block, _ in pairs], valid, padded), valid, offset)
    pad = constant_object(act, node, pad_value, "the value of the padding")
    return tile if pad is None else replace(tile, pad=as_pad(pad, tensor.dtype).item())


def _valid_tile(act: Activation, tensor: Tensor, extents: Sequence[int], places: Sequence[Expr]) -> tuple[Expr, ...]:
    valid = []
    for inside, size, place in zip(tensor.inside, extents, places, strict=True):
        rest = indexing.minus(inside, indexing.times(place, indexing.number(size)))
        valid.append(act.unit.temporary(indexing.between(rest, _ZERO, indexing.number(size))))
    return tuple(valid)


def _geometry(tensor: Tensor, modes: Sequence[Layout], valid: Any, padded: bool) -> Geometry:
    """Return the geometry of a part; how much of it is valid is known when the kernel runs, not here."""
    layout = joined(modes)
    extents = None if valid is None else tuple([mode.size for mode in modes_of(layout)])
    return geometry_of(layout, tensor.geometry.element, extents, padded, None)


def _transpose(_act: Activation, _node: ast.AST, tensor: Tensor) -> Tensor:
    valid = None if tensor.valid is None else tensor.valid[::-1]
    return _view(tensor, relayout.transposed(tensor.geometry), valid, tensor.offset)


def _vectorize(act: Activation, node: ast.AST, tensor: Tensor, *shape: Entity) -> Tensor:
    if tensor.valid is not None:
        raise act.error(node, "a masked tensor cannot be vectorized in a kernel; vectorize it before the launch")
    extents = shape[0] if len(shape) == 1 and isinstance(shape[0], Tuple) else Tuple(shape)
    sizes = _integers(act, node, extents, tensor.rank, "the shape of vectors")
    return _view(tensor, tiling.vectorized(tensor.geometry, sizes)[0], None, tensor.offset)


def _reshape(act: Activation, node: ast.AST, tensor: Tensor, layout: Entity) -> Tensor:
    return _relayout(act, node, tensor, layout, relayout.reshaped)


def _composition(act: Activation, node: ast.AST, tensor: Tensor, layout: Entity) -> Tensor:
    return _relayout(act, node, tensor, layout, relayout.composed)


def _relayout(
    act: Activation, node: ast.AST, tensor: Tensor, layout: Entity, change: Callable[[Geometry, Any], Geometry]
) -> Tensor:
    if tensor.valid is not None:
        raise act.error(node, "the layout of a masked tensor cannot be changed; write it for complete tiles")
    new_layout = as_layout(constant_object(act, node, layout, "a layout"))
    return _view(tensor, change(tensor.geometry, new_layout), None, tensor.offset)


def _distribute(act: Activation, node: ast.AST, tensor: Tensor, threads_layout: Entity, thread_id: Entity) -> Tensor:
    threads = as_layout(constant_object(act, node, threads_layout, "the layout of threads"))
    if threads.rank != tensor.rank:
        raise act.error(
            node, f"the threads {threads} have {threads.rank} modes, and the tensor has {tensor.rank}; give as many"
        )
    if not threads.size:
        raise act.error(node, f"{threads} has no threads; each mode has at least one")
    index = index_of(act, node, thread_id, "the number of a thread")
    refuse_negative(act, node, index, "the number of a thread")
    (number,) = checked(act, node, "thread", tensor.memory, [index], [indexing.number(threads.cosize)])
    modes, offset, valid = [], tensor.offset, []
    masked = tensor.valid is not None
    for mode, inside, threads_of_mode in zip(tensor.geometry.modes, tensor.inside, modes_of(threads), strict=True):
        count, place = _coordinate(act, threads_of_mode, number)
        block, rest = blocks_of(mode, count)
        modes.append(rest)
        offset = indexing.plus(offset, indexing.distance(block, place))
        remaining = indexing.plus(indexing.minus(inside, place), indexing.number(count - 1))
        valid.append(indexing.most(indexing.quotient(remaining, count), _ZERO))
        masked = masked or mode.size % count != 0
    some = tuple([act.unit.temporary(each) for each in valid]) if masked else None
    return _view(tensor, _geometry(tensor, modes, some, masked and tensor.geometry.padded), some, offset)


def _coordinate(act: Activation, grid: Layout, number: Expr) -> tuple[int, Expr]:
    """Return the number of threads along a mode, and the coordinate of one of them."""
    count = 1
    place: Expr = _ZERO
    for extent, stride in grid.leaves:
        if extent != 1:
            digit = indexing.remainder(indexing.quotient(number, stride), extent)
            place = indexing.plus(place, indexing.times(digit, indexing.number(count)))
        count *= extent
    return count, act.unit.temporary(place)


def _view(tensor: Tensor, geometry: Geometry, valid: tuple[Expr, ...] | None, offset: Expr) -> Tensor:
    return replace(tensor, geometry=geometry, valid=valid, offset=offset)


def _integers(act: Activation, node: ast.AST, entity: Entity, count: int, what: str) -> tuple[int, ...]:
    value = constant_object(act, node, entity, what)
    values = value if isinstance(value, tuple) else (value,)
    if len(values) != count or not all(type(each) is int and each > 0 for each in values):
        raise act.error(node, f"{what} are {count} positive integers; found {value!r}")
    return values


METHODS: Mapping[str, Callable[..., Tensor]] = {
    "tile": _tile,
    "transpose": _transpose,
    "vectorize": _vectorize,
    "reshape": _reshape,
    "composition": _composition,
    "distribute": _distribute,
}
"""The methods of tensors that give another view."""
