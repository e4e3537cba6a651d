"""`Desk`: where NumPy computes on the private bytes of a simulated device.

Each call is one unit of the current stream. It runs at once, because its shape may be asked for next, after what its
own stream must have done before; the other streams stay late. So an order that was forgotten shows: in a race report,
or in bytes that are not there yet.
"""

import operator
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from accel.errors import DeviceMismatchError, OutOfMemoryError
from accel.memory import Block

from .arrays import SimArray, Values
from .faults import Faults
from .memory import DeviceMemory, Memory
from .races import Deed
from .scheduler import Scheduler
from .streams import Unit

__all__ = ["Desk", "Library"]

_OF_HOST = (np.ndarray, np.generic)


class _Lease:
    """Gives memory back when the last array on it is gone."""

    __slots__ = ("_lender", "_memory")

    def __init__(self, lender: DeviceMemory, memory: Memory) -> None:
        self._lender = lender
        self._memory = memory

    def __del__(self) -> None:
        self._lender.give_back(self._memory, "the end of the last array on them")


class Desk:
    """Where the arrays of one simulated device are computed.

    Parameters
    ----------
    scheduler : Scheduler
        Its streams do the work.
    faults : Faults
        What is to go wrong.
    memory : DeviceMemory
        Takes back what results no longer need.
    allocate : callable
        Brings bytes for a result.
    """

    def __init__(
        self, scheduler: Scheduler, faults: Faults, memory: DeviceMemory, allocate: Callable[[int], Block]
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
        unit, result = self._compute(function, lambda: function(*plain, **named), reads)
        return self._wrapped(result, reads, unit)

    def empty(self, shape: Any, dtype: Any) -> SimArray:
        """Return an array that nobody wrote to."""
        unit, like = self._compute(np.empty, lambda: np.empty(shape, dtype), ())
        return self._new(like, unit)

    def fetch(self, function: Callable[[], Any], source: SimArray) -> Any:
        """Return something of an array on the host; waits for it."""
        unit, result = self._compute(function, function, [source])
        unit.settle()
        return result

    def assign(self, target: SimArray, key: Any, value: Any) -> None:
        """Set elements of an array."""
        reads: list[SimArray] = []
        place, given = self._bare(key, reads), self._bare(value, reads)
        self._write(
            operator.setitem,
            partial(target._values.__setitem__, place, given),
            reads,
            lambda: _selected(target, place),
        )

    def update(self, function: Callable[..., Any], target: SimArray, other: Any) -> None:
        """Let an operator work in place."""
        reads: list[SimArray] = []
        given = self._bare(other, reads)
        self._write(function, lambda: function(target._values, given), [target, *reads], lambda: target)

    def _compute(
        self, function: Callable[..., Any], compute: Callable[[], Any], reads: Sequence[SimArray]
    ) -> tuple[Unit, Any]:
        results = []

        def work(deed: Deed) -> None:
            result = compute()
            # Nothing is read where there is only another view of it.
            if any(_source(part, reads) is None for part in _parts(result)):
                self._touch(deed, reads)
            results.append(result)

        unit = self._carry_out(function, work, reads)
        return unit, results.pop()

    def _write(
        self,
        function: Callable[..., Any],
        compute: Callable[[], object],
        reads: Sequence[SimArray],
        target: Callable[[], SimArray],
    ) -> None:
        def work(deed: Deed) -> None:
            self._touch(deed, reads)
            self._touch(deed, [target()], writing=True)
            compute()

        self._carry_out(function, work, reads)

    def _carry_out(self, function: Callable[..., Any], work: Callable[[Deed], None], uses: Sequence[SimArray]) -> Unit:
        def checked(deed: Deed) -> None:
            self._faults.at_work(self.device)
            for array in uses:
                array.memory.refuse_freed()
            work(deed)

        what = getattr(function, "__name__", "a computation").strip("_")
        try:
            return self._scheduler.carry_out(self._scheduler.stream_of(self.device), what, checked)
        except OutOfMemoryError:
            raise
        except MemoryError as error:  # of the host
            raise OutOfMemoryError(f"a result on {self.device} is too large: {error}") from None

    def _touch(self, deed: Deed, arrays: Sequence[SimArray], *, writing: bool = False) -> None:
        for array in arrays:
            self._scheduler.referee.touch(deed, array.memory.book, array.place, writing=writing)

    def _bare(self, value: Any, taken: list[SimArray]) -> Any:
        """Return an argument with NumPy's arrays in the place of ours, and note down which."""
        if isinstance(value, SimArray):
            if value._desk is not self:
                raise DeviceMismatchError(f"an array of {value.device} is no operand on {self.device}; copy it there")
            taken.append(value)
            return value._values
        if isinstance(value, _OF_HOST):
            raise DeviceMismatchError(f"an array of the host is no operand on {self.device}; copy it there")
        if type(value) in (tuple, list):
            return type(value)(self._bare(part, taken) for part in value)
        return value

    def _wrapped(self, result: Any, sources: Sequence[SimArray], unit: Unit) -> Any:
        """Return what NumPy returned with our arrays in the place of its own."""
        if isinstance(result, _OF_HOST):
            source = _source(result, sources)
            values = np.asarray(result)
            return self._copied(values, unit) if source is None else source.part(values)
        if isinstance(result, tuple | list):
            parts = [self._wrapped(part, sources, unit) for part in result]
            return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
        return result

    def _copied(self, result: Values, unit: Unit) -> SimArray:
        made = self._new(result, unit)
        made._values[...] = result
        return made

    def _new(self, like: Values, unit: Unit) -> SimArray:
        """Return an array in memory of its own, which a unit is about to write."""
        block = self._allocate(like.nbytes)
        memory: Memory = block.native
        values = np.ndarray(like.shape, like.dtype, memory.part(block.pointer, like.nbytes))
        made = SimArray(self, values, memory, block.pointer, keep=_Lease(self._memory, memory))
        self._touch(unit.deed, [made], writing=True)
        return made


def _parts(result: Any) -> Iterator[Any]:
    if isinstance(result, tuple | list):
        for part in result:
            yield from _parts(part)
    else:
        yield result


def _source(result: Any, arrays: Sequence[SimArray]) -> SimArray | None:
    """Return the array that a result is a view of."""
    if not isinstance(result, np.ndarray):
        return None
    return next((array for array in arrays if np.may_share_memory(result, array._values)), None)


def _selected(target: SimArray, key: Any) -> SimArray:
    """Return the part of an array that assigning to a key writes; all of it where the key is made of arrays."""
    keys = key if type(key) is tuple else (key,)
    # With an ellipsis also a single element is a view.
    part = target._values[keys if any(each is Ellipsis for each in keys) else (*keys, ...)]
    return target.part(part) if np.may_share_memory(part, target._values) else target


class Library:
    """A module of NumPy's namespace of the array standard, on the arrays of one simulated device."""

    def __init__(self, desk: Desk, module: ModuleType) -> None:
        self._desk = desk
        self._module = module

    def empty(self, shape: Any, *, dtype: Any = None) -> SimArray:
        """Return an array that nobody wrote to: its bytes are poison."""
        return self._desk.empty(shape, dtype)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if isinstance(found, ModuleType):
            found = Library(self._desk, found)
        elif callable(found) and not isinstance(found, type):
            found = partial(self._desk.call, found)
        setattr(self, name, found)
        return found
