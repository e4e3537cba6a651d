"""Arrays in chunks: Dask builds their graphs, and the current engine runs them; xarray's door."""

from accel.engines.chunked.array import ChunkedArray
from accel.engines.chunked.execution import get
from accel.engines.chunked.flox import await_flox

__all__ = ["ChunkedArray", "get"]

await_flox()
