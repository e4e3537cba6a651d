"""`Plan`: what a traced function does for arguments of certain shapes, ready to run on one device."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from accel import config
from accel.abc.kernels import CompiledKernel, ComputesArrays
from accel.device import Device
from accel.errors import FuseError
from accel.fusion.index_maps import strides_of
from accel.fusion.launches import HostLaunch, compiled, host_launch
from accel.fusion.lowering import Access, Kernel, lowered
from accel.fusion.nodes import Call, Input, Node, Result, Scalar, Viewed, in_order
from accel.fusion.regions import Buffer, Memory, Region, Schedule
from accel.fusion.reuse import used
from accel.fusion.schedules import scheduled
from accel.memory import Heap, heap_of
from accel.tracing.trace import Trace
from accel.xp import large_functions
from accel.xp.array_base import in_memory
from accel.xp.array_library import ArrayLibrary
from accel.xp.array_storage import may_overlap
from accel.xp.arrays import wrap
from accel.xp.refusals import failure

if TYPE_CHECKING:
    from accel.kernels.failures import Explanation

__all__ = ["Computation", "Plan"]

_Memories = dict[Memory, Any]
_Run = Callable[[_Memories, Sequence[Any]], None]

_ONE = (1, 1, 1)


class Step(NamedTuple):
    """A loop, or a call of the library.

    Attributes
    ----------
    run : callable
        Does it, from the library's arrays by memory and the number of each scalar.
    kernel : Kernel or None
        That of a loop with elements.
    """

    run: _Run
    kernel: Kernel | None = None


class Computation(NamedTuple):
    """How a kernel is launched that has no faster way.

    Attributes
    ----------
    compute : callable
        That of `ComputesArrays`, which takes the address of each access, the numbers, and a queue.
    accesses : list
        For each access the memory, and the offset in bytes.
    scalars : tuple of Scalar
        The first numbers.
    integers : tuple of int
        The others.
    """

    compute: Callable[[Sequence[int], Sequence[Any], Any], object]
    accesses: list[tuple[Memory, int]]
    scalars: tuple[Scalar, ...]
    integers: tuple[int, ...]


class Plan:
    """The kernels and calls of a trace.

    Parameters
    ----------
    trace : Trace
        The trace.
    outputs : sequence of Node
        What the caller wants.
    name : str
        That of the function.
    debug : bool
        Whether each access is checked.
    pure : bool
        Whether inputs are left as they are.

    Attributes
    ----------
    library : ArrayLibrary
        That of the device.
    inputs : list of Input
        The arguments and the captured arrays.
    outputs : sequence of Node
        As they were given.
    written : tuple of int
        The inputs that are written.
    nodes : list of Node
        The graph, operands first.
    schedule : Schedule
        The regions and calls.
    buffers : list of Buffer
        The memory that a call needs.
    names : dict of str by memory
        For messages.
    steps : list of Step
        The regions and calls, in order.
    launches : list of HostLaunch, Computation or Call
        The steps, in order.
    results : dict of Call to list of Result
        The results of each call.
    """

    def __init__(
        self, trace: Trace, outputs: Sequence[Node], name: str, *, debug: bool = False, pure: bool = False
    ) -> None:
        self.library: ArrayLibrary = trace.real
        self.outputs = outputs
        self.inputs: list[Input] = [base.source for base in trace.inputs if base.source is not None]
        written = () if pure else trace.write_backs
        self.written: tuple[int, ...] = tuple([each.target.number for each in written])
        self.launches: list[HostLaunch | Computation | Call] = []
        self.scalars: list[Scalar] = trace.adapted
        # In debug mode each access has two integers more.
        self.schedule: Schedule = scheduled(outputs, written, self.library.limits.parameters >> debug)
        self.nodes: list[Node] = in_order([*outputs, *(each.value for each in written)])
        self._name = name if name.isidentifier() else "fused"
        self.buffers: list[Buffer] = list(
            {each: None for each in self.schedule.memory.values() if isinstance(each, Buffer)}
        )
        self.names: dict[Memory, str] = self._names()
        self._debug = debug
        self.results: defaultdict[Call, list[Result]] = defaultdict(list)
        for node in self.schedule.memory:
            if isinstance(node, Result):
                self.results[node.call].append(node)
        self.steps: list[Step] = []
        self._unused: dict[int, list[Memory]] = {}
        for each, unused in zip(self.schedule.steps, self._last_uses(), strict=True):
            self.steps += self._steps(each)
            self._unused.setdefault(len(self.steps) - 1, []).extend(unused)

    def _last_uses(self) -> list[list[Memory]]:
        """Return for each step the results of calls that nothing needs after it."""
        memory = self.schedule.memory
        kept = {memory[node] for node in self.outputs}
        last: dict[Memory, int] = {}
        for number, step in enumerate(self.schedule.steps):
            last |= dict.fromkeys(used(step, memory), number)
            last |= dict.fromkeys(self.results[step] if isinstance(step, Call) else (), number)
        unused: list[list[Memory]] = [[] for _ in self.schedule.steps]
        for each, number in last.items():
            if isinstance(each, Result) and each not in kept:
                unused[number].append(each)
        return unused

    def _names(self) -> dict[Memory, str]:
        memory = self.schedule.memory
        names: dict[Memory, str] = {each: each.name for each in self.inputs}
        for number, node in enumerate(self.outputs, 1):
            names[memory[node]] = f"result {number}" if len(self.outputs) > 1 else "the result"
        for number, buffer in enumerate([each for each in self.buffers if each not in names], 1):
            names[buffer] = f"memory {number}"
        for each in memory.values():
            if isinstance(each, Result):
                names.setdefault(each, f"result of {each.call.name}")
        return names

    def run(self, inputs: Sequence[Any], numbers: Sequence[Any]) -> list[Any]:
        """Compute, and return the library's arrays of the outputs.

        Parameters
        ----------
        inputs : sequence
            The library's array of each input.
        numbers : sequence
            The number of each scalar.
        """
        if self.library.within is None:
            return self._run(inputs, numbers)
        with self.library.within(*inputs):
            return self._run(inputs, numbers)

    def _run(self, inputs: Sequence[Any], numbers: Sequence[Any]) -> list[Any]:
        memories: _Memories = {}
        memories.update(zip(self.inputs, inputs, strict=True))
        for each in self.scalars:  # refused before anything has run
            each.dtype.type(numbers[each.number])
        for buffer in self.buffers:
            memories[buffer] = self.empty(buffer)
        for number, step in enumerate(self.steps):
            step.run(memories, numbers)
            for memory in self._unused.get(number, ()):
                del memories[memory]
        found = self.schedule.memory
        return [self._shaped(memories[found[node]], node) for node in self.outputs]

    def empty(self, buffer: Buffer | Node) -> Any:
        """Return the library's array for a buffer, with elements of no meaning."""
        library = self.library
        array = None
        if library.empty_array is not None:
            array = library.empty_array(buffer.shape, buffer.dtype, "C")
        return library.namespace.empty(buffer.shape, dtype=buffer.dtype) if array is None else array

    def _shaped(self, array: Any, node: Node) -> Any:
        return array if tuple(array.shape) == node.shape else array.reshape(node.shape)

    def _steps(self, step: Region | Call) -> list[Step]:
        return [self._call(step)] if isinstance(step, Call) else self._region(step)

    # Calls of the library

    def _call(self, call: Call) -> Step:
        self.launches.append(call)
        found = self.schedule.memory
        results, function = self.results[call], self.function_of(call)

        def run(memories: _Memories, numbers: Sequence[Any]) -> None:
            arguments = [self._argument(each, memories, numbers) for each in call.arguments]
            keywords = {name: self._argument(value, memories, numbers) for name, value in call.keywords.items()}
            try:
                result = function(*arguments, **keywords)
            except (IndexError, MemoryError, OverflowError) as error:
                raise failure(error) from None
            operands = [memories[found[node]] for node in call.operands]
            for node in results:
                memories[node] = self.own(result if node.place is None else result[node.place], node, operands)

        return Step(run)

    def function_of(self, call: Call) -> Callable[..., Any]:
        """Return the function of a call; its large results have memory of earlier arrays where that is possible."""
        library = self.library
        is_large = any(prod(node.shape) * node.dtype.itemsize >= library.large for node in self.results[call])
        if is_large and large_functions.is_known(call.function, call.keywords.keys()):
            return partial(large_functions.called, call.function, library)
        return call.function  # type: ignore[no-any-return]

    def _argument(self, value: Any, memories: _Memories, numbers: Sequence[Any]) -> Any:
        if isinstance(value, Scalar):
            return numbers[value.number]
        if isinstance(value, Node):
            return self._shaped(memories[self.schedule.memory[value]], value)
        if isinstance(value, Viewed):
            memory = memories[self.schedule.memory[value.node]]
            return self._viewed(self._shaped(memory, value.node), value)
        if type(value) in (tuple, list):
            return type(value)([self._argument(each, memories, numbers) for each in value])
        return value

    def _viewed(self, array: Any, viewed: Viewed) -> Any:
        view = wrap(self.library, array)
        for make in viewed.views:
            view = make(view)
        return in_memory(view)

    def own(self, array: Any, node: Result, operands: Sequence[Any]) -> Any:
        """Return a result of a call, in C order; a copy if it is read-only, or if it shares memory with an operand."""
        library = self.library
        if type(array) is not library.array_type:
            array = library.as_array(array)
        if tuple(array.shape) != node.shape or not np.can_cast(array.dtype, node.dtype, "same_kind"):
            raise FuseError(
                f"{node.call.name} returned {array.dtype.name} of shape {tuple(array.shape)}, but {node.dtype.name} of "
                f"shape {node.shape} for zeros, which stood for its operands while the function was traced; call it "
                f"outside"
            )
        expected = tuple([step * node.dtype.itemsize for step in strides_of(node.shape)])
        same = all(
            extent < 2 or step == wanted
            for extent, step, wanted in zip(node.shape, array.strides, expected, strict=True)
        )
        same &= array.dtype == node.dtype and not library.backend.is_readonly(array)
        if (
            library.backend.root(array) is array and getattr(array, "base", None) is None
        ):  # only its views share its memory
            roots = [library.backend.root(x) for x in operands]
            same &= all(array is not root for root in roots)
        else:
            same &= not any(may_overlap(library, array, x) for x in operands)
        if same:
            return array
        copy = self.empty(node)
        copy[...] = array
        return copy

    # Kernels

    def _region(self, region: Region) -> list[Step]:
        if 0 in region.shape:
            return [Step(_nothing)]
        checked = self.names if self._debug else None
        kernels = lowered(
            region, self.schedule.memory, self._name, checked, vectors=self.library.limits.concurrency == 1
        )
        return [self._launched(kernel) for kernel in kernels]

    def _launched(self, kernel: Kernel) -> Step:
        made, prepared = compiled(kernel, self.library.device)
        if prepared is not None:
            return Step(self._on_host(host_launch(kernel, prepared)), kernel)
        return Step(self._in_general(kernel, made), kernel)

    def _on_host(self, kernel: HostLaunch) -> _Run:
        self.launches.append(kernel)
        launch, accesses, scalars, integers = kernel

        def run(memories: _Memories, numbers: Sequence[Any]) -> None:
            arguments: list[Any] = []
            for memory, offset, geometry in accesses:
                arguments += memories[memory], offset, *geometry
            arguments += [each.dtype.type(numbers[each.number]).item() for each in scalars]
            numbers_of_all = config.current().threads, *arguments, *integers
            if not launch(True, *numbers_of_all):  # it takes long
                launch(False, *numbers_of_all)

        return run

    def _in_general(self, kernel: Kernel, compiled: CompiledKernel) -> _Run:
        from accel.kernels.failures import Explanation

        explain = Explanation(self._name, tuple(dict.fromkeys(kernel.template.sites)))
        accesses = [(each.memory, each.offset * _itemsize(each)) for each in kernel.accesses]
        forms = [(*each.extents, *each.strides) for each in kernel.accesses]
        compute = compiled.computation(forms, explain) if isinstance(compiled, ComputesArrays) else None
        if compute is None:
            compute = _waiting(compiled, heap_of(self.library.device), forms, explain)
        self.launches.append(Computation(compute, accesses, kernel.scalars, kernel.integers))

        def run(memories: _Memories, numbers: Sequence[Any]) -> None:
            address = self.library.backend.address
            addresses = [address(memories[memory]) + offset for memory, offset in accesses]
            passed = [each.dtype.type(numbers[each.number]).item() for each in kernel.scalars]
            compute(addresses, [*passed, *kernel.integers], None)

        return run


def _waiting(
    compiled: CompiledKernel, heap: Heap, forms: Sequence[tuple[int, ...]], explain: "Explanation"
) -> Callable[[Sequence[int], Sequence[Any], Any], None]:
    """Return a function as `ComputesArrays.computation` does; it waits for the kernel, whose checks may fail."""

    def compute(addresses: Sequence[int], numbers: Sequence[Any], _: Any) -> None:
        views = [number for address, form in zip(addresses, forms, strict=True) for number in (address, *form)]
        compiled.launch([*views, *numbers], grid=_ONE, block=_ONE, stream=None, explain=explain)
        if heap.device is not Device.CPU:
            heap.synchronize()

    return compute


def _nothing(_: _Memories, __: Sequence[Any]) -> None:
    pass


def _itemsize(access: Access) -> int:
    return access.memory.dtype.itemsize
