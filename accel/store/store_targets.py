"""`StoreTarget`: Legate's names for kinds of memory, and their devices."""

from typing import NamedTuple

from accel.device import Device, DeviceLike, required, resolve
from accel.errors import DeviceUnavailableError, StoreValueError
from accel.support.enums import PlainEnum

__all__ = ["Place", "StoreTarget", "place_of", "place_of_argument"]


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


def place_of_argument(target: StoreTarget | Place | DeviceLike) -> Place:
    """Return the place of a target, as `place_of`; an error of the argument if there is no such device.

    Raises
    ------
    StoreValueError
        If there is no such device.
    """
    try:
        return place_of(target)
    except DeviceUnavailableError as error:
        reasons = [" ".join(line.split()).rstrip(".") for line in str(error).splitlines()]
        raise StoreValueError("; ".join([line for line in reasons if line])) from error
