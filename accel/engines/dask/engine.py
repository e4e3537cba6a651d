"""`DaskEngine`: runs launches on the workers of a Dask cluster."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from copy import copy
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from accel.engines.dask.checkpoints import Checkpoints
from accel.engines.dask.cluster import Cluster, reaching
from accel.engines.dask.launch_preview import Capacity, preview_of
from accel.engines.dask.plan import Plan, Version, batches
from accel.engines.dask.programs import usage
from accel.engines.dask.tiles import Holder, Key, Tile, Tiles, here
from accel.engines.dask.tiling import Tiling
from accel.engines.dask.unbound import end_of
from accel.engines.dask.works import PointWork, uses_of
from accel.engines.eager import EagerEngine
from accel.engines.futures import Future, WorksFuture
from accel.engines.memory_budget.requests import Usage, refuse_larger
from accel.engines.placement import refuse_without_body
from accel.engines.points import Point, root_of
from accel.engines.previews import Preview
from accel.engines.progress import ProgressMeter, Report, meter_of, reporting
from accel.engines.protocol import Engine
from accel.engines.row_tiling import TILE_BYTES, tile_rows
from accel.engines.task_definition import TaskDefinition
from accel.engines.task_launch import Launch
from accel.errors import StoreError, StoreValueError
from accel.memory.sizes import as_bytes
from accel.store import box_order
from accel.store.box_order import HostWork, Use
from accel.store.logical_store import LogicalStore
from accel.store.regions import Access, Work, lock
from accel.store.root import HOST, Root

if TYPE_CHECKING:
    from distributed import Client

    from accel.engines.dask.tiles import Value

__all__ = ["DaskEngine"]

_TILES_A_THREAD, _MOST_BYTES = 4, 1 << 26  # when aligned stores are cut; bytes of all of them in one tile


class DaskEngine(Engine):
    """Runs launches on the workers of a Dask cluster (``engine("dask", ...)``).

    The values of a store that a task wrote stay on the workers, as tiles, until this process reads them, or a task of
    another engine. Values in memory of this process are sent with the tasks that read them. What a lost worker held is
    computed again. Dask repeats a task only if its worker is lost, never after an exception of the body.

    A launch runs in this process, in the caller, if all its stores are in memory here and it uses at most
    ``local_bytes`` bytes: a task on the cluster takes about a millisecond, whatever it does.

    The values that the cluster holds are gone when it is closed: read them, or `gather` them, before.

    Parameters
    ----------
    address : str, optional
        Address of the scheduler of a running cluster, such as ``"tcp://host:8786"``.
    client : distributed.Client, optional
        A client of a cluster; it stays open.
    workers : int, optional
        Number of processes to start on this machine. Without any of the three, as many as Dask chooses.
    timeout : float
        Seconds to wait for the scheduler.
    local_bytes : int
        Launches that use at most so many bytes, all of them here, run here.
    checkpoint_every : int
        After so many launches in a row, each on the results of the one before, the tiles are saved: those of workers
        started here to files, others by way of this process. What is computed again after a loss, and what the
        scheduler must remember, is limited by this.
    **options
        Other options of `set`, such as ``budget``.

    Raises
    ------
    DeviceUnavailableError
        If Dask is not installed, or no scheduler answers.
    StoreValueError
        If more than one cluster is given, or a number is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from accel.engines import InOut, engine, task
    >>> from accel.store import from_array
    >>> @task
    ... def double(x: InOut):
    ...     x.span_read_write_accessor()[...] *= 2
    >>> with engine("dask", workers=1, local_bytes=0) as cluster:
    ...     x = from_array(np.arange(4.0), read_only=False)
    ...     future = double(x.partition_by_tiling((2,)))
    ...     cluster.gather(x)
    array([0., 2., 4., 6.])
    """

    local_bytes: int
    checkpoint_every: int

    name = "dask"
    options: ClassVar[frozenset[str]] = Engine.options | {"budget", "checkpoint_every", "local_bytes", "progress"}

    def __init__(
        self,
        address: str | None = None,
        *,
        client: "Client | None" = None,
        workers: int | None = None,
        timeout: float = 5.0,
        local_bytes: int = 1 << 16,
        checkpoint_every: int = 64,
        **options: Any,
    ) -> None:
        super().__init__()
        self.budget: int | None = None
        self.progress: Report | None = None
        self._here = EagerEngine()
        self.set({"local_bytes": local_bytes, "checkpoint_every": checkpoint_every, **options})
        self.cluster: Cluster = Cluster(address, client=client, workers=workers, timeout=timeout)
        self._checkpoints = Checkpoints(self.cluster)
        # What was sent of stores that are never written.
        self._sent: WeakKeyDictionary[Root, Tiling[Holder]] = WeakKeyDictionary()

    def set(self, options: dict[str, Any]) -> None:
        """Change options of this engine.

        Parameters
        ----------
        budget : int or str
            The most bytes of tiles in memory of each worker, as in ``"2 GiB"``. Tiles that wait are in files of the
            worker. Each point of a launch needs all its stores at once. Workers that are threads of one process share
            one budget.
        progress : bool or callable
            Called with a `Progress` after each point of a launch, in a thread of Dask. True writes a line to the
            terminal, if standard error is one and the launch takes more than a second.
        device : Device or str
            Run the variants for this device, which each worker must have. The tiles stay in memory of the host, and are
            copied there and back.
        inline : bool
            Whether launches of few bytes run in this process.
        local_bytes, checkpoint_every : int
            See `DaskEngine`.
        """
        options = {**options}
        if "progress" in options:
            options["progress"] = reporting(options["progress"])
        if options.get("budget") is not None:
            options["budget"] = as_bytes(options["budget"], "budget")
        for name, least in (("local_bytes", 0), ("checkpoint_every", 1)):
            if options.get(name, least) < least:
                raise StoreValueError(f"{name} must be {least} or more; found {options[name]}")
        super().set(options)
        self._here = copy(self._here)
        self._here.set({"device": self.device, "progress": self.progress})

    def submit(self, launch: Launch) -> Future:
        """Submit a launch; see `Task.__call__`.

        Raises
        ------
        DeviceLostError
            If the cluster is gone; stores in memory of this process keep their values.
        """
        self.cluster.refuse_lost()
        if self.device is not None:
            refuse_without_body(launch.task, self.device)
        launch = self._tile(launch)
        points = launch.points()
        self._check_budget(points)
        if self._runs_here(points):
            return self._here.submit(launch)
        with self._handover(uses_of(points)):
            plan = self._plan(launch.task, points)
            meter = None if self.progress is None else meter_of(self.progress, launch.task.name, points)
            works = self._submitted(plan, meter)
            for version in plan.versions.values():
                self._limit_depth(version.root)
            return WorksFuture(works)

    def preview(self, launch: Launch) -> Preview:
        """Return what a launch will do, without submitting it.

        Bytes that workers send each other are not known before, and not counted.

        Raises
        ------
        DeviceLostError
            If the cluster is gone.
        """
        self.cluster.refuse_lost()
        launch = self._tile(launch)
        points = launch.points()
        if self._runs_here(points):
            return self._here.preview(launch)
        plan = self._plan(launch.task, points, preview=True)
        moved = {str(self.cluster): sum([each.nbytes for each in plan.sent.values()])}
        return preview_of(launch, points, moved, Capacity(self.cluster.threads, self.cluster.workers, self.budget))

    def persist(self, store: LogicalStore) -> LogicalStore:
        """Wait until the values of a store are computed, and save those that the cluster holds; returns the store.

        What they were computed from is forgotten: after the loss of a worker they are read again.

        Raises
        ------
        DeviceLostError
            If the cluster is gone.
        BaseException
            The failure of a task that was to write the store.
        """
        self.cluster.refuse_lost()
        root = super().persist(store).root
        with self._handover([Use(root, root.box, Access.READ_WRITE)]):
            self._checkpoint(root)
        return store

    def run_graph(self, graph: Any, keys: Any, **options: Any) -> Any:
        """Compute keys of a graph of Dask in the cluster; the values come to this process.

        Raises
        ------
        StoreError
            Under a budget, which is for tasks.
        DeviceLostError
            If the cluster is gone.
        """
        self.cluster.refuse_lost()
        if self.budget is not None:
            raise StoreError(
                "the budget of the engine dask is for tasks; Dask runs graphs, as of chunked arrays, without it: write "
                "engine('threads').using(budget=...), or using(budget=None)"
            )
        return self.cluster.client.get(graph, keys, **options)

    def usage(self) -> dict[str, Usage]:
        """Return by the address of each worker the bytes of its tiles, now and at most since it started.

        Raises
        ------
        DeviceLostError
            If the cluster is gone.
        """
        self.cluster.refuse_lost()
        with reaching(self.cluster):
            usages: dict[str, Usage] = self.cluster.client.run(usage)
            return usages

    def close(self) -> None:
        """Close the client, and end the workers that were started here. Doing so again is harmless."""
        self._sent.clear()
        self.cluster.close()

    def __exit__(self, *exception: object) -> None:
        super().__exit__(*exception)
        self.close()

    def __repr__(self) -> str:
        return f"<engine dask on {self.cluster}>"

    def _tile(self, launch: Launch) -> Launch:
        """Return a launch on large aligned stores cut into tiles: some for each thread, of enough work for a task."""
        nbytes = 0 if launch.only is None else launch.only.nbytes
        per_task = nbytes // (_TILES_A_THREAD * max(self.cluster.threads, 1))
        most = _MOST_BYTES if self.budget is None else min(_MOST_BYTES, self.budget // 2)
        return tile_rows(launch, max(min(per_task, most), TILE_BYTES))

    def _check_budget(self, points: Sequence[Point]) -> None:
        """Refuse a launch with a point that does not fit, before any point runs."""
        if self.budget is not None:
            for point in points:
                refuse_larger(point, {each.name: each.nbytes for each in point.operands}, self.budget)

    def _runs_here(self, points: Sequence[Point]) -> bool:
        if not self.inline:
            return False
        operands = [operand for point in points for operand in point.operands]
        if any(operand.map is None or isinstance(root_of(operand).contents, Tiles) for operand in operands):
            return False
        return sum([operand.nbytes for operand in operands]) <= self.local_bytes

    @contextmanager
    def _handover(self, uses: Sequence[Use]) -> Iterator[None]:
        """Wait for other work on some roots, and let no other thread submit launches on them inside the block.

        Values of a root go from memory of this process to the cluster, or from one version to the next. No other
        thread may gather them, or write to the memory, at that time.
        """
        handover = HostWork()
        try:
            with lock:  # a thread that finds the work also finds the works that it waits for
                handover.after = [each for each in box_order.enter(handover, uses) if not self._ours(each)]
            for work in handover.after:
                work.settle()
            yield
        finally:
            box_order.leave(handover, uses)
            handover.end()

    def _ours(self, work: Work) -> bool:
        """Tell whether Dask knows what comes after a work."""
        return isinstance(work, PointWork) and work.cluster is self.cluster

    def _plan(self, task: TaskDefinition, points: Sequence[Point], *, preview: bool = False) -> Plan:
        plan = Plan(task, budget=self.budget, device=self.device, preview=preview)
        for operand in chain.from_iterable([point.operands for point in points]):
            root = root_of(operand)
            if id(root) not in plan.versions:
                plan.versions[id(root)] = Version(root, self._tiling(root))
        for point in points:
            plan.add(point)
        plan.combine()
        return plan

    def _submitted(self, plan: Plan, meter: ProgressMeter | None) -> list[PointWork]:
        """Submit a plan, and make what it writes the values of the roots."""
        values = self._sent_to_cluster(plan)
        works = [PointWork(self.cluster, each.point.uses, _step(meter, each.point)) for each in plan.points]
        for work in works:
            work.enter()
        for version in plan.versions.values():
            self._install(version, values)
        end = end_of(self.cluster, plan.points, values)
        watched = []
        for work, each in zip(works, plan.points, strict=True):
            reduces = any(operand.access is Access.REDUCE for operand in each.point.operands)
            keys = [each.key, *[shape for _, _, shape in each.unbound], *(plan.results if reduces else ())]
            watched.append((work, [values[key] for key in keys]))

        def watch() -> None:
            for work, futures in watched:
                work.watch(futures, end)

        self.cluster.later(watch)
        return works

    def _limit_depth(self, root: Root) -> None:
        contents = root.contents
        if isinstance(contents, Tiles) and any(tile.depth >= self.checkpoint_every for tile in contents.tiles()):
            self._checkpoint(root)

    def _checkpoint(self, root: Root) -> None:
        """Replace the tiles of a root by saved ones."""
        contents = root.contents
        if not isinstance(contents, Tiles):
            return
        saved = self._checkpoints.saved(contents.tiles(), root.dtype, self.budget)
        tiling: Tiling[Holder] = Tiling(root.ndim)
        for box, value in contents.tiling.items():
            tiling.put(box, saved.get(value.key, value) if isinstance(value, Tile) else value)
        root.contents = Tiles(self.cluster, root, tiling, contents.shape)

    def _tiling(self, root: Root) -> Tiling[Holder]:
        """Return the tiles of a root's values; the caller may change the tiling."""
        contents = root.contents
        if isinstance(contents, Tiles) and contents.cluster is self.cluster:
            return contents.tiling.copy()
        sent = self._sent.get(root)
        if sent is not None:
            return sent.copy()
        tiling: Tiling[Holder] = Tiling(root.ndim)
        if contents is not None:
            tiling.put(root.box, here(root))
        return tiling

    def _install(self, version: Version, values: dict[Key, "Value"]) -> None:
        """Make a version the values of its root."""
        root = version.root
        for value in version.tiling.values():
            if isinstance(value, Tile) and value.future is None and value.key in values:
                value.future = values[value.key]
        if version.changed:
            assert root.shape is not None, "a box of a known shape was written"
            root._set_memory(Tiles(self.cluster, root, version.tiling, root.shape), HOST)
        elif root.readonly:
            self._sent[root] = version.tiling

    def _sent_to_cluster(self, plan: Plan) -> dict[Key, "Value"]:
        """Submit a plan; return the names of values that are needed further."""
        with reaching(self.cluster):
            needed = plan.needed()
            values: dict[Key, Value] = {}
            # The last values go with the tasks that read them, in one message.
            *first, last = [*batches(plan.sent)] or [{}]
            for batch in first:
                values |= self.cluster.submit(batch, [*batch])
            graph = {**last, **plan.graph}
            return values | self.cluster.submit(graph, [key for key in graph if key in needed or key in last])


def _step(meter: ProgressMeter | None, point: Point) -> Callable[[], object] | None:
    return None if meter is None else partial(meter.step, point.nbytes)
