"""Which devices run CUDA and HIP, and errors for those that do not."""

from collections.abc import Sequence
from typing import Any

from accel.abc import Stream, SupportsRawKernels
from accel.abc.stream import is_stream
from accel.containers import AcceleratorDataContainer
from accel.device import Device
from accel.errors import CapabilityError, DeviceUnavailableError
from accel.memory import heap_of

__all__ = ["checked_stream", "device_of", "refuse_others"]


def _first() -> str:
    """Return the name of the first device here that runs CUDA or HIP: a GPU, or the simulated one."""
    return str(next(iter(Device.available("cuda", "rocm")), "sim"))


def device_of(kernel: str, stream: Stream | None) -> Device:
    """Return the device of a launch without memory: that of its stream, or the first GPU.

    Raises
    ------
    DeviceUnavailableError
        If there is neither.
    """
    if stream is not None:
        return checked_stream(stream, _first()).device
    gpus = Device.available("cuda", "rocm")
    if not gpus:
        raise DeviceUnavailableError(
            f"{kernel} was launched without memory, which says the device, and there is no GPU; write "
            f"stream=accel.new_stream('{_first()}')"
        )
    return gpus[0]


def checked_stream(stream: Stream, device: object) -> Stream:
    """Return a stream; raise `TypeError` if it is something else."""
    if not is_stream(stream):
        raise TypeError(f"{stream!r} is no stream of accel; write stream=accel.new_stream('{device}')")
    return stream


def refuse_others(kernel: str, device: Device, arguments: Sequence[Any]) -> None:
    """Raise `CapabilityError` if a device runs no CUDA or HIP."""
    if isinstance(heap_of(device).backend, SupportsRawKernels):
        return
    memory = [each for each in arguments if hasattr(each, "__accel_operand__")]
    containers = memory and all(isinstance(each, AcceleratorDataContainer) for each in memory)
    way = f"x.to('{_first()}')" if containers else f"xp.asarray(x, device='{_first()}')"
    raise CapabilityError(f"{device} runs no CUDA or HIP; move the arguments of {kernel}, as in {way}")
