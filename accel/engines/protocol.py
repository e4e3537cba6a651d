"""`Engine`: what runs launches; `engine`, `current` and `using` choose one."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from importlib import import_module
from typing import Any, ClassVar, Self

from accel.device import Device, resolve
from accel.engines.futures import Future
from accel.engines.previews import Preview
from accel.engines.task_definition import TaskDefinition
from accel.engines.task_launch import Launch
from accel.errors import StoreValueError
from accel.memory.host_storage import HostArray
from accel.store.logical_store import LogicalStore

__all__ = ["Engine", "current", "engine"]

_ENGINES = {
    "eager": ("accel.engines.eager", "EagerEngine"),
    "threads": ("accel.engines.threads", "ThreadsEngine"),
    "dask": ("accel.engines.dask.engine", "DaskEngine"),
}


class Engine(ABC):
    """Runs launches; made by `accel.engines.engine`. In a ``with`` block it is the current one.

    Tasks that share elements run in the order in which they were submitted, if one of them writes. All others may run
    at once.

    Attributes
    ----------
    name : str
        ``eager``, ``threads`` or ``dask``.
    device : Device or None
        The device whose variants run; None for the device of the stores.
    inline : bool
        Whether tasks that are known to be tiny may run in the thread that submits them.
    """

    name: ClassVar[str]
    options: ClassVar[frozenset[str]] = frozenset({"device", "inline"})

    def __init__(self) -> None:
        self.device: Device | None = None
        self.inline = True

    @abstractmethod
    def submit(self, launch: Launch) -> Future:
        """Submit a launch; see `Task.__call__`.

        Parameters
        ----------
        launch : Launch
            The launch.
        """
        ...

    @abstractmethod
    def preview(self, launch: Launch) -> Preview:
        """Return what a launch will do, without submitting it: its tasks, the bytes that move, and a picture.

        Parameters
        ----------
        launch : Launch
            The launch.
        """
        ...

    def call(self, task: TaskDefinition, values: tuple[Any, ...]) -> Future:
        """Submit a task with its arguments in the order of its parameters.

        Parameters
        ----------
        task : TaskDefinition
            The task.
        values : tuple of Any
            The arguments.
        """
        return self.submit(Launch(task, values))

    def gather(self, store: LogicalStore) -> HostArray:
        """Wait for the tasks that write a store, and return its values on the host; they stay in the store's memory.

        Parameters
        ----------
        store : LogicalStore
            The store.
        """
        import numpy as np

        return np.asarray(store.get_physical_store())

    def persist(self, store: LogicalStore) -> LogicalStore:
        """Wait until the values of a store are computed, and keep them where they are; returns the store.

        Parameters
        ----------
        store : LogicalStore
            The store.
        """
        from accel.store import shared_memory

        shared_memory.settle(store.root, store.map, writing=False)
        return store

    def run_graph(self, graph: Any, keys: Any, **options: Any) -> Any:
        """Compute keys of a graph of Dask, within the budget of this engine, if it has one.

        Parameters
        ----------
        graph : dict
            The graph.
        keys : key, or nested list of keys
            What to compute.
        **options
            Those of `accel.engines.graph.get`.
        """
        from accel.engines.graph import get

        return get(graph, keys, **options)

    @contextmanager
    def using(self, **options: Any) -> Iterator[Self]:
        """Make this engine the current one inside a ``with`` block, with other options.

        Parameters
        ----------
        **options
            The options, by name.
        device : Device or str
            Run the variants for this device. Stores that are elsewhere are copied there by tiles, and results back.
        inline : bool
            Let tasks that are known to be tiny run in the thread that submits them. A task is tiny if one of its last
            two runs was. If it then waits for something that the submitting thread does later, such as to set an
            event, it never ends: write ``inline=False`` for such tasks.

        Raises
        ------
        TypeError
            If the engine has no such option.
        DeviceUnavailableError
            If there is no such device.

        Examples
        --------
        >>> from accel.engines import current, engine
        >>> with engine("eager").using(device="sim") as chosen:
        ...     current() is chosen, chosen.device
        (True, <Device.SIM: 'sim'>)
        """
        changed = copy(self)
        changed.set(options)
        _enter(changed)
        try:
            yield changed
        finally:
            _leave(changed)

    def __enter__(self) -> Self:
        _enter(self)
        return self

    def __exit__(self, *exception: object) -> None:
        _leave(self)

    def set(self, options: dict[str, Any]) -> None:
        """Change options of this engine.

        Parameters
        ----------
        options : object
            The options, by name.

        Raises
        ------
        TypeError
            If the engine has no such option.
        """
        for name, value in options.items():
            if name not in self.options:
                raise TypeError(
                    f"engine {self.name} has no option {name!r}; its options are {', '.join(sorted(self.options))}"
                )
            setattr(self, name, _device(value) if name == "device" else value)

    def __repr__(self) -> str:
        return f"<engine {self.name}>"


def _device(value: Any) -> Device | None:
    return None if value is None else resolve(value)


_entered: ContextVar[tuple[Engine, ...]] = ContextVar("accel_engines", default=())
_default: Engine | None = None


def _enter(engine: Engine) -> None:
    _entered.set((*_entered.get(), engine))


def _leave(engine: Engine) -> None:
    """Make the engine before this one current; no effect in another context than it was entered in."""
    engines = _entered.get()
    at = next((place for place in reversed(range(len(engines))) if engines[place] is engine), None)
    if at is not None:  # a generator may end in another context than it began in
        _entered.set(engines[:at] + engines[at + 1 :])


def current() -> Engine:
    """Return the engine that calls of tasks are submitted to: that of the innermost ``with`` block, or ``threads``.

    Returns
    -------
    Engine
        The engine.

    Examples
    --------
    >>> from accel.engines import current
    >>> current()
    <engine threads>
    """
    global _default
    entered = _entered.get()
    if entered:
        return entered[-1]
    if _default is None:
        _default = engine("threads")
    return _default


def engine(name: str, **options: Any) -> Engine:
    """Return an engine by name.

    Parameters
    ----------
    name : str
        ``eager`` runs each task in the caller. ``threads`` has threads of its own. ``dask`` runs tasks in a cluster.
    **options
        Options of the engine; those of `Engine.using` among them.

    Returns
    -------
    Engine
        The engine.

    Raises
    ------
    StoreValueError
        If there is no such engine.
    TypeError
        If the engine has no such option.

    Examples
    --------
    >>> from accel.engines import current, engine
    >>> with engine("eager"):
    ...     current()
    <engine eager>
    """
    if name not in _ENGINES:
        raise StoreValueError(f"{name!r} is no engine; write one of {', '.join(_ENGINES)}")
    module, engine_class = _ENGINES[name]
    result: Engine = getattr(import_module(module), engine_class)(**options)
    return result
