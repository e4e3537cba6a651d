"""The simulated devices that a program of CUDA sees, by their number and by ``CUDA_VISIBLE_DEVICES``."""

import os
import re

from accel.device import Device
from accel.memory import heap_of

__all__ = ["visible_devices"]

_VARIABLE = "CUDA_VISIBLE_DEVICES"


def visible_devices(count: int | None = None) -> tuple[Device, ...]:
    """Return the devices in the order in which a program of CUDA counts them.

    As in CUDA, ``CUDA_VISIBLE_DEVICES`` names the devices by their numbers, with commas between. The list ends before
    the first entry that is no number of a device; so ``-1`` and an empty text hide all of them, as a number does that
    comes twice. If the variable is not set, all devices are visible.

    Parameters
    ----------
    count : int, optional
        How many devices there are before any are hidden; by default all that are simulated.

    Raises
    ------
    ValueError
        If there are not that many.
    """
    every = tuple(heap_of(Device("sim")).backend.devices())
    if count is not None and not 0 <= count <= len(every):
        raise ValueError(f"there are 0 to {len(every)} simulated devices; found devices={count}")
    every = every[:count]
    text = os.environ.get(_VARIABLE)
    return every if text is None else tuple([every[number] for number in _numbers(text, len(every))])


def _numbers(text: str, count: int) -> list[int]:
    numbers: list[int] = []
    for entry in text.split(","):
        found = re.match(r"\s*\+?(\d+)", entry)  # CUDA reads "1x" as 1
        if found is None or int(found[1]) >= count:
            break
        numbers.append(int(found[1]))
    return [] if len({*numbers}) < len(numbers) else numbers
