"""What the system keeps a process and its children from: the limits of Linux, as far as a kernel has them.

It needs only Python's own library, and runs between a fork and the program's start.
"""

import ctypes
import os
import resource
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypedDict

__all__ = ["Confinement", "confine", "landlock_version", "set_subreaper"]

_SET_SUBREAPER, _SET_NO_NEW_PRIVILEGES = 36, 38
_NEW_NETWORK, _NEW_IPC = 0x40000000, 0x08000000
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same numbers on all processors
_READ = 1 << 0 | 1 << 2 | 1 << 3  # execute, read files, list folders
_LIST = 1 << 3
_OF_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
_RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
"""The rights that each version of Landlock added."""
_TCP, _SCOPES = 0b11, 0b11  # bind and connect; abstract sockets and signals

_libc = ctypes.CDLL(None, use_errno=True)


class Confinement(TypedDict):
    """What a program may use; sizes are in bytes.

    Attributes
    ----------
    seconds, memory, file_size, processes : int
        Of the processor, of the address space of a process, of a file, and of the user at once, above those now.
    read, write, list : list of str
        Folders and files that it may read; that it may change too; that it may only list.
    user : list of two ints, or None
        Numbers of the user and the group that it becomes.
    """

    seconds: int
    memory: int
    file_size: int
    processes: int
    read: list[str]
    write: list[str]
    list: list[str]
    user: list[int] | None


def landlock_version() -> int:
    """Return the version of Landlock, by which files are kept from a process; 0 if the kernel has none."""
    return max(int(_call(_CREATE_RULESET, None, 0, 1)), 0)


def set_subreaper() -> None:
    """Let the processes whose parents end become children of this one."""
    _libc.prctl(_SET_SUBREAPER, 1, 0, 0, 0)


def confine(plan: Confinement) -> None:
    """Confine this process and all that it starts, for good.

    Raises
    ------
    OSError
        If the system refuses.
    """
    _libc.unshare(_NEW_NETWORK | _NEW_IPC)  # where allowed: no network
    _limit(plan)
    if plan["user"] is not None:
        user, group = plan["user"]
        os.setgroups([])
        os.setgid(group)
        os.setuid(user)
    _drop_capabilities()
    if _libc.prctl(_SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "the system does not forbid new privileges")
    _restrict_files(plan)


def _limit(plan: Confinement) -> None:
    limits = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: 256,
        resource.RLIMIT_AS: plan["memory"],
        resource.RLIMIT_FSIZE: plan["file_size"],
        resource.RLIMIT_NPROC: plan["processes"] + _tasks(os.getuid() if plan["user"] is None else plan["user"][0]),
    }
    for limit, value in limits.items():
        most = resource.getrlimit(limit)[1]
        value = value if most == resource.RLIM_INFINITY else min(value, most)  # noqa: PLW2901
        resource.setrlimit(limit, (value, value))
    resource.setrlimit(resource.RLIMIT_CPU, (plan["seconds"], plan["seconds"] + 2))


def _tasks(user: int) -> int:
    """Return how many threads a user has now, as the system counts them."""
    count = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if folder.stat().st_uid == user:
                count += len(os.listdir(folder / "task"))  # noqa: PTH208 - names are enough
    return count


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


def _drop_capabilities() -> None:
    """Give up what root may do beyond other users."""
    _libc.capset(ctypes.byref(_Header(0x20080522, 0)), (ctypes.c_uint32 * 6)())


class _Rights(NamedTuple):
    paths: Iterable[str]
    rights: int


def _restrict_files(plan: Confinement) -> None:
    """Refuse all files but those of the plan, and from newer kernels on TCP, and signals to others."""
    version = landlock_version()
    if not version:
        return
    every = sum(rights for since, rights in _RIGHTS.items() if since <= version)
    words = [every, *[_TCP] * (version >= 4), *[_SCOPES] * (version >= 6)]
    ruleset = _call(_CREATE_RULESET, (ctypes.c_uint64 * len(words))(*words), 8 * len(words), 0)
    _require(ruleset)
    for paths, rights in (
        _Rights(plan["read"], _READ),
        _Rights(plan["list"], _LIST),
        _Rights(plan["write"], every),
    ):
        for path in paths:
            _allow(ruleset, path, rights & every)
    _require(_call(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


class _Rule(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("rights", ctypes.c_uint64), ("descriptor", ctypes.c_int32))


def _allow(ruleset: int, path: str, rights: int) -> None:
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # it is not there
    try:
        folder = os.path.isdir(path)  # noqa: PTH112
        rule = _Rule(rights if folder else rights & _OF_FILES, descriptor)
        _require(_call(_ADD_RULE, ruleset, 1, ctypes.byref(rule), 0))
    finally:
        os.close(descriptor)


def _call(number: int, *arguments: object) -> int:
    words = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return int(_libc.syscall(ctypes.c_long(number), *words))


def _require(result: int) -> None:
    if result < 0:
        raise OSError(ctypes.get_errno(), "Landlock refused a rule")
