"""The Dask engine: launches on the workers of a cluster; stores from arrays of Dask, and back."""

from accel.engines.dask.arrays import from_dask, to_dask
from accel.engines.dask.engine import DaskEngine

__all__ = ["DaskEngine", "from_dask", "to_dask"]
