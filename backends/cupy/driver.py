"""`Driver`: access to CuPy, with a current device, a check against forks, and the driver's errors translated."""

import os
from types import ModuleType, TracebackType
from typing import Any

from accel.device import Device
from accel.errors import CapabilityError, DeviceLostError

from .errors import NOT_CAPTURED, translated
from .platforms import Platform

__all__ = ["NOT_READY", "Driver"]

NOT_READY = 600
"""The status that both platforms return for an event that is not reached yet."""

_INVALID_VALUE = 1
_OF_CAPTURES = range(900, 910)
"""The statuses that both platforms return for streams and events that are being captured into a graph."""


class Driver:
    """CuPy on one platform.

    Attributes
    ----------
    cupy : module
        CuPy.
    runtime : module
        Its ``cuda.runtime``.
    platform : Platform
        The platform.
    """

    __slots__ = ("_process", "cupy", "platform", "runtime")

    def __init__(self, cupy: ModuleType, platform: Platform) -> None:
        self.cupy: Any = cupy
        self.runtime: Any = cupy.cuda.runtime
        self.platform = platform
        self._process = os.getpid()

    @property
    def usable(self) -> bool:
        """Whether this is the process that made the driver; a forked child cannot use its devices."""
        return self._process == os.getpid()

    def refuse_fork(self) -> None:
        """Raise if this process is a forked child of the one that made the driver.

        Raises
        ------
        RuntimeError
            If it is.
        """
        if not self.usable:
            raise RuntimeError(
                f"a device of {self.platform.name} cannot be used across a fork; start processes with 'spawn'"
            )

    def on(self, device: Device) -> "CurrentDevice":
        """Return a context in which a device is current and errors of the driver are translated."""
        return CurrentDevice(self, device)

    def attributes(self, address: int) -> Any | None:
        """Return the driver's attributes of memory at an address; None unless it is a device's, or pinned.

        Do not use the attribute ``type``: CuPy shifts its values for HIP 6 and later.
        """
        try:
            attributes = self.runtime.pointerGetAttributes(address)
        except self.runtime.CUDARuntimeError as error:
            if error.status != _INVALID_VALUE:
                raise
            return None  # HIP reports unknown memory so, by its manual
        return attributes if attributes.device >= 0 else None

    def reached(self, event: Any) -> bool:
        """Return whether a CuPy event is reached, or the device is lost, so that it never will be."""
        self.refuse_fork()
        # Not `event.done`, which stays False on a lost device.
        status: int = self.runtime.eventQuery(event.ptr)
        self._refuse_captured(status)
        return status != NOT_READY

    def finished(self, stream: Any) -> bool:
        """Return whether all work of a CuPy stream is done; its device is current."""
        status: int = self.runtime.streamQuery(stream.ptr)
        self._refuse_captured(status)
        return status == 0

    def refuse_capture(self, stream: Any) -> None:
        """Raise if a CuPy stream is being captured into a graph: its work would not be done now.

        Raises
        ------
        CapabilityError
            If it is.
        """
        # The default stream cannot be captured.
        if stream.ptr and self.runtime.streamIsCapturing(stream.ptr):
            raise CapabilityError(f"CuPy's stream {stream.ptr:#x} is being captured into a graph; {NOT_CAPTURED}")

    def _refuse_captured(self, status: int) -> None:
        if status in _OF_CAPTURES:
            raise translated(self.runtime.CUDARuntimeError(status), self.platform.name)

    def settle(self, event: Any, device: Device) -> None:
        """Block until an event is reached, or the device is lost."""
        try:
            self.wait(event, device)
        except DeviceLostError:
            return

    def wait(self, event: Any, device: Device) -> None:
        """Block until an event is reached; raises `DeviceLostError` if the device is lost."""
        with self.on(device):
            event.synchronize()


class CurrentDevice:
    """A context in which a device is current and errors of the driver are translated."""

    __slots__ = ("_before", "_device", "_driver")

    def __init__(self, driver: Driver, device: Device) -> None:
        self._driver = driver
        self._device = device
        self._before = device.index

    def __enter__(self) -> None:
        self._driver.refuse_fork()
        # Not CuPy's own context: it sets the device even if it is current already.
        runtime, index = self._driver.runtime, self._device.index
        try:
            self._before = runtime.getDevice()
            if self._before != index:
                runtime.setDevice(index)
        except Exception as error:
            raise self._translated(error) from error

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._before != self._device.index:
            try:
                self._driver.runtime.setDevice(self._before)
            except Exception as failure:
                error = error or failure
        if isinstance(error, Exception):
            translation = self._translated(error)
            if translation is not error:
                raise translation from error

    def _translated(self, error: Exception) -> Exception:
        cuda = self._driver.cupy.cuda
        if isinstance(error, (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError)):
            return translated(error, self._device)
        return error
