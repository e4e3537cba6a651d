"""`Launchers`: launches of one kernel whose order is certain without events; see `memory.stream_order`."""

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from accel.abc import Executable, Operand, PreparedLaunches, PreparesLaunches
from accel.containers import AcceleratorDataContainer
from accel.errors import AccelError
from accel.kernels.grids import Dim3
from accel.kernels.raw.launcher_code import launch_function, packing
from accel.kernels.raw.parameters import Parameter
from accel.memory import AnyStorage
from accel.memory.heap import Heap
from accel.support.locks import open_after_fork

__all__ = ["Launchers"]

_MOST_FUNCTIONS = 8
"""Of how many classes and dtypes of arguments the functions are tried."""
_MOST_STARTS = 256
"""Of how many grids, extents and strides what the backend prepared is kept."""

_adding = open_after_fork(threading.RLock())

_Function = Callable[..., Any]
Configuration = tuple[Any, Any, Any, Any]
"""The arguments ``grid``, ``over``, ``block`` and ``shared`` of a launch."""
Checked = Callable[[Configuration, Sequence[Any], Heap], tuple[Dim3, Dim3, int]]
"""Checks the arguments of a launch; returns the blocks, the threads of a block and the bytes of shared memory."""


class Launchers:
    """The functions that launch a kernel: each is written for one device, and classes and dtypes of memory.

    Attributes
    ----------
    functions : tuple of callable
        Those to try, in order. Each takes the arguments, the configuration and the stream.

    Parameters
    ----------
    name : str
        That of the kernel.
    parameters : sequence of Parameter
        Its parameters.
    checked : callable
        Checks a launch.
    """

    __slots__ = ("_checked", "_functions", "_name", "_parameters", "_prepared", "functions")

    def __init__(self, name: str, parameters: Sequence[Parameter], checked: Checked) -> None:
        self.functions: tuple[_Function, ...] = ()
        self._name = name
        self._parameters = parameters
        self._checked = checked
        self._functions: dict[tuple[Any, ...], _Function | None] = {}
        self._prepared: dict[Heap, PreparedLaunches] = {}

    def add(self, heap: Heap, executable: Executable, arguments: Sequence[Any]) -> None:
        """Let the function for launches like one that was done be tried first, if there can be one."""
        if heap.in_order is None or not isinstance(executable, PreparesLaunches):
            return
        memory = [each for each, kind in zip(arguments, self._parameters, strict=True) if kind.rank is not None]
        key = heap, *[(type(each), getattr(each, "dtype", None)) for each in memory]
        if key not in self._functions:
            with _adding:
                self._functions[key] = self._function(heap, executable, arguments)
        function = self._functions[key]
        if function is not None and function not in self.functions:
            self.functions = function, *self.functions[: _MOST_FUNCTIONS - 1]

    def _function(self, heap: Heap, executable: PreparesLaunches, arguments: Sequence[Any]) -> _Function | None:
        layout, offsets = packing(self._parameters)
        if heap not in self._prepared:
            self._prepared[heap] = executable.prepare(offsets, layout.size)
        pack = partial(layout.pack_into, self._prepared[heap].memory, 0)
        return launch_function(self._name, heap, self._parameters, arguments, pack, partial(self._start_for, heap))

    def _start_for(
        self, heap: Heap, starts: dict[Any, tuple[Any, ...]], form: Any, configuration: Configuration, arguments: Any
    ) -> tuple[Any, ...] | None:
        """Return what starts the kernel, and the extents and strides of each view; None if the general way has to."""
        try:
            blocks, threads, nbytes = self._checked(configuration, arguments, heap)
            if 0 in blocks:
                return None
            views = [_form_of(each) for each, kind in zip(arguments, self._parameters, strict=True) if kind.rank]
            result = self._prepared[heap].launcher(blocks, threads, nbytes), *views
        except (AccelError, ArithmeticError, TypeError, ValueError):  # the general way raises it again
            return None
        if _is_plain(configuration):
            if len(starts) >= _MOST_STARTS:
                starts.clear()
            starts[form] = result
        return result


def _form_of(view: Any) -> tuple[int, ...]:
    """Return the extents and the strides of a view, in elements, as kernels take them."""
    if isinstance(view, AnyStorage | AcceleratorDataContainer):
        return view.size, 1
    operand: Operand = view.__accel_operand__()
    return *operand.extents, *[stride // operand.dtype.itemsize for stride in operand.strides]


def _is_plain(configuration: Configuration) -> bool:
    """Return whether there are only integers, and tuples of them: others may have no hash, or change."""
    return all(
        all(type(part) is int for part in each) if type(each) is tuple else each is None or type(each) is int
        for each in configuration
    )
