"""`Place`: a device and an interleaving on which a test runs."""

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

__all__ = ["MARK", "Place", "entered", "places"]

MARK = "accel_place"
"""The mark of a parameter that was added to a test; its arguments are those of a `Place`."""


class Place(NamedTuple):
    """Where a test runs.

    Attributes
    ----------
    device : str
        The name of the device.
    seed : int or None
        The seed of the interleaving; None if the device is not simulated.
    id : str
        The text by which pytest names the parameter.
    """

    device: str
    seed: int | None
    id: str


def places(devices: str | None, seeds: int) -> list[Place]:
    """Return the places for the values of the plug-in's options.

    Parameters
    ----------
    devices : str or None
        Names of devices, with commas between them; None for the CPU, and a simulated device if there is one.
    seeds : int
        The number of interleavings on each simulated device.
    """
    from accel.device import Device

    names = devices.split(",") if devices else ["cpu", *("sim" for device in Device.available("sim")[:1])]
    return [
        Place(name, seed, name if seed is None else f"{name}-seed{seed}")
        for name in names
        for seed in (range(seeds) if name.startswith("sim") else (None,))
    ]


@contextmanager
def entered(place: Place) -> Iterator[None]:
    """Make the device the default, with the interleaving of the seed, whatever ran before."""
    from accel.config import using
    from accel.testing.seeds import seeded
    from accel.testing.simulation import drop

    drop()
    with using(device=place.device), nullcontext() if place.seed is None else seeded(place.seed):
        yield
