"""A small country: two states, three counties, one of them a hole of another, and some cities."""

import numpy as np
import pytest

from accel.demo.stores.atlas import Atlas, County


def clockwise(west, south, east, north):
    corners = [(west, south), (west, north), (east, north), (east, south), (west, south)]
    return np.array(corners, float)


@pytest.fixture
def country():
    rings = [
        clockwise(-100, 30, -90, 40),
        clockwise(-97, 33, -93, 37)[::-1],
        clockwise(-97, 33, -93, 37),
        clockwise(-90, 30, -80, 35),
        clockwise(-90, 36, -80, 40),
    ]
    counties = [County("Ring <&>", "AA"), County("Hole", "AA"), County("Two Parts", "BB")]
    cities = {
        "Ñandú": (-99, 31),
        "Inside": (-95, 35),
        "北京": (-85, 32),
        "Island": (-85, 38),
        "Between": (-85, 35.5),
        "Far away": (0, 0),
        "X": (-91, 39),
    }
    return Atlas(counties, rings, np.array([0, 0, 1, 2, 2], np.int32), [*cities], np.array([*cities.values()], float))
