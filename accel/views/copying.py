"""Asynchronous copies between tensors, on a stream."""

from operator import index
from typing import SupportsIndex

from accel import copies
from accel.abc import CacheEviction, Fill, Stream, Swizzling
from accel.copies import Transfer
from accel.errors import LayoutError
from accel.layout import Swizzle
from accel.views.cells import cells, mask_of
from accel.views.contents import TensorContents
from accel.views.core import TensorCore

__all__ = ["copy_from_async"]


def copy_from_async(
    tensor: TensorContents,
    src: TensorCore,
    src_idx_bound: SupportsIndex | None = None,
    base_offset: SupportsIndex = 0,
    *,
    stream: Stream,
    is_masked: bool = False,
    swizzle: Swizzle | None = None,
    fill: Fill = Fill.NONE,
    eviction_policy: CacheEviction = CacheEviction.NORMAL,
) -> Transfer:
    """Copy the elements of another tensor on a stream, and return at once; pairs are by colexicographic index.

    Host access to either tensor, and work on other streams that uses them, waits until the transfer is complete.
    Only valid parts are read and written. (Mojo's LayoutTensor.copy_from_async, there for shared memory only.)

    Parameters
    ----------
    src : LayoutTensor
        A tensor of the same size and dtype, of any shape.
    src_idx_bound : int, optional
        With ``is_masked``: numbers of ``src`` at this offset from its first element, or beyond, are not read.
    base_offset : int
        Added to the offset in this tensor before the swizzle, and subtracted after it.
    stream : Stream
        A stream of the device of either tensor, made by `accel.new_stream`.
    is_masked : bool
        Whether there is a bound.
    swizzle : Swizzle, optional
        Applied to the offset of each number in this tensor, in elements from the first one.
    fill : Fill
        The value written for numbers beyond the bound: none, or zero.
    eviction_policy : CacheEviction
        Hint: how long the data read should stay in the device's cache.

    Returns
    -------
    Transfer
        Can be waited for or awaited, and knows its throughput.

    Raises
    ------
    ValueError
        If the sizes differ; if there is a bound or a fill without ``is_masked``, or no bound with it.
    DTypeError
        If the dtypes differ.
    LayoutError
        If one of the tensors is padded.
    BoundsError
        If a swizzled offset is outside the storage.
    ReadOnlyError
        If this tensor is read-only.
    OverlapError
        If two coordinates of this layout have the same cell.
    DeviceMismatchError
        If the stream belongs to the device of neither tensor.

    Examples
    --------
    >>> import accel
    >>> from accel.layout import row_major
    >>> t = accel.zeros(6, "int32").view(row_major(2, 3))
    >>> u = accel.container([1, 2, 3, 4, 5, 6], "int32").view(row_major(2, 3))
    >>> t.copy_from_async(u, 4, stream=accel.new_stream("cpu"), is_masked=True).wait()
    >>> t.to_numpy()
    array([[1, 2, 3],
           [4, 0, 0]], dtype=int32)
    """
    if not isinstance(src, TensorContents):
        raise TypeError(f"a tensor copies from a tensor; found {type(src).__name__}: write LayoutTensor(x)")
    tensor._refuse_read_only()
    tensor._refuse_unlike(src, cast=False)
    if tensor._geometry.padded or src._geometry.padded:
        raise LayoutError("an asynchronous copy of a padded tensor is not possible; write t.copy_from(src)")
    mask = _mask(src, src_idx_bound, is_masked, fill)
    target = cells(tensor) if swizzle is None else _swizzled(cells(tensor), swizzle, index(base_offset))
    return copies.copy_async(target, cells(src), stream=stream, mask=mask, eviction=eviction_policy)


def _mask(src: TensorCore, bound: SupportsIndex | None, is_masked: bool, fill: Fill) -> copies.Mask | None:
    if is_masked and bound is not None:
        return copies.Mask(index(bound) * src._dtype.itemsize, Fill(fill))
    if is_masked:
        raise ValueError("a masked copy needs a bound: write src_idx_bound=n, the first index that is not read")
    if bound is not None or Fill(fill) is not Fill.NONE:
        raise ValueError("src_idx_bound and fill are for masked copies; write is_masked=True")
    return None


def _swizzled(target: copies.Elements, swizzle: Swizzle, base: int) -> copies.Elements:
    """Return elements at swizzled offsets; ``base`` is the offset of the first one in the swizzle."""
    swizzling = Swizzling(mask_of(swizzle), swizzle.shift, base)
    if target.swizzle is None:
        return target._replace(start=target.start - base, swizzle=swizzling)
    # Two swizzles do not combine into one, so the offsets are written to a table.
    return target._replace(leaves=(), table=swizzling(target.places()) - base, swizzle=None)
