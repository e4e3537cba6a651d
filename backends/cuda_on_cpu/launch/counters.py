"""`Counters`: how often the threads of launches took each line of a module."""

import threading
from typing import Any

import numpy as np

from accel.support.kernel_coverage import CountedText, tell

from .module import Module

__all__ = ["Counters"]

_NONE = 0xFFFFFFFF


class Counters:
    """The counters of a module, of which each growth is told once.

    Parameters
    ----------
    module : Module
        A module that was built with counters.
    source : CountedText
        What they count.
    """

    def __init__(self, module: Module, source: CountedText) -> None:
        self._source = source
        numbers = module.counted
        self._numbers: list[int] = sorted({each for each in numbers if each != _NONE})
        self._counts: np.ndarray[Any, Any] = np.frombuffer(memoryview(module.counters(len(source.points))), np.uint64)
        self._told = self._counts.copy()
        self._lock = threading.Lock()  # of what was told: two threads may wait for launches of one module

    def tell(self) -> None:
        """Tell who records the coverage by how much the counters grew."""
        with self._lock:
            now = self._counts.copy()
            grown = (now - self._told).tolist()
            self._told = now
        tell(self._source, [(number, grown[number]) for number in self._numbers])
