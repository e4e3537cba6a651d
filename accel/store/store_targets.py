"""`StoreTarget`: Legate's names for kinds of memory, and the devices that have them."""

from typing import NamedTuple

from accel.device import Device, DeviceLike, required, resolve
from accel.enums import PlainEnum

__all__ = ["Place", "StoreTarget", "place_of"]


class StoreTarget(PlainEnum):
    """A kind of memory, by the name that Legate has for it.

    ``SYSMEM`` and ``SOCKETMEM`` are the host's, ``ZCMEM`` is host memory that is pinned for a GPU, and ``FBMEM`` is a
    GPU's own. Where one is taken, a `Device` or its name is too.
    """

    SYSMEM = "sysmem"
    SOCKETMEM = "socketmem"
    ZCMEM = "zcmem"
    FBMEM = "fbmem"


class Place(NamedTuple):
    """Where memory comes from.

    Attributes
    ----------
    kind : StoreTarget
        The kind of memory.
    device : Device
        Which device's memory it is, or for which it is pinned.
    """

    kind: StoreTarget
    device: Device


def place_of(target: StoreTarget | DeviceLike | None) -> Place:
    """Return where a target is: None is `Device.default`, ``ZCMEM`` and ``FBMEM`` are the first GPU's.

    Raises
    ------
    DeviceUnavailableError
        If there is no such device.
    """
    if isinstance(target, StoreTarget):
        gpu = target in (StoreTarget.ZCMEM, StoreTarget.FBMEM)
        return Place(target, required("gpu") if gpu else Device.CPU)
    device = resolve(target)
    return Place(StoreTarget.SYSMEM if device is Device.CPU else StoreTarget.FBMEM, device)
