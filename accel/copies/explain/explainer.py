"""`explain_copy`: explains how elements would be copied, without copying anything."""

from operator import index
from typing import Any, Protocol, SupportsIndex, runtime_checkable

from accel.abc import Block, Fill, Operand, Span
from accel.copies.elements import Elements, HasElements, Leaves
from accel.copies.explain.explanation import CopyExplanation, Side
from accel.copies.explain.plan_wording import count
from accel.copies.planner import Mask
from accel.copies.run import checked_ends
from accel.copies.stages import End
from accel.errors import LayoutError, ReadOnlyError
from accel.memory import AnyStorage

__all__ = ["explain_copy"]


def explain_copy(
    dst: Any,
    src: Any,
    *,
    cast: bool = False,
    src_idx_bound: SupportsIndex | None = None,
    fill: Fill = Fill.NONE,
) -> CopyExplanation:
    """Explain how elements would be copied. Nothing is copied, no memory is allocated, and nothing is waited for.

    A few elements on the host are copied by NumPy without a plan; the explanation shows the plan of a larger copy.

    Parameters
    ----------
    dst, src : LayoutTensor, container, storage, view or array of `accel.xp`
        Of equal size, on any devices. Tensors are copied in colexicographic order, all others in row-major order.
    cast : bool
        Convert to the dtype of ``dst``.
    src_idx_bound : int, optional
        Elements at least so many elements after the first one of ``src`` are not read.
    fill : Fill
        What is written instead of them: nothing, or zero.

    Returns
    -------
    CopyExplanation
        The explanation; printed, it is text, and in a notebook a picture.

    Raises
    ------
    TypeError
        If one of them has no memory that can be copied.
    ReadOnlyError, OverlapError, BoundsError, ReleasedError
        If ``dst`` is read-only or names an element twice; if elements are outside of the memory, or it was released.
    ValueError
        If the sizes differ, or there is a fill without a bound.
    DTypeError
        If the dtypes differ, without ``cast`` or with a bound.

    Examples
    --------
    >>> import accel
    >>> import accel.xp as xp
    >>> matrix = xp.zeros((6, 4), dtype=xp.int32)
    >>> print(accel.explain_copy(accel.NDBuffer(accel.zeros(24, "int32"), (4, 6)), matrix.T))
    Copy of 24 int32 elements (96 bytes) from cpu to cpu
      target      int32 on cpu, (4,6):(6,1), the last extent fastest
      source      int32 on cpu, (4,6):(1,4), the last extent fastest
      loops       steps   bytes in the target   bytes in the source
                      4                    24                     4
                      6                     4                    16
      kind        transpose: the target's fastest loop steps 4 bytes where the source steps 16;
                  another loop steps 4 bytes in the source, so tiles of these two loops are
                  transposed in fast memory, and both ends are accessed in contiguous pieces
      items       4 bytes each (one element); accesses of up to 4 bytes; distances in 32 bits
      overlap     no byte is overwritten before it is read, so nothing is buffered
      done by     the cpu backend, which knows both ends
    """
    if getattr(dst, "readonly", False):
        raise ReadOnlyError(f"this {type(dst).__name__} is read-only; write to a copy of it")
    (into, target), (out_of, source) = _side("target", dst), _side("source", src)
    mask = _mask(out_of, src_idx_bound, fill)
    checked_ends(into, out_of, cast=cast and mask is None)
    return CopyExplanation(target, source, mask)


def _mask(source: Elements, bound: SupportsIndex | None, fill: Fill) -> Mask | None:
    if bound is not None:
        return Mask(index(bound) * source.element_type.itemsize, Fill(fill))
    if Fill(fill) is not Fill.NONE:
        raise ValueError("a fill is for what a bound leaves out; write src_idx_bound=n, the first index not read")
    return None


def _side(name: str, operand: Any) -> tuple[Elements, Side]:
    if isinstance(operand, HasElements):
        elements = operand.__accel_elements__()
        layout = _layout(elements, elements.leaves, "first")
    else:
        elements = _by_rows(operand)
        layout = _layout(elements, elements.leaves[::-1], "last")
    return elements, Side(End(name, elements.storage.device, _forgetful(elements.operand())), layout)


def _forgetful(operand: Operand) -> Operand:
    """Return an operand that does not keep its memory alive."""
    block, start, nbytes = operand.span
    return operand._replace(span=Span(Block(block.pointer, block.nbytes, None), start, nbytes))


def _layout(elements: Elements, leaves: Leaves, order: str) -> str:
    """Return extents and strides as layouts are written."""
    if elements.table is not None:
        return f"at {count(elements.size, 'place')} from a table"
    loops = [leaf for leaf in leaves if leaf[0] != 1]
    if len(loops) < 2:
        return "{}:{}".format(*(loops[0] if loops else (1, 0)))
    extents, strides = (",".join(map(str, part)) for part in zip(*loops, strict=True))
    return f"({extents}):({strides}), the {order} extent fastest"


@runtime_checkable
class _HasStorage(Protocol):
    """A container, a view or an array: describes its elements and names their storage."""

    def _lent_storage(self) -> AnyStorage: ...

    def __accel_operand__(self) -> Operand: ...


def _by_rows(source: Any) -> Elements:
    """Return the elements in row-major order of anything that describes itself to backends."""
    if not isinstance(source, AnyStorage | _HasStorage):
        raise TypeError(
            f"copies know tensors, containers, storages, views and arrays of accel.xp; found {type(source).__name__}: "
            f"write accel.from_numpy(array) or accel.container(values)"
        )
    storage = source if isinstance(source, AnyStorage) else source._lent_storage()
    operand = source.__accel_operand__()
    itemsize = operand.dtype.itemsize
    first = operand.span.start + operand.start - storage.__accel_operand__().span.start
    if any(distance % itemsize for distance in (first, *operand.strides)):
        raise LayoutError(
            f"elements of {itemsize} bytes start at byte {first} with strides {operand.strides} in bytes, which are no "
            f"multiples: copy them first"
        )
    steps = [stride // itemsize for stride in operand.strides]
    leaves = tuple(zip(reversed(operand.extents), reversed(steps), strict=True))
    return Elements(storage, first // itemsize, leaves, operand.dtype)
