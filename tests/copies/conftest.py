"""Devices for the tests of copies."""

import pytest

from accel.testing import use_backend


@pytest.fixture
def strangers(toy):
    """Two devices whose backends do not know each other."""
    with use_backend(type(toy)(), "cuda"):
        yield "sim", "cuda"
