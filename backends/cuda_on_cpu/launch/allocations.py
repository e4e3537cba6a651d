"""`Areas`: all memory that a kernel may use, for the checks and for reports."""

from bisect import bisect
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import is_, itemgetter
from typing import Any, NamedTuple, Protocol, cast
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
    places : list of int
        The places among them of memory in use.
    others : list of (int, Area)
        The other areas with their places: variables, and memory that was released.

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
        self.places = [place for place, each in enumerate(areas) if each.memory is not None]
        self.others = [(place, each) for place, each in enumerate(areas) if each.memory is None]
        self._blocks = [ref(each.memory) for each in areas if each.memory is not None]
        self.table = np.array([_row(each) for each in areas], RANGES)

    def is_current(self, spaces: Sequence[Space], module: Module) -> bool:
        """Return whether the areas of a launch now are the same."""
        return module is self._module and all(map(is_, self._states, [space.state for space in spaces]))

    def blocks(self) -> "list[Allocation] | None":
        """Return the memory in use; None if some of it is gone."""
        blocks = [block() for block in self._blocks]
        return None if None in blocks else cast("list[Allocation]", blocks)


class Areas:
    """The areas of a launch in ascending order of their addresses, which is also the order of the runtime's ranges.

    Parameters
    ----------
    layout : Layout
        Where they are.
    blocks : list of Allocation
        The memory in use, as `Layout.blocks` returns it.
    cells : dict
        The shadows of the module's variables; updated by `take_shadows`.
    """

    def __init__(self, layout: Layout, blocks: "list[Allocation]", cells: Cells) -> None:
        self._layout, self._blocks, self._cells = layout, blocks, cells
        # Another thread may release the memory while a kernel runs.
        self._kept = [each.content() for each in blocks]
        self._masks: list[tuple[Allocation, Mask]] = []

    @cached_property
    def all(self) -> Sequence[Area]:
        """The areas."""
        blocks = zip(self._layout.places, map(_allocated, self._blocks), strict=True)
        return [area for _, area in sorted([*blocks, *self._layout.others], key=itemgetter(0))]

    def ranges(self, checks: Container[str]) -> Ranges:
        """Return the table of the runtime for some checks, by their names."""
        table, places = self._layout.table.copy(), self._layout.places
        if "race" in checks:
            table["cells"][places] = [each.cells for each in self._blocks]
            for place, area in self._layout.others:
                table["cells"][place] = self._cells.get(area.begin, 0)
        if "init" in checks:
            masks = [(place, each, each.written()) for place, each in zip(places, self._blocks, strict=True)]
            self._masks = [(block, mask) for _, block, mask in masks if mask is not None]
            for place, _, mask in masks:
                if mask is not None:
                    table["written"][place] = mask.ctypes.data
        return table

    def take_shadows(self, ranges: Ranges) -> None:
        """Keep the shadows that a launch made, and forget the masks of what is now written whole."""
        cells = ranges["cells"]
        if cells.any():
            for block, address in zip(self._blocks, cells[self._layout.places].tolist(), strict=True):
                if address:
                    block.cells = address
            made = [(area.begin, int(cells[place])) for place, area in self._layout.others if area.variable is not None]
            self._cells.update((begin, address) for begin, address in made if address)
        for block, mask in self._masks:
            if mask.all():
                block.note_all_written()

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
