"""`LocalEngine`: what the engines of this process share. Each point of a launch becomes a work of its regions."""

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any

from accel.engines import attached
from accel.engines.budget import Budget
from accel.engines.durations import Duration
from accel.engines.futures import Future, WorksFuture
from accel.engines.joining import Joined, combined_use, keep
from accel.engines.launch import Launch
from accel.engines.placing import place_of_point, refuse_without_body
from accel.engines.points import Point
from accel.engines.protocol import Engine
from accel.engines.running import Memory, run
from accel.engines.staging import give_back, memory_at, physical
from accel.engines.tiles import TiledContents
from accel.engines.work import TaskWork
from accel.memory.host_storage import HostArray
from accel.store import regions
from accel.store.logical_store import LogicalStore
from accel.store.regions import Access, Work

__all__ = ["LocalEngine"]


class LocalEngine(Engine):
    """An engine of this process, on the memory of the roots themselves."""

    options = Engine.options | {"budget", "spill_folder"}

    def __init__(self) -> None:
        super().__init__()
        self.budget: Budget | None = None

    def set(self, options: dict[str, Any]) -> None:
        """Change options of this engine; ``budget`` is the most bytes of tiles on each device, as in ``"2 GiB"``."""
        given = {**options}
        budget, folder = given.pop("budget", None), given.pop("spill_folder", None)
        super().set(given)
        if "budget" in options:
            self.budget = None if budget is None else Budget(budget, folder)
        elif folder is not None:
            raise TypeError("spill_folder= needs a budget; write using(budget='2 GiB', spill_folder=...)")

    def gather(self, store: LogicalStore) -> HostArray:
        """Wait for the tasks that write a store, and return its values on the host.

        Of a store in tiles only those are read that overlap this one, and they stay tiles.
        """
        contents = store.root.contents
        if not isinstance(contents, TiledContents) or contents.gathered is not None:
            return super().gather(store)
        regions.settle(store.root, store.map.box, writing=False)
        memory = Memory(contents.budget.values(contents, store.map.box), store.map.on_box())
        values: HostArray = physical(memory.storage, memory.map, store.dtype, memory.place)
        return values

    def submit(self, launch: Launch) -> Future:
        """Submit a launch; see `Task.__call__`."""
        if self.device is not None:
            refuse_without_body(launch.task, self.device)
        launch = self.divided(launch)
        points = launch.points()
        if self.budget is not None:
            self.budget.check(points, [place_of_point(point, self.device) for point in points])
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
                after = [regions.enter(work, work.uses) for work in works]
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
        if self.budget is not None:
            with self.budget.admitted(point, place) as admitted:
                produced = run(point, admitted, place)
            keep(point, produced, joined, at)
            return
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
