"""`scoped_storage`: host memory that is released at the end of a block, in place of Mojo's stack allocation."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import SupportsIndex

from accel.dtypes import DTypeLike, as_dtype
from accel.memory import HostStorage
from accel.memory.sizes import as_size
from accel.views.index_checks import as_alignment

__all__ = ["scoped_storage"]


@contextmanager
def scoped_storage(size: SupportsIndex, dtype: DTypeLike, alignment: SupportsIndex = 1) -> Iterator[HostStorage]:
    """Yield uninitialized host memory, and release it at the end of the block.

    Parameters
    ----------
    size : int
        Number of elements.
    dtype : dtype_like
        Type of the elements.
    alignment : int
        Alignment of the address in bytes, a power of two.

    Raises
    ------
    ValueError
        If the size is negative, or the alignment is not a power of two.
    """
    element_dtype, boundary = as_dtype(dtype), as_alignment(alignment)
    nbytes = as_size(size, element_dtype.itemsize) * element_dtype.itemsize
    with (
        HostStorage.new(nbytes + boundary - 1, "uint8") as buffer,
        buffer.window(-buffer.pointer % boundary, nbytes, buffer.dtype) as aligned,
        aligned.window(0, nbytes // element_dtype.itemsize, element_dtype) as storage,
    ):
        yield storage
