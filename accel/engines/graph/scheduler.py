"""`Scheduler`: threads that run jobs within a budget of bytes."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

from accel.device import Device
from accel.engines.graph.blocks import Block, Estimate, Job
from accel.engines.graph.job_admission import JobAdmission
from accel.engines.graph.values import buffers_of, nbytes_of, spillable
from accel.engines.memory_budget.evictable import State
from accel.engines.memory_budget.ledger import Ledger
from accel.errors import StoreError
from accel.memory.sizes import in_words
from accel.support.locks import start

__all__ = ["Scheduler", "Statistics"]


@dataclass(slots=True)
class Statistics:
    """What a run did.

    Attributes
    ----------
    budget : int
        The most bytes it was allowed.
    peak : int
        The most bytes that were held by values or promised to running tasks.
    excess : int
        The most bytes by which a result was larger than expected and than what was left of the budget. This was
        in memory in addition to the peak, until other values or the result itself had left it.
    tasks : int
        Number of tasks that ran, without repetitions.
    spilled, restored : int
        Bytes written to the file, and read from it.
    remade : int
        Number of values that were dropped and computed again.
    seconds : float
        Time from the first task to the last.
    """

    budget: int = 0
    peak: int = 0
    excess: int = 0
    tasks: int = 0
    spilled: int = 0
    restored: int = 0
    remade: int = 0
    seconds: float = 0.0


class Scheduler:
    """Runs jobs on threads; what they hold never exceeds the budget. See `accel.engines.memory_budget.admission`.

    Parameters
    ----------
    budget : int
        The most bytes at any time.
    threads : int
        Number of threads.
    spill_folder : str, optional
        Where values wait that do not fit; by default the system's folder for temporary files.
    """

    # `_changed` is the lock of the admission. It guards the attributes of this object, of blocks and of jobs. A thread
    # that waits for it holds no other lock.

    def __init__(self, budget: int, threads: int, *, spill_folder: str | None = None) -> None:
        self.statistics: Statistics = Statistics(budget)
        self._admission = JobAdmission(budget, spill_folder)
        self._changed = self._admission.changed
        self._most_threads = threads
        self._threads: list[threading.Thread] = []
        self._remaining = 0
        self._closed = False
        self._failure: BaseException | None = None
        self._began = perf_counter()

    @property
    def ledger(self) -> Ledger:
        """The account of bytes."""
        return self._admission.ledger()

    def add(self, jobs: Iterable[Job]) -> None:
        """Take the jobs, each after those that compute its inputs; called once."""
        with self._changed:
            for job in jobs:
                self._remaining += 1
                for block in job.inputs:
                    block.add_use(job)
                    if block.state is State.PLANNED:
                        block.readers.append(job)
                        job.waits_for += 1
                if not job.waits_for:
                    self._admission.make_ready(job)
        for _ in range(min(self._most_threads, self._remaining) - len(self._threads)):
            thread = threading.Thread(target=self._work, name="accel-budget")
            self._threads.append(thread)  # first: an interrupt may come when it runs already
            try:
                start(thread)
            except RuntimeError:
                self._threads.remove(thread)
                if not self._threads:
                    raise
                return

    def wait(self) -> None:
        """Block until all jobs are done.

        Raises
        ------
        BaseException
            The first error of a job; the jobs that had not begun then are cancelled.
        """
        try:
            with self._changed:
                while not self._over:
                    self._changed.wait()
            self._join()
        except BaseException as error:
            self._fail(error)
            raise
        if self._failure is not None:
            raise self._failure

    def values(self, blocks: Iterable[Block]) -> list[Any]:
        """Return values that were kept, all in memory, after `wait`.

        Raises
        ------
        StoreError
            If they do not fit the budget together.
        """
        targets = [*blocks]
        away = [block for block in {id(block): block for block in targets}.values() if block.state is State.AWAY]
        lacking = sum([block.nbytes for block in away]) - self.ledger.room
        if lacking > 0:
            raise StoreError(
                f"the results need {in_words(self.ledger.budget + lacking)} together; the budget is "
                f"{in_words(self.ledger.budget)}; write them to a store instead, or write a larger budget"
            )
        with self._changed:
            promise = self._admission.begin(away, self._admission.needed(away, {}))
        for block in away:
            self._admission.bring(block, promise)
        return [block.value for block in targets]

    def close(self) -> None:
        """Cancel what has not begun, wait for what runs, and free all memory and the file."""
        try:
            with self._changed:
                self._closed = True
                self._changed.notify_all()
            self._join()
        finally:
            admission = self._admission
            admission.file.close()
            self.statistics.peak, self.statistics.excess = admission.ledger().peak, admission.excess
            self.statistics.spilled, self.statistics.restored = admission.spilled, admission.restored
            self.statistics.remade = admission.remade
            # The failure keeps the frames of tasks alive, and with them their arrays.
            self._failure = None
            self._admission = JobAdmission(admission.nbytes)

    @property
    def _over(self) -> bool:
        return self._closed or not self._remaining or self._failure is not None

    def _join(self) -> None:
        """Wait until all threads have ended; the run is over."""
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def _work(self) -> None:
        while (step := self._next_step()) is not None:
            try:
                step()
            except BaseException as error:
                self._fail(error)
            del step

    def _next_step(self) -> Callable[[], None] | None:
        """Return what this thread does next; None if there is no more."""
        with self._changed:
            while not self._over:
                try:
                    step = self._choose()
                except StoreError as error:
                    self._failure = error
                    break
                if step is not None:
                    return step
                self._changed.wait()
            self._changed.notify_all()
            return None

    def _choose(self) -> Callable[[], None] | None:
        """Return a job to run or values to write; None if running jobs must end first."""
        admission = self._admission
        while admission.ready:
            job = admission.next_job()
            if job is not None:
                admission.begin_job(job)
                return partial(self._run, job)
            written = admission.make_room()
            if written:
                return partial(admission.evict, written)
            if written is None:
                return None
        return None

    def _run(self, job: Job) -> None:
        try:
            for block in job.promise.away:
                self._admission.bring(block, job.promise)
            # Not a local variable: the value must have no other reference when it is counted as freed.
            job.output.value = job.context.copy().run(job.call, *[block.value for block in job.inputs])
            self._keep(job)
        except BaseException as error:
            with self._changed:
                self._fail(error)  # first: what waits for this job has an error then too
                self._admission.end(job.promise)
            return
        self._finish(job)

    def _keep(self, job: Job) -> None:
        """Count a result; it is in memory or in the file then."""
        output = job.output
        buffers, size = buffers_of(output.value), nbytes_of(output.value)
        output.movable = output.remake is not None or spillable(output.value)
        with self._changed:
            output.buffers = self.ledger.counted(buffers)
            self._refuse_excess(job, size)
            self._admission.leave(job)
            output.estimate.learn(size, job.input_bytes)
            output.estimate = Estimate(size if output.remake is None else max(size, sum(output.buffers.values())))
        self._admission.keep(output, job.promise)

    def _finish(self, job: Job) -> None:
        """Count a job as done, and let the readers of its result begin."""
        with self._changed:
            self._admission.end_job(job)
            for reader in job.output.readers:
                reader.waits_for -= 1
                if not reader.waits_for:
                    self._admission.make_ready(reader)
            job.output.readers.clear()
            self._remaining -= 1
            self.statistics.tasks += 1
            self.statistics.seconds = perf_counter() - self._began

    def _refuse_excess(self, job: Job, size: int) -> None:
        """Raise an error if a result of a size that was not known does not fit beside its inputs."""
        ledger = self.ledger
        needed = job.input_bytes + size
        if (
            needed > ledger.budget
            and ledger.added(job.output.buffers) > job.promise.remaining[Device.CPU] + ledger.room
        ):
            raise StoreError(
                f"{job.output} needed {in_words(needed)} at once (inputs {in_words(job.input_bytes)}, result "
                f"{in_words(size)}); the budget is {in_words(ledger.budget)}; write smaller chunks, or a larger budget"
            )

    def _fail(self, error: BaseException) -> None:
        with self._changed:
            self._failure = self._failure or error
            self._changed.notify_all()
