"""Graphs on the stand-in for CuPy, for CUDA and ROCm."""

import pytest

from accel import Device

from ..memory import graph_laws


@pytest.fixture
def device(gpu_machine):
    return Device("gpu")


class TestGraphs(graph_laws.Graphs):
    pass


class TestRandomGraphs(graph_laws.RandomGraphs):
    examples = 10


class TestRawGraphs(graph_laws.RawGraphs):
    pass
