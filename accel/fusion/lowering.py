"""Lowering: a region becomes a program of `accel.ir`, and a list of what the program accesses.

Extents, strides and numbers are parameters of the program, so regions that differ in these alone have equal programs.
Known at compile time are only strides of 0, and of 1 along the last axis, on which vectors depend. Axes over which all
accesses step as over one are merged. In debug mode each access has a guard, of its element in the memory.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from math import prod
from typing import Any, NamedTuple

from accel.fusion.blocks import in_blocks
from accel.fusion.index_maps import IndexMap, broadcast, composed, identity, merged, offset_and_strides
from accel.fusion.loops import Nest, Steps, Total, in_rows, of_all, of_elements
from accel.fusion.nodes import Constant, Empty, Line, Node, Operation, Position, Reduction, Scalar, Shape, View
from accel.fusion.parts import Part, parts_of
from accel.fusion.regions import Memory, Region, strides_as
from accel.ir import (
    INDEX,
    Assign,
    Binary,
    Call,
    Cast,
    Compare,
    Const,
    Expr,
    Extent,
    Guard,
    Load,
    Local,
    Logic,
    Number,
    Parameter,
    Program,
    Select,
    Site,
    Stmt,
    Store,
    Stride,
    Unary,
    of_type,
)
from accel.ir import View as Memories

__all__ = ["Access", "Kernel", "lowered"]

_BLOCKED = 8
"""Neighbours that are computed together, at least."""


class Access(NamedTuple):
    """Elements of memory that a kernel reads or writes, one for each index of its region.

    Attributes
    ----------
    memory : Buffer, Input or Result
        The memory.
    offset : int
        The first element, from the beginning of the memory.
    extents, strides : tuple of int
        Of each axis of the loop; strides in elements.
    writes : bool
        Whether it is written.
    """

    memory: Memory
    offset: int
    extents: tuple[int, ...]
    strides: tuple[int, ...]
    writes: bool


class Kernel(NamedTuple):
    """A region, as it is launched.

    Attributes
    ----------
    program : Program
        Its parameters are the accesses, then the scalars, then the integers.
    accesses : tuple of Access
        In the order of the parameters.
    scalars : tuple of Scalar
        The numbers that calls pass.
    integers : tuple of int
        Numbers that depend on shapes.
    constants : tuple of str
        The numbers in the program, as text.
    """

    program: Program
    accesses: tuple[Access, ...]
    scalars: tuple[Scalar, ...]
    integers: tuple[int, ...]
    constants: tuple[str, ...]


def lowered(
    region: Region,
    memory: Mapping[Node, Memory],
    name: str,
    checked: Mapping[Memory, str] | None = None,
    *,
    vectors: bool,
) -> list[Kernel]:
    """Return the kernels of a region: one, or one for each of its parts.

    Parameters
    ----------
    region : Region
        With at least one index.
    memory : mapping
        Of the nodes that have some.
    name : str
        Of the program.
    checked : mapping, optional
        In debug mode, the names of memory; each access is then checked.
    vectors : bool
        Whether one thread is to compute neighbours together, as vectors do; else threads compute neighbours.
    """
    maps = [index_map for _, index_map in (*region.reads, *region.expansion.computed)]
    parts = [*parts_of(region.shape, maps)]
    assert len(parts) == 1 or not region.axes, "a loop that reduces is not cut"
    return [_Lowering(region, part, memory, checked).kernel(name, vectors=vectors) for part in parts]


class _Lowering:
    def __init__(
        self,
        region: Region,
        part: Part,
        memory: Mapping[Node, Memory],
        checked: Mapping[Memory, str] | None,
    ) -> None:
        self._region = region
        self._checked = checked
        self._sites: dict[Site, int] = {}
        self._lines = {} if checked is None else _lines(region)
        rank = len(region.shape)
        loads = [(memory[node], node.shape, node.dtype, places, False) for node, places in region.reads]
        stores = [(task.memory, task.memory.shape, task.memory.dtype, task.places, True) for task in region.tasks]
        found = [
            (each, *offset_and_strides(part.map_of(places), strides_as(each, shape), rank), dtype, writes)
            for each, shape, dtype, places, writes in (*loads, *stores)
        ]
        positions = [
            offset_and_strides(part.map_of(places), (1,), rank)
            for node, places in region.expansion.computed
            if isinstance(node, Position)
        ]
        steps_of_all = [steps for _, _, steps, _, _ in found] + [steps for _, steps in positions]
        groups = merged(region.shape, steps_of_all, together=part.is_whole)  # parts have the same program
        self._extents = tuple([prod(part.extents[axis] for axis in group) for group in groups]) or (1,)
        self._reduced = tuple([group[0] in region.axes for group in groups]) or (bool(region.axes),)
        lasts = [group[-1] for group in groups]
        self._accesses = [
            Access(each, offset, self._extents, tuple([steps[axis] for axis in lasts]) or (0,), writes)
            for each, offset, steps, _, writes in found
        ]
        self._dtypes = [dtype for _, _, _, dtype, _ in found]
        self._positions = [(first, tuple([steps[axis] for axis in lasts]) or (0,)) for first, steps in positions]
        self._indices = tuple([Local(f"i{axis}", INDEX) for axis in range(len(self._extents))])
        self._integers: list[int] = []
        self._scalars: list[Scalar] = []
        self._values: dict[tuple[Node, IndexMap], Expr] = {}
        self._body: list[Stmt] = []

    def kernel(self, name: str, *, vectors: bool) -> Kernel:
        expansion, tasks = self._region.expansion, self._region.tasks
        for number, load in enumerate(expansion.loads):
            at = self._at(number)
            guard = self._guard(number, at, self._lines.get(load))
            self._values[load] = self._assigned(Load(f"m{number}", at, self._dtypes[number], guard))
        positions = iter(self._positions)
        for each in expansion.computed:
            self._values[each] = self._computed(*each, positions)
        whole = identity(self._region.shape)
        totals: list[Total] = []
        for number, task in enumerate(tasks, len(expansion.loads)):
            at, value = self._at(number), self._values[task.element, whole]
            guard = self._guard(number, at, task.line or task.value.line or self._lines.get((task.element, whole)))
            store = partial(Store, f"m{number}", at, guard=guard)
            if isinstance(task.value, Reduction):
                totals.append(Total(task.value.op, value, task.value.dtype, store))
            else:
                self._body.append(store(value))
        count = len(self._indices)
        extents = tuple([Extent("m0", axis) for axis in range(count)])
        steps = self._steps(Nest(self._indices, extents, self._reduced, tuple(self._body), tuple(totals)), vectors)
        memories: list[Parameter] = [
            Memories(f"m{number}", dtype, count, access.writes)
            for number, (access, dtype) in enumerate(zip(self._accesses, self._dtypes, strict=True))
        ]
        numbers = [Number(f"s{number}", scalar.dtype) for number, scalar in enumerate(self._scalars)]
        integers = [Number(f"n{number}", INDEX) for number in range(len(self._integers))]
        sites, debug = tuple(self._sites), self._checked is not None
        parameters = *memories, *numbers, *integers
        program = Program(
            name, parameters, (), steps.steps, steps.frame, (), steps.arrays, sites, debug=debug, vector_math=True
        )
        constants = [repr(node.value) for node, _ in expansion.computed if isinstance(node, Constant)]
        return Kernel(program, tuple(self._accesses), tuple(self._scalars), tuple(self._integers), tuple(constants))

    def _steps(self, nest: Nest, vectors: bool) -> Steps:
        if not nest.totals:
            return of_elements(nest)
        if all(nest.reduced):
            return of_all(nest)
        side_by_side = vectors and not nest.reduced[-1] and self._extents[-1] >= _BLOCKED
        return in_blocks(nest) if side_by_side else in_rows(nest)

    def _at(self, number: int) -> Expr:
        return _sum(
            [
                _stepped(index, stride, Stride(f"m{number}", axis), last=index is self._indices[-1])
                for axis, (index, stride) in enumerate(zip(self._indices, self._accesses[number].strides, strict=True))
                if stride
            ]
        )

    def _guard(self, number: int, at: Expr, line: Line | None) -> Guard | None:
        """Return the guard of an access: its element is one of those from the lowest to the highest of the memory."""
        if self._checked is None:
            return None
        memory, offset, _, _, writes = self._accesses[number]
        file, place, function = line or ("", 0, "")
        calls = () if line is None else ((function, file, place),)
        site = Site("write" if writes else "read", self._checked[memory], calls)
        low, size = _span(memory.shape, strides_as(memory, memory.shape))
        index = Binary("add", at, self._integer(offset - low), INDEX)
        return Guard(self._sites.setdefault(site, len(self._sites)), (index,), (self._integer(size),), Const(0, INDEX))

    def _assigned(self, expression: Expr) -> Expr:
        if isinstance(expression, Const | Local):
            return expression
        local = Local(f"v{len(self._body)}", of_type(expression))
        self._body.append(Assign(local, expression))
        return local

    def _computed(self, node: Node, places: IndexMap, positions: Any) -> Expr:
        if isinstance(node, Constant):
            return Const(node.value, node.dtype)
        if isinstance(node, Empty):
            return Const(node.dtype.type(0).item(), node.dtype)
        if isinstance(node, Scalar):
            if node not in self._scalars:
                self._scalars.append(node)
            return Local(f"s{self._scalars.index(node)}", node.dtype)
        if isinstance(node, Position):
            return self._assigned(self._position(*next(positions)))
        if isinstance(node, View):
            return self._values[_inner(node, places)]
        assert isinstance(node, Operation), f"a region does not compute a {type(node).__name__}"
        operands = [self._values[each] for each in _operands_at(node, places)]
        return self._assigned(_operation(node, operands))

    def _position(self, first: int, steps: Sequence[int]) -> Expr:
        terms: list[Expr] = [self._integer(first)] if first else []
        for index, step in zip(self._indices, steps, strict=True):
            if step:
                terms.append(index if step == 1 else Binary("mul", index, self._integer(step), INDEX))
        return _sum(terms)

    def _integer(self, value: int) -> Local:
        self._integers.append(value)
        return Local(f"n{len(self._integers) - 1}", INDEX)


def _inner(node: View, places: IndexMap) -> tuple[Node, IndexMap]:
    return node.source, composed(node.map, places)


def _operands_at(node: Node, places: IndexMap) -> list[tuple[Node, IndexMap]]:
    return [(each, composed(broadcast(each.shape, node.shape), places)) for each in node.operands]


def _lines(region: Region) -> dict[tuple[Node, IndexMap], Line | None]:
    """Return the line of the traced function that each node of a region is computed for, or read for."""
    whole = identity(region.shape)
    lines = {(each.element, whole): each.line or each.value.line for each in region.tasks}
    for node, places in reversed(region.expansion.computed):  # what is computed from others comes before them
        line = node.line or lines.get((node, places))
        if line is None:
            continue
        lines[node, places] = line
        operands = [_inner(node, places)] if isinstance(node, View) else _operands_at(node, places)
        for each in operands:
            lines.setdefault(each, line)
    return lines


def _span(shape: Shape, strides: Sequence[int]) -> tuple[int, int]:
    """Return the lowest element of memory, from its first one, and how many there are up to the highest."""
    if 0 in shape:
        return 0, 0
    ends = [(extent - 1) * stride for extent, stride in zip(shape, strides, strict=True)]
    low = sum(min(end, 0) for end in ends)
    return low, sum(max(end, 0) for end in ends) - low + 1


def _stepped(index: Local, stride: int, parameter: Stride, *, last: bool) -> Expr:
    return index if stride == 1 and last else Binary("mul", index, parameter, INDEX)


def _sum(terms: Sequence[Expr]) -> Expr:
    if not terms:
        return Const(0, INDEX)
    total = terms[0]
    for term in terms[1:]:
        total = Binary("add", total, term, INDEX)
    return total


def _operation(node: Operation, operands: list[Expr]) -> Expr:  # noqa: PLR0911 - one for each kind
    kind, name, dtype = node.kind, node.name, node.dtype
    if kind == "unary":
        return Unary(name, operands[0], dtype)  # type: ignore[arg-type]
    if kind == "binary":
        return Binary(name, operands[0], operands[1], dtype)  # type: ignore[arg-type]
    if kind == "compare":
        return Compare(name, operands[0], operands[1])  # type: ignore[arg-type]
    if kind == "logic":
        return Logic(name, operands[0], operands[1])  # type: ignore[arg-type]
    if kind == "select":
        return Select(operands[0], operands[1], operands[2], dtype)
    if kind == "cast":
        return Cast(operands[0], dtype)
    return Call(name, tuple(operands), dtype)
