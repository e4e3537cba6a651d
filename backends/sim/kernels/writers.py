"""`Writers`: which accesses write watched elements during a run, and which others are atomic."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .accesses import Access, Accesses, Kind

__all__ = ["Writer", "Writers"]

Label = Callable[[int, int], str]
"""Returns the name of the thread or iteration of an access, from its block and thread."""


@dataclass
class Writer:
    """The accesses of one kind by one line.

    Attributes
    ----------
    first : Access
        The first of them.
    label : str
        The thread or iteration that made it.
    count : int
        How many there were.
    """

    first: Access
    label: str
    count: int = 0

    @property
    def atomic(self) -> bool:
        """Whether they are atomic."""
        return self.first.kind == Kind.ATOMIC


class Writers:
    """The writes of a run.

    Parameters
    ----------
    watched : mapping of int to int
        The number of the parameter, by the address of an element that is watched.
    """

    def __init__(self, watched: Mapping[int, int]) -> None:
        self._watched = watched
        self._found: dict[tuple[int | None, Kind, int | None], Writer] = {}

    def accesses(self, granule: int, label: Label) -> Accesses:
        """Return accesses that are compared as others are, and noted here."""
        return _NotedAccesses(granule, self, label)

    def note(self, access: Access, address: int, label: Label) -> None:
        """Count a write."""
        parameter = self._watched.get(address)
        if parameter is None and access.kind != Kind.ATOMIC:
            return
        key = parameter, access.kind, access.site
        if key not in self._found:
            self._found[key] = Writer(access, label(access.block, access.thread))
        self._found[key].count += 1

    def watches(self, parameter: int) -> bool:
        """Return whether elements of a parameter are watched."""
        return parameter in self._watched.values()

    def of(self, parameter: int | None) -> list[Writer]:
        """Return who writes watched elements of a parameter, or for None all other atomic updates; atomics first."""
        found = [writer for (place, _, _), writer in self._found.items() if place == parameter]
        return sorted(found, key=lambda each: (not each.atomic, -each.count))


class _NotedAccesses(Accesses):
    """Accesses that tell `Writers` of those that write."""

    __slots__ = ("_label", "_writers")

    def __init__(self, granule: int, writers: Writers, label: Label) -> None:
        super().__init__(granule)
        self._writers, self._label = writers, label

    def enter(self, access: Access, address: int, nbytes: int = 1) -> Access | None:
        if access.kind != Kind.READ:
            self._writers.note(access, address, self._label)
        return super().enter(access, address, nbytes)
