"""`snapshot`: the memory in use, by device and by owner."""

import json
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from accel.abc.arrays import ReusesMemory
from accel.abc.optional import ReportsRoom, Room
from accel.device import Device
from accel.memory.heap import Heap, heaps
from accel.memory.holder import Holder, holders
from accel.memory.owner import KeepAlive
from accel.memory.pinned_memory import PinnedPool, pinned_pools
from accel.memory.reports.tables import TextTable, as_html, as_text, counted
from accel.memory.sizes import in_words
from accel.memory.storage import Ownership

__all__ = ["HeapUsage", "OwnerUsage", "PinnedUsage", "Snapshot", "snapshot"]


class HeapUsage(NamedTuple):
    """The memory of one device at one moment.

    Attributes
    ----------
    device : Device
        The device.
    live_bytes, peak_bytes : int
        Bytes in use now, and the most at one time since the process began.
    live_blocks : int
        Blocks in use now.
    kept_blocks : int
        Those whose handles are all released: exports or work in flight keep them alive.
    free_bytes, total_bytes : int or None
        Free bytes of the device, and all its bytes; None where unknown.
    reusable_bytes : int
        Bytes that are not in use, and that the device's backend keeps for later requests; `accel.memory.trim` frees
        them.
    """

    device: Device
    live_bytes: int
    peak_bytes: int
    live_blocks: int
    kept_blocks: int
    free_bytes: int | None = None
    total_bytes: int | None = None
    reusable_bytes: int = 0

    def row(self) -> tuple[str, ...]:
        """Return the row of the table."""
        return (
            str(self.device),
            counted(self.live_blocks, self.live_bytes),
            in_words(self.peak_bytes),
            in_words(self.reusable_bytes),
            "unknown" if self.free_bytes is None else in_words(self.free_bytes),
            "unknown" if self.total_bytes is None else in_words(self.total_bytes),
        )


class OwnerUsage(NamedTuple):
    """The memory of one owner.

    Attributes
    ----------
    device : Device
        The device of the memory.
    nbytes : int
        Its size in bytes.
    ownership : Ownership
        Whether it is managed or external.
    handles : int
        The number of containers and storages on it.
    exports : int
        The number of arrays of other libraries, memoryviews and calls that keep it alive.
    transfers : tuple of str
        The lines of the user's code that submitted the work in flight that keeps it alive.
    site : str
        The line of the user's code that allocated it; empty outside of debug mode.
    """

    device: Device
    nbytes: int
    ownership: Ownership
    handles: int
    exports: int
    transfers: tuple[str, ...]
    site: str

    @property
    def keep_alives(self) -> int:
        """The number of exports and transfers that keep it alive."""
        return self.exports + len(self.transfers)

    def row(self) -> tuple[str, ...]:
        """Return the row of the table."""
        exports = [f"{self.exports} export{'s' * (self.exports != 1)}"] if self.exports else []
        transfers = [f"a transfer from {site}" if site else "a transfer" for site in self.transfers]
        return (
            str(self.device),
            in_words(self.nbytes),
            self.ownership.value,
            str(self.handles),
            ", ".join([*exports, *transfers]) or "none",
            self.site or "unknown",
        )


class PinnedUsage(NamedTuple):
    """The pinned memory of one device.

    Attributes
    ----------
    device : Device
        The device.
    live_bytes, kept_bytes : int
        Bytes in use, and free bytes that the pool keeps.
    """

    device: Device
    live_bytes: int
    kept_bytes: int

    def row(self) -> tuple[str, ...]:
        """Return the row of the table."""
        return str(self.device), in_words(self.live_bytes), in_words(self.kept_bytes)


class Snapshot(NamedTuple):
    """The memory in use at one moment.

    Attributes
    ----------
    devices : tuple of HeapUsage
        The memory by device.
    owners : tuple of OwnerUsage
        The memory by owner, the largest first. Owners that `gc.freeze` hides from the collector are missing.
    pinned : tuple of PinnedUsage
        The pools of pinned memory.
    """

    devices: tuple[HeapUsage, ...]
    owners: tuple[OwnerUsage, ...] = ()
    pinned: tuple[PinnedUsage, ...] = ()

    @property
    def live_bytes(self) -> int:
        """Bytes in use on all devices."""
        return sum(usage.live_bytes for usage in self.devices)

    @property
    def live_blocks(self) -> int:
        """Blocks in use on all devices."""
        return sum(usage.live_blocks for usage in self.devices)

    def as_dict(self) -> dict[str, list[dict[str, Any]]]:
        """Return it as plain data: numbers, texts, lists and dictionaries."""
        return {name: [_plain(usage._asdict()) for usage in usages] for name, usages in self._asdict().items()}

    def to_json(self, indent: int | None = None) -> str:
        """Return it as JSON.

        Parameters
        ----------
        indent : int, optional
            The spaces by which each level is indented; on one line without.
        """
        return json.dumps(self.as_dict(), indent=indent)

    def __str__(self) -> str:
        return as_text("Memory", self._tables())

    def _repr_html_(self) -> str:
        return as_html("Memory", self._tables())

    def _tables(self) -> list[TextTable]:
        devices = TextTable(
            "", ("device", "in use", "peak", "kept", "free", "of"), _rows(self.devices), "no device was used yet"
        )
        head = ("device", "bytes", "ownership", "handles", "kept alive by", "made at")
        shown, hidden = self.owners[:_SHOWN], len(self.owners) - _SHOWN
        caption = f"Owners, the largest {_SHOWN} of {len(self.owners)}" if hidden > 0 else "Owners"
        pinned = [TextTable("Pinned", ("for", "in use", "kept"), _rows(self.pinned))] if self.pinned else []
        return [devices, TextTable(caption, head, _rows(shown)), *pinned]


_SHOWN = 20
_Usage = HeapUsage | OwnerUsage | PinnedUsage


def _rows(usages: tuple[_Usage, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple(usage.row() for usage in usages)


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _PLAIN.get(type(value), _same)(value) for name, value in fields.items()}


def _same(value: object) -> object:
    return value


_PLAIN: Mapping[type, Callable[[Any], object]] = {
    Device: str,
    Ownership: lambda ownership: ownership.value,
    tuple: list,
}


def snapshot() -> Snapshot:
    """Return the memory in use now, by device and owner; printed, it is a table.

    External memory is listed among the owners, but not counted. The results of computations in `accel.xp` are neither.
    The garbage collector searches all objects of the process for owners, which takes some milliseconds; allocations
    keep no list of them.

    Returns
    -------
    Snapshot
        The memory; it does not change afterwards.

    Examples
    --------
    >>> import accel
    >>> before = accel.memory.snapshot().live_blocks
    >>> c = accel.empty(1000)
    >>> accel.memory.snapshot().live_blocks - before
    1
    """
    for heap in heaps():  # work on one device may hold memory of another
        heap.retire_finished()
        heap.free_lost()
    devices = tuple(_usage(heap) for heap in heaps())
    transfers = _transfers()
    owners = sorted((_owned(holder, transfers) for holder in holders()), key=lambda owner: -owner.nbytes)
    return Snapshot(devices, tuple(owners), tuple(_pinned(pool) for pool in pinned_pools()))


def _usage(heap: Heap) -> HeapUsage:
    backend = heap.backend
    room = backend.free_memory(heap.device) if isinstance(backend, ReportsRoom) else None
    with heap.lock:  # reentrant; the four numbers belong together
        table = heap.live_bytes, heap.peak_bytes, heap.live_blocks, heap.kept_blocks
    heap.run_deferred()
    reusable = backend.reusable_bytes(heap.device) if isinstance(backend, ReusesMemory) else 0
    return HeapUsage(heap.device, *table, *_free_of(room), reusable)


def _free_of(room: Room | None) -> tuple[int | None, int | None]:
    return (None, None) if room is None else (room.free, room.total)


def _transfers() -> Mapping[int, list[str]]:
    """Return, by the identity of an owner, where the work in flight was submitted that keeps it alive."""
    sites = defaultdict(list)
    for heap in heaps():
        for pending, site in heap.pending_work.copy().items():
            for keep_alive in pending.keep_alives:
                if isinstance(keep_alive, KeepAlive):
                    sites[id(keep_alive.owner)].append(site)
    return sites


def _owned(holder: Holder, transfers: Mapping[int, list[str]]) -> OwnerUsage:
    sites = tuple(transfers.get(id(holder), ()))
    ownership = Ownership.MANAGED if holder.counted else Ownership.EXTERNAL
    exports = max(holder.keep_alives - len(sites), 0)
    return OwnerUsage(holder.heap.device, holder.nbytes, ownership, holder.handles, exports, sites, holder.site)


def _pinned(pool: PinnedPool) -> PinnedUsage:
    return PinnedUsage(pool.device, pool.live_bytes, pool.kept_bytes)
