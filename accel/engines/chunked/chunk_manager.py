"""xarray's chunk manager ``accel``: ``xarray.open_zarr(path, chunked_array_type="accel")``.

Only xarray imports this module, by its entry point; so it may import xarray.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from xarray.namedarray.parallelcompat import ChunkManagerEntrypoint

from accel.engines.chunked import execution
from accel.engines.chunked.array import ChunkedArray, unwrap, wrap, wrap_function
from accel.engines.chunked.namespace import NAMESPACE

__all__ = ["ChunkManager"]


class ChunkManager(ChunkManagerEntrypoint[ChunkedArray]):
    """What xarray asks of chunked arrays: Dask makes the graphs, the current engine runs them.

    Examples
    --------
    >>> import numpy as np
    >>> import xarray
    >>> x = xarray.DataArray(np.arange(12.0).reshape(3, 4), dims=("time", "place"))
    >>> chunked = x.chunk(time=1, chunked_array_type="accel")
    >>> chunked.data
    ChunkedArray(shape=(3, 4), dtype=float64, chunksize=(1, 4))
    >>> float(chunked.mean())
    5.5
    """

    array_cls = ChunkedArray
    available: bool = find_spec("dask") is not None

    def __init__(self) -> None:
        """Set nothing: xarray's class leaves this to each manager."""

    @property
    def array_api(self) -> Any:
        """The functions of `dask.array`, for chunked arrays."""
        return NAMESPACE

    def get_auto_chunk_size(self) -> int:
        """Return the bytes of a chunk whose size is ``"auto"``: Dask's setting ``array.chunk-size``."""
        size = import_module("dask.config").get("array.chunk-size")
        return import_module("dask.utils").parse_bytes(size)  # type: ignore[no-any-return]

    def chunks(self, data: ChunkedArray) -> Any:
        """Return the elements in each chunk, for each dimension."""
        return data.chunks

    def normalize_chunks(self, *args: Any, **keywords: Any) -> Any:
        """Return chunks written in full, as `dask.array` does."""
        return import_module("dask.array.core").normalize_chunks(*args, **keywords)

    def from_array(self, data: Any, chunks: Any, **keywords: Any) -> ChunkedArray:
        """Return an array-like in chunks; nothing is read yet."""
        if type(data).__name__ == "ImplicitToExplicitIndexingAdapter":
            keywords["meta"] = import_module("numpy").ndarray  # what xarray reads from files
        return ChunkedArray.from_array(data, _without_auto(chunks, data.shape), **keywords)

    def rechunk(self, data: Any, chunks: Any, **keywords: Any) -> Any:
        """Return an array in other chunks; one of `dask.array` becomes a chunked array."""
        return super().rechunk(wrap(data), _without_auto(chunks, data.shape), **keywords)

    def unify_chunks(self, *args: Any, **keywords: Any) -> tuple[Any, Any]:
        """Return arrays in common chunks."""
        return wrap_function(import_module("dask.array.core").unify_chunks)(*args, **keywords)  # type: ignore[no-any-return]

    def compute(self, *data: Any, **keywords: Any) -> tuple[Any, ...]:
        """Return the arguments, with the values of those in chunks, computed in one run."""
        return execution.compute(*unwrap(data), **keywords)

    def persist(self, *data: Any, **keywords: Any) -> tuple[Any, ...]:
        """Return the arguments, with those in chunks computed and kept in memory."""
        return wrap(execution.persist(*unwrap(data), **keywords))  # type: ignore[no-any-return]

    def store(self, sources: Any, targets: Any, **keywords: Any) -> Any:
        """Write arrays to array-likes, chunk by chunk."""
        return execution.store(unwrap(sources), targets, **keywords)

    def reduction(
        self,
        arr: ChunkedArray,
        func: Callable[..., Any],
        combine_func: Callable[..., Any] | None = None,
        aggregate_func: Callable[..., Any] | None = None,
        axis: Any = None,
        dtype: Any = None,
        keepdims: bool = False,
    ) -> Any:
        """Reduce chunks by ``func``, their results by ``combine_func``, and the last by ``aggregate_func``."""
        return NAMESPACE.reduction(
            arr, func, combine=combine_func, aggregate=aggregate_func, axis=axis, dtype=dtype, keepdims=keepdims
        )

    def scan(
        self,
        func: Callable[..., Any],
        binop: Callable[..., Any],
        ident: Any,
        arr: Any,
        axis: int | None = None,
        dtype: Any = None,
        **keywords: Any,
    ) -> Any:
        """Accumulate along an axis."""
        cumulative = import_module("dask.array.reductions").cumreduction
        return wrap_function(cumulative)(func, binop, ident, arr, axis=axis, dtype=dtype, **keywords)

    def map_blocks(self, func: Callable[..., Any], *args: Any, **keywords: Any) -> Any:
        """Apply a function to each chunk."""
        return NAMESPACE.map_blocks(func, *args, **keywords)

    def blockwise(self, func: Callable[..., Any], out_ind: Any, *args: Any, **keywords: Any) -> Any:
        """Apply a function to chunks that the letters of their dimensions match."""
        return NAMESPACE.blockwise(func, tuple(out_ind), *args, **keywords)

    def apply_gufunc(self, func: Callable[..., Any], signature: str, *args: Any, **keywords: Any) -> Any:
        """Apply a function with core dimensions."""
        return NAMESPACE.apply_gufunc(func, signature, *args, **keywords)

    def shuffle(self, x: ChunkedArray, indexer: list[list[int]], axis: int, chunks: Any) -> Any:
        """Bring the given groups of elements together along an axis."""
        if chunks not in (None, "auto"):
            raise NotImplementedError(
                f'chunks="auto" is what Dask can shuffle to, and {chunks!r} was asked; rechunk after'
            )
        return NAMESPACE.shuffle(x, indexer, axis, chunks="auto")


def _without_auto(chunks: Any, shape: tuple[int, ...]) -> Any:
    """Return chunks without "auto" for an array of no elements: Dask would divide by its size."""
    sizes = chunks.values() if isinstance(chunks, Mapping) else chunks if isinstance(chunks, tuple) else (chunks,)
    return shape if 0 in shape and "auto" in sizes else chunks
