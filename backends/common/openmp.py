"""The number of threads to which a program limited OpenMP, for example by threadpoolctl."""

import sys
from collections.abc import Callable

from accel.support.system import loaded_files, loaded_library, usable_processors

__all__ = ["thread_limit"]

_NAMES = ("libgomp", "libomp", "libiomp")
_UNLIMITED = 1 << 30


class _Loaded:
    """The OpenMP libraries of the process, as of the number of modules when they were looked for.

    Attributes
    ----------
    modules : int
        The number of modules of Python. Libraries are loaded by imports, so it is looked again when this changes.
    asked : list of callable
        ``omp_get_max_threads`` of each library.
    usual : int
        What these return if nobody has set a limit.
    """

    __slots__ = ("asked", "modules", "usual")

    def __init__(self, modules: int, paths: list[str]) -> None:
        self.modules = modules
        self.asked: list[Callable[[], int]] = [each for path in paths if (each := _function(path)) is not None]
        self.usual = usable_processors() if self.asked else 0


_loaded = _Loaded(0, [])


def thread_limit() -> int:
    """Return the least limit that was set in this thread for OpenMP's threads; a large number if none was set.

    Only a library that is loaded is asked, and nothing is loaded. Limits of the environment are among the settings.
    """
    global _loaded
    loaded = _loaded
    if loaded.modules != len(sys.modules):
        loaded = _loaded = _Loaded(len(sys.modules), _paths())
    limit = min([ask() for ask in loaded.asked], default=_UNLIMITED)
    return limit if limit < loaded.usual else _UNLIMITED


def _paths() -> list[str]:
    """Return the files of the OpenMP libraries that are loaded; none where the system does not tell."""
    return sorted(file for file in loaded_files("omp") if file.rpartition("/")[2].startswith(_NAMES))


def _function(path: str) -> Callable[[], int] | None:
    return getattr(loaded_library(path), "omp_get_max_threads", None)
