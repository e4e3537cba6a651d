"""The compiled kernels. Numba is imported, and a kernel compiled, once NumPy has spent as much time as that would take.

Where a kernel is missing, for whatever reason, NumPy does the copy: no copy fails because of numba. A fork does not
wait for a running compilation. The child may then inherit locks of numba that another thread held, so it compiles
nothing and uses only the kernels that were compiled before the fork.
"""

import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np

from accel import config
from accel.support.locks import in_child

from . import thresholds
from .blocks import Block

__all__ = ["add_numpy_time", "kernel"]

_Kernel = Callable[..., None]

_SIGNATURE = "void(int64, int64, int64[:, ::1], int64[:, ::1], int64[::1], int64, int64)"

_lock: Any = threading.RLock()
_kernels: dict[Block, _Kernel | None] = {}
_numpy_seconds: dict[Block, float] = {}
_compiling: int | None = None
"""The thread that compiles; None while there is none."""
_frozen = False
"""Whether no further kernel may be compiled in this process, so that NumPy does their copies."""
_warned = False


def kernel(block: Block, nbytes: int) -> _Kernel | None:
    """Return the kernel for a block, for a copy of ``nbytes``; None if NumPy should do the copy."""
    try:
        return _kernels[block]
    except KeyError:
        # A finaliser can copy, and so call this during a compilation in the same thread.
        if _frozen or _compiling == threading.get_ident():
            return None
        if nbytes < thresholds.AT_ONCE and _numpy_seconds.get(block, 0.0) < thresholds.COMPILING:
            return None
    with _lock:
        if block not in _kernels and _has_room():
            _compile(block)
        return _kernels.get(block)


def add_numpy_time(block: Block, seconds: float) -> None:
    """Add to the time that NumPy has spent on copies that a kernel could do."""
    _numpy_seconds[block] = _numpy_seconds.get(block, 0.0) + seconds


def _has_room() -> bool:
    try:
        np.empty(thresholds.ROOM, np.uint8)
    except MemoryError:
        return False
    return True


def _compile(block: Block) -> None:
    global _compiling
    _compiling = threading.get_ident()
    try:
        _kernels[block] = _compiled(block)
    finally:
        _compiling = None


def _start_child() -> None:
    global _frozen
    if _compiling not in (None, threading.get_ident()):
        _frozen = True
    if not _lock._is_owned():
        _lock._at_fork_reinit()


in_child(_start_child)


def _compiled(block: Block) -> _Kernel | None:
    if sys.byteorder != "little" or sys.maxsize < 1 << 32:
        return None
    try:
        import numba

        settings: Any = numba.config
        if settings.DISABLE_JIT:  # njit would return the Python function, which cannot copy between addresses
            return None
        from . import kernels

        return _jit(partial(numba.njit, _SIGNATURE, nogil=True), settings, kernels.copying(block))
    except Exception as error:  # a broken numba fails in any way
        _warn_once(error)
        return None


def _jit(decorator: Callable[..., Any], settings: Any, function: _Kernel) -> _Kernel:
    """Compile a function, and cache the result on disk if possible."""
    compiled: _Kernel
    folder = _cache_folder()
    if folder:
        # If the cache fails in any way, the function is compiled without it.
        with suppress(Exception), _cache_in(settings, folder):
            compiled = decorator(cache=True)(function)
            return compiled
    compiled = decorator()(function)
    return compiled


def _warn_once(error: Exception) -> None:
    """Warn once; never raises, so that the copy is done also where warnings are errors."""
    global _warned
    if not _warned:
        _warned = True
        with suppress(Exception):
            warnings.warn(f"copies are done by NumPy, as numba fails: {error!r}", RuntimeWarning, stacklevel=2)


@contextmanager
def _cache_in(settings: Any, folder: str) -> Iterator[None]:
    """Make numba cache compiled functions in a folder; it reads the setting when a function is decorated."""
    before = settings.CACHE_DIR
    settings.CACHE_DIR = folder
    try:
        yield
    finally:
        settings.CACHE_DIR = before


def _cache_folder() -> str:
    """Return the folder for numba's cache, created if missing; an empty string if it is not writable."""
    from tempfile import TemporaryFile

    try:
        folder = Path(config.current().cache_dir).expanduser() / f"numba-{_version():08x}"
        folder.mkdir(parents=True, exist_ok=True)
        TemporaryFile(dir=folder).close()
    except (OSError, RuntimeError):  # RuntimeError if the user has no home directory
        return ""
    return str(folder)


@cache
def _version() -> int:
    """Return a checksum of all modules in this folder: numba itself only checks the module of the function."""
    return crc32(b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))))
