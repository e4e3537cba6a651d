"""The cluster of an engine: found by its address, given as a client, or started here."""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol
from weakref import WeakSet

from accel.errors import AccelError, DeviceLostError, DeviceUnavailableError, StoreValueError
from accel.support.locks import forked_since, open_after_fork, process

if TYPE_CHECKING:
    from distributed import Client, Future, LocalCluster

    Value = Future[Any]

__all__ = ["Cluster", "lost", "reaching", "required"]


_NO_LIMIT = "1 PiB"

# Settings of Dask are of the whole process: two threads that change one and restore it must take turns.
_settings = open_after_fork(threading.Lock())


class _Graph(dict[Any, Any]):
    """Tasks that Dask need not compare with others: it would pickle and hash all of their values."""

    def __reduce__(self) -> tuple[object, ...]:
        return dict, ({**self},)


class Losable(Protocol):
    """Values that the cluster holds."""

    def lose(self) -> None:
        """Note that the cluster is lost."""
        ...


class Cluster:
    """A client of a cluster; closing it closes what was started here.

    Attributes
    ----------
    client : distributed.Client
        The client.
    distributed : module
        Dask's package.
    values : WeakSet
        The values of stores; their `lose` is called when the cluster is lost.

    Parameters
    ----------
    address : str, optional
        Address of the scheduler of a running cluster.
    client : distributed.Client, optional
        A client, which stays open.
    workers : int, optional
        Number of worker processes to start on this machine, with one thread each. Without any of the three, as many
        as Dask starts by default.
    timeout : float
        Seconds to wait for the scheduler.

    Raises
    ------
    DeviceUnavailableError
        If Dask is not installed, or no scheduler answers at the address.
    StoreValueError
        If more than one of the three is given.
    """

    client: Any  # Dask annotates few of its methods
    distributed: Any

    def __init__(
        self,
        address: str | None = None,
        *,
        client: "Client | None" = None,
        workers: int | None = None,
        timeout: float = 5.0,
    ) -> None:
        if sum(each is not None for each in (address, client, workers)) > 1:
            raise StoreValueError(
                "more than one cluster was given; write one of address='tcp://host:8786', client=client or workers=2"
            )
        self._started: LocalCluster | None = None
        self._owned = client is None
        self._process = process.token
        self.distributed = required()
        self.values: WeakSet[Losable] = WeakSet()
        if client is not None:
            self.client = client
        elif address is not None:
            self.client = _connected(address, timeout)
        else:
            self._started = _started(workers)
            self.client = _connected(self._started, timeout)

    def submit(self, graph: Mapping[Any, Any], keys: Sequence[Any]) -> dict[Any, "Value"]:
        """Submit tasks, and return futures of some of them.

        Raises
        ------
        DeviceLostError
            If the cluster is gone.
        """
        import dask
        from dask.base import normalize_token

        normalize_token.register(_Graph, id)  # type: ignore[no-untyped-call]
        self.refuse_lost()
        # Dask warns of messages with many bytes; these are the values of the user's stores, and sent once.
        with _settings, dask.config.set({"distributed.admin.large-graph-warning-threshold": _NO_LIMIT}):
            futures = self.client.get(_Graph(graph), [*keys], sync=False)
        return dict(zip(keys, futures, strict=True))

    def later(self, action: Callable[[], object]) -> None:
        """Let the thread of the client call something that returns soon."""
        self.client.loop.add_callback(action)

    @property
    def threads(self) -> int:
        """How many tasks run at once."""
        return sum(self.client.nthreads().values())

    @property
    def workers(self) -> int:
        """Number of processes, or of what Dask takes for processes."""
        return len(self.client.nthreads())

    def gather(self, futures: Iterable["Value"]) -> list[Any]:
        """Return values, or raise the failure of the first that has one."""
        return self.client.gather([*futures])  # type: ignore[no-any-return]

    def wait(self, futures: Iterable["Value"]) -> None:
        """Block until values are known or cannot be; never raises their failures."""
        with self.client.as_current():
            self.distributed.wait([*futures])

    def refuse_lost(self) -> None:
        """Raise `DeviceLostError` if the cluster is gone, or belongs to the parent of this process."""
        if forked_since(self._process):
            raise DeviceLostError(
                "the Dask cluster was connected before a fork, in the parent; start processes with 'spawn', or make "
                "another engine('dask', ...) here"
            )
        if self.lost:
            self.lose()
            raise lost()

    def lose(self) -> None:
        """Tell each store that its values on the cluster are gone."""
        for each in [*self.values]:
            each.lose()

    @property
    def local(self) -> bool:
        """Whether the workers were started here, so they see the files of this machine."""
        return self._started is not None

    @property
    def lost(self) -> bool:
        """Whether the connection to the scheduler is gone."""
        return self.client.status in ("closed", "closing", "connecting")

    def __str__(self) -> str:
        return "no cluster" if self.lost else f"{self.client.scheduler.address}"

    def close(self) -> None:
        """Close the client, and end the workers that were started here. Doing so again is harmless."""
        if self._owned:
            self.client.close()
        if self._started is not None:
            self._started.close()
        if self.lost:
            self.lose()


@contextmanager
def reaching(cluster: Cluster) -> Iterator[None]:
    """Raise `DeviceLostError` if the scheduler is gone, in place of Dask's own errors in a ``with`` block."""
    try:
        yield
    except (OSError, CancelledError, RuntimeError, _closed_error()) as error:
        if isinstance(error, AccelError) or not cluster.lost:
            raise
        cluster.lose()
        raise lost() from error


def lost() -> DeviceLostError:
    """Return the error for values that went with their cluster."""
    return DeviceLostError(
        "the Dask cluster is closed or does not answer any more, and the values that it held are gone; stores in "
        "memory of this process keep their values: make another engine('dask', ...) and submit the tasks again"
    )


def _closed_error() -> type[Exception]:
    from distributed.client import ClosedClientError

    return ClosedClientError


def required() -> Any:
    """Return ``distributed``; raises `DeviceUnavailableError` if it is not installed."""
    try:
        import distributed
    except ImportError as error:
        raise DeviceUnavailableError(
            f"the dask engine needs dask and distributed ({error}); write pip install 'accel-container[dask]', or "
            f"engine('threads')"
        ) from error
    return distributed


def _connected(to: Any, timeout: float) -> Any:
    try:
        return required().Client(to, timeout=timeout, set_as_default=False)
    except (OSError, ValueError) as error:
        raise DeviceUnavailableError(
            f"no Dask scheduler answers at {to!r} within {timeout:g} s ({type(error).__name__}: {error!s:.200}); start "
            f"one with `dask scheduler`, or write engine('dask', workers=2) for workers on this machine"
        ) from error


def _started(workers: int | None) -> "LocalCluster":
    # Without a dashboard there is an HTTP server all the same, by default at a fixed port.
    return required().LocalCluster(  # type: ignore[no-any-return]
        n_workers=workers,
        threads_per_worker=None if workers is None else 1,
        scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},
    )
