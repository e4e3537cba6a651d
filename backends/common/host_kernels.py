"""Kernels on the host: compiled by LLVM, and run in the caller's thread, with others where that is faster."""

import ctypes
import struct
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import numpy as np

from accel import config
from accel.abc import Failure, Stream
from accel.errors import CapabilityError, KernelLaunchError, OutOfMemoryError
from accel.ir import Program
from accel.support import log

from .host_code import vector_math
from .host_code.interruption import NOTE
from .host_code.machine_code import function_of, seconds_of
from .host_code.process import symbols
from .host_code.process_words import NO_MEMORY, STOPPED
from .host_code.python_calls import function_of_python
from .host_code.slots import WORD, Slots

__all__ = ["HostKernel", "host_kernel", "host_source", "interrupted"]

_Grid = tuple[int, int, int]
_ONE: _Grid = (1, 1, 1)
_MOST_BYTES = 1 << 19
"""Of the arrays of a kernel: they lie on the stacks of threads. CUDA allows a thread as much for local arrays."""

_NOTHING: tuple[Failure | None, tuple[Any, ...]] = (None, ())
_WORD = struct.Struct("<q")
_RECORD = struct.Struct(f"<{len(Failure._fields)}q")
_PROTOTYPE = ctypes.PYFUNCTYPE(None, ctypes.c_size_t, ctypes.c_bool)


def host_source(program: Program) -> str:
    """Return the text that is compiled for a program, in LLVM's language."""
    from .host_code.printer import printed

    return printed(program, Slots(program))


def host_kernel(program: Program) -> "HostKernel":
    """Compile a program for the host.

    Raises
    ------
    CapabilityError
        If the host cannot compute with a dtype, if arrays of the kernel are too large for the stack, or if llvmlite is
        missing or broken.
    """
    return HostKernel(program)


class HostKernel:
    """A program that is compiled for the host. Threads may run it at once."""

    def __init__(self, program: Program) -> None:
        _refuse_large_arrays(program)
        self._program = program
        self._slots = Slots(program)
        vectors = vector_math.symbols() if program.vector_math else {}
        key = program.key and f"{program.key} {sorted(vectors)}"
        self._address = function_of(partial(host_source, program), "run", {**symbols(), **vectors}, key)
        seconds = seconds_of.pop(self._address, None)
        if seconds is not None:
            log.soon(log.debug, "the cache has no machine code of %s, which took LLVM %.3f s", program.name, seconds)
        self._function = _PROTOTYPE(self._address)
        self._in_grid = self._slots.in_grid
        self._reports = bool(program.debug or program.results or self._in_grid)
        self._complex_at = self._slots.complex_at
        self._pack = self._slots.format.pack_into
        self._free: list[tuple[ctypes.Array[ctypes.c_char], int]] = []

    def launch(
        self,
        arguments: Sequence[Any],
        *,
        grid: _Grid,
        block: _Grid,
        stream: Stream | None,
        explain: Callable[[Failure], Exception],
    ) -> Callable[[], tuple[Any, ...]] | None:
        """Run the steps; everything is done when this returns."""
        if stream is not None:
            raise CapabilityError("the host runs kernels in the caller's thread and has no streams; write stream=None")
        failure, results = self.run(arguments, grid, block)
        if failure is not None:
            raise explain(failure)
        return (lambda: results) if self._program.results else None

    def prepared(self, *, arrays: bool = False) -> Callable[..., bool] | None:
        """Return a faster way to launch it; None if a launch may report something, or has complex numbers or bools."""
        kinds = self._slots.kinds(arrays=arrays)
        if self._reports or kinds is None:
            return None
        return function_of_python(self._address, ["int", *kinds], self._slots.nbytes)

    def run(
        self,
        arguments: Sequence[Any],
        grid: _Grid = _ONE,
        block: _Grid = _ONE,
        stopping: Callable[[Callable[[], object]], AbstractContextManager[object]] = nullcontext,
    ) -> tuple[Failure | None, tuple[Any, ...]]:
        """Run the steps; return the first failure of a check, and the results.

        Parameters
        ----------
        arguments : sequence of int, float or complex
            As for `CompiledKernel.launch`; addresses are the host's.
        grid, block : tuple of three ints
            The blocks, and the threads of a block, for a program with an explicit grid.
        stopping : callable
            Takes a function that stops the steps, and returns a context manager, in which it may be called.

        Raises
        ------
        KeyboardInterrupt
            If the steps were stopped. A signal handler's own error, if it stopped them in the main thread.
        KernelLaunchError
            If threads of a block do not arrive at the same barrier, or those of a warp at the same operation.
        """
        try:
            memory = self._free.pop()
        except IndexError:
            memory = self._new_memory()
        if self._complex_at:
            arguments = _in_parts(arguments, self._complex_at)
        if self._in_grid:
            arguments = (*arguments, *grid, *block)
        self._pack(memory[0], 0, config.current().threads, *arguments)
        if stopping is nullcontext:
            self._function(memory[1], False)
        else:
            word = ctypes.c_int64.from_buffer(memory[0], WORD)
            with stopping(partial(setattr, word, "value", STOPPED)):
                self._function(memory[1], False)
        outcome = self._outcome(memory[0]) if self._reports or stopping is not nullcontext else _NOTHING
        self._free.append(memory)
        return outcome

    def _new_memory(self) -> "tuple[ctypes.Array[ctypes.c_char], int]":
        buffer = ctypes.create_string_buffer(self._slots.nbytes + 64)
        return buffer, ctypes.addressof(buffer)

    def _outcome(self, buffer: "ctypes.Array[ctypes.c_char]") -> tuple[Failure | None, tuple[Any, ...]]:
        slots = self._slots
        (trouble,) = _WORD.unpack_from(buffer, WORD)
        if trouble:
            raise self._error(trouble)
        record = _RECORD.unpack_from(buffer, slots.record)
        results = tuple(np.frombuffer(memoryview(buffer), local.dtype, 1, place)[0] for local, place in slots.results)
        return Failure(*record) if self._program.debug and record[-1] else None, results

    def _error(self, trouble: int) -> BaseException:
        if trouble == STOPPED:
            return interrupted(self._program.name)
        if trouble == NO_MEMORY:
            return OutOfMemoryError(
                f"the host has no memory for the threads of a block of kernel {self._program.name}; use smaller blocks"
            )
        site = self._program.sites[trouble - 1]
        function, file, line = site.calls[-1]
        group, what = ("warp", "operation of a warp") if site.what == "warp" else ("block", "barrier")
        return KernelLaunchError(
            f"divergent {what} in {function} ({file}:{line}): some threads of a {group} arrived there and others "
            f"did not; call it where all threads of the {group} do"
        )


def interrupted(name: str) -> KeyboardInterrupt:
    """Return the error of a kernel that an interrupt of another thread stopped."""
    return KeyboardInterrupt(NOTE % name)


def _refuse_large_arrays(program: Program) -> None:
    nbytes = sum(array.size * array.dtype.itemsize for array in program.arrays)
    if nbytes > _MOST_BYTES:
        raise CapabilityError(
            f"the arrays of kernel {program.name!r} have {nbytes} bytes; on the host they have at most {_MOST_BYTES} "
            f"bytes in all: pass a container as an argument instead"
        )


def _in_parts(arguments: Sequence[Any], complex_at: tuple[int, ...]) -> list[Any]:
    """Replace each complex number by its two parts."""
    parts = list(arguments)
    for position in reversed(complex_at):
        number = complex(parts[position])
        parts[position : position + 1] = [number.real, number.imag]
    return parts
