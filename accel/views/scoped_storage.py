"""Memory of a scope: what a stack is to Mojo."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import SupportsIndex

from accel.dtypes import DTypeLike, as_dtype
from accel.memory import HostStorage
from accel.memory.sizes import as_size
from accel.views.checks import as_alignment

__all__ = ["scoped_storage"]


@contextmanager
def scoped_storage(size: SupportsIndex, dtype: DTypeLike, alignment: SupportsIndex = 1) -> Iterator[HostStorage]:
    """Lend uninitialised memory of the host, which is released when the block ends.

    Parameters
    ----------
    size : int
        Number of elements.
    dtype : dtype_like
        Type of the elements.
    alignment : int
        A power of two of which the address is a multiple.

    Raises
    ------
    ValueError
        If the size is negative, or the alignment no power of two.
    """
    element_dtype, boundary = as_dtype(dtype), as_alignment(alignment)
    nbytes = as_size(size, element_dtype.itemsize) * element_dtype.itemsize
    with (
        HostStorage.new(nbytes + boundary - 1, "uint8") as room,
        room.window(-room.pointer % boundary, nbytes, room.dtype) as aligned,
        aligned.window(0, nbytes // element_dtype.itemsize, element_dtype) as storage,
    ):
        yield storage
