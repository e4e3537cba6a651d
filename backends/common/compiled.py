"""The kernels, compiled where that pays: numba is imported, and a kernel compiled, when NumPy has lost as much time.

Where there is no kernel, for whatever reason, NumPy does the copy: no copy fails because of numba. A fork does not wait
for a compilation. The child of one finds numba with locks that another thread had taken, so it has only those kernels
that were compiled before.
"""

import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from time import perf_counter
from typing import Any
from zlib import crc32

import numpy as np

from accel import config
from accel.locks import in_child

from . import thresholds

__all__ = ["charged", "kernel"]

_Kernel = Callable[..., None]

_SIGNATURE = "void(int64, int64, int64[:, ::1], int64[::1], int64, int64)"
_ITEMS = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64, 16: np.complex128}

_lock: Any = threading.RLock()
_kernels: dict[int, _Kernel | None] = {}
_lost: dict[int, float] = {}
_compiling: int | None = None
"""The thread that compiles; None while there is none."""
_for_good = False
"""Whether what is not compiled by now is left to NumPy."""
_told = False


def kernel(number: int, nbytes: int) -> _Kernel | None:
    """Return the kernel that a tiling names, for a copy of so many bytes; None where NumPy is to do it."""
    try:
        return _kernels[number]
    except KeyError:
        # What a collection finds can copy, and so come here in the midst of a compilation.
        if _for_good or _compiling == threading.get_ident():
            return None
        if nbytes < thresholds.AT_ONCE and _lost.get(number, 0.0) < thresholds.COMPILING:
            return None
    with _lock:
        if number not in _kernels and _has_room():
            _compile(number)
        return _kernels.get(number)


@contextmanager
def charged(number: int) -> Iterator[None]:
    """Count the time that NumPy takes where a kernel would do."""
    began = perf_counter()
    yield
    _lost[number] = _lost.get(number, 0.0) + perf_counter() - began


def _has_room() -> bool:
    try:
        np.empty(thresholds.ROOM, np.uint8)
    except MemoryError:
        return False
    return True


def _compile(number: int) -> None:
    global _compiling
    _compiling = threading.get_ident()
    try:
        _kernels[number] = _compiled(number)
    finally:
        _compiling = None


def _start_child() -> None:
    global _for_good
    if _compiling not in (None, threading.get_ident()):
        _for_good = True
    if not _lock._is_owned():
        _lock._at_fork_reinit()


in_child(_start_child)


def _compiled(number: int) -> _Kernel | None:
    if sys.byteorder != "little" or sys.maxsize < 1 << 32:
        return None
    try:
        import numba

        settings: Any = numba.config
        if settings.DISABLE_JIT:  # what it would return is Python, which cannot copy from address to address
            return None
        from . import kernels

        function = kernels.transposing(_ITEMS[number]) if number else kernels.blocks
        return _built(partial(numba.njit, _SIGNATURE, nogil=True), settings, function)
    except Exception as error:  # a broken numba fails in any way
        _tell(error)
        return None


def _built(decorator: Callable[..., Any], settings: Any, function: _Kernel) -> _Kernel:
    """Compile a function, and keep the result on disk if that is possible."""
    made: _Kernel
    folder = _cache_folder()
    if folder:
        # Whatever is wrong with files, a kernel does without them.
        with suppress(Exception), _keeping(settings, folder):
            made = decorator(cache=True)(function)
            return made
    made = decorator()(function)
    return made


def _tell(error: Exception) -> None:
    """Warn once; the copy is done also where warnings are errors."""
    global _told
    if not _told:
        _told = True
        with suppress(Exception):
            warnings.warn(f"copies are done by NumPy, as numba fails: {error!r}", RuntimeWarning, stacklevel=2)


@contextmanager
def _keeping(settings: Any, folder: str) -> Iterator[None]:
    """Let numba keep what it compiles in a folder; it looks there when a function is decorated."""
    before = settings.CACHE_DIR
    settings.CACHE_DIR = folder
    try:
        yield
    finally:
        settings.CACHE_DIR = before


def _cache_folder() -> str:
    """Return our folder for numba, which is made if it is not there; an empty string if nothing can be written."""
    from tempfile import TemporaryFile

    try:
        folder = Path(config.current().cache_dir).expanduser() / f"numba-{_version():08x}"
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
    except (OSError, RuntimeError):  # the latter where there is no home
        return ""
    return str(folder)


@cache
def _version() -> int:
    """Return a number that changes with any module here: numba itself looks only at that of the function."""
    return crc32(b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))))
