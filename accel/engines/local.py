"""`LocalEngine`: what the engines of this process share. Each point of a launch becomes a work of its regions."""

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, ClassVar

from accel.engines import attached_memory
from accel.engines.budget import Budget
from accel.engines.durations import GIVING_ATTACHED, Duration
from accel.engines.execution import Memory, run
from accel.engines.futures import Future, WorksFuture
from accel.engines.placement import place_of_point, refuse_without_body
from accel.engines.points import Point
from accel.engines.previews import Preview, preview_of
from accel.engines.progress import ProgressMeter, Report, meter_of, metered, reporting
from accel.engines.protocol import Engine
from accel.engines.shared_outputs import SharedOutputs, combined_uses, keep
from accel.engines.staging import give_back, memory_at, physical
from accel.engines.task_launch import Launch
from accel.engines.tiles import TiledContents
from accel.engines.work import TaskWork
from accel.memory.host_storage import HostArray
from accel.store import box_order, shared_memory
from accel.store.logical_store import LogicalStore
from accel.store.regions import Access, Work
from accel.store.root import HOST
from accel.support.call_sites import call_site

__all__ = ["LocalEngine"]


class LocalEngine(Engine):
    """An engine of this process, on the memory of the roots themselves."""

    options: ClassVar[frozenset[str]] = Engine.options | {"budget", "progress", "spill_folder"}

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.budget: Budget | None = None
        self.progress: Report | None = None
        self.set(options)

    def set(self, options: dict[str, Any]) -> None:
        """Change options of this engine.

        Parameters
        ----------
        budget : int or str
            The most bytes of tiles on each device, as in ``"2 GiB"``.
        spill_folder : str
            Folder of the file for tiles that wait; by default the system's folder for temporary files.
        progress : bool or callable
            Called with a `Progress` after each point of a launch. True writes a line to the terminal, if standard error
            is one and the launch takes more than a second.
        """
        engine_options = {**options}
        if "progress" in engine_options:
            self.progress = reporting(engine_options.pop("progress"))
        budget, folder = engine_options.pop("budget", None), engine_options.pop("spill_folder", None)
        super().set(engine_options)
        if "budget" in options:
            self.budget = None if budget is None else Budget(budget, folder)
        elif folder is not None:
            raise TypeError("spill_folder= needs a budget; write using(budget='2 GiB', spill_folder=...)")

    def run_graph(self, graph: Any, keys: Any, **options: Any) -> Any:
        """Compute keys of a graph of Dask, within the budget."""
        budget = self.budget
        if budget is not None:
            options = {"budget": budget.nbytes, "spill_folder": budget.spill_folder, **options}
        return super().run_graph(graph, keys, **options)

    def gather(self, store: LogicalStore) -> HostArray:
        """Wait for the tasks that write a store, and return its values on the host.

        Of a store in tiles only those are read that overlap this one, and they stay tiles.
        """
        contents = store.root.contents
        if not isinstance(contents, TiledContents) or contents.gathered is not None:
            return super().gather(store)
        shared_memory.settle(store.root, store.map, writing=False)
        memory = Memory(contents.copy(store.map.box, HOST), store.map.on_box())
        values: HostArray = physical(memory.storage, memory.map, store.dtype, memory.place)
        return values

    def preview(self, launch: Launch) -> Preview:
        """Return what a launch will do, without submitting it.

        Examples
        --------
        >>> from accel.engines import InOut, current, task
        >>> from accel.store import create_store
        >>> @task
        ... def double(x: InOut): ...
        >>> x = create_store("float64", (1000,))
        >>> print(current().preview(double.bind(x.partition_by_tiling((400,)))))
        double on engine threads: 3 tasks, one for each color of (3,)
        reads 8000 bytes, writes 8000 bytes, copies nothing
        new memory: 3200 bytes for the largest task, at most 8000 bytes in all
        <BLANKLINE>
        x (read and write): float64 of shape (1000,), in tiles of (400,)
           0:400   400:800  800:1000
         ┌────────┬────────┬────────┐
         │   0    │   1    │   2    │
         └────────┴────────┴────────┘
        """
        cut = self.tile(launch)
        points = cut.points()
        places = [place_of_point(point, self.device) for point in points]
        return preview_of(self.name, self.budget, cut, [*zip(points, places, strict=True)])

    def submit(self, launch: Launch) -> Future:
        """Submit a launch; see `Task.__call__`."""
        if self.device is not None:
            refuse_without_body(launch.task, self.device)
        launch = self.tile(launch)
        points = launch.points()
        if self.budget is not None:
            self.budget.check(points, [place_of_point(point, self.device) for point in points])
        shared = SharedOutputs.of(points)
        meter = None if self.progress is None else meter_of(self.progress, launch.task.name, points)
        works = [self._work(point, shared, at, meter) for at, point in enumerate(points)]
        if len(works) == 1:
            works[0].duration = Duration(launch.task.seconds, points[0].nbytes)
        if shared is not None:
            works.append(TaskWork(f"task {launch.task.name}, the end of all colors", shared.uses, shared.finish))
        self._record(works, shared)
        return WorksFuture(works)

    def tile(self, launch: Launch) -> Launch:
        """Return the launch, cut into more points if the engine thinks that good."""
        return launch

    @abstractmethod
    def start(self, work: TaskWork, after: Sequence[Work], site: str) -> None:
        """Run a work, now or later, after others; it is recorded. The site is the user's line that submitted it."""
        ...

    def _work(self, point: Point, shared: SharedOutputs | None, at: int, meter: ProgressMeter | None) -> TaskWork:
        own = point.operands
        if shared is not None:
            own = tuple([operand for operand in own if operand.name not in shared.names])
        uses, action = combined_uses(own), partial(self._act, point, shared, at)
        return TaskWork(point, uses, action if meter is None else partial(metered, action, meter, point.nbytes))

    def _record(self, works: Sequence[TaskWork], shared: SharedOutputs | None) -> None:
        """Record all works of a launch in one step, and start them."""
        memory = attached_memory.record_of([use for work in works for use in work.uses])
        if memory is not None and works[0].duration is not None:
            works[0].duration = works[0].duration._replace(most=GIVING_ATTACHED)
        started, site = 0, call_site()
        try:
            with attached_memory.order:
                after = [box_order.enter(work, work.uses) for work in works]
                if memory is not None:
                    memory.enter(works, after)
            if shared is not None:
                after[-1] = [*after[-1], *works[:-1]]
                shared.works = works[:-1]
            for work, earlier in zip(works, after, strict=True):
                self.start(work, earlier, site)
                started += 1
        except BaseException as error:
            # What was recorded must end, or later tasks would wait for ever.
            for work in works[started:]:
                work.give_up(error)
            raise

    def _act(self, point: Point, shared: SharedOutputs | None, at: int) -> None:
        place = place_of_point(point, self.device)
        if self.budget is not None:
            with self.budget.admitted(point, place) as admitted:
                results = run(point, admitted, place)
        else:
            memories = {}
            for operand in point.operands:
                if operand.map is not None and operand.access is not Access.REDUCE:
                    memories[operand.name] = memory_at(operand, place)
            results = run(point, memories, place)
            for operand in point.operands:
                memory = memories.get(operand.name)
                assert operand.root is not None, "the point is of this process"
                if memory is not None and memory.storage is not operand.root.contents:
                    give_back(operand, memory)
        if any(results):
            keep(point, results, shared, at)
