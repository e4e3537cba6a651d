"""`Areas`: all memory that a kernel may use, for the checks and for reports."""

from bisect import bisect
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import is_
from typing import Any, NamedTuple, Protocol
from weakref import ref

import numpy as np

from .module import Module, Variable
from .structures import RANGES, Ranges

__all__ = ["Allocation", "Area", "Areas", "Argument", "Cells", "Layout", "Mask", "Released", "Space"]

Mask = np.ndarray[Any, np.dtype[np.uint8]]
"""1 for each byte that was written."""

Cells = dict[int, int]
"""The addresses of the shadows of a module's variables, by the addresses of these."""

_PAGE = 4096


class Memory(Protocol):
    """A block of a device's memory, in use or released."""

    @property
    def host(self) -> int:
        """Address on the host."""
        ...

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        ...

    @property
    def site(self) -> str:
        """Call site at which it was allocated."""
        ...


class Allocation(Memory, Protocol):
    """Memory in use, as its owner describes it; its text by ``repr`` names it in reports."""

    cells: int
    """The address of the shadow that the race check made for it; 0 if it made none."""

    def content(self) -> object:
        """Return what keeps the bytes in the host's memory."""
        ...

    def written(self) -> Mask | None:
        """Return which bytes were written; None if all were."""
        ...

    def note_all_written(self) -> None:
        """Note that all bytes are written."""
        ...


class Released(Memory, Protocol):
    """Memory that was released."""

    @property
    def description(self) -> str:
        """The memory in words."""
        ...

    @property
    def freed(self) -> str:
        """Call site at which it was released."""
        ...

    @property
    def content(self) -> object:
        """What keeps the bytes in the host's memory."""
        ...


class Space(Protocol):
    """The memory of one device."""

    @property
    def released(self) -> Iterable[Released] | None:
        """The memory that was released last, the latest at the end."""
        ...

    @property
    def state(self) -> object:
        """An object that is another one after each change of which memory is in use."""
        ...

    def live(self) -> Iterable[Allocation]:
        """Return the memory in use."""
        ...


class Argument(NamedTuple):
    """Memory that was passed to a kernel.

    Attributes
    ----------
    name : str
        Name of the parameter; empty if it is not known.
    host, nbytes : int
        Address on the host, and bytes.
    """

    name: str
    host: int
    nbytes: int


@dataclass(slots=True, eq=False)
class Area:
    """An allocation of a device, a block that was released, or a variable of a module.

    Attributes
    ----------
    begin, size : int
        Address on the host, and bytes.
    words : str
        The area in words; empty for an allocation, which has them.
    site, freed : str
        Call sites at which it was allocated and released; empty if that is not known, or not so.
    memory : Allocation or None
        The allocation.
    variable : Variable or None
        The variable.
    keep : object
        Keeps the bytes in the host's memory.
    """

    begin: int
    size: int
    words: str = ""
    site: str = ""
    freed: str = ""
    memory: Allocation | None = None
    variable: Variable | None = None
    keep: object = None

    @property
    def description(self) -> str:
        """The area in words."""
        return self.words or repr(self.memory)

    @property
    def end(self) -> int:
        """Address after its last byte."""
        return self.begin + self.size

    def distance(self, address: int) -> int:
        """Return how many bytes an address is from the nearest byte."""
        return max(self.begin - address, address - (self.end - 1), 0)


class Layout:
    """Where the areas are: that stays so until memory is allocated or released. It keeps no memory in use.

    Attributes
    ----------
    table : NumPy array
        The ranges of the runtime, ascending, without masks and shadows.

    Parameters
    ----------
    spaces : sequence of Space
        The memory of all devices that a kernel can access.
    module : Module
        The module of the kernel.
    """

    def __init__(self, spaces: Sequence[Space], module: Module) -> None:
        self._states, self._module = [space.state for space in spaces], module
        variables = {variable.offset for variable in module.globals}
        blocks = [memory for space in spaces for memory in space.live() if memory.host not in variables]
        live = sorted([*map(_allocated, blocks), *map(_of_variable, module.globals)], key=_begin)
        released = [record for space in spaces for record in space.released or ()]
        areas = sorted([*live, *_apart(released, live)], key=_begin)
        self._owners: list[Area | ref[Allocation]] = [ref(each.memory) if each.memory else each for each in areas]
        self.table = np.array([_row(each) for each in areas], RANGES)

    def is_current(self, spaces: Sequence[Space], module: Module) -> bool:
        """Return whether the areas of a launch now are the same."""
        return module is self._module and all(map(is_, self._states, [space.state for space in spaces]))

    def owners(self) -> "list[Area | Allocation] | None":
        """Return the memory in use, and the other areas, in order; None if some of it is gone."""
        owners = []
        for each in self._owners:
            owner = each if isinstance(each, Area) else each()
            if owner is None:
                return None
            owners.append(owner)
        return owners


class Areas:
    """The areas of a launch in ascending order of their addresses, which is also the order of the runtime's ranges.

    Parameters
    ----------
    layout : Layout
        Where they are.
    owners : list
        What `Layout.owners` returns.
    cells : dict
        The shadows of the module's variables; updated by `take_shadows`.
    """

    def __init__(self, layout: Layout, owners: "list[Area | Allocation]", cells: Cells) -> None:
        self._table, self._owners, self._cells = layout.table, owners, cells
        # Another thread may release the memory while a kernel runs.
        self._kept = [each.content() for each in owners if not isinstance(each, Area)]
        self._masks: list[tuple[int, Mask]] = []

    @cached_property
    def all(self) -> Sequence[Area]:
        """The areas."""
        return [each if isinstance(each, Area) else _allocated(each) for each in self._owners]

    def ranges(self, checks: Container[str]) -> Ranges:
        """Return the table of the runtime for some checks, by their names."""
        table = self._table.copy()
        if "race" in checks:
            table["cells"] = [self._shadow(each) for each in self._owners]
        if "init" in checks:
            self._masks = self._masked()
            for place, mask in self._masks:
                table["written"][place] = mask.ctypes.data
        return table

    def _masked(self) -> "list[tuple[int, Mask]]":
        masks = [(place, each.written()) for place, each in enumerate(self._owners) if not isinstance(each, Area)]
        return [(place, mask) for place, mask in masks if mask is not None]

    def _shadow(self, owner: "Area | Allocation") -> int:
        """Return the address of an area's shadow, or 0."""
        return self._cells.get(owner.begin, 0) if isinstance(owner, Area) else owner.cells

    def take_shadows(self, ranges: Ranges) -> None:
        """Keep the shadows that a launch made, and forget the masks of what is now written whole."""
        for place in np.flatnonzero(ranges["cells"]).tolist():
            owner, cells = self._owners[place], int(ranges["cells"][place])
            if not isinstance(owner, Area):
                owner.cells = cells
            elif owner.variable is not None:
                self._cells[owner.begin] = cells
        for place, mask in self._masks:
            owner = self._owners[place]
            if not isinstance(owner, Area) and mask.all():
                owner.note_all_written()

    def nearest(self, address: int) -> Area | None:
        """Return the area that is nearest to an address."""
        after = bisect(self.all, address, key=_begin)
        return min(self.all[max(after - 1, 0) : after + 1], key=lambda area: area.distance(address), default=None)


def _begin(area: Area) -> int:
    return area.begin


def _row(area: Area) -> tuple[int, ...]:
    readonly = area.variable is not None and area.variable.readonly
    return area.begin, area.size, 0, 0, readonly, bool(area.freed)


def _allocated(memory: Allocation) -> Area:
    return Area(memory.host, memory.nbytes, site=memory.site, memory=memory, keep=memory.content())


def _of_variable(variable: Variable) -> Area:
    kind = "__constant__" if variable.readonly else "__device__"
    description = f"the {kind} variable {variable.name} of {variable.size} bytes"
    return Area(variable.offset, variable.size, description, variable=variable)


def _apart(released: Iterable[Released], live: Sequence[Area]) -> list[Area]:
    """Return areas for released blocks, the last ones: without those that share bytes with another block now."""
    areas: list[Area] = []
    occupied = [*live]
    for record in reversed([*released]):
        area = Area(record.host, record.nbytes, record.description, record.site, record.freed, keep=record.content)
        place = bisect(occupied, area.begin, key=_begin)
        before, after = occupied[place - 1 : place] if place else [], occupied[place : place + 1]
        if all(each.end <= area.begin for each in before) and all(each.begin >= area.end for each in after):
            occupied.insert(place, area)
            areas.append(area)
    return areas
