"""`SharedOutputs`: stores that all points of a launch write together: reductions, and outputs of no given shape."""

from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np

from accel.engines.execution import BodyResults, combine, host_array, moved
from accel.engines.points import Operand, Point, root_of
from accel.engines.staging import box_array
from accel.engines.work import TaskWork
from accel.errors import StoreValueError
from accel.memory import AnyStorage
from accel.store.box_order import Use
from accel.store.boxes import extents
from accel.store.failures import again
from accel.store.regions import Access
from accel.store.root import HOST
from accel.store.scratch import elements_of

__all__ = ["Piece", "SharedOutputs", "combined_uses", "keep"]

Piece = tuple[AnyStorage, tuple[int, ...]]
"""The memory and the shape that a point chose for an unbound output."""


class SharedOutputs:
    """Stores to which each point of a launch contributes a part; the parts are combined after the last point.

    Each point has values of its own for a reduction, so no point waits for another. They are combined when all points
    are over: as a tree in the order of the colors, the current value of the store last.

    Attributes
    ----------
    names : frozenset of str
        The parameters.
    works : sequence of TaskWork
        The points.
    """

    def __init__(self, operands: Sequence[Operand], count: int) -> None:
        self._operands = operands
        self._partials: dict[str, list[AnyStorage]] = {each.name: [None] * count for each in operands}  # type: ignore[list-item]
        self._pieces: dict[str, list[Piece]] = {each.name: [None] * count for each in operands}  # type: ignore[list-item]
        self.names: frozenset[str] = frozenset(self._partials)
        self.works: Sequence[TaskWork] = ()

    @classmethod
    def of(cls, points: Sequence[Point]) -> Self | None:
        """Return the parts of a launch; None if each point has stores, or tiles, of its own."""
        if len(points) < 2:
            return None
        shared = [
            each
            for each in points[0].operands
            if not each.partitioned and (each.access is Access.REDUCE or each.map is None)
        ]
        return cls(shared, len(points)) if shared else None

    @property
    def uses(self) -> list[Use]:
        """The uses of the stores when all points are over."""
        return combined_uses(self._operands)

    def add(self, at: int, results: BodyResults) -> None:
        """Keep the parts of a point."""
        for name in self.names & results.partials.keys():
            self._partials[name][at] = results.partials[name]
        for name in self.names & results.bound.keys():
            self._pieces[name][at] = results.bound[name]

    def finish(self) -> None:
        """Combine the parts; all points are over. Raises the failure of the first that failed."""
        for work in self.works:
            if work.failure is not None:
                raise again(work.failure)
        for operand in self._operands:
            if operand.access is Access.REDUCE:
                combine_into(operand, self._partials.pop(operand.name))
            else:
                bind(operand, joined_pieces(operand, self._pieces.pop(operand.name)))


def combined_uses(operands: Iterable[Operand]) -> list[Use]:
    """Return the uses of stores, where a reduction means that values are combined into them in one step."""
    uses = []
    for operand in operands:
        assert operand.root is not None, "the point is of this process"
        index_map = operand.map
        if index_map is not None and 0 in index_map.shape:  # `operand.empty`, without a call for each tile
            continue
        access = Access.READ_WRITE if operand.access is Access.REDUCE else operand.access
        uses.append(Use(operand.root, operand.box, access))
    return uses


def keep(point: Point, results: BodyResults, shared: SharedOutputs | None, at: int) -> None:
    """Combine the results of a point into its stores, or keep them for the end of the launch."""
    if shared is not None:
        shared.add(at, results)
    for operand in point.operands:
        if shared is not None and operand.name in shared.names:
            continue
        if operand.name in results.partials:
            combine_into(operand, [results.partials[operand.name]])
        elif operand.name in results.bound:
            bind(operand, results.bound[operand.name])


def combine_into(operand: Operand, partials: Sequence[AnyStorage]) -> None:
    """Combine partial values, and the current value last."""
    op, root = operand.op, root_of(operand)
    assert op is not None, "a reduction has an operator"
    total = combine(op, partials).reshape(extents(operand.box))
    with box_array(root, operand.box, operand.dtype) as current:
        op.combine(current, total)


def bind(operand: Operand, piece: Piece) -> None:
    """Give an unbound store its memory and its shape."""
    root_of(operand).bind(*piece)


def joined_pieces(operand: Operand, pieces: Sequence[Piece]) -> Piece:
    """Join pieces along their first dimension, in the order of their colors."""
    if not operand.ndim:
        raise StoreValueError(
            f"{operand.name!r} has no dimension along which the values of {len(pieces)} colors could be joined; "
            f"make the store with ndim=1"
        )
    inner = {shape[1:] for _, shape in pieces}
    if len(inner) > 1:
        raise StoreValueError(
            f"the colors chose shapes for {operand.name!r} that cannot be joined: "
            f"{sorted(shape for _, shape in pieces)}; they may differ in the first dimension only"
        )
    arrays = [host_array(moved(storage, HOST)).reshape(shape) for storage, shape in pieces]
    joined = np.concatenate(arrays)
    storage = elements_of(HOST, joined.size, operand.dtype)
    host_array(storage)[...] = joined.reshape(-1)
    return storage, joined.shape
