"""How many processors this process may use."""

import os
from collections.abc import Iterator
from pathlib import Path

__all__ = ["usable_processors"]


def usable_processors() -> int:
    """Return the number of threads that can run at once: by affinity, the cgroups' quota, and ``OMP_NUM_THREADS``.

    Joblib and Dask set that variable in their workers, so that these do not use all processors each.
    """
    return max(1, min([_of_affinity(), *_of_cgroups(Path("/")), *_of_openmp(os.environ.get("OMP_NUM_THREADS", ""))]))


def _of_affinity() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def _of_openmp(text: str) -> Iterator[int]:
    number = text.partition(",")[0].strip()  # for each level of nested regions; the first is the outermost
    if number.isdecimal() and int(number) > 0:
        yield int(number)


def _of_cgroups(root: Path) -> Iterator[int]:
    """Yield the processors of each quota of this process's cgroup and of those around it, rounded up."""
    for line in _text(root / "proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0":
            folders = [root / "sys/fs/cgroup", root / "sys/fs/cgroup/unified"]
        elif "cpu" in controllers.split(","):
            folders = [root / "sys/fs/cgroup/cpu", root / "sys/fs/cgroup" / controllers]
        else:
            continue
        # In a container, the root of the mounted tree is often the container's own cgroup, and the path does not exist.
        within = Path(path.strip("/"))
        for folder in folders:
            for each in {folder / within, *[folder / parent for parent in within.parents], folder}:
                yield from _quota(each)


def _quota(folder: Path) -> Iterator[int]:
    words = _text(folder / "cpu.max").split() or [
        *_text(folder / "cpu.cfs_quota_us").split(),
        *_text(folder / "cpu.cfs_period_us").split(),
    ]
    if len(words) == 2 and words[0].isdecimal() and words[1].isdecimal() and int(words[1]) > 0:  # else max, or -1
        yield -(-int(words[0]) // int(words[1]))


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except (OSError, ValueError):
        return ""
