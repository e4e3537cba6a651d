"""`entered_in_children`: processes that a program starts with spawn are in the same simulation as itself."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from multiprocessing import spawn, util
from typing import Any

from accel.config import configure, current
from accel.support.locks import open_after_fork

__all__ = ["entered_in_children"]

_lock = open_after_fork(threading.Lock())
_entered: list["_Entry"] = []
"""The simulations of the blocks that run; it is changed while the lock is held."""
_earlier: list[Callable[[str], dict[str, Any]]] = []
"""What prepared processes before the first block; empty while there is none."""


class _Entry:
    """A simulation, which a child process enters when it reads this: before it imports the program."""

    def __init__(self, module: str, name: str, arguments: tuple[Any, ...]) -> None:
        self._simulation = module, name, arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return _enter, (*self._simulation, current()._asdict())


def _enter(module: str, name: str, arguments: tuple[Any, ...], settings: dict[str, Any]) -> None:
    """Enter a simulation to the end of the process, which prints what its kernels did wrong and nobody has seen."""
    configure(**settings)
    block = ExitStack()
    block.enter_context(getattr(import_module(module), name)(*arguments))
    util.Finalize(None, block.close, exitpriority=0)


def _prepared(name: str) -> dict[str, Any]:
    """Return what a child process reads first; stands for `multiprocessing.spawn.get_preparation_data`."""
    with _lock:
        prepare, entered = (_earlier or [spawn.get_preparation_data])[0], [*_entered]
    return {**prepare(name), "accel": entered}


@contextmanager
def entered_in_children(module: str, name: str, *arguments: Any) -> Iterator[None]:
    """Let processes that begin inside the block enter a simulation, with the settings of the process that starts them.

    A process has simulated devices of its own, whose memory it does not share.

    Parameters
    ----------
    module, name : str
        Where the context manager of the simulation is.
    *arguments
        What it is called with.
    """
    entry = _Entry(module, name, arguments)
    with _lock:
        if not _entered:
            _earlier.append(spawn.get_preparation_data)
            vars(spawn)["get_preparation_data"] = _prepared
        _entered.append(entry)
    try:
        yield
    finally:
        with _lock:
            _entered.remove(entry)
            if not _entered:
                vars(spawn)["get_preparation_data"] = _earlier.pop()
