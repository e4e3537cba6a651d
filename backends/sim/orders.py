"""`Orders`: a launch in several orders of its threads, from the same memory, and where the results differ."""

import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from accel.errors import KernelLaunchError
from accel.support.system import available_memory

from ..cuda_on_cpu.findings.orders import Difference
from ..cuda_on_cpu.launch.allocations import Area, Areas
from ..cuda_on_cpu.launch.execution import Outcome

__all__ = ["ORDERS", "Orders"]

ORDERS = 4
"""How often a launch runs."""

_WATCHED = 4096  # words that are asked who wrote them
_WORD = 4
Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Words = np.ndarray[Any, np.dtype[np.uint64]]


class Orders:
    """The memory that a launch may change, as it was before.

    Parameters
    ----------
    kernel : str
        Its name.
    areas : Areas
        All memory.
    used : callable
        Returns the bytes of the heap of kernels that are in use.

    Raises
    ------
    KernelLaunchError
        If the copies do not fit in the memory of this machine.
    """

    def __init__(self, kernel: str, areas: Areas, used: Callable[[], int]) -> None:
        self._kernel, self._used = kernel, used
        self._areas = [each for each in areas.all if each.size and not each.freed and not _is_constant(each)]
        self._contents = [_content(each) for each in self._areas]
        size, available = sum(each.size for each in self._areas), available_memory()
        if available is not None and size * 2 > available:
            raise KernelLaunchError(
                f"the check order keeps two copies of the {size} bytes that {kernel} may change, and {available} bytes "
                f"are available: release memory of the device that is not needed, or test with smaller arrays"
            )
        self._before, self._in_use = self._copied(), used()

    def compare(self, again: Callable[[Words | None], Outcome]) -> tuple[Outcome | None, Sequence[Difference]]:
        """Run a launch that has run once in other orders; its results are then those of the first run.

        Returns the outcome of a run that found something, if there is one, and how the results differ.
        """
        if self._used() != self._in_use:
            raise KernelLaunchError(
                f"{self._kernel} keeps memory that malloc or new gave, so it cannot be run again from the same state: "
                f"check it without order"
            )
        results = [self._copied()]
        for _ in range(ORDERS - 1):
            self._write(self._before)
            outcome = again(None)
            if outcome.findings or outcome.stopped:
                return outcome, ()
            results.append(self._copied())
        places = [
            place for place, each in enumerate(results[0]) if any((each != other[place]).any() for other in results)
        ]
        differences: Sequence[Difference] = ()
        if places:
            self._write(self._before)
            differing = [(self._areas[place], [result[place] for result in results]) for place in places]
            touches = again(_words(differing)).touches
            differences = [Difference(area, rows, touches) for area, rows in differing]
        self._write(results[0])
        return None, differences

    def _copied(self) -> list[Bytes]:
        return [each.copy() for each in self._contents]

    def _write(self, contents: Sequence[Bytes]) -> None:
        for area, content in zip(self._contents, contents, strict=True):
            area[...] = content


def _is_constant(area: Area) -> bool:
    return area.variable is not None and area.variable.readonly


def _content(area: Area) -> Bytes:
    return np.frombuffer(memoryview((ctypes.c_uint8 * area.size).from_address(area.begin)), np.uint8)


def _words(differing: Sequence[tuple[Area, Sequence[Bytes]]]) -> Words:
    """Return the addresses of the first words in which results differ."""
    words: list[int] = []
    for area, rows in differing:
        places = np.flatnonzero(np.any([row != rows[0] for row in rows], axis=0)) + area.begin
        words += np.unique(places // _WORD * _WORD)[: _WATCHED // len(differing) + 1].tolist()
    return np.array(sorted(words), np.uint64)
