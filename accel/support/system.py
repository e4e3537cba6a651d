"""What the operating system and the processor have. No other module of `accel` and its backends asks them.

What a system lacks has an answer too, such as None, or the way that every system has. Two rooms need Linux as a whole,
`commands.grading` and `backends.cuda_on_cpu`; they ask `LINUX` at their doors.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterator
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # importing ctypes takes longer than the first container
    from ctypes import CDLL
    from pathlib import Path

__all__ = [
    "ELSEWHERE",
    "FORKS",
    "LINUX",
    "POSIX",
    "at_fork",
    "available_memory",
    "c_library",
    "exchange",
    "kill",
    "largest_cache",
    "loaded_files",
    "loaded_library",
    "machine",
    "peak_memory",
    "physical_memory",
    "platform_name",
    "read_at",
    "signal_number",
    "usable_processors",
    "write_at",
]

LINUX: bool = sys.platform == "linux"

POSIX: bool = sys.platform not in {"emscripten", "wasi", "win32"}
"""Whether there are the threads and signals of POSIX, which compiled kernels call."""

FORKS: bool = hasattr(os, "register_at_fork")
"""Whether processes fork. Where they do not, locks lack the method that frees them in the child."""

ELSEWHERE = "run Python in a container, or on Windows in WSL"
"""What to do where a feature needs Linux."""

_MACHINES = {"AMD64": "x86_64", "ARM64": "aarch64", "arm64": "aarch64"}
_seeking = threading.Lock()  # only where there are no forks, or so it would need to be free in a child
_HERE = -100  # AT_FDCWD
_EXCHANGE = 2  # RENAME_EXCHANGE


def platform_name() -> str:
    """Return the names of the system and the processor, for messages."""
    return f"{sys.platform} on {machine()}"


@cache
def machine() -> str:
    """Return the name of the processor, as Linux has it: ``x86_64``, ``aarch64``, or another."""
    import platform

    found = platform.machine()
    return _MACHINES.get(found, found)


@cache
def c_library() -> "CDLL | None":
    """Return the functions of the C library; None if the system does not find them by their names alone."""
    from ctypes import CDLL

    try:
        return CDLL(None, use_errno=True)
    except (OSError, TypeError):  # TypeError on Windows
        return None


# Processors


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
        with open(file, encoding="utf-8", errors="replace") as opened:
            return opened.read()
    except OSError:
        return ""


# Memory


def physical_memory() -> int:
    """Return the bytes of memory of this machine; 0 if the system does not tell."""
    return _configured("SC_PAGE_SIZE") * _configured("SC_PHYS_PAGES")


def available_memory() -> int | None:
    """Return the bytes that new work can have, as Linux estimates them; None if the system does not tell."""
    words = _text("/proc/meminfo").partition("MemAvailable:")[2].split(maxsplit=1)
    return int(words[0]) * 1024 if words else None


def peak_memory() -> int | None:
    """Return the most bytes of memory that this process has had; None if the system does not tell."""
    try:
        import resource
    except ModuleNotFoundError:  # on Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024  # macOS alone counts bytes


def largest_cache() -> int:
    """Return the bytes of the processor's last cache; 0 if the system does not tell."""
    return _configured("SC_LEVEL3_CACHE_SIZE")


def _configured(variable: str) -> int:
    """Return a variable of the system's configuration; 0 if it has none of that name."""
    if variable not in getattr(os, "sysconf_names", ()):
        return 0
    try:
        return max(os.sysconf(variable), 0)
    except (OSError, ValueError):  # not every variable that has a name has a value
        return 0


# Processes


def at_fork(**actions: Callable[[], object]) -> None:
    """Run actions at each fork, as `os.register_at_fork` does; none where there are no forks."""
    if FORKS:
        os.register_at_fork(**actions)


def signal_number(name: str) -> int:
    """Return the number that the system has for a name of `signal`; 0 if it has none."""
    import signal

    return int(getattr(signal, name, 0))


def kill(process: int) -> None:
    """End a process at once."""
    os.kill(process, signal_number("SIGKILL") or signal_number("SIGTERM"))  # which ends it at once on Windows


# Libraries and files


def loaded_files(part: str = "/") -> set[str]:
    """Return the paths, with some text, of libraries and other files in memory; none if the system does not tell."""
    lines = _text("/proc/self/maps").splitlines()
    return {line[line.index("/") :] for line in lines if part in line and "/" in line}


def loaded_library(path: str) -> "CDLL | None":
    """Return a library that this process has loaded from a path; None if it has not, or the system does not tell."""
    from ctypes import CDLL

    modes = getattr(os, "RTLD_NOLOAD", 0), getattr(os, "RTLD_NOW", 0)
    try:
        return CDLL(path, mode=sum(modes)) if all(modes) else None
    except OSError:
        return None


def read_at(descriptor: int, target: memoryview, position: int) -> int:
    """Read bytes at a position of a file, while other threads read and write elsewhere; return their number."""
    if hasattr(os, "preadv"):
        return os.preadv(descriptor, [target], position)
    if hasattr(os, "pread"):  # macOS had it long before `preadv`
        content = os.pread(descriptor, len(target), position)
    else:
        with _seeking:
            os.lseek(descriptor, position, os.SEEK_SET)
            content = os.read(descriptor, len(target))
    target[: len(content)] = content
    return len(content)


def write_at(descriptor: int, source: memoryview, position: int) -> int:
    """Write bytes at a position of a file, while other threads read and write elsewhere; return their number."""
    if hasattr(os, "pwrite"):
        return os.pwrite(descriptor, source, position)
    with _seeking:
        os.lseek(descriptor, position, os.SEEK_SET)
        return os.write(descriptor, source)


def exchange(one: "Path", other: "Path") -> bool:
    """Exchange two files or folders in one step; tell whether the system can."""
    rename = getattr(c_library(), "renameat2", None)
    return rename is not None and rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0
