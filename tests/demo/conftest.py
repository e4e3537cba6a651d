"""Small pictures with known content."""

from contextlib import suppress

import numpy as np
import pytest

from accel import Device
from accel.demo.pictures import Picture, Recipe
from accel.errors import RaceError
from accel.memory import heap_of
from accel.testing.simulation import drop

STARS = [(20 + 24 * i, 15 + 31 * j) for i in range(5) for j in range(5)]


def picture(pixels, recipe, **names):
    texts = {"name": "small", "title": "Small", "credit": "nobody", "finds": "things", "legend": "Marked."} | names
    return Picture(pixels=np.ascontiguousarray(pixels, dtype=np.uint8), recipe=recipe, **texts)


def grey(light):
    return np.repeat(np.clip(np.rint(light), 0, 255)[:, :, np.newaxis], 3, axis=2)


@pytest.fixture
def stars():
    """Twenty-five stars, some faint, on a noisy sky that is brighter to the right."""
    random = np.random.default_rng(5)
    rows, columns = np.mgrid[:137, :171]
    light = 30 + 0.2 * columns + random.normal(0, 4, rows.shape)
    for brightness, (row, column) in zip(np.linspace(60, 160, len(STARS)), STARS, strict=True):
        light += brightness * np.exp(-((rows - row) ** 2 + (columns - column) ** 2) / (2 * 1.5**2))
    return picture(grey(light), Recipe("points", background=16, reach=3, level=8.0), name="stars")


@pytest.fixture
def vessel():
    """One dark, straight vessel on a bright disc in a black surround."""
    random = np.random.default_rng(6)
    rows, columns = np.mgrid[:140, :150]
    light = 120 + random.normal(0, 2, rows.shape) - 50 * np.exp(-((columns - rows - 5) ** 2) / (2 * 3.0**2))
    light[(rows - 70) ** 2 + (columns - 75) ** 2 > 60**2] = 1
    recipe = Recipe("lines", sign=-1, background=12, sigma=2.0, floor=30.0, inset=6, level=4.0)
    return picture(grey(light), recipe, name="vessel", finds="vessel pixels")


@pytest.fixture
def races():
    """The races that the simulated devices reported; afterwards, work that a failed run left in flight is finished."""
    backend = heap_of(Device.SIM).backend
    drop()
    yield backend.races
    with suppress(RaceError):
        backend.synchronize(Device.SIM)
    backend.races.clear()
