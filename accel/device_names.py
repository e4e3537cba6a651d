"""How a device is written: the one grammar of ``cpu``, ``cuda:1``, ``gpu`` (no hardware is asked)."""

import re

__all__ = ["DEVICE_TYPES", "GPU_TYPES", "device_name", "parse_device_name"]

DEVICE_TYPES = ("cpu", "cuda", "rocm", "mps", "sim")
"""Every type of device the library knows, whether or not this machine has it."""

GPU_TYPES = ("cuda", "rocm", "mps")
"""What ``gpu`` stands for, in the order in which they are tried."""

_SINGLE = frozenset({"cpu"})
# Every distinct ordinal becomes a member of the Device enum for good, so their number is bounded.
_NAME = re.compile(r"(cpu|cuda|rocm|mps|sim)(?::(0|[1-9][0-9]{0,3}))?", re.ASCII)


def device_name(type: str, index: int) -> str:
    """Spell a device: ``cpu``, ``sim``, ``sim:1``, ``cuda:0``.

    The host and the first simulated device go by their type alone; accelerators always show their ordinal.
    """
    return type if index == 0 and type in ("cpu", "sim") else f"{type}:{index}"


def parse_device_name(text: str) -> tuple[str, int]:
    """Split a device's name into its type and its ordinal.

    Raises
    ------
    ValueError
        If the text names no device this library knows; the message lists the spellings it takes.
    """
    match = _NAME.fullmatch(text)
    if match is None or (match[1] in _SINGLE and match[2] not in (None, "0")):
        raise ValueError(
            f"{text!r} names no device: write cpu, cuda[:n], rocm[:n], mps[:n], sim[:n] or gpu "
            f"(n counts from 0 and has at most four digits; there is one cpu)"
        )
    return match[1], int(match[2] or 0)
