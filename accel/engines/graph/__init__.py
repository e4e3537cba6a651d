"""Graphs of calls within a budget of bytes: what waits is written to a file, dropped, or not yet made.

`execute` runs a graph of `Node`; `get` runs a graph of Dask.
"""

from accel.engines.graph.dask_graphs import chunk_bytes, get
from accel.engines.graph.nodes import Node, execute
from accel.engines.graph.scheduler import Statistics

__all__ = ["Node", "Statistics", "chunk_bytes", "execute", "get"]
