"""Memory in a kernel: buffers, tensors and local arrays; where their elements are, and the guards of accesses."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from accel.dtypes import DType
from accel.ir import (
    INDEX,
    TRUTH,
    Array,
    Binary,
    Call,
    Cast,
    Check,
    Const,
    Expr,
    Extent,
    Guard,
    If,
    Load,
    Local,
    Logic,
    Place,
    Store,
    Stride,
)
from accel.kernels.frontend import indexing
from accel.kernels.frontend.context import Activation
from accel.kernels.frontend.operands import described, index_of, number_of
from accel.kernels.frontend.promotion import as_value, chosen, converted, kind_of, real_of, stored
from accel.kernels.frontend.types import BufferType, TensorType
from accel.kernels.frontend.values import Constant, Entity, Tuple, Value, Vector, is_number
from accel.layout import Layout, Swizzle
from accel.layout.layout import modes_of
from accel.views.geometry import Geometry, geometry_of

__all__ = [
    "Buffer",
    "Memory",
    "Tensor",
    "buffer_of",
    "indices_of",
    "local_array",
    "read",
    "refuse_negative",
    "tensor_of",
    "text_of",
    "write",
]

_ZERO = indexing.number(0)


@dataclass(frozen=True, slots=True)
class Buffer:
    """Strided elements.

    Attributes
    ----------
    memory : str
        The parameter or the array.
    kind : str
        The name of its class.
    dtype : numpy.dtype
        Type of the elements.
    extents, strides : tuple of Expr
        For each axis; strides in elements.
    offset : Expr
        The first element, counted from the first one of the parameter.
    """

    memory: str
    kind: str
    dtype: DType
    extents: tuple[Expr, ...]
    strides: tuple[Expr, ...]
    offset: Expr = _ZERO

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.extents)

    @property
    def lanes(self) -> int:
        """Numbers of an element."""
        return 1

    @property
    def shape(self) -> tuple[Expr, ...]:
        """Number of coordinates along each axis."""
        return self.extents

    def places(self, act: Activation, node: ast.AST, indices: Sequence[Expr], what: str) -> "_Access":
        """Return where the element at some indices is."""
        guard = act.guard(node, what, self.memory, [*indices], [*self.extents], self.offset)
        at = self.offset
        for index, stride in zip(indices, self.strides, strict=True):
            at = indexing.plus(at, indexing.times(index, stride))
        return _Access((at,), guard)


@dataclass(frozen=True, slots=True)
class Tensor:
    """Elements with a layout of constants.

    Attributes
    ----------
    memory : str
        The parameter or the array.
    dtype : numpy.dtype
        Type of the numbers.
    geometry : Geometry
        Layout of the elements and of the numbers of each. Whether it is masked; `valid` says how far.
    valid : tuple of Expr or None
        Number of coordinates of each mode that have memory; None if all have.
    offset : Expr
        Distance of the first element from the address that is passed, before the swizzle.
    swizzle : Swizzle or None
        Applied to distances.
    pad : Constant
        What is read where there is no memory, if the geometry is padded.
    """

    memory: str
    dtype: DType
    geometry: Geometry
    valid: tuple[Expr, ...] | None = None
    offset: Expr = _ZERO
    swizzle: Swizzle | None = None
    pad: Any = None

    @property
    def rank(self) -> int:
        """Number of modes."""
        return self.geometry.rank

    @property
    def lanes(self) -> int:
        """Numbers of an element."""
        return self.geometry.element.size

    @property
    def inside(self) -> tuple[Expr, ...]:
        """Number of coordinates of each mode that have memory."""
        return tuple(map(indexing.number, self.geometry.extents)) if self.valid is None else self.valid

    @property
    def shape(self) -> tuple[Expr, ...]:
        """Number of coordinates of each mode that can be read."""
        return tuple(map(indexing.number, self.geometry.extents)) if self.geometry.padded else self.inside

    def places(self, act: Activation, node: ast.AST, indices: Sequence[Expr], what: str) -> "_Access":
        """Return where the numbers of the element at some coordinates are."""
        guard = act.guard(node, what, self.memory, [*indices], [*self.shape], _ZERO)
        at = self.offset
        for index, mode in zip(indices, self.geometry.modes, strict=True):
            at = indexing.plus(at, indexing.distance(mode, index))
        if self.lanes > 1 and not _is_cheap(at):
            at = act.unit.temporary(at)
        steps = [self.geometry.element(c) for c in _row_major(self.geometry.element)] if self.lanes > 1 else [0]
        places = [indexing.swizzled(self.swizzle, indexing.plus(at, indexing.number(step))) for step in steps]
        inside = None
        if self.geometry.padded:
            inside = Value(_all_within(indices, self.inside))
        return _Access(tuple(places), guard, inside)


Memory: TypeAlias = Buffer | Tensor


@dataclass(frozen=True, slots=True)
class _Access:
    """Where the numbers of an element are, its guard, and the condition that it has memory, if that is not certain."""

    places: tuple[Expr, ...]
    guard: Guard | None
    inside: Value | None = None


def buffer_of(name: str, kind: BufferType) -> Buffer:
    """Return the memory of a parameter."""
    axes = range(kind.rank)
    strides: list[Expr] = [Stride(name, axis) for axis in axes]
    if kind.dense:
        strides[-1] = indexing.number(1)
    return Buffer(name, kind.kind, kind.dtype, tuple([Extent(name, axis) for axis in axes]), tuple(strides))


def tensor_of(name: str, kind: TensorType) -> Tensor:
    """Return the memory of a parameter that is a tensor."""
    geometry = geometry_of(kind.layout, kind.element, kind.valid, kind.padded, None)
    valid = None if kind.valid is None else tuple(map(indexing.number, kind.valid))
    pad = None if kind.pad is None else np.asarray(kind.pad).item()
    return Tensor(name, kind.dtype, geometry, valid, indexing.number(kind.first), kind.swizzle, pad)


def local_array(act: Activation, dtype: DType, shape: Any, space: str) -> Memory:
    """Return a new array of each thread or of a block; with a layout, a tensor."""
    name = act.unit.name(act.unit.assigned or space)
    if isinstance(shape, Layout):
        size = shape.cosize
        array: Memory = Tensor(name, dtype, geometry_of(shape, Layout(1), None, False, None))
    else:
        size, strides = 1, []
        for extent in reversed(shape):
            strides.append(size)
            size *= extent
        numbers = indexing.number
        array = Buffer(name, "array", dtype, tuple(map(numbers, shape)), tuple(map(numbers, reversed(strides))))
    act.unit.arrays.append(Array(name, dtype, size, space))  # type: ignore[arg-type]
    return array


def indices_of(act: Activation, node: ast.AST, memory: Memory, key: Entity) -> list[Expr]:
    """Return the index along each axis, for an element at ``m[key]`` or for a call."""
    entities = key.items if isinstance(key, Tuple | Vector) else (key,)
    where = node.slice if isinstance(node, ast.Subscript) else node
    if len(entities) != memory.rank:
        raise act.error(
            where,
            f"{text_of(memory)} has {memory.rank} axes and needs as many indices; found {len(entities)}: "
            f"write {_text(node)}[{', '.join('ijklmn'[: memory.rank])}]",
        )
    indices = [index_of(act, where, each) for each in entities]
    for axis, index in enumerate(indices):
        refuse_negative(act, where, index, "an index", f"{_text(node)}.shape[{axis}]")
    return [act.unit.temporary(x) if act.unit.debug and not _is_cheap(x) else x for x in indices]


def refuse_negative(act: Activation, node: ast.AST, index: Expr, what: str, extent: object = None) -> None:
    """Refuse an integer that is known to be negative; ``extent`` is what the message says to subtract it from."""
    known = indexing.known(index)
    if known is not None and known < 0:
        remedy = "" if extent is None else f", which does not count from the end: write {extent} - {-known}"
        raise act.error(node, f"{what} in a kernel is at least 0; found {known}{remedy}")


def _text(node: ast.AST) -> str:
    """Return the Python of the memory of which an item, or a call, reads or writes elements."""
    if isinstance(node, ast.Subscript):
        return ast.unparse(node.value)
    assert isinstance(node, ast.Call)
    method = isinstance(node.func, ast.Attribute) and not node.func.attr.startswith(("atomic_", "async_"))
    return ast.unparse(node.func.value if method else node.args[0])  # type: ignore[attr-defined]


def _is_cheap(x: Expr) -> bool:
    if isinstance(x, Binary):
        return x.op in ("add", "sub", "mul") and _is_cheap(x.x) and _is_cheap(x.y)
    return isinstance(x, Const | Local | Extent | Stride | Place)


def read(act: Activation, node: ast.AST, memory: Memory, indices: Sequence[Expr]) -> Value | Vector:
    """Return the element at some indices; a vector for elements of several numbers."""
    access = memory.places(act, node, indices, "read")
    loads = [Value(Load(memory.memory, at, memory.dtype, access.guard)) for at in access.places]
    if access.inside is not None:
        assert isinstance(memory, Tensor)
        pad = converted(as_value(Constant(0 if memory.pad is None else memory.pad)), memory.dtype)
        loads = [chosen(access.inside, load, pad) for load in loads]
    return loads[0] if memory.lanes == 1 else Vector(tuple(loads))


def write(act: Activation, node: ast.AST, memory: Memory, indices: Sequence[Expr], entity: Entity) -> None:
    """Set the element at some indices; a number fills all numbers of an element."""
    access = memory.places(act, node, indices, "write")
    act.unit.written.add(memory.memory)
    values = _lanes(act, node, memory, entity)
    finds_nan = act.unit.finds_nan and kind_of(memory.dtype) in "fc"
    if len(values) > 1 or finds_nan:  # the values may depend on the element that is set
        values = [Value(act.unit.temporary(value.expr)) for value in values]
    pairs = list(zip(access.places, values, strict=True))
    checks = [_nan_check(act, node, memory, at, value.expr) for at, value in pairs] if finds_nan else []
    stores = [Store(memory.memory, at, value.expr, access.guard) for at, value in pairs]
    act.unit.block += [*checks, *stores] if access.inside is None else [If(access.inside.expr, (*checks, *stores))]


def _nan_check(act: Activation, node: ast.AST, memory: Memory, at: Expr, value: Expr) -> Check:
    """Return the check that a value is a number; the place is the offset of its guard."""
    parts = [value]
    if kind_of(memory.dtype) == "c":
        parts = [Call(part, (value,), real_of(memory.dtype)) for part in ("real", "imag")]
    test: Expr = Call("isnan", (parts[0],), TRUTH)
    for part in parts[1:]:
        test = Logic("or", test, Call("isnan", (part,), TRUTH))
    site = act.site(node, "nan", memory.memory)
    return Check(Guard(site, (Cast(test, INDEX),), (indexing.number(1),), at))


def _lanes(act: Activation, node: ast.AST, memory: Memory, entity: Entity) -> list[Value]:
    if isinstance(entity, Tuple | Vector):
        if len(entity.items) != memory.lanes:
            raise act.error(
                node, f"an element of {text_of(memory)} has {memory.lanes} numbers; found {len(entity.items)}"
            )
        items = list(entity.items)
    elif is_number(entity):
        items = [entity] * memory.lanes
    else:
        raise act.error(node, f"an element of {text_of(memory)} is a number; found {described(entity)}")
    numbers = [number_of(act, node, item) for item in items]
    with act.at(node):
        return [stored(number, memory.dtype, memory.memory) for number in numbers]


def checked(
    act: Activation, node: ast.AST, what: str, memory: str, indices: Sequence[Expr], extents: Sequence[Expr]
) -> tuple[Expr, ...]:
    """Return indices of parts, which are at least 0 and less than their extents; debug mode checks that.

    Where they are not, debug mode goes on with the nearest ones.
    """
    places = [act.unit.temporary(index) for index in indices]
    if not act.unit.debug or all(map(_is_inside, places, extents)):
        return tuple(places)
    guard = act.guard(node, what, memory, places, [*extents], _ZERO)
    assert guard is not None
    act.unit.block.append(Check(guard))
    one = indexing.number(1)
    pairs = zip(places, extents, strict=True)
    return tuple([act.unit.temporary(indexing.between(at, _ZERO, indexing.minus(size, one))) for at, size in pairs])


def _is_inside(index: Expr, extent: Expr) -> bool:
    return isinstance(index, Const) and isinstance(extent, Const) and 0 <= index.value < extent.value


def text_of(memory: Memory) -> str:
    """Return the name and the class of memory, for messages."""
    return f"{memory.memory} ({'LayoutTensor' if isinstance(memory, Tensor) else memory.kind})"


def _all_within(indices: Sequence[Expr], extents: Sequence[Expr]) -> Expr:
    conditions = [indexing.within(index, extent) for index, extent in zip(indices, extents, strict=True)]
    return reduce(lambda x, y: Logic("and", x, y), conditions)


def _row_major(element: Layout) -> list[tuple[int, ...]]:
    """Return the coordinates of the numbers of an element in row-major order."""
    return list(product(*[range(mode.size) for mode in modes_of(element)]))
