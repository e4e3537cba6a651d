"""Strided views as text."""

from functools import reduce
from operator import add

import numpy as np

from accel.copies import Elements, read
from accel.copies.elements import OffsetTable
from accel.memory.host_storage import HostArray
from accel.views.sources import Source

__all__ = ["html", "shown"]


def shown(source: Source, prefix: str) -> str:
    """Return the elements as text, abbreviated as ``numpy.printoptions`` says.

    Only the elements that are shown are read.
    """
    if source.storage.released:
        return "released"
    options = np.get_printoptions()
    if source.size <= options["threshold"]:
        values, threshold = read(source.elements).reshape(source.shape), options["threshold"]
    else:
        values, threshold = _ends(source, options["edgeitems"]), 0
    return np.array2string(values, separator=", ", prefix=prefix, threshold=threshold)


def html(name: str, source: Source) -> str:
    """Return the elements below what is known of a view."""
    from accel.pictures.html import card, preformatted

    shape = "x".join(map(str, source.shape))
    about = [f"shape {shape}", f"offset {source.start}", f"dtype {source.dtype.name}"]
    if not source.storage.released:
        about += [f"device {source.storage.device}", f"{source.size * source.dtype.itemsize:,} bytes"]
    return card(name, ", ".join(about), preformatted(shown(source, "")))


def _ends(source: Source, edge: int) -> HostArray:
    """Read the elements shown at the ends of each axis, and one more between them, which NumPy prints as dots."""
    indices = [_indices(extent, edge) for extent in source.shape]
    offsets = [places * stride for places, stride in zip(indices, source.strides, strict=True)]
    table = np.asarray(reduce(add, np.ix_(*offsets)), np.int64)
    return read(Elements(source.storage, source.start, (), table=table.reshape(-1))).reshape(table.shape)


def _indices(extent: int, edge: int) -> OffsetTable:
    """Return the indices along one axis whose elements are read."""
    if extent <= 2 * edge:
        return np.arange(extent, dtype=np.int64)
    return np.concatenate([np.arange(edge + 1, dtype=np.int64), np.arange(extent - edge, extent, dtype=np.int64)])
