"""Lowering: a region becomes the template of a program, and a list of what the program accesses.

Extents, strides and numbers are parameters of the program, so regions that differ in these alone have equal templates.
Known at compile time are only strides of 0, and of 1 along the last axis, on which vectors depend. Axes over which all
accesses step as over one are merged. In debug mode each access has a guard, of its element in the memory.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from accel.dtypes import DType
from accel.fusion.index_maps import IndexMap, composed, identity, merged, of_operand, offset_and_strides
from accel.fusion.limits import MANY_NEIGHBOURS
from accel.fusion.nodes import Constant, Empty, Line, Node, Operation, Position, Reduction, Scalar, Scan, Shape, View
from accel.fusion.parts import Part, parts_of
from accel.fusion.regions import Memory, Region, strides_as
from accel.fusion.templates import MANY, NONE, Accessed, Stored, Template, Value, pace_of, program_of
from accel.ir import Program, Site

__all__ = ["Access", "Kernel", "lowered"]


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
    template : Template
        What its program depends on. Parameters are the accesses, then the scalars, then the integers.
    constants : tuple
        The numbers in the program.
    accesses : tuple of Access
        In the order of the parameters.
    scalars : tuple of Scalar
        The numbers that calls pass.
    integers : tuple of int
        Numbers that depend on shapes.
    """

    template: Template
    constants: tuple[Any, ...]
    accesses: tuple[Access, ...]
    scalars: tuple[Scalar, ...]
    integers: tuple[int, ...]

    @property
    def program(self) -> Program:
        """The program, which is made anew."""
        return program_of(self.template, self.constants)


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
    ordered = region.axes or region.expansion.scanned is not None
    assert len(parts) == 1 or not ordered, "a loop that reduces, or combines in order, is not cut"
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
        # Parts have the same program.
        scanned = region.expansion.scanned
        groups = merged(region.shape, steps_of_all, together=part.is_whole, alone=scanned)
        self._extents = tuple([prod(part.extents[axis] for axis in group) for group in groups]) or (1,)
        self._reduced = tuple([group[0] in region.axes for group in groups]) or (bool(region.axes),)
        lasts = [group[-1] for group in groups]
        self._accesses = [
            Access(each, offset, self._extents, tuple([steps[axis] for axis in lasts]) or (0,), writes)
            for each, offset, steps, _, writes in found
        ]
        self._dtypes = [dtype for _, _, _, dtype, _ in found]
        self._positions = [(first, tuple([steps[axis] for axis in lasts]) or (0,)) for first, steps in positions]
        self._scanned = -1 if scanned is None else groups.index([scanned])
        self._integers: list[int] = []
        self._scalars: dict[Scalar, int] = {}
        self._constants: list[Any] = []

    def kernel(self, name: str, *, vectors: bool) -> Kernel:
        sites = self._sites()
        values, places = self._values()
        whole = identity(self._region.shape)
        stores = [
            Stored(
                places[task.element, whole],
                task.value.op if isinstance(task.value, Reduction) else "",
                task.value.dtype,
            )
            for task in self._region.tasks
        ]
        last = len(self._reduced) - 1
        in_blocks = vectors and last not in (self._scanned, -1) and not self._reduced[last]
        in_blocks = in_blocks and self._extents[last] >= MANY_NEIGHBOURS
        template = Template(
            name,
            self._reduced,
            tuple([self._accessed(each, dtype) for each, dtype in zip(self._accesses, self._dtypes, strict=True)]),
            tuple(values),
            tuple(stores),
            sites,
            in_blocks and (any(self._reduced) or self._scanned >= 0),
            self._scanned,
        )
        constants, accesses = tuple(self._constants), tuple(self._accesses)
        return Kernel(template, constants, accesses, tuple(self._scalars), tuple(self._integers))

    def _accessed(self, access: Access, dtype: DType) -> Accessed:
        """Return what the program knows of an access; it steps by one along the last axis alone."""
        *others, last = access.strides
        return Accessed(dtype, (*[MANY if step else NONE for step in others], pace_of(last)), access.writes)

    def _sites(self) -> tuple[Site, ...]:
        """Return what the guards of the accesses refer to; their integers are the first."""
        if self._checked is None:
            return ()
        region, whole = self._region, identity(self._region.shape)
        found = _lines(region)
        lines = [found.get(load) for load in region.expansion.loads]
        lines += [task.line or task.value.line or found.get((task.element, whole)) for task in region.tasks]
        sites = []
        for (memory, offset, _, _, writes), line in zip(self._accesses, lines, strict=True):
            file, place, function = line or ("", 0, "")
            calls = () if line is None else ((function, file, place),)
            sites.append(Site("write" if writes else "read", self._checked[memory], calls))
            low, size = _span(memory.shape, strides_as(memory, memory.shape))
            self._integers += offset - low, size
        return tuple(sites)

    def _values(self) -> tuple[list[Value], dict[tuple[Node, IndexMap], int]]:
        """Return what is computed, and the number of each node at its places; those that are read come first."""
        expansion, values = self._region.expansion, list[Value]()
        places = {load: number for number, load in enumerate(expansion.loads)}
        reads, positions = len(expansion.loads), iter(self._positions)
        for node, index_map in expansion.computed:
            if isinstance(node, View):
                places[node, index_map] = places[_inner(node, index_map)]
                continue
            places[node, index_map] = reads + len(values)
            if isinstance(node, Scan):
                values.append(Value("scan", node.op, node.dtype, (places[node.source, index_map],)))
            elif isinstance(node, Operation):
                operands = tuple([places[each] for each in _operands_at(node, index_map)])
                values.append(Value(node.kind, node.name, node.dtype, operands))
            else:
                values.append(self._alone(node, positions))
        return values, places

    def _alone(self, node: Node, positions: Iterator[tuple[int, tuple[int, ...]]]) -> Value:
        """Return a value without operands."""
        if isinstance(node, Constant):
            self._constants.append(node.value)
            return Value("constant", repr(node.value), node.dtype)  # 0.0 equals -0.0, but not in text
        if isinstance(node, Scalar):
            return Value("scalar", "", node.dtype, (self._scalars.setdefault(node, len(self._scalars)),))
        if isinstance(node, Empty):
            return Value("empty", "", node.dtype)
        assert isinstance(node, Position), f"a region does not compute a {type(node).__name__}"
        first, steps = next(positions)
        paces = [*map(pace_of, steps)]
        self._integers += [first] if first else []
        self._integers += [step for step, pace in zip(steps, paces, strict=True) if pace == MANY]
        return Value("position", "", node.dtype, (int(first != 0), *paces))


def _inner(node: View, places: IndexMap) -> tuple[Node, IndexMap]:
    return node.source, composed(node.map, places)


def _operands_at(node: Node, places: IndexMap) -> list[tuple[Node, IndexMap]]:
    return [(each, of_operand(each.shape, node.shape, places)) for each in node.operands]


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
