"""Fixtures for `accel.xp`: the reference implementation, and a second device that computes."""

import os
from collections.abc import Iterator
from typing import Any

import pytest
from accel.backends.common.workers import WORKERS
from accel.backends.cpu import BACKEND
from accel.backends.cpu.array_pool import ArrayPool

import accel
from accel.device import Device
from accel.memory import heap_of
from accel.testing.simulation import drop
from accel.xp.array_library import library_on

# Read by array_api_strict when it is imported.
os.environ["ARRAY_API_STRICT_API_VERSION"] = "2025.12"


@pytest.fixture(scope="session")
def strict():
    import array_api_strict

    assert array_api_strict.__array_api_version__ == "2025.12"
    return array_api_strict


@pytest.fixture
def sim():
    """The simulated device; fails the test if a race was detected."""
    backend = heap_of(Device.SIM).backend
    drop()
    yield Device.SIM
    for device in backend.devices():
        backend.synchronize(device)
    assert not backend.races


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Cut small arrays too; lists the number of parts of each computation that was shared."""
    monkeypatch.setattr("accel.backends.cpu.array_pool.SMALLEST", 1)
    monkeypatch.setattr("accel.xp.parts.SHARED", 1)
    monkeypatch.setattr("accel.xp.parts.PART", 1)
    monkeypatch.setattr("accel.xp.parts._RUN", 64)
    monkeypatch.setattr("accel.xp.large_selections._ROWS", 1)
    monkeypatch.setattr("accel.xp.large_choices._PART", 64)
    monkeypatch.setattr(BACKEND, "_arrays", ArrayPool(1 << 24))
    library = library_on("cpu")
    monkeypatch.setattr(library, "large", 1)
    shared: list[int] = []

    def share(task: Any, count: int, *, whole: bool = False) -> bool:
        done = WORKERS.compute(task, count, whole=whole)
        shared.extend([count] * done)
        return done

    monkeypatch.setattr(library, "share", share)
    with accel.using(threads=3):
        yield shared
