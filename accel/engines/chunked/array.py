"""`ChunkedArray`: an array in chunks, whose graph Dask builds and an engine of ours runs."""

from collections.abc import Callable, Iterator
from functools import wraps
from importlib import import_module
from inspect import signature
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from accel.engines.chunked import execution
from accel.engines.chunked.indexing import select
from accel.engines.chunked.nested_values import map_leaves
from accel.engines.chunked.stores import dask_array_of, store_of
from accel.store.logical_store import LogicalStore

__all__ = ["ChunkedArray", "unwrap", "wrap", "wrap_function"]


class ChunkedArray(NDArrayOperatorsMixin):
    """An array in chunks that the current engine computes, within its budget.

    It holds an array of `dask.array`. Operators, NumPy's functions, methods and indexing give Dask's results, as
    chunked arrays of this class; nothing is computed before ``compute``, ``persist``, ``store`` or a conversion to
    NumPy. A function of NumPy that `dask.array` lacks computes its arguments, and returns NumPy's result.

    xarray makes arrays of this class with ``chunked_array_type="accel"``. They are no Dask collections:
    ``dask.compute`` returns them as they are.

    Parameters
    ----------
    array : dask.array.Array
        The chunks.

    Raises
    ------
    TypeError
        If it is no array of `dask.array`.

    Examples
    --------
    >>> import dask.array as da
    >>> import numpy as np
    >>> from accel.engines.chunked import ChunkedArray
    >>> x = ChunkedArray(da.arange(10, chunks=5))
    >>> np.cumsum(x * 2)
    ChunkedArray(shape=(10,), dtype=int64, chunksize=(5,))
    >>> int(np.sum(x * 2))
    90
    """

    __slots__ = ("_dask",)
    _dask: Any

    def __init__(self, array: Any) -> None:
        if not isinstance(array, _dask_array_class()):
            raise TypeError(
                f"ChunkedArray takes an array of dask.array, and got {type(array).__name__}; "
                "write ChunkedArray.from_array(x)"
            )
        self._dask = array

    @property
    def dask_array(self) -> Any:
        """The array of `dask.array`; its own ``compute`` uses Dask's scheduler, which knows no budget."""
        return self._dask

    @property
    def shape(self) -> tuple[int, ...]:
        """Elements in each dimension; nan where the sizes of chunks are not known before they are computed."""
        return self._dask.shape  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return self._dask.ndim  # type: ignore[no-any-return]

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the elements."""
        return self._dask.dtype  # type: ignore[no-any-return]

    @property
    def chunks(self) -> tuple[tuple[int, ...], ...]:
        """Elements in each chunk, for each dimension."""
        return self._dask.chunks  # type: ignore[no-any-return]

    @property
    def vindex(self) -> "Indexer":
        """Select points: ``x.vindex[i, j]``."""
        return Indexer(self._dask.vindex)

    @property
    def blocks(self) -> "Indexer":
        """Select chunks by their numbers: ``x.blocks[0, :2]``."""
        return Indexer(self._dask.blocks)

    def __getattr__(self, name: str) -> Any:
        """Return a public attribute of Dask's array; a method that gives a Dask array gives a chunked array."""
        if name.startswith("_"):
            raise AttributeError(f"{type(self).__name__!r} has no attribute {name!r}")
        attribute = getattr(self._dask, name)
        return (
            wrap_function(attribute)
            if callable(attribute) and not isinstance(attribute, _dask_array_class())
            else wrap(attribute)
        )

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *(name for name in dir(self._dask) if not name.startswith("_"))})

    def reshape(self, *shape: Any, order: str = "C", **options: Any) -> "ChunkedArray":
        """Return the elements, in C order, in another shape; the options are those of ``dask.array.reshape``."""
        if order != "C":
            raise ValueError(
                f"chunked arrays are reshaped in C order only, and order={order!r} was asked; transpose first"
            )
        return ChunkedArray(self._dask.reshape(*shape, **options))

    @classmethod
    def from_array(cls, x: Any, chunks: Any = None, **options: Any) -> "ChunkedArray":
        """Cut an array-like into chunks.

        Parameters
        ----------
        x : array_like or LogicalStore
            An array of NumPy, `accel.xp`, zarr or Dask, or a store. A store is read when its chunks are computed.
        chunks : int, tuple or str, optional
            As for ``dask.array.from_array``; by default those of a store of `accel.store.from_zarr`, else ``"auto"``.
        **options
            Further options of ``dask.array.from_array``.

        Examples
        --------
        >>> from accel.engines.chunked import ChunkedArray
        >>> from accel.store import create_store
        >>> store = create_store("float32", (4, 6))
        >>> store.fill(2)
        >>> ChunkedArray.from_array(store, chunks=(2, 6)).sum(axis=0).compute()
        array([8., 8., 8., 8., 8., 8.], dtype=float32)
        """
        return cls(dask_array_of(unwrap(x), chunks, **options))

    def to_store(self) -> LogicalStore:
        """Return a read-only store of the elements, which are computed when they are used.

        ``np.asarray(store[...])`` computes that part; tasks and `LogicalStore.get_physical_store` compute all, once.

        Raises
        ------
        StoreValueError
            If the sizes of chunks are not known.
        DTypeError
            If no store has such elements.
        """
        return store_of(self._dask)

    def compute(self, **options: Any) -> Any:
        """Compute the elements on the current engine.

        Parameters
        ----------
        **options
            Options of ``dask.compute``; with ``scheduler``, that runs the graph instead of the engine.

        Returns
        -------
        numpy.ndarray
            Or an array of the chunks' type.
        """
        return execution.compute(self._dask, **options)[0]

    def persist(self, **options: Any) -> "ChunkedArray":
        """Compute the chunks on the current engine, and return an array that keeps them in memory."""
        return ChunkedArray(execution.persist(self._dask, **options)[0])

    def store(self, target: Any, **options: Any) -> Any:
        """Write the chunks to an array-like, such as one of zarr; the options are those of ``dask.array.store``."""
        return execution.store([self._dask], [target], **options)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        if copy is False:
            raise ValueError("NumPy cannot share the memory of a ChunkedArray: it has none; omit copy=False")
        return np.asarray(self.compute(), dtype=dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        outputs = keywords.pop("out", ())
        if not all(map(_takes_part, (*inputs, *outputs))):
            return NotImplemented
        result = wrap(_applied(ufunc, method, unwrap(inputs), unwrap(keywords)))
        return _assigned(outputs[0], result) if outputs else result

    def __array_function__(self, function: Callable[..., Any], types: Any, args: Any, keywords: Any) -> Any:
        if not all(issubclass(each, ChunkedArray) or _is_type_of_chunks(each) for each in types):
            return NotImplemented
        args, keywords = unwrap(args), unwrap(keywords)
        if not _dask_takes(function, args, keywords):  # Dask would compute with a scheduler of its own
            args, keywords = execution.compute(args, keywords)
        return wrap(function(*args, **keywords))

    def __getitem__(self, key: Any) -> "ChunkedArray":
        return ChunkedArray(select(self._dask, unwrap(key)))

    def __setitem__(self, key: Any, value: Any) -> None:
        changed = self._dask.copy()  # other arrays may hold the same Dask array
        changed[unwrap(key)] = unwrap(value)
        self._dask = changed

    def __len__(self) -> int:
        return len(self._dask)

    def __iter__(self) -> Iterator["ChunkedArray"]:
        return (self[position] for position in range(len(self)))

    def __contains__(self, value: object) -> bool:
        return bool((self == value).any())

    def __bool__(self) -> bool:
        return bool(self.compute())

    def __int__(self) -> int:
        return int(self.compute())

    def __float__(self) -> float:
        return float(self.compute())

    def __complex__(self) -> complex:
        return complex(self.compute())

    def __index__(self) -> int:
        return self.compute().__index__()  # type: ignore[no-any-return]

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # `==` compares elements

    def __copy__(self) -> "ChunkedArray":
        return ChunkedArray(self._dask)

    def __deepcopy__(self, memo: dict[int, Any]) -> "ChunkedArray":
        return ChunkedArray(self._dask)

    def __reduce__(self) -> tuple[Any, ...]:
        return ChunkedArray, (self._dask,)

    def __dask_tokenize__(self) -> tuple[str, str]:
        return "accel.ChunkedArray", self._dask.name

    def __repr__(self) -> str:
        return f"ChunkedArray(shape={self.shape}, dtype={self.dtype}, chunksize={self._dask.chunksize})"

    def _repr_html_(self) -> str:
        return self._dask._repr_html_()  # type: ignore[no-any-return]


class Indexer:
    """Indexing of another kind, as ``x.vindex[...]``.

    Parameters
    ----------
    indexer : object
        What Dask has for it.
    """

    __slots__ = ("_indexer",)

    def __init__(self, indexer: Any) -> None:
        self._indexer = indexer

    def __getitem__(self, key: Any) -> Any:
        return wrap(self._indexer[unwrap(key)])


def wrap(value: Any) -> Any:
    """Return a value with `ChunkedArray` for each Dask array in it."""
    array_class = _dask_array_class()
    return map_leaves(value, lambda each: ChunkedArray(each) if isinstance(each, array_class) else each)


def unwrap(value: Any) -> Any:
    """Return a value with the Dask array of each `ChunkedArray` in it."""
    return map_leaves(value, lambda each: each._dask if isinstance(each, ChunkedArray) else each)


def wrap_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of Dask's arrays as one of chunked arrays."""

    @wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        return wrap(function(*unwrap(args), **unwrap(keywords)))

    return call


def _assigned(output: Any, result: Any) -> Any:
    """Make the result of a ufunc the elements of its ``out`` argument."""
    if not isinstance(output, ChunkedArray) or output.shape != result.shape:
        raise TypeError(f"out must be a ChunkedArray of shape {result.shape}, and is {output!r}; omit it")
    output._dask = result._dask.astype(output.dtype, casting="same_kind")
    return output


def _applied(ufunc: np.ufunc, method: str, inputs: Any, keywords: Any) -> Any:
    """Apply a ufunc to Dask arrays; core dimensions become one chunk, and what Dask lacks is computed."""
    if method not in ("__call__", "outer"):
        inputs, keywords = execution.compute(inputs, keywords)
    elif ufunc.signature is not None and ufunc is not np.matmul:
        apply = import_module("dask.array").apply_gufunc
        return apply(ufunc, ufunc.signature, *inputs, allow_rechunk=True, **keywords)
    return getattr(ufunc, method)(*inputs, **keywords)


def _takes_part(operand: Any) -> bool:
    """Say whether an operand of a ufunc is for Dask; another class, such as xarray's, handles the ufunc itself."""
    return not hasattr(operand, "__array_ufunc__") or _is_type_of_chunks(type(operand))


def _is_type_of_chunks(cls: type) -> bool:
    if issubclass(cls, ChunkedArray | _dask_array_class()):
        return True
    return import_module("dask.array.chunk_types").is_valid_chunk_type(cls)  # type: ignore[no-any-return]


def _dask_takes(function: Callable[..., Any], args: Any, keywords: Any) -> bool:
    """Say whether Dask has a function of NumPy, with these arguments."""
    counterpart: Any = import_module("dask.array.core")._HANDLED_FUNCTIONS.get(function) or import_module("dask.array")
    if isinstance(counterpart, ModuleType):
        for name in (*function.__module__.split(".")[1:], function.__name__):
            counterpart = getattr(counterpart, name, None)
    if counterpart is None or counterpart is function:
        return False
    try:
        signature(counterpart).bind(*args, **keywords)
    except TypeError:
        return False
    return True


def _dask_array_class() -> Any:
    return import_module("dask.array").Array
