"""`Areas`: all memory that a kernel may use, for the checks and for reports."""

from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from .module import Module, Variable
from .structures import Range

__all__ = ["Allocation", "Area", "Areas", "Argument", "Cells", "Mask", "Released", "Space"]

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
    description : str
        The area in words.
    site, freed : str
        Call sites at which it was allocated and released; empty if that is not known, or not so.
    memory : Allocation or None
        The allocation.
    variable : Variable or None
        The variable.
    keep : object
        Keeps the bytes in the host's memory: another thread may release them while a kernel runs.
    mask : Mask or None
        Which bytes were written; None if all were, or the check is off.
    """

    begin: int
    size: int
    description: str
    site: str = ""
    freed: str = ""
    memory: Allocation | None = None
    variable: Variable | None = None
    keep: object = None
    mask: Mask | None = None

    @property
    def end(self) -> int:
        """Address after its last byte."""
        return self.begin + self.size

    def distance(self, address: int) -> int:
        """Return how many bytes an address is from the nearest byte."""
        return max(self.begin - address, address - (self.end - 1), 0)


class Areas:
    """The areas in ascending order of their addresses, which is also the order of the runtime's ranges.

    Parameters
    ----------
    spaces : iterable of Space
        The memory of all devices that a kernel can access.
    module : Module
        The module of the kernel.
    cells : dict
        The shadows of the module's variables; updated by `take_shadows`.
    init : bool
        Whether to make masks of the bytes that were written.
    """

    def __init__(self, spaces: Iterable[Space], module: Module, cells: Cells, *, init: bool) -> None:
        spaces = [*spaces]
        variables = {variable.offset for variable in module.globals}
        blocks = [memory for space in spaces for memory in space.live() if memory.host not in variables]
        live = [_allocated(memory, init=init) for memory in blocks]
        live += [_of_variable(variable) for variable in module.globals]
        live.sort(key=_begin)
        released = [record for space in spaces for record in space.released or ()]
        self.all: Sequence[Area] = sorted([*live, *_apart(released, live)], key=_begin)
        self._cells = cells

    def shadow(self, area: Area) -> int:
        """Return the address of an area's shadow, or 0."""
        if area.memory is not None:
            return area.memory.cells
        return self._cells.get(area.begin, 0)

    def take_shadows(self, ranges: Iterable[Range]) -> None:
        """Keep the shadows that a launch made, and forget the masks of what is now written whole."""
        for area, used in zip(self.all, ranges, strict=True):
            if used.cells and used.cells != self.shadow(area):
                self._keep(area, used.cells)
            if area.memory is not None and area.mask is not None and area.mask.all():
                area.memory.note_all_written()

    def _keep(self, area: Area, cells: int) -> None:
        if area.memory is not None:
            area.memory.cells = cells
        elif area.variable is not None:
            self._cells[area.begin] = cells

    def nearest(self, address: int) -> Area | None:
        """Return the area that is nearest to an address."""
        after = bisect(self.all, address, key=_begin)
        return min(self.all[max(after - 1, 0) : after + 1], key=lambda area: area.distance(address), default=None)


def _begin(area: Area) -> int:
    return area.begin


def _allocated(memory: Allocation, *, init: bool) -> Area:
    mask = memory.written() if init else None
    return Area(memory.host, memory.nbytes, repr(memory), memory.site, memory=memory, keep=memory.content(), mask=mask)


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
