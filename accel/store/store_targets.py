"""`StoreTarget`: Legate's names for kinds of memory, and their devices."""

from typing import NamedTuple

from accel.device import Device, DeviceLike, required, resolve
from accel.enums import PlainEnum

__all__ = ["Place", "StoreTarget", "place_of"]


class StoreTarget(PlainEnum):
    """A kind of memory, by the name that Legate has for it.

    ``SYSMEM`` and ``SOCKETMEM`` are memory of the host, ``ZCMEM`` is host memory pinned for a GPU, and ``FBMEM`` is
    memory of a GPU. A `Device` or its name is accepted in place of a target.
    """

    SYSMEM = "sysmem"
    SOCKETMEM = "socketmem"
    ZCMEM = "zcmem"
    FBMEM = "fbmem"


class Place(NamedTuple):
    """A kind of memory and a device.

    Attributes
    ----------
    kind : StoreTarget
        The kind of memory.
    device : Device
        The device of the memory, or the device that it is pinned for.
    """

    kind: StoreTarget
    device: Device


def place_of(target: StoreTarget | Place | DeviceLike | None) -> Place:
    """Return the place of a target: None is `Device.default`, ``ZCMEM`` and ``FBMEM`` are the first GPU's.

    Raises
    ------
    DeviceUnavailableError
        If there is no such device.
    """
    if isinstance(target, Place):
        return target
    if isinstance(target, StoreTarget):
        gpu = target in (StoreTarget.ZCMEM, StoreTarget.FBMEM)
        return Place(target, required("gpu") if gpu else Device.CPU)
    device = resolve(target)
    return Place(StoreTarget.SYSMEM if device is Device.CPU else StoreTarget.FBMEM, device)
