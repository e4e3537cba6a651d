"""`SpillFile`: bytes that wait outside of memory, in a file without a name.

The file is unlinked before the first byte is written. So the system removes it when it is closed, and also when the
process is killed. What is read from it is raw elements: their types and shapes stay in memory, nothing is unpickled.
"""

import mmap
import os
import tempfile
import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from accel.errors import StoreError
from accel.memory.sizes import in_words
from accel.support.system import read_at, write_at

__all__ = ["Extent", "SpillFile"]

_PAGE = 4096
_ELEMENTS = 1 << 16  # that a strided array is copied by, so that spilling needs little memory


_READ: Any = ["readonly", "contig"]  # numpy's stubs lack "contig"


class Extent(NamedTuple):
    """A range of the file, in bytes."""

    start: int
    size: int


class SpillFile:
    """A file for arrays that wait; threads may write and read at the same time.

    Parameters
    ----------
    folder : str, optional
        Where the file is; by default the system's folder for temporary files.
    """

    def __init__(self, folder: str | None = None) -> None:
        self._folder = folder
        self._file: int | None = None  # its descriptor; a file object could be finalised before this one
        # Guards the three below. An extent that was given out is in neither of them, so no two threads have it.
        self._lock = threading.Lock()
        self._end = 0
        self._unused: dict[int, list[int]] = {}

    def write(self, array: np.ndarray) -> Extent:
        """Write the elements in C order, and return where they are.

        Raises
        ------
        StoreError
            If they cannot be written, for example because the disk is full.
        """
        extent = self._reserve(array.nbytes)
        try:
            position = extent.start
            for part in _contiguous_parts(array):
                position = _write_all(self._descriptor(), part, position)
        except OSError as error:
            self.free(extent)
            folder = self._folder or tempfile.gettempdir()
            raise StoreError(
                f"{in_words(array.nbytes)} could not be spilled to {folder}: {error.strerror}; free some space, name "
                f"another folder with spill_folder=, or give a larger budget"
            ) from error
        except BaseException:
            self.free(extent)
            raise
        return extent

    def read(self, extent: Extent, array: np.ndarray) -> None:
        """Read elements that were written; ``array`` is contiguous in C order."""
        target = _as_bytes(array)
        position = 0
        while position < len(target):
            count = read_at(self._descriptor(), target[position:], extent.start + position)
            if not count:
                raise StoreError("the file of spilled values ends early; was it truncated?")
            position += count

    def mapped(self, extent: Extent) -> np.ndarray:
        """Return the bytes of an extent as they are in the file, read-only: they take no memory of the process."""
        start = extent.start - extent.start % mmap.ALLOCATIONGRANULARITY
        length = extent.start - start + extent.size
        mapping = mmap.mmap(self._descriptor(), length, access=mmap.ACCESS_READ, offset=start)
        return np.frombuffer(mapping, np.uint8, extent.size, extent.start - start)

    def free(self, extent: Extent) -> None:
        """Free an extent, for other arrays."""
        with self._lock:
            self._unused.setdefault(_pages(extent.size), []).append(extent.start)

    def close(self) -> None:
        """Remove the file; what is in it is lost."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)

    def __del__(self) -> None:
        self.close()

    def _reserve(self, size: int) -> Extent:
        with self._lock:
            if self._file is None:
                with tempfile.TemporaryFile(prefix="accel-spill-", dir=self._folder, buffering=0) as file:
                    self._file = os.dup(file.fileno())
            pages = _pages(size)
            unused = self._unused.get(pages)
            if unused:
                return Extent(unused.pop(), size)
            start = self._end
            self._end += pages
            return Extent(start, size)

    def _descriptor(self) -> int:
        file = self._file
        if file is None:
            raise StoreError("the spilled values were removed: the run that wrote them has ended")
        return file


def _pages(size: int) -> int:
    return -(-size // _PAGE) * _PAGE


def _as_bytes(array: np.ndarray) -> memoryview:
    flat: Any = array.reshape(-1).view(np.uint8)
    return memoryview(flat)


def _contiguous_parts(array: np.ndarray) -> Iterable[Any]:
    if array.flags.c_contiguous:
        return [array]
    return np.nditer(
        array,
        flags=["external_loop", "buffered", "zerosize_ok"],
        op_flags=[_READ],
        order="C",
        buffersize=_ELEMENTS,
    )


def _write_all(descriptor: int, part: np.ndarray, position: int) -> int:
    source = _as_bytes(part)
    while source:
        count = write_at(descriptor, source, position)
        source, position = source[count:], position + count
    return position
