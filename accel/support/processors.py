"""How many processors this process may use."""

import os
from collections.abc import Iterator

__all__ = ["usable_processors"]


def usable_processors() -> int:
    """Return the number of threads that can run at once: by affinity, the cgroups' quota, and ``OMP_NUM_THREADS``.

    Joblib and Dask set that variable in their workers, so that these do not use all processors each.
    """
    return max(1, min([_of_affinity(), *_of_cgroups(""), *_of_openmp(os.environ.get("OMP_NUM_THREADS", ""))]))


def _of_affinity() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1


def _of_openmp(text: str) -> Iterator[int]:
    number = text.partition(",")[0].strip()  # for each level of nested regions; the first is the outermost
    if number.isdecimal() and int(number) > 0:
        yield int(number)


def _of_cgroups(root: str) -> Iterator[int]:
    """Yield the processors of each quota of this process's cgroup and of those around it, rounded up."""
    tree = f"{root}/sys/fs/cgroup"
    for line in _text(f"{root}/proc/self/cgroup").splitlines():
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0":
            folders = [tree, f"{tree}/unified"]
        elif "cpu" in controllers.split(","):
            folders = [f"{tree}/cpu", f"{tree}/{controllers}"]
        else:
            continue
        # In a container, the root of the mounted tree is often the container's own cgroup, and the path does not exist.
        names = path.strip("/").split("/")
        for folder in folders:
            for each in {"/".join([folder, *names[:depth]]).rstrip("/") for depth in range(len(names) + 1)}:
                yield from _quota(each)


def _quota(folder: str) -> Iterator[int]:
    words = _text(f"{folder}/cpu.max").split() or [
        *_text(f"{folder}/cpu.cfs_quota_us").split(),
        *_text(f"{folder}/cpu.cfs_period_us").split(),
    ]
    if len(words) == 2 and words[0].isdecimal() and words[1].isdecimal() and int(words[1]) > 0:  # else max, or -1
        yield -(-int(words[0]) // int(words[1]))


def _text(file: str) -> str:
    try:
        with open(file, encoding="utf-8") as opened:
            return opened.read()
    except (OSError, ValueError):
        return ""
