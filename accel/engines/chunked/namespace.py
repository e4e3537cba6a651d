"""The functions of `dask.array` for chunked arrays, as one namespace."""

from importlib import import_module
from typing import Any

from accel.engines.chunked.array import wrap_function

__all__ = ["NAMESPACE", "Namespace"]


class Namespace:
    """The functions of `dask.array`, which take and return chunked arrays here.

    Examples
    --------
    >>> from accel.engines.chunked.namespace import NAMESPACE
    >>> NAMESPACE.ones((4, 4), chunks=2)
    ChunkedArray(shape=(4, 4), dtype=float64, chunksize=(2, 2))
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        """Return a function of `dask.array`, or another of its public names as it is."""
        if name.startswith("_"):
            raise AttributeError(f"there is no {name!r} among the functions of chunked arrays")
        attribute = getattr(import_module("dask.array"), name)
        return wrap_function(attribute) if callable(attribute) and not isinstance(attribute, type) else attribute

    def sliding_window_view(self, x: Any, window_shape: Any, axis: Any = None, **options: Any) -> Any:
        """Return all windows of a shape, as ``dask.array.lib.stride_tricks`` has it."""
        function = import_module("dask.array.lib.stride_tricks").sliding_window_view
        return wrap_function(function)(x, window_shape, axis, **options)


NAMESPACE = Namespace()
