"""`PointWork`: one point of a launch on the cluster, from its submission until it is over.

No thread of this process waits for the points before it: Dask runs a point when the values that it reads are there. The
point is in the regions of its roots, so that the host and tasks of other engines wait for it.

**The invariant.** A point leaves the regions after the points that it comes after. Dask does not know of these if it
reads none of their values, and may run it before them. So of two points that write an element, the one that was
submitted later decides whether the element is valid.
"""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from itertools import chain
from typing import TYPE_CHECKING, Any

from accel.engines.dask.cluster import Cluster, lost
from accel.engines.points import Point, root_of
from accel.errors import DeviceLostError
from accel.store import box_order
from accel.store.box_order import Use
from accel.store.regions import Access

if TYPE_CHECKING:
    from distributed import Future

    Value = Future[Any]

__all__ = ["LaunchEnd", "PointWork", "failure_of", "uses_of"]


class LaunchEnd:
    """Runs an action when all points of a launch are over; until then none of them leaves.

    Parameters
    ----------
    action : callable
        Takes no argument. What it raises is the failure of all points.
    count : int
        Number of points.
    """

    def __init__(self, action: Callable[[], object], count: int) -> None:
        self._action = action
        self._lock = threading.Lock()
        self._works: list[PointWork] = []
        self._missing = count

    def add(self, work: "PointWork") -> None:
        """Note that the values of a point are known; the last one runs the action."""
        with self._lock:
            self._works.append(work)
            self._missing -= 1
            if self._missing:
                return
        failure = next((each.failure for each in self._works if each.failure is not None), None)
        if failure is None:
            failure = _failure_of_call(self._action)
        for each in self._works:
            each.failure = each.failure or failure
            each.leave()


class PointWork:
    """One point of a launch, as a `Work` of `accel.store.regions`.

    Attributes
    ----------
    cluster : Cluster
        Where it runs.
    uses : sequence of Use
        What it uses.
    step : callable or None
        Called without arguments when it is over.
    failure : BaseException or None
        Why it failed; known when it is over.
    """

    __slots__ = ("_after", "_end", "_later", "_lock", "_missing", "_over", "cluster", "failure", "step", "uses")

    def __init__(self, cluster: Cluster, uses: Sequence[Use], step: Callable[[], object] | None = None) -> None:
        self.uses: Sequence[Use] = uses
        self.step: Callable[[], object] | None = step
        self.failure: BaseException | None = None
        self.cluster: Cluster = cluster
        self._end: LaunchEnd | None = None
        self._after: list[PointWork] = []
        self._later: list[PointWork] = []
        # Guards the two below and that others leave after this one. No thread takes a second lock while it holds it.
        self._lock = threading.Lock()
        self._missing = 0
        self._over = threading.Event()

    def enter(self) -> None:
        """Record the work in the regions of its roots."""
        self._after = [each for each in box_order.enter(self, self.uses) if isinstance(each, PointWork)]

    def done(self) -> bool:
        """Tell whether it is over."""
        return self._over.is_set()

    def settle(self) -> None:
        """Block until it is over; never raises its failure."""
        self._over.wait()

    def watch(self, futures: Sequence["Value"], end: LaunchEnd | None) -> None:
        """End the work when some values are known or have failed; with ``end``, when all points of the launch have.

        The thread of the client calls this, so it need not be woken for each value.
        """
        self._end = end
        self._missing = len(futures)
        for future in futures:
            future.add_done_callback(self._note_done)  # type: ignore[no-untyped-call]

    def leave(self) -> None:
        """End the work as soon as those that it comes after have left; its values are known."""
        # A loop: a thousand launches may have overwritten the values of a slow one.
        ready = [self]
        while ready:
            work = ready.pop()
            if not work._waits():
                ready += work._leave()

    def _waits(self) -> bool:
        """Tell whether an earlier work has not left; the last of these to leave lets this one go on."""
        while self._after:
            earlier = self._after.pop()
            with earlier._lock:
                if not earlier._over.is_set():
                    earlier._later.append(self)
                    return True
        return False

    def _leave(self) -> "list[PointWork]":
        """End the work now, and return the works that waited for it."""
        if self.step is not None:
            self.failure = self.failure or _failure_of_call(self.step)
        box_order.leave(self, self.uses)
        with self._lock:
            self._over.set()
            later, self._later = self._later, []
        return later

    def _note_done(self, future: "Value") -> None:
        failure = failure_of(future)
        if self.cluster.lost:
            self.cluster.lose()
        with self._lock:
            self.failure = self.failure or failure
            self._missing -= 1
            if self._missing:
                return
        if self._end is None:
            self.leave()
        else:
            self._end.add(self)


def failure_of(future: "Value") -> BaseException | None:
    """Return why a value could not be computed: the exception of the body, or the loss of workers or cluster."""
    if future.status == "cancelled":
        return lost()
    # A value that was known, and went with its worker, is computed again.
    if future.status != "error":
        return None
    failure = _failure_of_call(future.result)
    if isinstance(failure, CancelledError):
        return lost()
    return _worker_lost(failure) or failure


def _worker_lost(failure: BaseException | None) -> DeviceLostError | None:
    from distributed import KilledWorker

    if not isinstance(failure, KilledWorker):
        return None
    error = DeviceLostError(
        f"task {failure.task} was given up: each worker process that ran it ended, the last one on "
        f"{getattr(failure.last_worker, 'address', 'an unknown host')}; its body may end its process or need more "
        f"memory than a worker has: write smaller tiles, or engine.using(budget=...)"
    )
    error.__cause__ = failure
    return error


def _failure_of_call(call: Callable[[], object]) -> BaseException | None:
    try:
        call()
    except BaseException as failure:
        return failure
    return None


def uses_of(points: Sequence[Point]) -> list[Use]:
    """Return one use of each root, whole."""
    uses: dict[int, Use] = {}
    for operand in chain.from_iterable([point.operands for point in points]):
        root = root_of(operand)
        written = operand.access.writes or (id(root) in uses and uses[id(root)].access.writes)
        uses[id(root)] = Use(root, root.box, Access.READ_WRITE if written else Access.READ)
    return [*uses.values()]
