"""Device names such as ``cpu`` and ``cuda:1``: parse and write them, without access to hardware."""

import re

__all__ = ["DEVICE_TYPES", "GPU_TYPES", "device_name", "parse_device_name"]

DEVICE_TYPES = ("cpu", "cuda", "rocm", "mps", "sim")
"""All device types of the library; this machine may lack some."""

GPU_TYPES = ("cuda", "rocm", "mps")
"""The device types that ``gpu`` may mean, in the order in which they are tried."""

_SINGLE = frozenset({"cpu"})
# Every ordinal becomes a permanent member of the Device enum, so ordinals have at most four digits.
_NAME = re.compile(r"(cpu|cuda|rocm|mps|sim)(?::(0|[1-9][0-9]{0,3}))?", re.ASCII)


def device_name(type: str, index: int) -> str:
    """Return the name of a device: ``cpu``, ``sim``, ``sim:1``, ``cuda:0``.

    The names of the host and of the first simulated device have no ordinal; those of other devices always have one.
    """
    return type if index == 0 and type in ("cpu", "sim") else f"{type}:{index}"


def parse_device_name(text: str) -> tuple[str, int]:
    """Split a device's name into its type and its ordinal.

    Raises
    ------
    ValueError
        If the text is not the name of a device; the message lists the accepted forms.
    """
    match = _NAME.fullmatch(text)
    if match is None or (match[1] in _SINGLE and match[2] not in (None, "0")):
        raise ValueError(
            f"{text!r} names no device: write cpu, cuda[:n], rocm[:n], mps[:n], sim[:n] or gpu "
            f"(n counts from 0 and has at most four digits; there is one cpu)"
        )
    return match[1], int(match[2] or 0)
