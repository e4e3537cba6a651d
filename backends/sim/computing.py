"""`SimExecutor`: where NumPy computes on the private bytes of a simulated device.

Each call is one task of the current stream. It runs at once, because its shape may be asked for next, after what its
own stream must have done before; the other streams stay late. So an order that was forgotten shows: in a race report,
or in bytes that are not there yet.
"""

import operator
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import Any, SupportsIndex

import numpy as np

from accel.abc import Block
from accel.dtypes import as_dtype
from accel.errors import DeviceMismatchError, OutOfMemoryError

from .arrays import SimArray, Values
from .faults import FaultPoints
from .memory import DeviceMemory, Memory
from .races import Operation
from .scheduler import Scheduler
from .streams import Task

__all__ = ["Namespace", "SimExecutor"]

_OF_HOST = (np.ndarray, np.generic)
_PLAIN = frozenset((bool, int, float, complex, str, type(None), type(...)))


class _Lease:
    """Gives memory back when the last array on it is gone."""

    __slots__ = ("_lender", "_memory")

    def __init__(self, lender: DeviceMemory, memory: Memory) -> None:
        self._lender = lender
        self._memory = memory

    def __del__(self) -> None:
        self._lender.give_back(self._memory, "the end of the last array on them")


class SimExecutor:
    """Where the arrays of one simulated device are computed.

    Parameters
    ----------
    scheduler : Scheduler
        Its streams do the work.
    faults : FaultPoints
        What is to go wrong.
    memory : DeviceMemory
        Takes back what results no longer need.
    allocate : callable
        Brings bytes for a result.
    """

    def __init__(
        self, scheduler: Scheduler, faults: FaultPoints, memory: DeviceMemory, allocate: Callable[[int], Block]
    ) -> None:
        self.device = memory.device
        self._scheduler = scheduler
        self._faults = faults
        self._memory = memory
        self._allocate = allocate

    def call(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Call a function of NumPy on what is behind some arrays; its results are in the memory of the device."""
        reads: list[SimArray] = []
        plain = self._bare(arguments, reads)
        named = {name: self._bare(value, reads) for name, value in keywords.items()}
        return self._compute(function, lambda: function(*plain, **named), reads)

    def empty(self, shape: Any, dtype: Any) -> SimArray:
        """Return an array that nobody wrote to."""
        given = self._bare(shape, [])
        made: SimArray = self._compute(np.empty, lambda: np.empty(given, dtype), (), fill=False)
        return made

    def fetch(self, function: Callable[[], Any], source: SimArray) -> Any:
        """Return something of an array on the host; waits for it."""
        found = []

        def work(operation: Operation) -> None:
            self._touch(operation, [source])
            found.append(function())

        self._carry_out(function, work, [source]).settle()
        return found.pop()

    def assign(self, target: SimArray, key: Any, value: Any) -> None:
        """Set elements of an array."""
        reads: list[SimArray] = []
        place, given = self._bare(key, reads), self._bare(value, reads)
        self._write(
            operator.setitem,
            partial(target._values.__setitem__, place, given),
            reads,
            target,
            lambda: _selected(target, place),
        )

    def update(self, function: Callable[..., Any], target: SimArray, other: Any) -> None:
        """Let an operator work in place."""
        reads: list[SimArray] = []
        given = self._bare(other, reads)
        self._write(function, lambda: function(target._values, given), [target, *reads], target, lambda: target)

    def _compute(
        self, function: Callable[..., Any], compute: Callable[[], Any], reads: Sequence[SimArray], *, fill: bool = True
    ) -> Any:
        results = []

        def work(operation: Operation) -> None:
            results.append(_Wrapper(self, operation, reads, fill).wrap(compute()))

        self._carry_out(function, work, reads)
        return results.pop()

    def _write(
        self,
        function: Callable[..., Any],
        compute: Callable[[], object],
        reads: Sequence[SimArray],
        target: SimArray,
        written: Callable[[], SimArray],
    ) -> None:
        def work(operation: Operation) -> None:
            self._touch(operation, reads)
            self._touch(operation, [written()], writing=True)
            compute()

        self._carry_out(function, work, [target, *reads])

    def _carry_out(
        self, function: Callable[..., Any], work: Callable[[Operation], None], uses: Sequence[SimArray]
    ) -> Task:
        def checked(operation: Operation) -> None:
            self._faults.at_work(self.device)
            for array in uses:
                array.memory.refuse_freed()
            work(operation)

        what = getattr(function, "__name__", "a computation").strip("_")
        try:
            return self._scheduler.carry_out(self._scheduler.stream_of(self.device), what, checked)
        except OutOfMemoryError:
            raise
        except MemoryError as error:  # of the host
            raise OutOfMemoryError(f"a result on {self.device} is too large: {error}") from None

    def _touch(self, operation: Operation, arrays: Sequence[SimArray], *, writing: bool = False) -> None:
        for array in arrays:
            self._scheduler.detector.touch(operation, array.memory.history, array.region, writing=writing)

    def _bare(self, value: Any, taken: list[SimArray]) -> Any:
        """Return an argument with NumPy's arrays in the place of ours, and note down which."""
        if isinstance(value, SimArray):
            if value._executor is not self:
                raise DeviceMismatchError(f"an array of {value.device} is no operand on {self.device}; copy it there")
            taken.append(value)
            return value._values
        if type(value) in (tuple, list):
            return type(value)(self._bare(part, taken) for part in value)
        if isinstance(value, slice):
            return slice(*[self._bare(part, taken) for part in (value.start, value.stop, value.step)])
        return value if type(value) in _PLAIN else self._plain(value)

    def _plain(self, value: Any) -> Any:
        """Return an integer for what is one; refuse the host's arrays and numbers of NumPy."""
        if isinstance(value, np.bool_ | np.integer):
            return value.item()
        if isinstance(value, _OF_HOST):
            raise DeviceMismatchError(f"an array of the host is no operand on {self.device}; copy it there")
        # Now, for it may be an array of ours behind another front, and no task may wait for another.
        return operator.index(value) if isinstance(value, SupportsIndex) and not isinstance(value, type) else value


class _Wrapper:
    """Puts our arrays in the place of NumPy's, for what one operation returns; declares what that read and wrote."""

    def __init__(self, executor: SimExecutor, operation: Operation, reads: Sequence[SimArray], fill: bool) -> None:
        self._executor = executor
        self._operation = operation
        self._reads = reads
        self._fill = fill
        self._declared = False

    def wrap(self, result: Any) -> Any:
        """Return a result with our arrays in it."""
        if isinstance(result, _OF_HOST):
            source = next((array for array in self._reads if np.may_share_memory(result, array._values)), None)
            if source is not None and isinstance(result, np.ndarray):
                return source.part(result)  # nothing is read where there is only another view of it
            return self._new(np.asarray(result))
        if isinstance(result, tuple | list):
            parts = [self.wrap(part) for part in result]
            return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
        self._declare_reads()
        return result

    def _new(self, result: Values) -> SimArray:
        """Return an array in memory of its own that has a result.

        Raises
        ------
        DTypeError
            If memory cannot have its dtype.
        """
        as_dtype(result.dtype)
        self._declare_reads()
        executor = self._executor
        block = executor._allocate(result.nbytes)
        memory: Memory = block.native
        lease = _Lease(executor._memory, memory)
        values = np.ndarray(result.shape, result.dtype, memory.part(block.pointer, result.nbytes))
        made = SimArray(executor, values, memory, block.pointer, keep=lease)
        if self._fill:
            executor._touch(self._operation, [made], writing=True)
            values[...] = result
        return made

    def _declare_reads(self) -> None:
        if not self._declared:
            self._declared = True
            self._executor._touch(self._operation, self._reads)


def _selected(target: SimArray, key: Any) -> SimArray:
    """Return the part of an array that assigning to a key writes; all of it where the key is made of arrays."""
    keys = key if type(key) is tuple else (key,)
    if any(isinstance(each, np.ndarray | list) for each in keys):
        return target
    # With an ellipsis also a single element is a view.
    part = target._values[keys if any(each is Ellipsis for each in keys) else (*keys, ...)]
    return target.part(part) if np.may_share_memory(part, target._values) else target


class Namespace:
    """A module of NumPy's namespace of the array standard, on the arrays of one simulated device."""

    def __init__(self, executor: SimExecutor, module: ModuleType) -> None:
        self._executor = executor
        self._module = module

    def empty(self, shape: Any, *, dtype: Any = None) -> SimArray:
        """Return an array that nobody wrote to: its bytes are poison."""
        return self._executor.empty(shape, dtype)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if isinstance(found, ModuleType):
            found = Namespace(self._executor, found)
        elif callable(found) and not isinstance(found, type):
            found = partial(self._executor.call, found)
        setattr(self, name, found)
        return found
