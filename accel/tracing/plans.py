"""`Plan`: what a traced function does for arguments of certain shapes, ready to run on one device."""

from collections.abc import Callable, Sequence
from typing import Any

from accel import config
from accel.abc.kernels import SupportsKernels
from accel.device import Device
from accel.errors import CapabilityError
from accel.fusion.lowering import Access, Kernel, lowered, strides_of
from accel.fusion.nodes import Call, Input, Node, Result
from accel.fusion.regions import Buffer, Memory, Region, Schedule, scheduled
from accel.kernels.argument_types import Leaf
from accel.kernels.argument_types import Memory as LeafMemory
from accel.kernels.call_signature import Bound
from accel.kernels.captures import Captured
from accel.kernels.specialization import Geometry, Specialization
from accel.memory import heap_of
from accel.tracing.trace import Trace
from accel.xp.array_library import ArrayLibrary
from accel.xp.arrays import wrap

__all__ = ["Plan"]

_Memories = dict[Memory, Any]
_Step = Callable[[_Memories, Sequence[Any]], None]

_compiled: dict[tuple[str, Device], Any] = {}
"""The compiled kernels, by the text of their programs: 1 equals True and 1.0, and 0.0 equals -0.0."""


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

    Attributes
    ----------
    schedule : Schedule
        The regions and calls.
    kernels : list of Kernel
        Those of the regions that have elements.
    """

    def __init__(self, trace: Trace, outputs: Sequence[Node], name: str) -> None:
        self._library: ArrayLibrary = trace.real
        self._outputs = outputs
        self._inputs = trace.inputs
        self.schedule: Schedule = scheduled(outputs, trace.write_backs)
        self.kernels: list[Kernel] = []
        self._name = name if name.isidentifier() else "fused"
        self._buffers = [
            *{id(each): each for each in self.schedule.memory.values() if isinstance(each, Buffer)}.values()
        ]
        self._steps: list[_Step] = [self._step(each) for each in self.schedule.steps]

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
        for (_, base), array in zip(self._inputs, inputs, strict=True):
            memories[base.source] = array  # type: ignore[index]
        for buffer in self._buffers:
            memories[buffer] = self._empty(buffer)
        for step in self._steps:
            step(memories, numbers)
        found = self.schedule.memory
        return [self._shaped(memories[found[node]], node) for node in self._outputs]

    def _empty(self, buffer: Buffer) -> Any:
        library = self._library
        array = None
        if library.empty_array is not None:
            array = library.empty_array(buffer.shape, buffer.dtype, "C")
        return library.namespace.empty(buffer.shape, dtype=buffer.dtype) if array is None else array

    def _shaped(self, array: Any, node: Node) -> Any:
        return array if tuple(array.shape) == node.shape else array.reshape(node.shape)

    def _step(self, step: Region | Call) -> _Step:
        return self._call(step) if isinstance(step, Call) else self._region(step)

    # Calls of the library

    def _call(self, call: Call) -> _Step:
        found, library = self.schedule.memory, self._library
        results = [node for node in found if isinstance(node, Result) and node.call is call]

        def argument(value: Any, memories: _Memories) -> Any:
            if isinstance(value, Node):
                return self._shaped(memories[found[value]], value)
            return type(value)([argument(each, memories) for each in value]) if type(value) in (tuple, list) else value

        def run(memories: _Memories, _: Sequence[Any]) -> None:
            arguments = [argument(each, memories) for each in call.arguments]
            keywords = {name: argument(value, memories) for name, value in call.keywords.items()}
            if library.within is None:
                result = call.function(*arguments, **keywords)
            else:
                with library.within(*arguments):
                    result = call.function(*arguments, **keywords)
            for node in results:
                memories[node] = self._contiguous(result if node.place is None else result[node.place], node)

        return run

    def _contiguous(self, array: Any, node: Node) -> Any:
        if type(array) is not self._library.array_type:
            array = self._library.as_array(array)
        expected = tuple([step * node.dtype.itemsize for step in strides_of(node.shape)])
        same = all(
            extent < 2 or step == wanted
            for extent, step, wanted in zip(node.shape, array.strides, expected, strict=True)
        )
        return array if same or not node.size else array.copy()

    # Kernels

    def _region(self, region: Region) -> _Step:
        if 0 in region.shape:
            return _nothing
        kernel = lowered(region, self.schedule.memory, self._strides, self._name)
        self.kernels.append(kernel)
        specialization = self._specialization(kernel)
        device = self._library.device
        prepared = specialization.compiled.prepared() if device is Device.CPU else None  # type: ignore[attr-defined]
        if prepared is not None:
            return self._on_host(kernel, prepared)
        return self._on_device(kernel, specialization)

    def _strides(self, memory: Memory, shape: tuple[int, ...]) -> tuple[int, ...]:
        if isinstance(memory, Input):
            native = self._inputs[memory.number][0]._native
            if tuple(native.shape) == shape:
                return tuple([step // native.dtype.itemsize for step in native.strides])
        return strides_of(shape)

    def _specialization(self, kernel: Kernel) -> Specialization:
        device = self._library.device
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

    def _on_host(self, kernel: Kernel, launch: Callable[..., bool]) -> _Step:
        address = self._library.backend.address
        accesses = [
            (each.memory, each.offset * _itemsize(each), (*each.extents, *each.strides)) for each in kernel.accesses
        ]
        scalars = [(each.number, each.dtype.type) for each in kernel.scalars]

        def run(memories: _Memories, numbers: Sequence[Any]) -> None:
            arguments: list[Any] = []
            for memory, offset, geometry in accesses:
                arguments.append(address(memories[memory]) + offset)
                arguments += geometry
            arguments += [kind(numbers[number]).item() for number, kind in scalars]
            numbers_of_all = config.current().threads, *arguments, *kernel.integers
            if not launch(True, *numbers_of_all):  # it takes long
                launch(False, *numbers_of_all)

        return run

    def _on_device(self, kernel: Kernel, specialization: Specialization) -> _Step:
        library = self._library

        def run(memories: _Memories, numbers: Sequence[Any]) -> None:
            leaves: list[Leaf] = []
            for number, each in enumerate(kernel.accesses):
                array = wrap(library, memories[each.memory])
                start = library.backend.address(array._native) + each.offset * _itemsize(each)
                storage = array.storage
                memory = LeafMemory(storage, False, "Array", 0, array.dtype)
                leaves.append(Leaf(f"m{number}", (start, *each.extents, *each.strides), memory))
            passed = [each.dtype.type(numbers[each.number]).item() for each in kernel.scalars]
            leaves += [Leaf("number", (each,), None) for each in (*passed, *kernel.integers)]
            specialization.launch(Bound((), leaves, library.device), Geometry(), None)

        return run


def _nothing(_: _Memories, __: Sequence[Any]) -> None:
    pass


def _itemsize(access: Access) -> int:
    return access.memory.dtype.itemsize
