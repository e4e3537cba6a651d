"""`Scheduler`: threads that run jobs within a budget of bytes."""

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

from accel.engines.graph.admission import Admission
from accel.engines.graph.blocks import Block, Estimate, Job, State
from accel.engines.graph.spill_file import SpillFile
from accel.engines.graph.values import Buffers, buffers_of, discard, nbytes_of, restored, spillable, spilled
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
        The most bytes by which a result was larger than expected and than what was left of the budget. It was there
        in addition to the peak, until others had left the memory for it, or it had itself.
    tasks : int
        Number of tasks that ran, without repetitions.
    spilled, restored : int
        Bytes written to the file, and read from it.
    remade : int
        Number of values that were dropped and made again.
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


class _Made(NamedTuple):
    """What is known of a result: the buffers it keeps alive, its bytes, and whether it can be written to the file."""

    buffers: Buffers
    size: int
    movable: bool


class Scheduler:
    """Runs jobs on threads; what they hold never exceeds the budget. See `accel.engines.graph.admission`.

    Parameters
    ----------
    budget : int
        The most bytes at any time.
    threads : int
        Number of threads.
    spill_folder : str, optional
        Where values wait that do not fit; by default the system's folder for temporary files.
    done : callable, optional
        Called after each job with its block, in the thread that ran it.
    """

    # Guarded by `_changed`: all that is here but `_file`, and all of the blocks and jobs. Threads wait for it only
    # without any other lock. It is notified when a job or a move ends: whatever could let another job begin.

    def __init__(
        self,
        budget: int,
        threads: int,
        *,
        spill_folder: str | None = None,
        done: Callable[[Block], object] | None = None,
    ) -> None:
        self.statistics = Statistics(budget)
        self._file = SpillFile(spill_folder)
        self._admission = Admission(budget, self._forget)
        self._changed = threading.Condition()
        self._most_threads = threads
        self._threads: list[threading.Thread] = []
        self._left = 0
        self._closed = False
        self._failure: BaseException | None = None
        self._done = done
        self._began = perf_counter()

    @property
    def ledger(self) -> Any:
        """The account of bytes."""
        return self._admission.ledger

    def add(self, jobs: Iterable[Job]) -> None:
        """Take the jobs, each after those that make its inputs; called once."""
        with self._changed:
            for job in jobs:
                self._left += 1
                for block in job.inputs:
                    block.add_use(job)
                    if block.state is State.PLANNED:
                        block.readers.append(job)
                        job.waits_for += 1
                if not job.waits_for:
                    self._admission.make_ready(job)
        for _ in range(min(self._most_threads, self._left) - len(self._threads)):
            thread = threading.Thread(target=self._work, name="accel-budget")
            self._threads.append(thread)  # first: an interrupt may come when it runs already
            start(thread)

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
        kept = [*blocks]
        away = [block for block in {id(block): block for block in kept}.values() if block.state is State.AWAY]
        lacking = sum([block.nbytes for block in away]) - self.ledger.room
        if lacking > 0:
            raise StoreError(
                f"the results need {in_words(self.ledger.budget + lacking)} together; the budget is "
                f"{in_words(self.ledger.budget)}; write them to a store instead, or write a larger budget"
            )
        for block in away:
            self.ledger.promise(block.nbytes)
            self._bring(block)
        return [block.value for block in kept]

    def close(self) -> None:
        """Cancel what has not begun, wait for what runs, and free all memory and the file."""
        try:
            with self._changed:
                self._closed = True
                self._changed.notify_all()
            self._join()
        finally:
            self._file.close()
            # The failure keeps the frames of tasks alive, and with them their arrays.
            self._failure = None
            self._admission = Admission(self.ledger.budget, self._forget)

    @property
    def _over(self) -> bool:
        return self._closed or not self._left or self._failure is not None

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
                return partial(self._run, job, admission.begin(job))
            written = admission.make_room()
            if written:
                return partial(self._write, written)
            if written is None:
                return None
        return None

    def _run(self, job: Job, away: list[Block]) -> None:
        for block in away:
            self._bring(block, job)
        # Not a local variable: the value must have no other reference when it is counted as freed.
        job.output.value = job.context.copy().run(job.call, *[block.value for block in job.inputs])
        self._finish(job)
        if self._done is not None:
            self._done(job.output)

    def _finish(self, job: Job) -> None:
        value = job.output.value
        made = _Made(buffers_of(value), nbytes_of(value), spillable(value))
        del value
        with self._changed:
            made = made._replace(buffers=self.ledger.counted(made.buffers))
            self._refuse_excess(job, made)
            self._admission.leave(job)
        while (step := self._keep(job, made)) is not None:
            step()

    def _keep(self, job: Job, made: _Made) -> Callable[[], None] | None:
        """Count a result, and let its readers begin; what must be done before if there is no room for it.

        A result that is larger than expected comes after all others: they leave the memory for it, and if that is not
        enough, it is written to the file itself.
        """
        admission = self._admission
        with self._changed:
            while job.output.state is State.PLANNED and (lacking := self._lacking(job, made)) > 0:
                self.statistics.excess = max(self.statistics.excess, lacking)
                blocks = admission.drop_latest(lacking)
                if blocks:
                    return partial(self._write, blocks)
                if blocks is None and made.movable:
                    return partial(self._write_result, job, made.size)
                if blocks is None:
                    self._wait_for_room(job, made)
            if job.output.state is State.PLANNED:
                self._take_in(job.output, made.buffers, job.promised)
            self._end(job, made)
        return None

    def _end(self, job: Job, made: _Made) -> None:
        """Note that a job is done; its result is in memory or in the file."""
        output = job.output
        output.estimate.learn(made.size, job.input_bytes)
        size = made.size if output.remake is None else max(made.size, sum(made.buffers.values()))
        output.estimate, output.movable = Estimate(size), made.movable or output.remake is not None
        self._admission.end(job)
        self._admission.settle(output)
        for reader in output.readers:
            reader.waits_for -= 1
            if not reader.waits_for:
                self._admission.make_ready(reader)
        output.readers.clear()
        self._left -= 1
        self.statistics.tasks += 1
        self.statistics.peak = self.ledger.peak
        self.statistics.seconds = perf_counter() - self._began
        self._changed.notify_all()

    def _lacking(self, job: Job, made: _Made) -> int:
        """Return the bytes by which a result is larger than expected and than what is left."""
        return self._admission.ledger.added(made.buffers) - job.promised - self._admission.ledger.room

    def _wait_for_room(self, job: Job, made: _Made) -> None:
        """Wait until another job ends, with a result that cannot be written to the file."""
        admission = self._admission
        if admission.running == admission.waiting + 1 or self._over:
            raise StoreError(
                f"task {job.output.key!r} made {in_words(made.size)} that cannot be written to a file, and "
                f"{in_words(max(self.ledger.room + job.promised, 0))} were left; the budget is "
                f"{in_words(self.ledger.budget)}; write a larger one, or smaller chunks"
            )
        admission.waiting += 1
        self._changed.notify_all()
        try:
            self._changed.wait()
        finally:
            admission.waiting -= 1

    def _write_result(self, job: Job, size: int) -> None:
        """Write a result to the file in place of keeping it."""
        output = job.output
        token = spilled(output.value, self._file)
        with self._changed:
            self.ledger.promise(-job.promised)
            output.value, output.token, output.state = None, token, State.AWAY
            self.statistics.spilled += size

    def _refuse_excess(self, job: Job, made: _Made) -> None:
        """Raise an error if a result of a size that was not known does not fit beside its inputs."""
        budget = self.ledger.budget
        needed = job.input_bytes + made.size
        if needed > budget and self._lacking(job, made) > 0:
            raise StoreError(
                f"task {job.output.key!r} needed {in_words(needed)} at once (inputs {in_words(job.input_bytes)}, "
                f"result {in_words(made.size)}); the budget is {in_words(budget)}; write smaller chunks, or a larger "
                f"budget"
            )

    def _take_in(self, block: Block, buffers: Buffers, promised: int) -> None:
        block.buffers = {**buffers}
        self.ledger.hold(buffers, promised)
        block.state = State.HELD

    def _bring(self, block: Block, job: Job | None = None) -> None:
        """Read a value from the file, or make it again."""
        if block.token is not None:
            block.value = restored(block.token, self._file)
            self.statistics.restored += block.nbytes
        else:
            assert block.remake is not None, "a block without a file can be made again"
            block.value = block.remake() if job is None else job.context.copy().run(block.remake)
            self.statistics.remade += 1
        with self._changed:
            self._take_in(block, self.ledger.counted(buffers_of(block.value)), block.nbytes)
            self._changed.notify_all()

    def _write(self, blocks: list[Block]) -> None:
        """Write values to the file and free their memory."""
        for block in blocks:
            block.token = spilled(block.value, self._file)
            with self._changed:
                self._admission.take_out(block, State.AWAY)
                self.statistics.spilled += block.nbytes
                self._changed.notify_all()
        with self._changed:
            self._admission.running -= 1
            self._changed.notify_all()

    def _forget(self, block: Block) -> None:
        if block.token is not None:
            discard(block.token, self._file)
            block.token = None

    def _fail(self, error: BaseException) -> None:
        with self._changed:
            self._failure = self._failure or error
            self._changed.notify_all()
