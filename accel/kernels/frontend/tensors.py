"""Views of tensors in a kernel: their layouts are constants, and coordinates may be computed when the kernel runs."""

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from accel.ir import Expr
from accel.kernels.frontend import indexing
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.memory import Tensor, indices_of
from accel.kernels.frontend.values import Constant, Entity, Tuple
from accel.layout import Layout
from accel.layout.layout import as_layout, joined, modes_of
from accel.views import relayout, tiling
from accel.views.geometry import Geometry, blocks_of

__all__ = ["METHODS"]

_ZERO = indexing.number(0)


def _tile(act: Activation, node: ast.AST, tensor: Tensor, sizes: Entity, coords: Entity, tail: Entity = None) -> Tensor:
    geometry, how = tensor.geometry, "mask" if tail is None else _constant(act, node, tail, "the tail of a tile")
    if how not in ("mask", "pad"):
        raise act.error(node, f"in a kernel the tail of a tile is 'mask' or 'pad'; found {how!r}")
    extents = _integers(act, node, sizes, geometry.rank, "the sizes of a tile")
    places = [_kept(act, place) for place in indices_of(act, node, tensor, coords)]
    pairs = [blocks_of(mode, size) for mode, size in zip(geometry.modes, extents, strict=True)]
    offset = tensor.offset
    for (_, rest), place in zip(pairs, places, strict=True):
        offset = indexing.plus(offset, indexing.distance(rest, place))
    divided = zip(geometry.modes, extents, strict=True)
    masked = tensor.valid is not None or any(mode.size % size for mode, size in divided)
    valid = _valid_tile(act, tensor, extents, places) if masked else None
    padded = masked and (geometry.padded or how == "pad")
    layout = joined([block for block, _ in pairs])
    return _view(tensor, Geometry(layout, geometry.element, layout_sizes(layout, valid), padded, None), valid, offset)


def _valid_tile(act: Activation, tensor: Tensor, extents: Sequence[int], places: Sequence[Expr]) -> tuple[Expr, ...]:
    valid = []
    for inside, size, place in zip(tensor.inside, extents, places, strict=True):
        rest = indexing.minus(inside, indexing.times(place, indexing.number(size)))
        valid.append(act.unit.temporary(indexing.between(rest, _ZERO, indexing.number(size))))
    return tuple(valid)


def layout_sizes(layout: Layout, valid: Any) -> tuple[int, ...] | None:
    """Return the extents of a masked geometry; how many are valid is known when the kernel runs."""
    return None if valid is None else tuple([mode.size for mode in modes_of(layout)])


def _transpose(_act: Activation, _node: ast.AST, tensor: Tensor) -> Tensor:
    valid = None if tensor.valid is None else tensor.valid[::-1]
    return _view(tensor, relayout.transposed(tensor.geometry), valid, tensor.offset)


def _vectorize(act: Activation, node: ast.AST, tensor: Tensor, *shape: Entity) -> Tensor:
    if tensor.valid is not None:
        raise act.error(node, "a masked tensor cannot be vectorized in a kernel; vectorize it before the launch")
    given = shape[0] if len(shape) == 1 and isinstance(shape[0], Tuple) else Tuple(shape)
    sizes = _integers(act, node, given, tensor.rank, "the shape of vectors")
    return _view(tensor, tiling.vectorized(tensor.geometry, sizes)[0], None, tensor.offset)


def _reshape(act: Activation, node: ast.AST, tensor: Tensor, layout: Entity) -> Tensor:
    wanted = as_layout(_constant(act, node, layout, "a layout"))
    _refuse_masked(act, node, tensor, "reshape")
    return _view(tensor, relayout.reshaped(tensor.geometry, wanted), None, tensor.offset)


def _composition(act: Activation, node: ast.AST, tensor: Tensor, layout: Entity) -> Tensor:
    wanted = as_layout(_constant(act, node, layout, "a layout"))
    _refuse_masked(act, node, tensor, "composition")
    return _view(tensor, relayout.composed(tensor.geometry, wanted), None, tensor.offset)


def _distribute(act: Activation, node: ast.AST, tensor: Tensor, threads: Entity, thread: Entity) -> Tensor:
    grid = as_layout(_constant(act, node, threads, "the layout of threads"))
    modes, offset, valid = [], tensor.offset, []
    number = _kept(act, _single(act, node, thread))
    if grid.rank != tensor.rank:
        raise act.error(
            node, f"the threads {grid} have {grid.rank} modes, and the tensor has {tensor.rank}; give one for each"
        )
    masked = tensor.valid is not None
    for mode, inside, threads_of_mode in zip(tensor.geometry.modes, tensor.inside, modes_of(grid), strict=True):
        count, place = _coordinate(act, threads_of_mode, number)
        block, rest = blocks_of(mode, count)
        modes.append(rest)
        offset = indexing.plus(offset, indexing.distance(block, place))
        left = indexing.plus(indexing.minus(inside, place), indexing.number(count - 1))
        valid.append(indexing.most(indexing.quotient(left, count), _ZERO))
        masked = masked or mode.size % count != 0
    layout = joined(modes)
    some = tuple([act.unit.temporary(each) for each in valid]) if masked else None
    padded = masked and tensor.geometry.padded
    geometry = Geometry(layout, tensor.geometry.element, layout_sizes(layout, some), padded, None)
    return _view(tensor, geometry, some, offset)


def _coordinate(act: Activation, grid: Layout, number: Expr) -> tuple[int, Expr]:
    """Return the number of threads along a mode, and the coordinate of one of them."""
    count = 1
    place: Expr = _ZERO
    for extent, stride in grid.leaves:
        if extent != 1:
            digit = indexing.remainder(indexing.quotient(number, stride), extent)
            place = indexing.plus(place, indexing.times(digit, indexing.number(count)))
        count *= extent
    return count, _kept(act, place)


def _view(tensor: Tensor, geometry: Geometry, valid: tuple[Expr, ...] | None, offset: Expr) -> Tensor:
    return replace(tensor, geometry=geometry, valid=valid, offset=offset)


def _kept(act: Activation, x: Expr) -> Expr:
    return act.unit.temporary(x)


def _single(act: Activation, node: ast.AST, given: Entity) -> Expr:
    from accel.kernels.frontend.promotion import as_value, kind_of
    from accel.kernels.frontend.values import is_number

    if not is_number(given) or kind_of(as_value(given).dtype) not in "iu":
        raise act.error(node, "the number of a thread is an integer")
    return indexing.as_index(as_value(given).expr)


def _refuse_masked(act: Activation, node: ast.AST, tensor: Tensor, what: str) -> None:
    if tensor.valid is not None:
        raise act.error(node, f"a masked tensor does not support {what}; write it for complete tiles")


def _constant(act: Activation, node: ast.AST, given: Entity, what: str) -> Any:
    if isinstance(given, Tuple):
        return tuple([_constant(act, node, item, what) for item in given.items])
    if not isinstance(given, Constant):
        raise act.error(
            node, f"{what} must be known while the kernel is compiled; found {type(given).__name__.lower()}"
        )
    return given.value


def _integers(act: Activation, node: ast.AST, given: Entity, count: int, what: str) -> tuple[int, ...]:
    found = _constant(act, node, given, what)
    values = found if isinstance(found, tuple) else (found,)
    if len(values) != count or not all(type(each) is int and each > 0 for each in values):
        raise act.error(node, f"{what} are {count} positive integers; found {found!r}")
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
