"""The kernels, compiled where that pays: numba is imported, and a kernel compiled, when NumPy has lost as much time."""

import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any
from zlib import crc32

import numpy as np

from accel import config
from accel.locks import open_after_fork

__all__ = ["charged", "kernel"]

_Kernel = Callable[..., None]

# What numba's import and a kernel take; compiled already on disk, they take a third of it.
_COST = 0.5
_AT_ONCE = 1 << 24
_SIGNATURE = "void(int64, int64, int64[:, ::1], int64[::1], int64, int64)"
_ITEMS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64, 16: np.complex128}

# A child must not find numba's own lock taken.
_lock = open_after_fork(threading.RLock())
_kernels: dict[int, _Kernel | None] = {}
_lost: dict[int, float] = {}


def kernel(number: int, nbytes: int) -> _Kernel | None:
    """Return the kernel that a tiling names, for a copy of so many bytes; None where NumPy is to do it."""
    try:
        return _kernels[number]
    except KeyError:
        if nbytes < _AT_ONCE and _lost.get(number, 0.0) < _COST:
            return None
    with _lock:
        if number not in _kernels:
            _kernels[number] = _compiled(number)
    return _kernels[number]


@contextmanager
def charged(number: int) -> Iterator[None]:
    """Count the time that NumPy takes where a kernel would do."""
    began = perf_counter()
    yield
    _lost[number] = _lost.get(number, 0.0) + perf_counter() - began


def _compiled(number: int) -> _Kernel | None:
    if sys.byteorder != "little" or sys.maxsize < 1 << 32:
        return None
    try:
        import numba

        from . import kernels

        with _cache_folder(numba.config):
            decorate = numba.njit(_SIGNATURE, nogil=True, cache=True)
            made: _Kernel = decorate(kernels.transposing(_ITEMS[number]) if number else kernels.blocks)
    except Exception as error:  # a broken numba fails in any way
        warnings.warn(f"copies are done by NumPy, as numba fails: {error!r}", RuntimeWarning, stacklevel=2)
        return None
    return made


@contextmanager
def _cache_folder(settings: Any) -> Iterator[None]:
    """Let numba keep what it compiles in our folder; it looks there when a function is decorated."""
    before = settings.CACHE_DIR
    settings.CACHE_DIR = str(Path(config.current().cache_dir).expanduser() / f"numba-{_version():08x}")
    try:
        yield
    finally:
        settings.CACHE_DIR = before


@cache
def _version() -> int:
    """Return a number that changes with any module here: numba itself looks only at that of the function."""
    return crc32(b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))))
