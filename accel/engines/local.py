"""`LocalEngine`: what the engines of this process share. Each point of a launch becomes a work of its regions."""

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial

from accel.engines import attached
from accel.engines.durations import Duration
from accel.engines.futures import Future, WorksFuture
from accel.engines.joining import Joined, combined_use, keep
from accel.engines.launch import Launch
from accel.engines.placing import place_of_point, refuse_without_body
from accel.engines.points import Point
from accel.engines.protocol import Engine
from accel.engines.running import run
from accel.engines.staging import give_back, memory_at
from accel.engines.work import TaskWork
from accel.store import regions
from accel.store.regions import Access, Work

__all__ = ["LocalEngine"]


class LocalEngine(Engine):
    """An engine of this process, on the memory of the roots themselves."""

    def submit(self, launch: Launch) -> Future:
        """Submit a launch; see `Task.__call__`."""
        if self.device is not None:
            refuse_without_body(launch.task, self.device)
        launch = self.divided(launch)
        points = launch.points()
        joined = Joined.of(points)
        works = [self._work(point, joined, at) for at, point in enumerate(points)]
        if len(works) == 1:
            works[0].duration = Duration(launch.task.seconds, points[0].nbytes)
        if joined is not None:
            works.append(TaskWork(f"task {launch.task.name}, the end of all colors", joined.uses, joined.finish))
        self._record(works, joined)
        return WorksFuture(works)

    def divided(self, launch: Launch) -> Launch:
        """Return the launch, cut into more points if the engine thinks that good."""
        return launch

    @abstractmethod
    def start(self, work: TaskWork, after: Sequence[Work]) -> None:
        """Run a work, now or later, after others; it is recorded."""
        ...

    def _work(self, point: Point, joined: Joined | None, at: int) -> TaskWork:
        uses = [
            combined_use(operand) for operand in point.operands if joined is None or operand.name not in joined.names
        ]
        return TaskWork(point, uses, partial(self._act, point, joined, at))

    def _record(self, works: Sequence[TaskWork], joined: Joined | None) -> None:
        """Record all works of a launch in one step, and start them."""
        memory = attached.recorded([use for work in works for use in work.uses])
        started = 0
        try:
            with attached.order:
                after = regions.enter_all([(work, work.uses) for work in works])
                if memory is not None:
                    memory.enter(works, after)
            if joined is not None:
                after[-1] = [*after[-1], *works[:-1]]
                joined.works = works[:-1]
            for work, earlier in zip(works, after, strict=True):
                self.start(work, earlier)
                started += 1
        except BaseException as error:
            # What was recorded must end, or later tasks would wait for ever.
            for work in works[started:]:
                work.give_up(error)
            raise

    def _act(self, point: Point, joined: Joined | None, at: int) -> None:
        place = place_of_point(point, self.device)
        memories = {
            each.name: memory_at(each, place)
            for each in point.operands
            if each.map is not None and each.access is not Access.REDUCE
        }
        produced = run(point, memories, place)
        for operand in point.operands:
            if operand.name in memories:
                give_back(operand, memories[operand.name])
        keep(point, produced, joined, at)
