"""Fixtures: a ring of small buffers on either platform."""

import pytest
from accel.backends.cupy.pinned import StagingMemory
from accel.backends.cupy.staging import Ring
from accel.backends.cupy.streams import CupyStream

from accel import Device
from accel.memory import heap_of

from .rings import COUNT, PIECE


@pytest.fixture
def machine(gpu_machine):
    return gpu_machine


@pytest.fixture
def device(machine):
    return Device("gpu")


@pytest.fixture
def heap(device):
    return heap_of(device)


@pytest.fixture
def backend(heap):
    return heap.backend


@pytest.fixture
def ring(backend, monkeypatch):
    """A ring of small buffers; all copies of more than 100 bytes are staged."""
    copier = backend._copier
    monkeypatch.setattr(CupyStream, "buffered", 100)
    copier._ring = copier._small = Ring(backend._driver, StagingMemory(backend._driver), PIECE, COUNT)
    return copier._ring
