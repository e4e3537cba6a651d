"""`track`: allocations and releases while a block of code runs."""

from collections.abc import Iterator
from contextlib import contextmanager

from accel.device import Device, DeviceLike
from accel.memory.heap import unwatch, watch
from accel.memory.reports.tables import TextTable, as_html, as_text, counted
from accel.memory.sizes import in_words

__all__ = ["DeviceTrack", "Track", "track"]


class DeviceTrack:
    """Allocations and releases on one device.

    Attributes
    ----------
    device : Device
        The device.
    allocations, frees : int
        Blocks that were allocated, and blocks that were freed; some of the latter were allocated before.
    allocated_bytes, freed_bytes : int
        Their sizes.
    peak_bytes : int
        The largest increase of the bytes in use.
    """

    def __init__(self, device: Device) -> None:
        self.device = device
        self.allocations: int = 0
        self.frees: int = 0
        self.allocated_bytes: int = 0
        self.freed_bytes: int = 0
        self.peak_bytes: int = 0

    @property
    def live_blocks(self) -> int:
        """Increase of the blocks in use; negative if there are fewer."""
        return self.allocations - self.frees

    @property
    def live_bytes(self) -> int:
        """Increase of the bytes in use; negative if there are fewer."""
        return self.allocated_bytes - self.freed_bytes

    def see_allocated(self, nbytes: int) -> None:
        """Count a new block.

        Parameters
        ----------
        nbytes : int
            Its size.
        """
        self.allocations += 1
        self.allocated_bytes += nbytes
        self.peak_bytes = max(self.peak_bytes, self.allocated_bytes - self.freed_bytes)

    def see_freed(self, nbytes: int) -> None:
        """Count a block that is freed.

        Parameters
        ----------
        nbytes : int
            Its size.
        """
        self.frees += 1
        self.freed_bytes += nbytes

    def row(self) -> tuple[str, ...]:
        """Return the row of the table."""
        return (
            str(self.device),
            counted(self.allocations, self.allocated_bytes),
            counted(self.frees, self.freed_bytes),
            counted(self.live_blocks, self.live_bytes),
            in_words(self.peak_bytes),
        )


class Track:
    """Allocations and releases of all threads while a ``with`` block runs.

    Attributes
    ----------
    name : str
        The title of the table.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._tracks: dict[Device, DeviceTrack] = {}

    @property
    def devices(self) -> tuple[DeviceTrack, ...]:
        """The counts of each device with an allocation or a release."""
        return tuple(track for track in tuple(self._tracks.values()) if track.allocations or track.frees)

    @property
    def allocated_bytes(self) -> int:
        """Bytes that were allocated, on all devices."""
        return sum(track.allocated_bytes for track in self.devices)

    @property
    def freed_bytes(self) -> int:
        """Bytes that were freed, on all devices."""
        return sum(track.freed_bytes for track in self.devices)

    @property
    def live_bytes(self) -> int:
        """Increase of the bytes in use, on all devices."""
        return self.allocated_bytes - self.freed_bytes

    def on(self, device: DeviceLike) -> DeviceTrack:
        """Return the counts of one device; ValueError if there is no such device.

        Parameters
        ----------
        device : Device or str
            The device, or its name.
        """
        key = device if isinstance(device, Device) else Device(device)
        return self._tracks.setdefault(key, DeviceTrack(key))

    def __str__(self) -> str:
        return as_text(f"Memory of {self.name!r}", self._tables())

    def _repr_html_(self) -> str:
        return as_html(f"Memory of {self.name!r}", self._tables())

    def _tables(self) -> tuple[TextTable, ...]:
        head = ("device", "allocated", "freed", "left", "peak")
        return (TextTable("", head, tuple(track.row() for track in self.devices), "nothing was allocated or freed"),)


@contextmanager
def track(name: str = "here") -> Iterator[Track]:
    """Count allocations and releases inside a ``with`` block, of all threads and on all devices.

    Results of computations in `accel.xp` are not counted: the library that computes allocates them.

    Parameters
    ----------
    name : str
        The title of the printed table.

    Returns
    -------
    iterator of Track
        A context manager; its value are the counts, which grow until the end of the block.

    Examples
    --------
    >>> import accel
    >>> with accel.memory.track("two of three") as t:
    ...     kept = [accel.empty(1000, device="sim") for _ in range(3)]
    ...     del kept[0]
    >>> print(t)
    Memory of 'two of three'
      device  allocated           freed                left                peak
      sim     3 blocks, 23.4 KiB  1 block, 8000 bytes  2 blocks, 15.6 KiB  23.4 KiB
    >>> t.on(accel.Device.SIM).peak_bytes
    24000
    """
    counts = Track(name)
    watch(counts.on)
    try:
        yield counts
    finally:
        unwatch(counts.on)
