"""`get`: a scheduler for Dask's graphs that keeps within a budget of bytes."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from accel import config
from accel.engines.graph.nodes import Node, run_nodes
from accel.engines.graph.scheduler import Statistics
from accel.engines.memory_budget.ledger import UNLIMITED
from accel.memory.sizes import as_bytes

__all__ = ["chunk_bytes", "get"]


def get(
    dsk: Any,
    keys: Any,
    *,
    budget: int | str | None = None,
    nbytes: Mapping[str, int] | None = None,
    remake: bool | Iterable[str] | None = None,
    num_workers: int | None = None,
    spill_folder: str | None = None,
    statistics: Callable[[Statistics], object] | None = None,
    **_: Any,
) -> Any:
    """Compute the values of keys of a Dask graph; what is in memory at any time fits the budget.

    Use it as ``x.compute(scheduler=partial(get, budget="2 GiB"))``, or for a block of code with
    ``dask.config.set(scheduler=partial(get, budget="2 GiB"))``.

    Parameters
    ----------
    dsk : dict
        The graph.
    keys : key, or nested list of keys
        What to compute.
    budget : int or str, optional
        The most bytes, as in ``"2 GiB"``; by default no limit. Arrays that are part of the graph are not counted,
        because they belong to the caller.
    nbytes : dict of str to int, optional
        Bytes of the largest chunk for names of arrays, as `chunk_bytes` returns it; by default what the graph says of
        the arrays that others are computed from. The chunks of other names are measured: the first one of a name runs
        while no other unmeasured one does.
    remake : bool or iterable of str, optional
        Names of arrays whose chunks have no inputs and are made again where they are needed again, in place of writing
        them to a file. True is all of them, and by default they are those that Dask marks as producers of data.
    num_workers : int, optional
        Number of threads; by default ``accel.config.current().threads``.
    spill_folder : str, optional
        Folder of the file for values that wait; by default the system's folder for temporary files.
    statistics : callable, optional
        Called with the `Statistics` at the end, also after an error.

    Raises
    ------
    StoreError
        If a task needs more than the budget at once. If its sizes are known, no task has run then.
    BaseException
        The error of the first task that failed; tasks that had not begun are cancelled.

    Examples
    --------
    >>> import dask.array as da
    >>> x = da.ones((1000, 1000), chunks=(100, 1000)) + 1
    >>> float(x.sum().compute(scheduler=partial(get, budget="4 MiB")))
    2000000.0
    """
    from dask._task_spec import convert_legacy_graph
    from dask.order import order

    graph = convert_legacy_graph(dict(dsk if isinstance(dsk, Mapping) else dsk.__dask_graph__()))
    names = _Names(graph)
    sizes = {**_known_bytes(dsk), **(nbytes or {})}
    ranks = order(graph)
    # Under a budget the order is depth first, which keeps less in memory than Dask's; Dask's decides among inputs.
    nodes = {
        key: _node(task, names, sizes, ranks, budget is not None, _is_remade(task, remake))
        for key, task in graph.items()
        if names.is_task(key)
    }
    origins = {names.origin(key) for key in _flat(keys)}
    targets = sorted(filter(names.is_task, origins), key=ranks.__getitem__)
    limit = UNLIMITED if budget is None else as_bytes(budget, "budget")
    threads = num_workers or config.current().threads
    computed = run_nodes(
        nodes, targets, limit, threads, spill_folder, constants=names.constants.values(), report=statistics
    )
    values = {**names.constants, **dict(zip(targets, computed, strict=True))}
    return _nested(keys, lambda key: values[names.origin(key)])


def chunk_bytes(*collections: Any) -> dict[str, int]:
    """Return the bytes of the largest chunk of Dask arrays, and of the arrays that they are computed from, for `get`.

    What is computed in between is left out: Dask does not know the sizes of partial results of reductions.

    Examples
    --------
    >>> import dask.array as da
    >>> x = da.ones((1000, 1000), chunks=(100, 1000))
    >>> y = (x + 1).sum(axis=0)
    >>> chunk_bytes(y) == {x.name: 800_000, y.name: 8_000}
    True
    """
    sizes: dict[str, int] = {}
    for collection in collections:
        sizes |= _source_bytes(collection.__dask_graph__())
        size = _chunk_size({name: getattr(collection, name, None) for name in ("dtype", "chunksize")})
        if size is not None:
            sizes[collection.name] = size
    return sizes


def _known_bytes(dsk: Any) -> dict[str, int]:
    """Return the bytes of a chunk by name, as far as what Dask gives a scheduler says so."""
    graphs = [getattr(each, "hlg", None) for each in getattr(dsk, "operands", ())]
    return {name: size for graph in [dsk, *graphs] for name, size in _source_bytes(graph).items()}


def _source_bytes(graph: Any) -> dict[str, int]:
    """Return the bytes of a chunk for the layers of a graph that are computed from no other array."""
    sizes = {
        name: _chunk_size(layer.collection_annotations or {}) for name, layer in getattr(graph, "layers", {}).items()
    }
    return {
        name: size
        for name, size in sizes.items()
        if size is not None and not any(sizes[each] is not None for each in graph.dependencies[name])
    }


def _chunk_size(facts: Mapping[str, Any]) -> int | None:
    try:
        size = facts["dtype"].itemsize
        for extent in facts["chunksize"]:
            size *= int(extent)  # NaN, for chunks of unknown size, raises ValueError
    except (KeyError, AttributeError, ValueError, TypeError):  # the facts of something else than an array
        return None
    return int(size)


class _Names:
    """What the keys of a graph stand for: a task, a constant, or another key."""

    def __init__(self, graph: Mapping[Any, Any]) -> None:
        from dask._task_spec import Alias, DataNode

        self.constants = {key: node.value for key, node in graph.items() if isinstance(node, DataNode)}
        self._aliases = {key: node.target for key, node in graph.items() if isinstance(node, Alias)}
        self._graph = graph

    def is_task(self, key: Hashable) -> bool:
        return key in self._graph and key not in self.constants and key not in self._aliases

    def origin(self, key: Any) -> Any:
        """Return the key of the task or the constant that a key stands for."""
        while key in self._aliases:
            key = self._aliases[key]
        return key


def _node(
    task: Any, names: _Names, sizes: Mapping[str, int], ranks: Mapping[Any, int], depth_first: bool, remake: bool
) -> Node:
    origins = {key: names.origin(key) for key in task.dependencies}
    needed = sorted({origin for origin in origins.values() if origin not in names.constants}, key=ranks.__getitem__)
    constants = {key: names.constants[origin] for key, origin in origins.items() if origin in names.constants}
    places = {key: needed.index(origin) for key, origin in origins.items() if origin not in names.constants}
    layer = _name(task.key)
    return Node(
        partial(_call, task, constants, places),
        needed,
        sizes.get(layer),
        priority=None if depth_first else ranks[task.key],
        temporaries=_temporaries(task, len(needed)),
        remake=remake and not needed,
        layer=layer,
    )


def _temporaries(task: Any, inputs: int) -> int:
    """Return the number of values that a task allocates besides its result.

    A fused task keeps the results of all its parts to its end. A function of NumPy on arrays needs about one more, and
    one that combines several partial results puts them together first.
    """
    parts = task.args[0] if getattr(task.func, "__name__", "") == "_execute_subgraph" else ()
    return max(len(parts), inputs - 1, 1)


def _call(task: Any, constants: Mapping[Any, Any], places: Mapping[Any, int], *values: Any) -> Any:
    return task({**constants, **{key: values[place] for key, place in places.items()}})


def _is_remade(task: Any, remake: bool | Iterable[str] | None) -> bool:
    if remake is None:
        return bool(task.data_producer)
    return remake if isinstance(remake, bool) else _name(task.key) in remake


def _name(key: Any) -> str:
    return str(key[0] if isinstance(key, tuple) and key else key)


def _flat(keys: Any) -> Iterator[Any]:
    if isinstance(keys, list):
        for each in keys:
            yield from _flat(each)
    else:
        yield keys


def _nested(keys: Any, value_of: Callable[[Any], Any]) -> Any:
    if isinstance(keys, list):
        return tuple([_nested(each, value_of) for each in keys])
    return value_of(keys)
