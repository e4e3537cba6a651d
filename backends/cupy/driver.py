"""`Driver`: CuPy as the backend calls it: on the right device, never after a fork, with errors in our own terms."""

import os
from types import ModuleType, TracebackType
from typing import Any

from accel.device import Device
from accel.errors import DeviceLostError

from .errors import translated
from .platforms import Platform

__all__ = ["NOT_READY", "Driver"]

NOT_READY = 600
"""What both platforms answer when asked for work that is still under way."""

_INVALID_VALUE = 1


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
        """Whether this is the process that began; a child of a fork has no devices."""
        return self._process == os.getpid()

    def refuse_fork(self) -> None:
        """Refuse to go on in a child of the process that began.

        Raises
        ------
        RuntimeError
            If this is one.
        """
        if not self.usable:
            raise RuntimeError(
                f"a device of {self.platform.name} cannot be used across a fork; start processes with 'spawn'"
            )

    def on(self, device: Device) -> "OnDevice":
        """Return a context in which a device is current and errors of the driver are translated."""
        return OnDevice(self, device)

    def attributes(self, address: int) -> Any | None:
        """Return what the driver knows of memory at an address: of a device's, and of the host's that is pinned.

        Its ``type`` is not to be looked at: CuPy shifts the numbers for HIP 6 and later.
        """
        try:
            found = self.runtime.pointerGetAttributes(address)
        except self.runtime.CUDARuntimeError as error:
            if error.status != _INVALID_VALUE:
                raise
            return None  # as HIP's manual has it for memory that it does not know
        return found if found.device >= 0 else None

    def reached(self, event: Any) -> bool:
        """Tell whether an event of CuPy's is reached, or never will be, because the device is lost."""
        self.refuse_fork()
        # Not `event.done`, which is False for ever on a lost device.
        status: int = self.runtime.eventQuery(event.ptr)
        return status != NOT_READY

    def settle(self, event: Any, device: Device) -> None:
        """Block until an event is reached, or the device is lost."""
        try:
            self.wait(event, device)
        except DeviceLostError:
            return

    def wait(self, event: Any, device: Device) -> None:
        """Block until an event is reached; `DeviceLostError` if it never will be."""
        with self.on(device):
            event.synchronize()


class OnDevice:
    """A context in which a device is current and errors of the driver are translated."""

    __slots__ = ("_before", "_device", "_driver")

    def __init__(self, driver: Driver, device: Device) -> None:
        self._driver = driver
        self._device = device
        self._before = device.index

    def __enter__(self) -> None:
        self._driver.refuse_fork()
        # Not CuPy's own context, which also sets the device that is current already.
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
            found = self._translated(error)
            if found is not error:
                raise found from error

    def _translated(self, error: Exception) -> Exception:
        cuda = self._driver.cupy.cuda
        if isinstance(error, (cuda.runtime.CUDARuntimeError, cuda.driver.CUDADriverError)):
            return translated(error, self._device)
        return error
