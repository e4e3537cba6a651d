"""The folder of compiled kernels: private to the user, shared by processes, bounded in size.

Where the folder in the settings cannot be written, a temporary folder of this process takes its place. How files get
into it: `common.cache_files`.
"""

import atexit
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from accel import config
from accel.errors import AccelError, KernelLaunchError
from accel.support.locks import open_after_fork

from ...common import bounded_folders
from ...common.cache_files import write
from .interruption import interrupted

__all__ = ["drop_oldest", "failures_named", "folder", "keep_source", "keep_within_limit", "only_one"]

LIMIT = 512 << 20
_PATIENCE = 120.0  # seconds; a process that holds the lock longer is taken for stopped, and its work is done twice
_lock = open_after_fork(threading.Lock())
_temporary: dict[int, Path] = {}  # by process: the child of a fork makes its own


def folder() -> Path:
    """Return the folder, which exists and can be written."""
    path = Path(config.current().cache_dir)
    try:
        path = path.expanduser() / "cuda_sim"
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    except (OSError, RuntimeError):  # RuntimeError if the user has no home directory
        return _temporary_folder()
    return path if os.access(path, os.W_OK | os.X_OK) else _temporary_folder()


def _temporary_folder() -> Path:
    with _lock:
        path = _temporary.get(os.getpid())
        if path is None or not path.is_dir():
            path = _temporary[os.getpid()] = Path(tempfile.mkdtemp(prefix="accel-cuda-sim-"))
            atexit.register(_remove, path, os.getpid())
        return path


def _remove(path: Path, owner: int) -> None:
    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)


@contextmanager
def only_one(name: str) -> Iterator[None]:
    """Keep other threads and processes out of the same block of the same name, where files can be locked.

    Otherwise the same work may be done twice, which costs only time.
    """
    import fcntl  # not on Windows

    try:
        descriptor = os.open(folder() / f"{name}.lock", os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        yield
        return
    try:
        _take(descriptor)
        yield
    finally:
        # A child that was forked meanwhile has the descriptor too: closing would leave the lock with it.
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        os.close(descriptor)


def _take(descriptor: int) -> None:
    import fcntl

    end = time.monotonic() + _PATIENCE
    with suppress(OSError):  # a file system without locks
        while time.monotonic() < end and not interrupted():
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.01)
            else:
                return


@contextmanager
def failures_named() -> Iterator[None]:
    """Raise what the system says of the folder as an error of a launch."""
    try:
        yield
    except AccelError:
        raise
    except OSError as error:
        raise KernelLaunchError(
            f"compiled kernels are kept in {folder()}, which failed ({error}); choose another folder, as in "
            f"accel.configure(cache_dir='{tempfile.gettempdir()}/accel')"
        ) from error


def keep_source(source: str, path: Path) -> None:
    """Keep the source of a shared object beside it, for the lines in reports, unless it is there."""
    file, content = path.with_suffix(".cu"), source.encode(errors="surrogateescape")
    with suppress(OSError):
        if file.is_file() and file.read_bytes() == content:
            return
    write(content, file)


def keep_within_limit() -> None:
    """Remove what was used least recently if the folder has grown too large, but look at most once a minute."""
    with suppress(OSError):  # the folder is gone, or cannot be read
        if bounded_folders.is_time_to_look(folder()):
            drop_oldest()


def drop_oldest(limit: int = LIMIT) -> None:
    """Remove the files that were used least recently, until the rest takes no more than `limit` bytes."""
    bounded_folders.drop_oldest([*folder().iterdir(), *folder().glob("headers_*/*/*")], limit)
