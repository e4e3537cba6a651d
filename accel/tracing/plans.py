"""`Plan`: what a traced function does for arguments of certain shapes, ready to run on one device."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from accel import config
from accel.abc.kernels import PreparesCalls, SupportsKernels
from accel.device import Device
from accel.errors import CapabilityError, FuseError
from accel.fusion.lowering import Access, Kernel, lowered, strides_of
from accel.fusion.nodes import Call, Input, Node, Result, Scalar
from accel.fusion.regions import Buffer, Memory, Region, Schedule, scheduled
from accel.kernels.argument_types import Leaf
from accel.kernels.argument_types import Memory as LeafMemory
from accel.kernels.call_signature import Bound
from accel.kernels.captures import Captured
from accel.kernels.specialization import Geometry, Specialization
from accel.memory import heap_of
from accel.tracing.trace import Trace
from accel.xp.array_library import ArrayLibrary
from accel.xp.array_storage import may_overlap
from accel.xp.arrays import wrap

__all__ = ["HostLaunch", "Plan"]

_Memories = dict[Memory, Any]
_Run = Callable[[_Memories, Sequence[Any]], None]

_compiled: dict[tuple[str, Device], Any] = {}
"""The compiled kernels, by the text of their programs: 1 equals True and 1.0, and 0.0 equals -0.0."""


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


class HostLaunch(NamedTuple):
    """How a kernel is launched on the host.

    Attributes
    ----------
    launch : callable
        That of `PreparesCalls`, which takes arrays.
    accesses : list
        For each access the memory, the offset in bytes, and extents and strides.
    scalars : tuple of Scalar
        The numbers after these.
    integers : tuple of int
        The last arguments.
    """

    launch: Callable[..., bool]
    accesses: list[tuple[Memory, int, tuple[int, ...]]]
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
    schedule : Schedule
        The regions and calls.
    buffers : list of Buffer
        The memory that a call needs.
    names : dict of str by memory
        For messages.
    steps : list of Step
        The regions and calls, in order.
    host_launches : list of HostLaunch or None
        All steps, if they are kernels that the host launches fast.
    """

    def __init__(
        self, trace: Trace, outputs: Sequence[Node], name: str, *, debug: bool = False, pure: bool = False
    ) -> None:
        self.library: ArrayLibrary = trace.real
        self.outputs = outputs
        self.inputs = [base.source for base in trace.inputs if base.source is not None]
        written = () if pure else trace.write_backs
        self.written = tuple([each.target.number for each in written])
        self.host_launches: list[HostLaunch] | None = []
        self.scalars = trace.adapted
        self.schedule: Schedule = scheduled(outputs, written)
        self._name = name if name.isidentifier() else "fused"
        self.buffers = list({each: None for each in self.schedule.memory.values() if isinstance(each, Buffer)})
        self.names = self._names()
        self._debug = debug
        self.steps = [self._step(each) for each in self.schedule.steps]

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
        memories: _Memories = {}
        memories.update(zip(self.inputs, inputs, strict=True))
        for each in self.scalars:  # refused before anything has run
            each.dtype.type(numbers[each.number])
        for buffer in self.buffers:
            memories[buffer] = self.empty(buffer)
        for step in self.steps:
            step.run(memories, numbers)
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

    def _step(self, step: Region | Call) -> Step:
        return self._call(step) if isinstance(step, Call) else self._region(step)

    # Calls of the library

    def _call(self, call: Call) -> Step:
        self.host_launches = None
        found, library = self.schedule.memory, self.library
        results = [node for node in found if isinstance(node, Result) and node.call is call]

        def run(memories: _Memories, numbers: Sequence[Any]) -> None:
            def argument(value: Any) -> Any:
                if isinstance(value, Scalar):
                    return numbers[value.number]
                if isinstance(value, Node):
                    return self._shaped(memories[found[value]], value)
                return type(value)([argument(each) for each in value]) if type(value) in (tuple, list) else value

            arguments = [argument(each) for each in call.arguments]
            keywords = {name: argument(value) for name, value in call.keywords.items()}
            if library.within is None:
                result = call.function(*arguments, **keywords)
            else:
                with library.within(*arguments):
                    result = call.function(*arguments, **keywords)
            operands = [memories[found[node]] for node in call.operands]
            for node in results:
                memories[node] = self._own(result if node.place is None else result[node.place], node, operands)

        return Step(run)

    def _own(self, array: Any, node: Result, operands: Sequence[Any]) -> Any:
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
        same &= not any(may_overlap(library, array, x) for x in operands)
        if same or not node.size:
            return array
        copy = self.empty(node)
        copy[...] = array
        return copy

    # Kernels

    def _region(self, region: Region) -> Step:
        if 0 in region.shape:
            return Step(_nothing)
        checked = self.names if self._debug else None
        kernel = lowered(region, self.schedule.memory, self._strides, self._name, checked)
        specialization = self._specialization(kernel)
        compiled = specialization.compiled
        prepared = compiled.prepared(arrays=True) if isinstance(compiled, PreparesCalls) else None
        if prepared is not None:
            return Step(self._on_host(kernel, prepared), kernel)
        self.host_launches = None
        return Step(self._on_device(kernel, specialization), kernel)

    def _strides(self, memory: Memory, shape: tuple[int, ...]) -> tuple[int, ...]:
        return memory.strides if isinstance(memory, Input) and memory.shape == shape else strides_of(shape)

    def _specialization(self, kernel: Kernel) -> Specialization:
        device = self.library.device
        heap = heap_of(device)
        key = repr(kernel.program), device
        compiled = _compiled.get(key)
        if compiled is None:
            if not isinstance(heap.backend, SupportsKernels):
                raise CapabilityError(
                    f"{device} runs no kernels, so no function is fused there; write fallback='eager'"
                )
            compiled = _compiled[key] = heap.backend.compile_kernel(device, kernel.program)
        return Specialization(kernel.program, False, Captured(()), heap, compiled)

    def _on_host(self, kernel: Kernel, launch: Callable[..., bool]) -> _Run:
        accesses = [
            (each.memory, each.offset * _itemsize(each), (*each.extents, *each.strides)) for each in kernel.accesses
        ]
        if self.host_launches is not None:
            self.host_launches.append(HostLaunch(launch, accesses, kernel.scalars, kernel.integers))

        def run(memories: _Memories, numbers: Sequence[Any]) -> None:
            arguments: list[Any] = []
            for memory, offset, geometry in accesses:
                arguments += memories[memory], offset, *geometry
            arguments += [each.dtype.type(numbers[each.number]).item() for each in kernel.scalars]
            numbers_of_all = config.current().threads, *arguments, *kernel.integers
            if not launch(True, *numbers_of_all):  # it takes long
                launch(False, *numbers_of_all)

        return run

    def _on_device(self, kernel: Kernel, specialization: Specialization) -> _Run:
        def run(memories: _Memories, numbers: Sequence[Any]) -> None:
            leaves = self.leaves(kernel, memories, numbers)
            specialization.launch(Bound((), leaves, self.library.device), Geometry(), None)

        return run

    def leaves(self, kernel: Kernel, memories: _Memories, numbers: Sequence[Any]) -> list[Leaf]:
        """Return the arguments of a kernel, from the library's arrays and the number of each scalar."""
        leaves: list[Leaf] = []
        for each in kernel.accesses:
            array = wrap(self.library, memories[each.memory])
            start = self.library.backend.address(array._native) + each.offset * _itemsize(each)
            memory = LeafMemory(array.storage, False, "Array", 0, array.dtype)
            leaves.append(Leaf(self.names[each.memory], (start, *each.extents, *each.strides), memory))
        passed = [each.dtype.type(numbers[each.number]).item() for each in kernel.scalars]
        return [*leaves, *[Leaf("number", (each,), None) for each in (*passed, *kernel.integers)]]


def _nothing(_: _Memories, __: Sequence[Any]) -> None:
    pass


def _itemsize(access: Access) -> int:
    return access.memory.dtype.itemsize
