"""The bytes that a work requests of a budget, and the promise that it gets."""

from collections.abc import Collection, Mapping
from typing import NamedTuple

from accel.device import Device
from accel.engines.memory_budget.evictable import Evictable
from accel.errors import StoreError
from accel.memory.sizes import in_words

__all__ = ["Promise", "Request", "Usage", "refuse_larger"]


class Usage(NamedTuple):
    """The bytes that values take on a device.

    Attributes
    ----------
    held : int
        Bytes of values in memory.
    peak : int
        The most bytes that were held, or promised to work that runs, at any time.
    """

    held: int
    peak: int


class Request(NamedTuple):
    """The values and bytes that a work needs to begin.

    Attributes
    ----------
    name : object
        The work, for messages.
    values : collection of Evictable
        What it uses, each once; those that are not in memory are read.
    fresh : mapping of Device to int
        Bytes that it allocates besides.
    """

    name: object
    values: Collection[Evictable]
    fresh: Mapping[Device, int]


class Promise(NamedTuple):
    """The values and bytes that were promised to a work that runs.

    Attributes
    ----------
    values : list of Evictable
        What it has pinned.
    away : list of Evictable
        Those of them that were not in memory when it began.
    remaining : dict of Device to int
        Bytes that it may still allocate.
    """

    values: list[Evictable]
    away: list[Evictable]
    remaining: dict[Device, int]


def refuse_larger(name: object, needed: Mapping[str, int], budget: int) -> None:
    """Raise `StoreError` if a work needs more bytes than a budget; ``needed`` has those of each parameter."""
    nbytes = sum(needed.values())
    if nbytes > budget:
        parts = ", ".join([f"{each} {in_words(size)}" for each, size in needed.items() if size])
        raise StoreError(
            f"{name} needs {in_words(nbytes)} at once ({parts}); the budget is {in_words(budget)}; write smaller "
            f"tiles, or a budget of {in_words(nbytes)} or more"
        )
