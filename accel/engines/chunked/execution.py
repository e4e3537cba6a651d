"""Run the graphs of Dask's arrays on the current engine."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from accel.engines.protocol import current

__all__ = ["compute", "get", "persist", "store"]


def get(graph: Any, keys: Any, **options: Any) -> Any:
    """Run a graph of Dask on the current engine, and return the values of its keys: a scheduler for Dask.

    Examples
    --------
    >>> import dask
    >>> import dask.array as da
    >>> from accel.engines.chunked import get
    >>> with dask.config.set(scheduler=get):
    ...     int(da.arange(10, chunks=5).sum().compute())
    45
    """
    return current().run_graph(graph, keys, **options)


def compute(*values: Any, **options: Any) -> tuple[Any, ...]:
    """Return values with the Dask arrays among them computed, all in one run."""
    return import_module("dask").compute(*values, **_scheduled(options))  # type: ignore[no-any-return]


def persist(*values: Any, **options: Any) -> tuple[Any, ...]:
    """Return values with the chunks of the Dask arrays among them computed and kept, all in one run."""
    return import_module("dask").persist(*values, **_scheduled(options))  # type: ignore[no-any-return]


def store(sources: Sequence[Any], targets: Sequence[Any], **options: Any) -> Any:
    """Write the chunks of Dask arrays to array-likes; the options are those of ``dask.array.store``."""
    return import_module("dask.array").store(sources, targets, **_scheduled(options))


def _scheduled(options: dict[str, Any]) -> dict[str, Any]:
    return {"scheduler": get, **options}
