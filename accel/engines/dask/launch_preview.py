"""The preview of a launch on a cluster."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from accel.engines.points import Point
from accel.engines.previews import Preview, pictures_of
from accel.engines.task_launch import Launch

__all__ = ["Capacity", "preview_of"]


class Capacity(NamedTuple):
    """What a cluster can do.

    Attributes
    ----------
    threads, workers : int
        Number of tasks that run at once, and of processes.
    budget : int or None
        The most bytes of tiles in memory of a worker.
    """

    threads: int
    workers: int
    budget: int | None

    def bounded(self, nbytes: int) -> int:
        """Return so many bytes of tiles, or what all workers may have together."""
        return nbytes if self.budget is None else min(nbytes, self.budget * self.workers)


def preview_of(launch: Launch, points: Sequence[Point], moved: Mapping[str, int], capacity: Capacity) -> Preview:
    """Return what a launch will do, with the bytes that will be sent."""
    operands = [operand for point in points for operand in point.operands]
    written = sum([operand.nbytes for operand in operands if operand.access.writes])
    largest = max([point.nbytes for point in points], default=0)
    return Preview(
        task=launch.task.name,
        engine="dask",
        tasks=len(points),
        color_shape=launch.color_shape,
        read=sum([operand.nbytes for operand in operands if operand.access.reads]),
        written=written,
        moved=moved,
        largest=largest,
        peak=capacity.bounded(written + largest * min(len(points), capacity.threads)),
        budget=capacity.budget,
        pictures=pictures_of(launch),
    )
