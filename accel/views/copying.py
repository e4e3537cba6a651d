"""`Transferring`: asynchronous copies between tensors, on a stream."""

from operator import index
from typing import SupportsIndex

from accel import copies
from accel.abc import CacheEviction, Fill, Stream, Swizzling
from accel.copies import Transfer
from accel.errors import LayoutError
from accel.layout import Swizzle
from accel.views.cells import cells, mask_of
from accel.views.conversion import Moving
from accel.views.core import TensorCore

__all__ = ["Transferring"]


class Transferring(Moving):
    """Asynchronous copies; a mixin of tensors."""

    __slots__ = ()

    def __accel_elements__(self) -> copies.Elements:
        """Return the numbers that have memory, in colexicographic order, in which tensors are copied."""
        return cells(self)

    def copy_from_async(
        self,
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
        """Copy the elements of another tensor on a stream, paired by colexicographic index; returns at once.

        Later reads and writes of this tensor, and later writes of the other one, wait for the transfer: those of the
        host and those on other streams. Only valid parts are touched. (Mojo's LayoutTensor.copy_from_async, which is
        for shared memory only.)

        Parameters
        ----------
        src : LayoutTensor
            Of the same size and dtype, whatever its shape.
        src_idx_bound : int, optional
            With ``is_masked``: numbers at least so many elements after the first one of ``src`` are not read.
        base_offset : int
            Added to the offset in this tensor before the swizzle, and subtracted after it.
        stream : Stream
            Of the device of either tensor, as `accel.new_stream` returns it.
        is_masked : bool
            Whether there is a bound.
        swizzle : Swizzle, optional
            Applied to the offset of each number in this tensor, counted in elements from its first one.
        fill : Fill
            What is written instead of numbers beyond the bound: nothing, or zero.
        eviction_policy : CacheEviction
            How long the source should stay in a device's cache; a hint.

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
            If the swizzle leads out of the storage.
        ReadOnlyError
            If writing is forbidden.
        OverlapError
            If this layout names an element twice.
        DeviceMismatchError
            If the stream belongs to another device.

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
        if not isinstance(src, Moving):
            raise TypeError(f"a tensor copies from a tensor; found {type(src).__name__}: write LayoutTensor(x)")
        self._refuse_read_only()
        self._refuse_unlike(src, cast=False)
        if self._geometry.padded or src._geometry.padded:
            raise LayoutError(
                "a padded tensor has elements without memory, which no stream copies; write t.copy_from(src)"
            )
        mask = _mask(src, src_idx_bound, is_masked, fill)
        target = cells(self) if swizzle is None else _swizzled(cells(self), swizzle, index(base_offset))
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
    """Return elements at the swizzled offsets of others, counted from ``base`` on."""
    swizzling = Swizzling(mask_of(swizzle), swizzle.shift, base)
    if target.swizzle is None:
        return target._replace(start=target.start - base, swizzle=swizzling)
    # Two swizzles do not combine to one, so the offsets are listed in a table.
    return target._replace(leaves=(), table=swizzling(target.places()) - base, swizzle=None)
