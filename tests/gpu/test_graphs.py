"""Graphs on a real device: the laws of all devices, kernels in CUDA or HIP, and captures of other libraries."""

from ..memory import graph_laws
from .effort import EXAMPLES


class TestGraphs(graph_laws.Graphs):
    pass


class TestRandomGraphs(graph_laws.RandomGraphs):
    examples = EXAMPLES


class TestRawGraphs(graph_laws.RawGraphs):
    pass


class TestPinnedGraphs(graph_laws.PinnedGraphs):
    pass
