"""`Admission`: which job runs next, and which values leave the memory for it.

**The invariant.** A job begins only if all that it will allocate fits what is left of the budget: inputs that are not
in memory, its result, its scratch memory. That many bytes are promised to it in the same step. So what is held and what
is promised never exceed the budget. A result of a size that was not known may be larger than expected; then other
values leave the memory before it is counted. If they are not enough it is written to the file at once.

**What is expected.** The first result of a layer is expected to be as large as all its inputs together, and as the
largest result of all so far. Later ones are expected to be as large as the largest of the layer, as the largest input,
and as the same share of the inputs. If there is no input and no result so far, no other job begins meanwhile.

**There is no deadlock.** If no job runs and nothing moves, no block is pinned. Then every value that is held can leave
the memory. The inputs, the result and the scratch memory of each job fit the budget, which was checked before. So the
first ready job fits at the latest when all other values have left. Only values that cannot be written to a file stay;
if they take too much, the run ends with an error and does not wait for ever.

All methods need the scheduler's lock, and none waits.
"""

from collections.abc import Callable, Collection
from heapq import heapify, heappop, heappush, nsmallest
from itertools import count

from accel.engines.graph.blocks import Block, Job, State
from accel.engines.graph.ledger import UNLIMITED, Ledger
from accel.errors import StoreError
from accel.memory.sizes import in_words

__all__ = ["Admission"]

_WINDOW = 16  # how many ready jobs are asked whether they give back memory


class Admission:
    """The jobs that are ready, and the blocks that can leave the memory.

    Parameters
    ----------
    budget : int
        The most bytes at any time.
    forget : callable
        Called with each block that nothing needs any more.
    """

    def __init__(self, budget: int, forget: Callable[[Block], object]) -> None:
        self.ledger = Ledger(budget)
        self.running = 0  # jobs that run, and threads that write blocks
        self.waiting = 0  # of these, jobs whose result cannot be kept before another job ends
        self.ready: list[Job] = []  # a heap
        self._forget = forget
        self._returning = 0  # bytes that are free when the running jobs are done
        self._measuring = 0  # running jobs whose result has no known size
        self._alone = False  # whether nothing at all is known of the result of that job
        self._largest = 0  # bytes of the largest result so far
        # Blocks in memory that no running job uses, the one whose next use is latest first. An entry whose use is not
        # the block's next use any more is out of date, and so is that of a block that was pinned or left.
        self._idle: list[tuple[int, int, Block]] = []
        self._serial = count()

    def make_ready(self, job: Job) -> None:
        """Take a job whose inputs are all made."""
        heappush(self.ready, job)

    def make_idle(self, block: Block) -> None:
        """Take a block that no running job uses."""
        heappush(self._idle, (-block.next_use, next(self._serial), block))

    def next_job(self) -> Job | None:
        """Return the job to begin now: the first that is ready, or one that gives back memory; None if neither fits."""
        ready = self.ready
        if self._fits(ready[0]):
            return heappop(ready)
        scarce = self._needs(ready[0]) > self.ledger.room
        for job in nsmallest(_WINDOW, ready):
            if self._fits(job) and (not scarce or job.freed >= self._allocates(job)):
                ready.remove(job)
                heapify(ready)
                return job
        return None

    def begin(self, job: Job) -> list[Block]:
        """Promise a job its bytes and pin its inputs; returns the inputs that must come back into memory."""
        away = [block for block in job.inputs if block.state is State.AWAY]
        job.promised = self._allocates(job)
        job.returns = job.freed + job.scratch
        self.ledger.promise(job.promised + sum([block.nbytes for block in away]))
        self._returning += job.returns
        job.measures = self._unmeasured(job)
        self._measuring += job.measures
        self._alone = self._alone or (job.measures and not job.promised)
        self.running += 1
        for block in job.inputs:
            block.pins += 1
        for block in away:
            block.state = State.MOVING
        return away

    def end(self, job: Job) -> None:
        """Count a job as done; its result is made."""
        self.running -= 1
        self._returning -= job.returns
        self._measuring -= job.measures
        self._alone = self._alone and self._measuring > 0
        self._largest = max(self._largest, job.output.nbytes)

    def leave(self, job: Job) -> None:
        """Unpin the inputs of a job that has made its result, and free those that nothing needs any more."""
        for block in job.inputs:
            block.pins -= 1
            block.end_use(job)
            self.settle(block)

    def settle(self, block: Block) -> None:
        """Free a block that nothing needs; if it is in memory otherwise and not used now, it can leave."""
        if block.pins or block.state is not State.HELD:
            return
        if not block.needed:
            self.take_out(block, State.GONE)
            self._forget(block)
        elif block.movable and block.buffers:  # to write what has no bytes would free nothing
            self.make_idle(block)

    def take_out(self, block: Block, state: State) -> None:
        """Free the memory of a block."""
        self.ledger.free(block.buffers)
        block.value, block.buffers, block.state = None, {}, state

    def make_room(self) -> list[Block] | None:
        """Free memory for the first ready job: drop blocks, and return those that must be written before.

        The result is None if running jobs must end first.

        Raises
        ------
        StoreError
            If the job cannot fit, and no job that runs gives back memory.
        """
        job = self.ready[0]
        lacking = self._needs(job) - self.ledger.room
        if lacking <= 0 or (self.running and self._returning >= lacking):
            return None
        blocks, freed = self._latest(job.inputs, lacking)
        if freed < lacking and self.running:
            for block in blocks:
                self.make_idle(block)
            return None
        blocks = blocks or self._views(job)
        if not blocks:
            raise self._refusal(job)
        return self._leave(blocks)

    def drop_latest(self, lacking: int) -> list[Block] | None:
        """Free memory for a result: drop the blocks that are needed last; return those that must be written before.

        The result is None if no block can leave.
        """
        blocks, _ = self._latest((), lacking)
        return self._leave(blocks) if blocks else None

    def _leave(self, blocks: list[Block]) -> list[Block]:
        """Drop the blocks that need not be written; the others move from now on."""
        written = []
        for block in blocks:
            if block.cheap_to_move:
                self.take_out(block, State.AWAY)
            else:
                block.state = State.MOVING
                written.append(block)
        self.running += bool(written)
        return written

    def _latest(self, needed: Collection[Block], lacking: int) -> tuple[list[Block], int]:
        """Return the idle blocks that are needed last and free enough bytes together, and these bytes.

        Blocks that are needed now stay.
        """
        ledger, idle = self.ledger, self._idle
        chosen, own, freed = [], [], 0
        seen: set[Block] = set()  # a block may have two entries with the same use
        leaving: dict[int, int] = {}
        while idle and freed < lacking:
            entry = heappop(idle)
            block = entry[-1]
            if block.state is not State.HELD or block.pins or -entry[0] != block.next_use or block in seen:
                continue
            seen.add(block)
            if block in needed:
                own.append(block)
                continue
            chosen.append(block)
            for owner, nbytes in block.buffers.items():
                leaving[owner] = leaving.get(owner, 0) + 1
                if leaving[owner] == ledger.users(owner):
                    freed += nbytes
        for block in own:
            self.make_idle(block)
        # A view frees nothing while another view of the same array stays.
        useful = [
            block
            for block in chosen
            if not block.buffers or any(leaving[owner] == ledger.users(owner) for owner in block.buffers)
        ]
        if freed >= lacking:
            for block in chosen:
                if block not in useful:
                    self.make_idle(block)
            return useful, freed
        return chosen, freed

    def _views(self, job: Job) -> list[Block]:
        """Return inputs that keep more in memory than they need: written and read again, they are smaller."""
        return [
            block
            for block in job.inputs
            if block.state is State.HELD and block.movable and sum(block.buffers.values()) > block.nbytes
        ]

    def _refusal(self, job: Job) -> StoreError:
        away = self._needs(job) - self._allocates(job)
        return StoreError(
            f"task {job.output.key!r} needs {in_words(self._needs(job))} more ({in_words(away)} for inputs, the rest "
            f"for its result and scratch memory), but {in_words(self.ledger.held)} are held by its other inputs and by "
            f"values that cannot be written to a file; the budget is {in_words(self.ledger.budget)}; write a larger "
            f"one, or smaller chunks"
        )

    def _fits(self, job: Job) -> bool:
        if any(block.state is State.MOVING for block in job.inputs):
            return False
        if self._alone or (self._measuring and self._unmeasured(job)):
            return False
        return self._needs(job) <= self.ledger.room

    def _unmeasured(self, job: Job) -> bool:
        """Tell whether the result has no known size, and its size matters."""
        return not job.output.estimate.known and self.ledger.budget < UNLIMITED

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
        wanted = size + job.scratch + job.temporaries * (job.largest_input or size)
        return max(min(wanted, self.ledger.budget - job.input_bytes), declared)
