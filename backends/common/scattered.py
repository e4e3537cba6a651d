"""Copies of items that have to be found one by one: where a swizzle, a table or a bound has a say."""

from collections.abc import Iterator

import numpy as np

from accel.dtypes import DType
from accel.memory import Fill, Operand, Plan

from .places import Places, Positions, chunks, source_places, target_places
from .strided import Array, Bytes, cast
from .workers import WORKERS

__all__ = ["copy_scattered", "everywhere"]

_Pieces = Iterator[tuple[Positions, Array]]


def everywhere(data: Bytes, dtype: DType) -> Array:
    """Return the items that begin at any byte; they overlap, and know no alignment."""
    return np.ndarray(max(data.nbytes - dtype.itemsize + 1, 0), dtype, data, 0, (1,))


def copy_scattered(
    target: Operand, into: Bytes, source: Operand, out_of: Bytes, plan: Plan, dtypes: tuple[DType, DType]
) -> None:
    """Copy items between any places; those of the source are all read first if the plan says so.

    Raises
    ------
    BoundsError
        If one is not inside of the data; nothing is written.
    """
    to = target_places(target, plan, dtypes[0].itemsize)
    of = source_places(source, plan, dtypes[1].itemsize)
    to.refuse_outside(into.nbytes)
    of.refuse_outside(out_of.nbytes, plan.bound)
    items, others = everywhere(into, dtypes[0]), everywhere(out_of, dtypes[1])

    def read(low: int, high: int) -> _Pieces:
        for begin, end in chunks(low, high):
            yield _read(to, others, of, plan, begin, end)

    def work(low: int, high: int) -> None:
        _write(items, read(low, high))

    if plan.buffered:
        _write(items, iter(list(read(0, plan.size))))
    else:
        WORKERS.share(work, plan.size, plan.nbytes)


def _read(to: Places, others: Array, of: Places, plan: Plan, low: int, high: int) -> tuple[Positions, Array]:
    """Return where the items from one number to another go, as far as they go anywhere, and the items."""
    distances, onto = of.distances(low, high), to.distances(low, high)
    if plan.bound is None:
        return to.of(onto), others[of.of(distances)]
    read = distances < plan.bound
    values = others[of.of(distances[read])]
    if plan.fill is Fill.NONE:
        return to.of(onto[read]), values
    filled = np.zeros(high - low, others.dtype)
    filled[read] = values
    return to.of(onto), filled


def _write(items: Array, pieces: _Pieces) -> None:
    for positions, values in pieces:
        converted = values if items.dtype == values.dtype else np.empty(values.shape, items.dtype)
        if converted is not values:
            cast(converted, values)
        items[positions] = converted
