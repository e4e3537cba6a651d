"""The backend protocol for the host."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from accel.abc import Block, CompiledKernel, ExternalAllocation, Limits, Operand, Plan, Room, Span, Stream
from accel.device import Device
from accel.dtypes import SUPPORTED
from accel.errors import CapabilityError, OutOfMemoryError
from accel.memory.host_arrays import bytes_at, export
from accel.memory.pool import Pool
from accel.memory.sizes import as_alignment
from accel.support import host_compiler
from accel.support.system import available_memory, physical_memory

from .. import common
from ..common.special_functions import SpecialFunctions
from ..common.workers import WORKERS
from .array_pool import SMALLEST, ArrayPool
from .slabs import ALIGNMENT, LARGEST, Slabs, new_block

if TYPE_CHECKING:  # most programs compile no kernels
    from accel.ir import Program

__all__ = ["CpuBackend"]

_Bytes = np.ndarray[Any, np.dtype[np.uint8]]

_MOST_KEPT = 1 << 30
"""The most bytes that are kept for later arrays; less on machines with less than 16 GiB."""

_BYTE = np.dtype(np.uint8)

_GRID = (2**31 - 1, 65_535, 65_535)
"""The same as of GPUs, so that kernels with an explicit grid run here too."""


class CpuBackend:
    """Host memory from NumPy; everything is done before a call returns."""

    name = "cpu"
    languages = ("host",)
    smallest_reused = SMALLEST

    def __init__(self) -> None:
        self._arrays = ArrayPool(min(_MOST_KEPT, physical_memory() // 16 or _MOST_KEPT))
        self._pool = Pool(Slabs(), largest=LARGEST, capacity=1 << 19)
        self.allocate_cleared = partial(self.allocate, cleared=True)

    def devices(self) -> Sequence[Device]:
        """Return the one CPU."""
        return (Device.CPU,)

    def why_unavailable(self) -> Mapping[str, str]:
        """Return an empty mapping: the CPU is always available."""
        return MappingProxyType({})

    def limits(self, device: Device) -> Limits:
        """Return the limits of the host."""
        return _limits()

    def allocate(
        self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None, cleared: bool = False
    ) -> Block:
        """Return host memory, from a pool; ``cleared`` for `allocate_cleared`.

        Nothing but its native array refers to a large block, so it needs no call of `free` to be used again. If it is
        cleared it is new: the system clears the pages of a large block when they are first used.
        """
        if stream is not None:
            raise _no_streams()
        try:
            if alignment == 1 and nbytes <= LARGEST and self._pool.device is device:
                block = self._pool.take(nbytes)
            elif cleared and nbytes > LARGEST:
                return new_block(nbytes, max(as_alignment(alignment), ALIGNMENT), np.zeros)
            elif alignment == 1 and (native := self._arrays.empty((nbytes,), _BYTE)) is not None:
                return Block(self.address(native), nbytes, native)
            else:
                block = self._pool.allocate(device, nbytes, alignment=alignment, stream=None)
        except MemoryError:
            raise _out_of_memory(nbytes) from None
        if cleared:
            block.native.fill(0)
        return block

    def free(self, block: Block, *, stream: Stream | None) -> None:
        """Keep a small block for the next request, and let a large one go."""
        self._pool.give(block)

    def trim(self) -> int:
        """Release all free blocks; return their bytes."""
        return self._arrays.trim() + self._pool.trim()

    def empty_array(self, shape: tuple[int, ...], dtype: Any, order: Literal["C", "F"]) -> Any:
        """Return an array with uninitialised elements; None if NumPy should allocate it."""
        return self._arrays.empty(shape, dtype, order)

    def share(self, task: Callable[[int], object], count: int, *, whole: bool = False) -> bool:
        """Call a task with the numbers from 0 to ``count``, in several threads; False if the caller has to do it."""
        return WORKERS.compute(task, count, whole=whole)

    def reusable_bytes(self, device: Device) -> int:
        """Return the bytes that are kept for later requests."""
        return self._arrays.kept_bytes + self._pool.kept_bytes

    def free_memory(self, device: Device) -> Room:
        """Return the available memory as Linux estimates it; on other systems the physical memory."""
        total, available = physical_memory(), available_memory()
        return Room(total if available is None else available, total)

    def adopt(self, external: ExternalAllocation) -> Block:
        """Return a block over the memory of a NumPy array, or at an address."""
        if external.native is None:
            pointer = external.pointer or 0
            return Block(pointer, external.nbytes, bytes_at(pointer, external.nbytes))
        flat = external.native.reshape(-1).view(np.uint8)
        return Block(flat.__array_interface__["data"][0], flat.nbytes, flat)

    def copy(self, target: Span, source: Span, *, stream: Stream | None) -> None:
        """Copy bytes; the spans may overlap."""
        if stream is not None:
            raise _no_streams()
        common.host_copies.copy_bytes(_bytes_of(target), _bytes_of(source))

    def copy_strided(self, target: Operand, source: Operand, plan: Plan, *, stream: Stream | None) -> None:
        """Copy elements as planned."""
        if stream is not None:
            raise _no_streams()
        common.host_copies.copy(target, _bytes_of(target.span), source, _bytes_of(source.span), plan)

    def fill(self, target: Operand, value: Any, *, stream: Stream | None) -> None:
        """Set every element."""
        if stream is not None:
            raise _no_streams()
        common.host_copies.fill(target, _bytes_of(target.span), value)

    def compile_kernel(self, device: Device, program: "Program") -> CompiledKernel:
        """Return a program compiled for the host."""
        from ..common.host_kernels import host_kernel

        return host_kernel(program)

    def missing_compiler(self, device: Device) -> str | None:
        """Return the command that installs llvmlite; None if it is there."""
        return host_compiler.missing()

    def kernel_source(self, program: "Program", language: str) -> str:
        """Return the text that is compiled for the host."""
        if language != "host":
            raise CapabilityError(f"the cpu backend prints kernels for the host, not for {language!r}; write 'host'")
        from ..common.host_kernels import host_source

        return host_source(program)

    def synchronize(self, device: Device) -> None:
        """Return at once: every call is done when it returns."""

    def namespace(self, device: Device) -> Any:
        """Return NumPy as a namespace of the array standard."""
        from ..common import numpy_namespace as namespace

        return namespace

    def special(self, device: Device) -> SpecialFunctions:
        """Return SciPy's special functions."""
        return SpecialFunctions(device)

    def array(self, operand: Operand, keep: object) -> Any:
        """Return a NumPy array on host memory."""
        return export(operand, keep)

    def root(self, array: Any) -> Any:
        """Return the array at the end of the chain of bases."""
        while array.base is not None:
            base = array.base
            if not isinstance(base, np.ndarray):
                # `as_strided` puts an object between a view and its array, and NumPy's array interface one of ours.
                base = getattr(base, "__accel_native__" if hasattr(base, "__accel_native__") else "base", None)
                if not isinstance(base, np.ndarray):
                    break
            array = base
        return array

    def address(self, array: Any) -> int:
        """Return the address of an array's first element."""
        return int(array.__array_interface__["data"][0])

    def is_readonly(self, array: Any) -> bool:
        """Tell whether NumPy refuses to write into an array."""
        return not array.flags.writeable


@cache
def _limits() -> Limits:
    return Limits(physical_memory(), ALIGNMENT, 1, SUPPORTED, _GRID)


def _bytes_of(span: Span) -> _Bytes:
    bytes_of: _Bytes = span.block.native[span.start : span.start + span.nbytes]
    return bytes_of


def _no_streams() -> CapabilityError:
    return CapabilityError("the cpu backend works in the caller's thread and has no streams; write stream=None")


def _out_of_memory(nbytes: int) -> OutOfMemoryError:
    total = physical_memory()
    return OutOfMemoryError(
        f"{nbytes} bytes were asked for on cpu, which has {total} bytes in all; "
        f"release what is no longer used, or work in smaller pieces"
    )
