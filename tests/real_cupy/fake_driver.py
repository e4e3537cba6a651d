"""The functions of the fake driver that CUDA does not have: settings, counts, and the loss of a device."""

import ctypes
import os

__all__ = ["FakeDriver"]


class FakeDriver:
    """The fake driver of this process.

    The settings that the environment gave (``FAKE_LAZY`` and so on) come back with `restore`.
    """

    def __init__(self):
        self._library = ctypes.CDLL(os.environ["ACCEL_FAKE_CUDA"])
        self._library.fake_set_late.argtypes = [ctypes.c_int, ctypes.c_uint64]
        self._library.fake_counts.restype = ctypes.c_size_t
        self._library.fake_counts.argtypes = [ctypes.c_char_p, ctypes.c_size_t]

    def run_late(self, seed):
        """Let streams run when they are waited for, in an order drawn from a seed."""
        self._library.fake_set_late(1, seed)

    def run_at_once(self):
        """Let work be done when it is submitted."""
        self._library.fake_set_late(0, 0)

    def stall(self, stalled=True):
        """Let queries move nothing on, so that a stream that runs late stays busy until it is waited for."""
        self._library.fake_set_stalled(stalled)

    def reach_pageable(self, reaches=True):
        """Let devices read and write pageable memory by themselves, and late, as some do."""
        self._library.fake_set_reaches_pageable(reaches)

    def lose(self, device):
        """Lose a device, as by an illegal address in a kernel; nothing brings it back in this process."""
        self._library.fake_lose(device)

    def contexts(self, devices):
        """Return which of so many devices have a context."""
        return [index for index in range(devices) if self._library.fake_has_context(index)]

    def start_counting(self):
        """Count calls from now on."""
        self._library.fake_set_counting(1)

    def counts(self):
        """Return how often each function was called, by name."""
        room = ctypes.create_string_buffer(self._library.fake_counts(None, 0) + 1)
        self._library.fake_counts(room, len(room))
        lines = [line.split() for line in room.value.decode().splitlines()]
        return {name: int(times) for name, times in lines}

    def restore(self):
        """Return to the settings of the environment."""
        environment = os.environ.get
        self._library.fake_set_counting(int(environment("FAKE_COUNT", "0")))
        self._library.fake_set_reaches_pageable(int(environment("FAKE_REACHES_PAGEABLE", "0")))
        self._library.fake_set_stalled(int(environment("FAKE_STALL", "0")))
        self._library.fake_set_late(int(environment("FAKE_LAZY", "0")), int(environment("FAKE_SEED", "0")))
