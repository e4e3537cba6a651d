"""`Transferring`: copies between tensors that are under way while the host does other things."""

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

__all__ = ["AsyncCopying"]


class AsyncCopying(TensorContents):
    """Copies on a stream; to be mixed into a tensor."""

    __slots__ = ()

    def __accel_elements__(self) -> copies.Elements:
        """Return the numbers that have memory in the order in which they are copied: colexicographically."""
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

        Until the transfer is over, the host that reads either tensor waits for it, and so does work on other streams.
        Only valid parts are touched. (Mojo's LayoutTensor.copy_from_async, there for shared memory only.)

        Parameters
        ----------
        src : LayoutTensor
            Of the same size and dtype, whatever its shape.
        src_idx_bound : int, optional
            With ``is_masked``: numbers that lie so many elements or more after the first of ``src`` are not read.
        base_offset : int
            Added to the offset in this tensor before the swizzle, and taken off after it.
        stream : Stream
            Of the device of either tensor, as `accel.new_stream` makes them.
        is_masked : bool
            Whether there is a bound.
        swizzle : Swizzle, optional
            What becomes of the offset of each number in this tensor, counted in elements from its first one.
        fill : Fill
            What is written for numbers beyond the bound: nothing, or zero.
        eviction_policy : CacheEviction
            How long what is read should stay in a device's cache; a hint.

        Returns
        -------
        Transfer
            To wait for, ask for its throughput, or await.

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
            If the stream is of neither tensor's device.

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
    """Return elements at the swizzled places of others, which are counted from ``base`` on."""
    swizzling = Swizzling(mask_of(swizzle), swizzle.shift, base)
    if target.swizzle is None:
        return target._replace(start=target.start - base, swizzle=swizzling)
    # Two swizzles are not one: the places are written out.
    return target._replace(leaves=(), table=swizzling(target.places()) - base, swizzle=None)
