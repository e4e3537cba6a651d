"""Reports on memory: memory in use (`snapshot`), changes (`track`), and leaks (`assert_no_leak`)."""

from accel.memory.reports.leaks import assert_no_leak
from accel.memory.reports.tracking import DeviceTrack, Track, track
from accel.memory.reports.usage import HeapUsage, OwnerUsage, PinnedUsage, Snapshot, snapshot

__all__ = [
    "DeviceTrack",
    "HeapUsage",
    "OwnerUsage",
    "PinnedUsage",
    "Snapshot",
    "Track",
    "assert_no_leak",
    "snapshot",
    "track",
]
