"""flox, which groups for xarray where it is installed: chunked arrays are grouped chunk by chunk there.

To flox, an array that is no Dask collection is an array in memory. So its function gets Dask's array, and returns a
chunked array.
"""

from functools import wraps
from typing import Any

from accel.engines.chunked.array import ChunkedArray, unwrap, wrap
from accel.xp.after_import import when_imported

__all__ = ["await_flox"]


def await_flox() -> None:
    """Make flox group chunked arrays, now if it is imported, otherwise at its import."""
    when_imported("flox.xarray", _register)


def _register(module: Any) -> None:
    group = module.groupby_reduce

    @wraps(group)
    def groupby_reduce(*args: Any, **keywords: Any) -> Any:
        if not any(isinstance(each, ChunkedArray) for each in args):
            return group(*args, **keywords)
        return wrap(group(*unwrap(args), **unwrap(keywords)))

    module.groupby_reduce = groupby_reduce
