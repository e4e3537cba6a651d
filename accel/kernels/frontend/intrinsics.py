"""Intrinsics: arrays of threads, barriers, operations of warps, and atomic operations."""

import ast
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from accel.dtypes import DType, as_dtype
from accel.ir import (
    TRUTH,
    Atomic,
    Barrier,
    CopyAsync,
    Expr,
    Place,
    Shuffle,
    Vote,
    WaitForCopies,
)
from accel.ir import Local as Variable
from accel.kernels import language
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.memory import (
    Buffer,
    Memory,
    Tensor,
    indices_of,
    local_array,
)
from accel.kernels.frontend.operands import constant_object, described, index_of, number_of
from accel.kernels.frontend.promotion import (
    kind_of,
    stored,
    truth,
)
from accel.kernels.frontend.values import Entity, Value
from accel.layout import Layout
from accel.views import AddressSpace, LayoutTensor

__all__ = ["INTRINSICS"]


def _accumulator(act: Activation, node: ast.AST, *_: Entity) -> Entity:
    raise act.error(node, "an accumulator is assigned to a name before a parallel loop, as in s = accumulator(f32, 0)")


def _allocation(act: Activation, node: ast.AST, dtype: Entity, shape: Entity, space: Entity = None) -> Memory:
    where = AddressSpace.LOCAL if space is None else constant_object(act, node, space, "the address space")
    extents = constant_object(act, node, shape, "the shape of an array")
    if where not in (AddressSpace.LOCAL, AddressSpace.SHARED):
        raise act.error(node, f"an array of a kernel is in AddressSpace.LOCAL or .SHARED; found {where!r}")
    if not isinstance(extents, Layout):
        extents = extents if isinstance(extents, tuple) else (extents,)
        if not all(type(each) is int and each > 0 for each in extents):
            raise act.error(node, f"the shape of an array has positive integers; found {extents!r}")
    if where is AddressSpace.SHARED:
        act.unit.explicit = True
    with act.at(node):
        kind = as_dtype(constant_object(act, node, dtype, "the dtype of an array"))
        return local_array(act, kind, extents, "shared" if where is AddressSpace.SHARED else "local")


def _allocation_of_tensor(
    act: Activation, node: ast.AST, layout: Entity, dtype: Entity, space: Entity = None
) -> Memory:
    return _allocation(act, node, dtype, layout, space)


def _barrier(act: Activation, node: ast.AST) -> None:
    act.unit.explicit = True
    act.unit.block.append(Barrier(act.site(node, "barrier")))


def _place(what: Any, act: Activation, _node: ast.AST) -> Value:
    act.unit.explicit = True
    return Value(Place(what, 0), weak=True)


def _shuffle(kind: Any, act: Activation, node: ast.AST, value: Entity, lane: Entity) -> Value:
    act.unit.explicit = True
    moved, other = number_of(act, node, value), index_of(act, node, lane, "a lane")
    target = _result(act, moved.dtype, moved.weak)
    act.unit.block.append(Shuffle(kind, target, moved.expr, other, act.site(node, "warp")))
    return Value(target, moved.weak)


def _vote(kind: Any, act: Activation, node: ast.AST, condition: Entity) -> Value:
    act.unit.explicit = True
    predicate = truth(number_of(act, node, condition))
    target = _result(act, np.dtype(np.uint64) if kind == "ballot" else TRUTH, weak=False)
    act.unit.block.append(Vote(kind, target, predicate.expr, act.site(node, "warp")))
    return Value(target)


def _result(act: Activation, dtype: DType, weak: bool) -> Variable:
    return Variable(act.unit.temporary_name(dtype, weak), dtype)


def _atomic(op: Any, act: Activation, node: ast.AST, memory: Entity, index: Entity, value: Entity) -> Value:
    return _changed(act, node, op, memory, index, (value,))


def _compare(act: Activation, node: ast.AST, memory: Entity, index: Entity, expected: Entity, value: Entity) -> Value:
    return _changed(act, node, "compare", memory, index, (value, expected))


def _changed(
    act: Activation, node: ast.AST, op: Any, memory: Entity, index: Entity, numbers: Sequence[Entity]
) -> Value:
    """Append an atomic operation with a new number and perhaps an expected one; return the old element."""
    at, guard = _element(act, node, memory, index, "atomic")
    with act.at(node):
        value, *expected = [stored(number_of(act, node, x), memory.dtype, memory.memory).expr for x in numbers]
    if kind_of(memory.dtype) in "cb" or memory.dtype.itemsize < 4:
        raise act.error(
            node, f"an atomic operation on {memory.dtype.name} is not possible; use i32, u32, i64, u64, f32, f64"
        )
    act.unit.written.add(memory.memory)
    target = _result(act, memory.dtype, weak=False)
    act.unit.block.append(Atomic(op, memory.memory, at, value, target, expected[0] if expected else None, guard))
    return Value(target)


def _element(act: Activation, node: ast.AST, memory: Entity, index: Entity, what: str) -> tuple[Expr, Any]:
    """Return where one number is, and its guard."""
    if not isinstance(memory, Buffer | Tensor):
        raise act.error(node, f"memory is needed here; found {described(memory)}")
    access = memory.places(act, node, indices_of(act, node, memory, index), what)
    if len(access.places) > 1 or access.inside is not None:
        raise act.error(node, "this is for elements that are one number, in memory that is not padded")
    return access.places[0], access.guard


def _async_copy(
    act: Activation, node: ast.AST, target: Entity, target_index: Entity, source: Entity, source_index: Entity
) -> None:
    act.unit.explicit = True
    target_at, guard = _element(act, node, target, target_index, "write")
    source_at, source_guard = _element(act, node, source, source_index, "read")
    if target.dtype != source.dtype:
        raise act.error(node, f"the dtypes must agree; found {target.dtype.name} and {source.dtype.name}")
    act.unit.written.add(target.memory)
    act.unit.block.append(CopyAsync(target.memory, target_at, source.memory, source_at, guard, source_guard))


def _async_wait(act: Activation, _node: ast.AST) -> None:
    act.unit.explicit = True
    act.unit.block.append(WaitForCopies())


INTRINSICS: Mapping[Any, Callable[..., Entity]] = {
    LayoutTensor.stack_allocation: _allocation_of_tensor,
    language.accumulator: _accumulator,
    language.stack_allocation: _allocation,
    language.barrier: _barrier,
    language.lane_index: partial(_place, "lane"),
    language.warp_size: partial(_place, "warp"),
    language.warp_shuffle: partial(_shuffle, "index"),
    language.warp_shuffle_up: partial(_shuffle, "up"),
    language.warp_shuffle_down: partial(_shuffle, "down"),
    language.warp_shuffle_xor: partial(_shuffle, "xor"),
    language.warp_any: partial(_vote, "any"),
    language.warp_all: partial(_vote, "all"),
    language.warp_ballot: partial(_vote, "ballot"),
    language.async_copy: _async_copy,
    language.async_wait: _async_wait,
    **{getattr(language, f"atomic_{op}"): partial(_atomic, op) for op in ("add", "min", "max", "exchange")},
    language.atomic_compare: _compare,
}
"""What each does, by the name in `accel.kernels.language`."""
