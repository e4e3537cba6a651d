"""`kernel_of`: a kernel that numba-cuda has compiled, for simulated devices."""

import re
import threading
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from accel.abc import Stream
from accel.device import Device
from accel.kernels.grids import as_block, as_grid
from accel.memory import heap_of
from accel.support.locks import open_after_fork
from accel.testing.cuda_limits import MAX_THREADS
from accel.testing.numba_simulation.linked_text import linked_text

__all__ = ["Kernel", "kernel_of"]

_BOUND = re.compile(r'!"maxntidx", i32 (\d+)')
_CAPTURED = re.compile(r"inttoptr \(i64 (\d+) to")
_lock = open_after_fork(threading.RLock())
_kernels: "WeakKeyDictionary[Any, Kernel]" = WeakKeyDictionary()


class Kernel:
    """A kernel, compiled for each device at its first launch there.

    Attributes
    ----------
    name : str
        The name of the function in Python.
    max_threads : int
        The most threads of a block.

    Parameters
    ----------
    library : CUDACodeLibrary
        What numba-cuda has compiled it to.
    """

    def __init__(self, library: Any) -> None:
        self.name: str = _name(library)
        self._texts: Sequence[str] = tuple(library.llvm_strs)
        self.max_threads: int = min([MAX_THREADS, *map(int, _BOUND.findall(self._texts[0]))])
        self._entry: str = library._entry_name
        self._linked, self._options = linked_text(library)
        self._executables: dict[Device, Any] = {}

    def compiled(self, device: Device) -> Any:
        """Return the kernel for a device.

        Raises
        ------
        CapabilityError
            If it uses a feature that is not simulated.
        """
        executable = self._executables.get(device)
        if executable is None:
            backend: Any = heap_of(device).backend
            made = backend.compile_llvm(
                device,
                self._texts_for(backend, device),
                self._entry,
                self.name,
                linked=self._linked,
                options=self._options,
            )
            executable = self._executables.setdefault(device, made)
        return executable

    def _texts_for(self, backend: Any, device: Device) -> list[str]:
        """Return the modules with the addresses of captured arrays as kernels have them: those of the host's memory."""

        def address(found: re.Match[str]) -> str:
            value = int(found[1])
            memory = backend.memory_at(value, 1)
            return found[0] if memory is None else f"inttoptr (i64 {value - memory.pointer + memory.host} to"

        return [_CAPTURED.sub(address, text) for text in self._texts]

    def launch(
        self,
        arguments: Sequence[Any],
        grid: Sequence[int],
        block: Sequence[int],
        stream: Stream,
        shared: int = 0,
        cooperative: bool = False,
    ) -> None:
        """Launch the kernel on a stream, and return at once.

        Parameters
        ----------
        arguments : sequence
            The members of its arguments one by one, as numbers of Python and of ctypes.
        grid, block : sequence of int
            Extents, x first.
        stream : Stream
            A stream of a simulated device.
        shared : int
            Bytes of dynamic shared memory.
        cooperative : bool
            All blocks run at once, and may wait for each other.

        Raises
        ------
        KernelLaunchError
            If the grid or the block is too large, or an argument is memory that no device has.
        """
        device = stream.device
        executable = self.compiled(device)
        threads = as_block(tuple(map(int, block)))
        blocks = as_grid(tuple(map(int, grid)), threads, heap_of(device).backend.limits(device))
        further = {"cooperative": True} if cooperative else {}
        values = executable.converted(arguments)
        executable.launch(blocks, threads, values, shared=int(shared), stream=stream, **further)


def kernel_of(library: Any) -> Kernel:
    """Return the kernel of a library of code of numba-cuda; the same one each time."""
    with _lock:
        kernel = _kernels.get(library)
        if kernel is None:
            kernel = _kernels[library] = Kernel(library)
        return kernel


def _name(library: Any) -> str:
    """Return the name of a kernel's function in Python."""
    return str(library.name).rpartition(".")[2] or "kernel"
