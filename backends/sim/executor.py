"""`SimExecutor`: NumPy computes on the private bytes of a simulated device.

Each call is one task of the current stream. It runs at once, since the caller may need the shape of its result, but
only after the earlier tasks of its stream; the other streams stay late. So a missing synchronization shows: as a race
report, or as bytes that are not written yet.
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
from accel.support.call_sites import named_call_site

from .arrays import SimArray, Values
from .device_memory import DeviceMemory
from .faults import FaultPoints
from .memory import Memory
from .races import Operation
from .scheduler import Scheduler
from .streams import Task

__all__ = ["Namespace", "SimExecutor"]

_OF_HOST = (np.ndarray, np.generic)
_PLAIN = frozenset((bool, int, float, complex, str, type(None), type(...)))


class _Lease:
    """Frees memory when the last array on it is gone."""

    __slots__ = ("_memory", "_owner")

    def __init__(self, owner: DeviceMemory, memory: Memory) -> None:
        self._owner = owner
        self._memory = memory

    def __del__(self) -> None:
        self._owner.give_back(self._memory, "the end of the last array on them")


class SimExecutor:
    """Computes for the arrays of one simulated device.

    Parameters
    ----------
    scheduler : Scheduler
        Runs the work on its streams.
    faults : FaultPoints
        Called before each computation.
    memory : DeviceMemory
        The device's memory, to which results return theirs.
    allocate : callable
        Allocates a block for a result, given its bytes.
    """

    def __init__(
        self, scheduler: Scheduler, faults: FaultPoints, memory: DeviceMemory, allocate: Callable[[int], Block]
    ) -> None:
        self.device = memory.device
        self._scheduler = scheduler
        self._faults = faults
        self._memory = memory
        self._allocate = allocate

    def call(self, function: Callable[..., Any], *arguments: Any, out: SimArray | None = None, **keywords: Any) -> Any:
        """Call a NumPy function on arrays of the device; its results are arrays in the device's memory."""
        reads: list[SimArray] = []
        plain = self._unwrap(arguments, reads)
        named = {name: self._unwrap(value, reads) for name, value in keywords.items()}
        if out is not None:
            self._write(function, lambda: function(*plain, out=out._values, **named), reads, out, lambda: out)
            return out
        return self._compute(function, lambda: function(*plain, **named), reads)

    def empty(self, shape: Any, dtype: Any) -> SimArray:
        """Return an uninitialised array."""
        extents = self._unwrap(shape, [])
        array: SimArray = self._compute(np.empty, lambda: np.empty(extents, dtype), (), fill=False)
        return array

    def fetch(self, function: Callable[[], Any], source: SimArray) -> Any:
        """Return the result of a function that reads an array, as a value of the host; waits for it."""
        results = []

        def read(operation: Operation) -> None:
            self._touch(operation, [source])
            results.append(function())

        self._carry_out(function, read, [source]).settle()
        return results.pop()

    def assign(self, target: SimArray, key: Any, value: Any) -> None:
        """Set elements of an array."""
        reads: list[SimArray] = []
        plain_key, plain_value = self._unwrap(key, reads), self._unwrap(value, reads)
        self._write(
            operator.setitem,
            partial(target._values.__setitem__, plain_key, plain_value),
            reads,
            target,
            lambda: _selected(target, plain_key),
        )

    def update(self, function: Callable[..., Any], target: SimArray, other: Any) -> None:
        """Apply an in-place operator."""
        reads: list[SimArray] = []
        operand = self._unwrap(other, reads)
        self._write(function, lambda: function(target._values, operand), [target, *reads], target, lambda: target)

    def update_at(self, function: np.ufunc, target: SimArray, key: Any, *operands: Any) -> None:
        """Apply a ufunc in place to the elements at indices, again for each time that an index is there."""
        reads: list[SimArray] = []
        plain = self._unwrap((key, *operands), reads)
        self._write(function, lambda: function.at(target._values, *plain), [target, *reads], target, lambda: target)

    def _compute(
        self, function: Callable[..., Any], compute: Callable[[], Any], reads: Sequence[SimArray], *, fill: bool = True
    ) -> Any:
        results = []

        def compute_and_wrap(operation: Operation) -> None:
            results.append(_Wrapper(self, operation, reads, fill).wrap(compute()))

        self._carry_out(function, compute_and_wrap, reads)
        return results.pop()

    def _write(
        self,
        function: Callable[..., Any],
        compute: Callable[[], object],
        reads: Sequence[SimArray],
        target: SimArray,
        written: Callable[[], SimArray],
    ) -> None:
        def write(operation: Operation) -> None:
            self._touch(operation, reads)
            self._touch(operation, [written()], writing=True)
            compute()

        self._carry_out(function, write, [target, *reads])

    def _carry_out(
        self, function: Callable[..., Any], body: Callable[[Operation], None], uses: Sequence[SimArray]
    ) -> Task:
        def checked(operation: Operation) -> None:
            self._faults.at_work(self.device)
            for array in uses:
                array.memory.refuse_freed()
            body(operation)

        what = getattr(function, "__name__", "a computation").strip("_")
        try:
            return self._scheduler.carry_out(self._scheduler.stream_of(self.device), what, checked)
        except OutOfMemoryError:
            raise
        except MemoryError as error:  # the host is out of memory
            raise OutOfMemoryError(f"a result on {self.device} is too large: {error}") from None

    def _touch(self, operation: Operation, arrays: Sequence[SimArray], *, writing: bool = False) -> None:
        for array in arrays:
            region = array.region
            self._scheduler.detector.touch(operation, array.memory.history, region, writing=writing)
            if writing:
                array.memory.note_written(region)

    def _unwrap(self, value: Any, reads: list[SimArray]) -> Any:
        """Return an argument with each `SimArray` replaced by its NumPy array; add these to ``reads``."""
        if isinstance(value, SimArray):
            if value._executor is not self:
                raise DeviceMismatchError(f"an array of {value.device} is no operand on {self.device}; copy it there")
            reads.append(value)
            return value._values
        if type(value) in (tuple, list):
            return type(value)(self._unwrap(part, reads) for part in value)
        if isinstance(value, slice):
            return slice(*[self._unwrap(part, reads) for part in (value.start, value.stop, value.step)])
        return value if type(value) in _PLAIN else self._plain(value)

    def _plain(self, value: Any) -> Any:
        """Convert integer-like values to Python numbers; refuse the host's arrays and NumPy's other scalars."""
        if isinstance(value, np.bool_ | np.integer):
            return value.item()
        if isinstance(value, _OF_HOST):
            raise DeviceMismatchError(f"an array of the host is no operand on {self.device}; copy it there")
        # Before the task: the value may wrap a SimArray, whose conversion is a task, and tasks must not be nested.
        return operator.index(value) if isinstance(value, SupportsIndex) and not isinstance(value, type) else value


class _Wrapper:
    """Wraps the result of one operation in `SimArray`, and declares what the operation read and wrote."""

    def __init__(self, executor: SimExecutor, operation: Operation, reads: Sequence[SimArray], fill: bool) -> None:
        self._executor = executor
        self._operation = operation
        self._reads = reads
        self._fill = fill
        self._declared = False

    def wrap(self, result: Any) -> Any:
        """Return a result with each NumPy array replaced by a `SimArray`."""
        if isinstance(result, _OF_HOST):
            source = next((array for array in self._reads if np.may_share_memory(result, array._values)), None)
            if source is not None and isinstance(result, np.ndarray):
                return source.part(result)  # a view: no elements are read
            return self._new(np.asarray(result))
        if isinstance(result, tuple | list):
            parts = [self.wrap(part) for part in result]
            return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
        self._declare_reads()
        return result

    def _new(self, result: Values) -> SimArray:
        """Return an array in new device memory that holds a result.

        Raises
        ------
        DTypeError
            If `accel` does not support its dtype.
        """
        as_dtype(result.dtype)
        self._declare_reads()
        executor = self._executor
        with named_call_site(self._operation.site):  # this thread may be one of the library
            block = executor._allocate(result.nbytes)
        memory: Memory = block.native
        lease = _Lease(executor._memory, memory)
        values = np.ndarray(result.shape, result.dtype, memory.part(block.pointer, result.nbytes))
        array = SimArray(executor, values, memory, block.pointer, keep=lease)
        if self._fill:
            executor._touch(self._operation, [array], writing=True)
            values[...] = result
        return array

    def _declare_reads(self) -> None:
        if not self._declared:
            self._declared = True
            self._executor._touch(self._operation, self._reads)


def _selected(target: SimArray, key: Any) -> SimArray:
    """Return the part of an array that an assignment to a key writes; the whole array for advanced indexing."""
    keys = key if type(key) is tuple else (key,)
    if any(isinstance(each, np.ndarray | list) for each in keys):
        return target
    # With an ellipsis NumPy returns a view even for a single element.
    part = target._values[keys if any(each is Ellipsis for each in keys) else (*keys, ...)]
    return target.part(part) if np.may_share_memory(part, target._values) else target


class Namespace:
    """A module of NumPy functions, or an object like one, on the arrays of one simulated device."""

    def __init__(self, executor: SimExecutor, module: Any) -> None:
        self._executor = executor
        self._module = module

    def empty(self, shape: Any, *, dtype: Any = None) -> SimArray:
        """Return an uninitialised array, filled with poison."""
        return self._executor.empty(shape, dtype)

    def __getattr__(self, name: str) -> Any:
        member = getattr(self._module, name)
        if isinstance(member, ModuleType):
            member = Namespace(self._executor, member)
        elif callable(member) and not isinstance(member, type):
            member = self._function(member)
        setattr(self, name, member)
        return member

    def _function(self, function: Callable[..., Any]) -> Any:
        """Return a function of NumPy that computes on the device; one of a ufunc has the methods of the ufunc."""
        call = self._executor.call
        computed: Any = partial(call, function)
        if isinstance(function, np.ufunc):
            for method in (function.accumulate, function.reduce, function.reduceat):
                setattr(computed, method.__name__, partial(call, method))
            computed.at = partial(self._executor.update_at, function)
        return computed
