"""In which order elements of a new array would lie in memory: as NumPy chooses it, which follows the operands."""

from collections.abc import Sequence
from math import prod
from typing import Any

__all__ = ["order_of", "strides_in"]


def order_of(operands: Sequence[Any], shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the axes of a result, the slowest first; None for C order, in which a reshape needs no copy.

    Parameters
    ----------
    operands : sequence
        Symbols and numbers.
    shape : tuple of int
        That of the result.
    """
    arrays = [each for each in operands if getattr(each, "ndim", 0) > 1]
    if all(getattr(each, "in_c_order", False) for each in arrays):
        return None
    strides = [_broadcast(each, len(shape)) for each in arrays]
    order: list[int] = []  # the fastest first, as NumPy sorts them
    for axis in reversed(range(len(shape))):
        place = len(order)
        for number, other in reversed([*enumerate(order)]):
            faster = _is_faster(axis, other, strides)
            if faster is False:
                break
            place = number if faster else place
        order.insert(place, axis)
    order.reverse()
    return None if order == [*range(len(shape))] else tuple(order)


def strides_in(order: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of memory in an order, in elements."""
    return tuple([prod([shape[other] for other in order[order.index(axis) + 1 :]]) for axis in range(len(shape))])


def _broadcast(x: Any, rank: int) -> tuple[int, ...]:
    steps = [0 if extent == 1 else abs(step) for extent, step in zip(x.shape, x.strides, strict=True)]
    return (0,) * (rank - len(steps)) + tuple(steps)


def _is_faster(axis: int, other: int, strides: Sequence[tuple[int, ...]]) -> bool | None:
    """Tell whether all operands step less far along an axis than along another one; None if none steps along both."""
    both = [(steps[axis], steps[other]) for steps in strides if steps[axis] and steps[other]]
    return all(one < another for one, another in both) if both else None
