"""The Dask engine: launches on the workers of a cluster."""

from accel.engines.dask.engine import DaskEngine, make

__all__ = ["DaskEngine", "make"]
