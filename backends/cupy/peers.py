"""`Peers`: devices that reach one another's memory without the host, where their links allow it."""

from accel.device import Device

from .driver import Driver

__all__ = ["Peers"]

_ALREADY_ENABLED = 704


class Peers:
    """Asks for access between two devices once; without it, the driver passes copies through the host."""

    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._asked: set[tuple[Device, Device]] = set()

    def enable(self, one: Device, other: Device) -> None:
        """Let two devices reach each other's memory, if they can."""
        for device, peer in ((one, other), (other, one)):
            if (device, peer) not in self._asked:
                self._enable(device, peer)
                self._asked.add((device, peer))

    def _enable(self, device: Device, peer: Device) -> None:
        runtime = self._driver.runtime
        if not runtime.deviceCanAccessPeer(device.index, peer.index):
            return
        with self._driver.on(device):
            try:
                runtime.deviceEnablePeerAccess(peer.index)
            except runtime.CUDARuntimeError as error:
                if error.status != _ALREADY_ENABLED:  # CuPy may have been first
                    raise
