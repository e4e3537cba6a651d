"""Fills of a device's memory: by the driver where all bytes are equal and have no gaps, else by a kernel."""

from collections.abc import Callable
from typing import Any

import numpy as np

from accel.abc import Operand

from .kernel_calls import KernelCall
from .streams import CupyStream

__all__ = ["CupyFill", "equal_byte", "run_of"]


class CupyFill:
    """A fill of operands that differ in their addresses only.

    Parameters
    ----------
    run : tuple of two ints, or None
        The bytes of an operand if they have no gaps; see `run_of`.
    compiled : callable
        Returns the launch of the kernel: it is compiled when it is first needed. The device is current then.
    """

    __slots__ = ("_call", "_compiled", "_run")

    def __init__(self, run: tuple[int, int] | None, compiled: Callable[[], KernelCall]) -> None:
        self._run = run
        self._compiled = compiled
        self._call: KernelCall | None = None

    def __call__(self, address: int, stream: CupyStream, byte: int, low: int, high: int) -> None:
        """Submit the fill of the operand at an address, as `accel.abc.PreparedFill` says."""
        run, call = self._run, self._call
        if byte >= 0 and run is not None:
            stream.set_bytes(address + run[0], byte, run[1])
            return
        driver, device = stream._driver, stream.device
        index = device._index
        # As `CupyStream.at_once`, without the call.
        if call is None or stream.timed or index not in driver.of_thread.ready or driver.get_device() != index:
            stream.at_once(self._launch, address, low, high)
            return
        try:
            call.start(stream.handle, address, 0, low, high)
        except Exception as error:
            raise driver.translated(error, device) from error
        stream._last = None

    def _launch(self, address: int, low: int, high: int, stream: CupyStream) -> None:
        call = self._call
        if call is None:
            call = self._call = self._compiled()
        call.start(stream.handle, address, 0, low, high)


def equal_byte(target: Operand, value: Any) -> int | None:
    """Return each byte of a value of an operand's dtype; None if they differ."""
    item = np.array([value], target.dtype).tobytes()
    return item[0] if item.count(item[0]) == len(item) else None


def run_of(target: Operand) -> tuple[int, int] | None:
    """Return the distance of the first byte of an operand, and the number of bytes; None if they have gaps."""
    if target.swizzle is not None or target.table is not None:
        return None
    first, nbytes = 0, target.dtype.itemsize
    for stride, extent in sorted(zip(target.strides, target.extents, strict=True), key=lambda axis: abs(axis[0])):
        if extent > 1:
            if abs(stride) != nbytes:
                return None
            first += min(0, (extent - 1) * stride)
            nbytes *= extent
    return first, nbytes
