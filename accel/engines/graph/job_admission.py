"""`JobAdmission`: which job of a graph runs next, and how many bytes it is expected to allocate.

**What is expected.** The first result of a layer is expected to be as large as all its inputs together, and as the
largest result of all so far. Later ones are expected to be as large as the largest of the layer, as the largest input,
and as the same share of the inputs. If there is no input and no result so far, no other job begins meanwhile.

`accel.engines.memory_budget.admission` explains when a job begins, and why none waits for ever. The inputs, the
result and the scratch memory of each job fit the budget, which is checked before any runs.

All methods need the lock, and none waits.
"""

from heapq import heapify, heappop, heappush, nsmallest

from accel.device import Device
from accel.engines.graph.blocks import Job
from accel.engines.memory_budget.admission import Admission
from accel.engines.memory_budget.evictable import Evictable, State
from accel.engines.memory_budget.ledger import UNLIMITED
from accel.engines.memory_budget.requests import Promise
from accel.errors import StoreError
from accel.memory.sizes import in_words

__all__ = ["JobAdmission"]

_WINDOW = 16  # how many ready jobs are checked for whether they free memory


class JobAdmission(Admission):
    """The jobs that are ready, and the blocks that can leave the memory.

    Parameters
    ----------
    budget : int
        The most bytes at any time.
    spill_folder : str, optional
        Folder of the file for blocks that wait; by default the system's folder for temporary files.
    """

    def __init__(self, budget: int, spill_folder: str | None = None) -> None:
        super().__init__(budget, spill_folder)
        self.ready: list[Job] = []  # a heap
        self._returning = 0  # bytes that are free when the running jobs are done
        self._measuring = 0  # running jobs whose result has no known size
        self._alone = False  # whether nothing at all is known of the result of that job
        self._largest = 0  # bytes of the largest result so far

    def make_ready(self, job: Job) -> None:
        """Add a job, all of whose inputs have values, to those that can begin."""
        heappush(self.ready, job)

    def next_job(self) -> Job | None:
        """Return the job to begin now: the first that is ready, or one that gives back memory; None if neither fits."""
        ready = self.ready
        if self._fits(ready[0]):
            return heappop(ready)
        scarce = self._needs(ready[0]) > self.ledger().room
        for job in nsmallest(_WINDOW, ready):
            if self._fits(job) and (not scarce or job.freed >= self._allocates(job)):
                ready.remove(job)
                heapify(ready)
                return job
        return None

    def begin_job(self, job: Job) -> None:
        """Promise a job its bytes and pin its inputs."""
        allocated = self._allocates(job)
        job.promise = self.begin(job.inputs, self.needed(job.inputs, {Device.CPU: allocated}))
        job.returns = job.freed + job.scratch
        self._returning += job.returns
        job.measures = self._unmeasured(job)
        self._measuring += job.measures
        self._alone = self._alone or (job.measures and not allocated)

    def end_job(self, job: Job) -> None:
        """Count a job as done; its result is in memory or in the file."""
        self.end(job.promise)
        self._returning -= job.returns
        self._measuring -= job.measures
        self._alone = self._alone and self._measuring > 0
        self._largest = max(self._largest, job.output.nbytes)

    def take_in(self, value: Evictable, promise: Promise, nbytes: int) -> None:
        """Count a value that is in memory, without the buffers of the caller."""
        value.buffers = self.ledger().counted(value.buffers)
        super().take_in(value, promise, nbytes)

    def leave(self, job: Job) -> None:
        """Unpin the inputs of a job that has its result, and free those that nothing needs any more."""
        for block in job.inputs:
            block.end_use(job)
        self.unpin(job.promise)

    def make_room(self) -> list[Evictable] | None:
        """Free memory for the first ready job: drop blocks, and return those that must be written before.

        The result is None if running jobs must end first.

        Raises
        ------
        StoreError
            If the job cannot fit, and no job that runs gives back memory.
        """
        job = self.ready[0]
        lacking = self._needs(job) - self.ledger().room
        if lacking <= 0 or (self.running and self._returning >= lacking):
            return None
        blocks = self.room_for(lacking, job.inputs)
        if blocks is None:
            return None
        blocks = blocks or self._views(job)
        if not blocks:
            raise self._refusal(job)
        return self.take_leave(blocks)

    def _views(self, job: Job) -> list[Evictable]:
        """Return inputs that keep more in memory than they need: written and read again, they are smaller."""
        return [
            block
            for block in job.inputs
            if block.state is State.HELD and block.movable and sum(block.buffers.values()) > block.nbytes
        ]

    def _refusal(self, job: Job) -> StoreError:
        needed, held = self._needs(job), self.ledger().held
        return StoreError(
            f"{job.output} needs {in_words(needed)} more ({in_words(needed - self._allocates(job))} for inputs, the "
            f"rest for its result and scratch memory), but {in_words(held)} are held by its other inputs and by values "
            f"that cannot be written to a file; the budget is {in_words(self.nbytes)}; write a larger one, or smaller "
            f"chunks"
        )

    def _fits(self, job: Job) -> bool:
        if any(block.state is State.MOVING for block in job.inputs):
            return False
        if self._alone or (self._measuring and self._unmeasured(job)):
            return False
        return self._needs(job) <= self.ledger().room

    def _unmeasured(self, job: Job) -> bool:
        """Tell whether the result has no known size, and its size matters."""
        return not job.output.estimate.known and self.ledger().budget < UNLIMITED

    def _needs(self, job: Job) -> int:
        """Return the bytes that a job will allocate, and that its inputs take which are not in memory."""
        away = sum([block.nbytes for block in job.inputs if block.state is State.AWAY])
        return away + self._allocates(job)

    def _allocates(self, job: Job) -> int:
        """Return the bytes of the result and the scratch memory.

        Sizes that the caller did not declare are limited to what the budget leaves: they are no reason to refuse.
        """
        estimate = job.output.estimate
        if estimate.declared:
            size, declared = estimate.nbytes, estimate.nbytes + job.scratch
        else:
            size = estimate.expected(job) if estimate.known else max(job.input_bytes, self._largest)
            declared = 0
        expected = size + job.scratch + job.temporaries * (job.largest_input or size)
        return max(min(expected, self.ledger().budget - job.input_bytes), declared)
