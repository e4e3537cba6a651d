"""`Device` and `runtime` of `accel.xp.cuda`: the devices of the type of the default one, by number."""

from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import Any, Self

from accel import config
from accel.abc.optional import ReportsRoom
from accel.device import Device as AccelDevice
from accel.errors import CapabilityError
from accel.memory import heap_of

__all__ = ["Device", "is_available", "runtime"]

_used: ContextVar[dict[str, Any] | None] = ContextVar("accel_cuda_used", default=None)
"""The settings that this thread or task entered by ``Device.use()``."""


def is_available() -> bool:
    """Tell whether the default device is another one than the host.

    Returns
    -------
    bool
        Whether it is a GPU, or a simulated device.

    Examples
    --------
    >>> import accel.xp as xp
    >>> with xp.default_device("sim"):
    ...     xp.cuda.is_available()
    True
    """
    return AccelDevice.default() is not AccelDevice.CPU


class Device:
    """A device by its number, as `cupy.cuda.Device`; the default device inside its ``with`` block.

    Parameters
    ----------
    device : int or Device, optional
        The number of the device, or a device; by default the current one.

    Examples
    --------
    >>> import accel.xp as xp
    >>> with xp.cuda.Device(0):
    ...     x = xp.ones(3)
    """

    def __init__(self, device: "int | Device | None" = None) -> None:
        default = AccelDevice.default()
        index = default.index if device is None else int(device)
        self._device = AccelDevice(f"{default.type}:{index}")
        self._entered: list[AbstractContextManager[config.Settings]] = []

    @property
    def __accel_device__(self) -> AccelDevice:
        return self._device

    @property
    def id(self) -> int:
        """The number of the device among those of its type."""
        return self._device.index

    @property
    def mem_info(self) -> tuple[int, int]:
        """How many bytes are free, and how many there are."""
        backend = heap_of(self._device).backend
        if not isinstance(backend, ReportsRoom):
            raise CapabilityError(
                f"{self._device} does not tell how much memory is free; write accel.memory.snapshot()"
            )
        room = backend.free_memory(self._device)
        return room.free, room.total

    def use(self) -> None:
        """Make this the default device of the thread, inside the blocks that are open and after them."""
        earlier, settings = _used.get(), {"device": self._device}
        if earlier is not None:
            config.leave(earlier)
        config.enter(settings)
        _used.set(settings)

    def synchronize(self) -> None:
        """Wait for all work of the device."""
        heap_of(self._device).synchronize()

    def __enter__(self) -> Self:
        block = config.using(device=str(self._device))
        block.__enter__()
        self._entered.append(block)
        return self

    def __exit__(self, *error: object) -> None:  # CuPy's can be called without an error
        self._entered.pop().__exit__(None, None, None)

    def __int__(self) -> int:
        return self.id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and other._device is self._device

    def __hash__(self) -> int:
        return hash(self._device)

    def __repr__(self) -> str:
        return f"<xp.cuda.Device {self.id}: {self._device}>"


class runtime:  # noqa: N801 - CuPy's name
    """The names of `cupy.cuda.runtime` that have a meaning on every device."""

    @staticmethod
    def getDeviceCount() -> int:
        """Return how many devices there are of the type of the default one.

        Returns
        -------
        int
            The number.

        Examples
        --------
        >>> import accel.xp as xp
        >>> with xp.default_device("cpu"):
        ...     xp.cuda.runtime.getDeviceCount()
        1
        """
        return len(AccelDevice.available(AccelDevice.default().type))

    @staticmethod
    def getDevice() -> int:
        """Return the number of the default device.

        Returns
        -------
        int
            The number.

        Examples
        --------
        >>> import accel.xp as xp
        >>> xp.cuda.runtime.getDevice()
        0
        """
        return AccelDevice.default().index

    @staticmethod
    def setDevice(device: int) -> None:
        """Make a device the default one of the thread.

        Parameters
        ----------
        device : int
            The number of the device.

        Examples
        --------
        >>> import accel.xp as xp
        >>> xp.cuda.runtime.setDevice(0)  # doctest: +SKIP
        """
        Device(device).use()

    @staticmethod
    def deviceSynchronize() -> None:
        """Wait for all work of the default device.

        Examples
        --------
        >>> import accel.xp as xp
        >>> xp.cuda.runtime.deviceSynchronize()
        """
        Device().synchronize()

    @staticmethod
    def memGetInfo() -> tuple[int, int]:
        """Return how many bytes of the default device are free, and how many there are.

        Returns
        -------
        tuple of int
            The free bytes, and all.

        Examples
        --------
        >>> import accel.xp as xp
        >>> with xp.default_device("sim"):
        ...     free, total = xp.cuda.runtime.memGetInfo()
        >>> free <= total
        True
        """
        return Device().mem_info

    @staticmethod
    def getDeviceProperties(device: int) -> dict[str, Any]:
        """Return the name and the memory of a device.

        Parameters
        ----------
        device : int
            The number of the device.

        Returns
        -------
        dict of str to Any
            The name, as bytes, and the bytes of its memory.

        Examples
        --------
        >>> import accel.xp as xp
        >>> with xp.default_device("sim"):
        ...     xp.cuda.runtime.getDeviceProperties(0)["name"]
        b'sim'
        """
        where = Device(device)
        return {"name": str(where._device).encode(), "totalGlobalMem": where.mem_info[1]}
