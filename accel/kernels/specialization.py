"""`Specialization`: a kernel compiled for arguments of certain types on one device, and its launches."""

from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import Any, NamedTuple

from accel.abc import Stream
from accel.abc.kernels import CompiledKernel, SupportsKernels
from accel.device import Device
from accel.errors import CapabilityError, ReadOnlyError
from accel.ir import Number, Program
from accel.kernels.call_signature import Bound
from accel.kernels.captures import Captured
from accel.kernels.failures import Explanation
from accel.kernels.frontend.lowering import Lowered
from accel.kernels.grids import Dim3
from accel.memory.captures import ACTIVE, captured_stream
from accel.memory.heap import Heap, heap_of
from accel.memory.storage_work import Use, on_host, submit, submit_in_order, submit_ordered
from accel.memory.submission import Submission
from accel.memory.thread_stream import ThreadEvent, ThreadStream
from accel.support.call_sites import call_site

__all__ = ["DONE", "Geometry", "Specialization", "specialized"]

DONE = ThreadEvent(Device.CPU)
"""The event after work that is done when the launch returns."""
DONE.reach(perf_counter(), None)

_UNEXPLAINED = Explanation("", ())

_Finish = Callable[[], tuple[Any, ...]]


class Geometry(NamedTuple):
    """The blocks of an explicit grid, and the threads of a block; programs without one ignore it."""

    grid: Dim3 = (1, 1, 1)
    block: Dim3 = (1, 1, 1)


class Specialization(NamedTuple):
    """A kernel compiled for arguments of certain types on one device.

    Attributes
    ----------
    program : Program
        Its typed form.
    single : bool
        Whether it returns one result, and no tuple.
    captured : Captured
        The values of globals that are constants of the program.
    heap : Heap
        The memory of the device.
    compiled : CompiledKernel
        What its backend made of the program.
    """

    program: Program
    single: bool
    captured: Captured
    heap: Heap
    compiled: CompiledKernel

    @property
    def outdated(self) -> bool:
        """Whether a captured value has changed, or another backend serves the device."""
        return not self.captured.unchanged or heap_of(self.heap.device) is not self.heap

    def launch(self, bound: Bound, geometry: Geometry, stream: Stream | None) -> Any:
        """Launch the kernel in order with all other work on its memory.

        Returns the results, after waiting for them; without any, an event after the kernel.
        """
        uses = self._uses(bound)
        arguments = [number for leaf in bound.leaves for number in leaf.numbers]
        queue = self.heap.stream if stream is None else stream
        if queue is None and ACTIVE:
            queue = captured_stream(self.heap.device)
        explain = self._explanation(bound, late=queue is not None)
        start = partial(self.compiled.launch, arguments, grid=geometry.grid, block=geometry.block, explain=explain)
        if queue is None:
            finish = on_host(uses, partial(start, stream=None))
            return DONE if finish is None else self.returned(finish)
        if isinstance(queue, ThreadStream):
            return self._in_thread(queue, uses, partial(start, stream=None))
        return self._on_device(queue, uses, partial(start, stream=stream))

    def returned(self, finish: _Finish) -> Any:
        """Wait for the results, and return them."""
        results = finish()
        return results[0] if self.single else results

    def _uses(self, bound: Bound) -> list[Use]:
        uses = []
        for parameter, leaf in zip(self.program.parameters, bound.leaves, strict=True):
            if isinstance(parameter, Number) or leaf.memory is None:
                continue
            if parameter.writable and leaf.memory.readonly:
                raise ReadOnlyError(
                    f"the parameter {leaf.name} of {self.program.name}: the kernel writes it, and its argument is "
                    f"read-only; pass a copy"
                )
            uses.append(Use(leaf.memory.storage, parameter.writable))
        return uses

    def _explanation(self, bound: Bound, *, late: bool) -> Explanation:
        program = self.program
        if not program.sites:  # nothing can fail
            return _UNEXPLAINED
        return Explanation(
            program.name, program.sites, bound.memory if program.debug else None, call_site() if late else ""
        )

    def _in_thread(self, queue: ThreadStream, uses: Sequence[Use], start: Callable[[], _Finish | None]) -> Any:
        finish: list[_Finish | None] = []

        def run() -> None:
            finish[:] = [start()]  # a graph runs this again

        def give(submission: Submission) -> None:
            submission.event = queue.submit(run)

        submission = submit(queue, uses, give).event
        if self.program.results:
            submission.wait()
            return self.returned(_only(finish))
        assert submission.event is not None, "work on a stream has an event"
        return submission.event

    def _on_device(self, queue: Stream, uses: Sequence[Use], start: Callable[[], _Finish | None]) -> Any:
        finish: list[_Finish | None] = []

        def give() -> None:
            finish.append(start())

        # In order without events only where a launch is one call of the driver, which neither waits nor allocates.
        plain = len(self.program.steps) == 1 and not self.program.frame and not self.program.debug
        event = submit_in_order(self.heap, queue, uses, give) if plain else None
        if not self.program.results:
            return event or submit_ordered(queue, uses, give)
        submission = event or submit(queue, uses, lambda _: give()).event
        results = self.returned(_only(finish))
        submission.wait()  # it raises the error of work whose result the kernel has read
        return results


def _only(finish: list[_Finish | None]) -> _Finish:
    (only,) = finish
    assert only is not None, "a program with results returns what waits for them"
    return only


def specialized(lowered: Lowered, device: Device) -> Specialization:
    """Compile a program for a device.

    Raises
    ------
    CapabilityError
        If the device does not run kernels, or not this one.
    """
    heap = heap_of(device)
    if not isinstance(heap.backend, SupportsKernels):
        raise CapabilityError(f"{device} runs no kernels written in Python; move the arguments, as in x.to('cpu')")
    program = lowered.program
    compiled = heap.backend.compile_kernel(device, program)
    return Specialization(program, lowered.single, Captured(lowered.captured), heap, compiled)
