"""`Peers`: direct access between the memories of two devices, where the hardware supports it."""

from accel.device import Device

from .driver import Driver

__all__ = ["Peers"]

_ALREADY_ENABLED = 704


class Peers:
    """Enables peer access between two devices, once; without it the driver copies through the host."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._pairs: set[tuple[Device, Device]] = set()

    def enable(self, one: Device, other: Device) -> None:
        """Enable access between two devices in both directions, if they support it."""
        for device, peer in ((one, other), (other, one)):
            if (device, peer) not in self._pairs:
                self._enable(device, peer)
                self._pairs.add((device, peer))

    def _enable(self, device: Device, peer: Device) -> None:
        runtime = self._driver.runtime
        if not runtime.deviceCanAccessPeer(device.index, peer.index):
            return
        with self._driver.on(device):
            try:
                runtime.deviceEnablePeerAccess(peer.index)
            except runtime.CUDARuntimeError as error:
                if error.status != _ALREADY_ENABLED:  # CuPy may have enabled it
                    raise
