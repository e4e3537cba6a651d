"""The backend of each type of device: found through entry points, never imported by name.

An installed package offers a backend by an entry point in the group ``accel.backends`` whose name is the type of
device it serves (``cpu``, ``cuda`` ...) and whose value is the backend object; one object may serve several types.
A backend is loaded when its type is first asked for. If it cannot be loaded, the reason is kept for error messages.
"""

import os
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import zip_longest
from operator import attrgetter
from typing import Any, NamedTuple, Protocol, runtime_checkable

from accel.support import log
from accel.support.device_names import DEVICE_TYPES
from accel.support.locks import in_child, open_after_fork

__all__ = [
    "GROUP",
    "DeviceName",
    "NoBackendError",
    "Provider",
    "Service",
    "forget_answers",
    "memo_of_backends",
    "providers",
    "remedy",
    "table_by_device",
]

GROUP = "accel.backends"
"""The entry-point group in which packages offer backends."""

_PROJECT = "accel-container"
_RECORDS = (".dist-info", ".egg-info")
_REMEDIES: Mapping[str, str] = {
    "cpu": f"pip install --force-reinstall {_PROJECT}",
    "cuda": f"pip install --upgrade '{_PROJECT}[cuda13]'   (or [cuda12], as the driver needs)",
    "rocm": f"pip install --upgrade '{_PROJECT}[rocm]'",
    "mps": "no release has a backend for MPS yet",
    "sim": f"pip install --force-reinstall {_PROJECT}",
}


class DeviceName(Protocol):
    """The name of a device, as far as the registry needs it."""

    @property
    def type(self) -> str:
        """The type of device, as in ``cuda``."""

    @property
    def index(self) -> int:
        """The number of the device among those of its type."""


@runtime_checkable
class Provider(Protocol):
    """What the object of an entry point needs to be loaded as a backend; see `accel.abc.Backend`."""

    @property
    def name(self) -> str:
        """The name of the backend."""

    def devices(self) -> Sequence[DeviceName]:
        """Return the devices of this machine that it serves."""

    def why_unavailable(self) -> Mapping[str, str]:
        """Return, by device or type that it cannot serve here, the reason and the remedy."""


class NoBackendError(LookupError):
    """Why a type of device has no backend; callers turn it into a `DeviceUnavailableError`."""


def remedy(type: str) -> str:
    """Return the command that adds devices of this type to this machine."""
    return _REMEDIES[type]


class Offer(NamedTuple):
    """An entry point of an installed package: a type of device, and the object that serves it, as ``module:name``."""

    name: str
    value: str

    def load(self) -> Any:
        """Import the object."""
        module, _, name = self.value.partition(":")
        return attrgetter(name)(import_module(module))


class Service(NamedTuple):
    """What serves one type of device in this process; `_Providers.exchange` replaces it.

    Attributes
    ----------
    provider : Provider or None
        The backend; None if none was loaded.
    failure : str or None
        Why there is no backend; None if nobody asked for one yet.
    rows : tuple of dict
        The rows of each table of `table_by_device` for devices of this type.
    """

    provider: Provider | None = None
    failure: str | None = None
    rows: tuple[dict[Any, Any], ...] = ()


_tables: list[dict[Any, Any]] = []


def table_by_device() -> dict[Any, Any]:
    """Return a new dictionary for objects that belong to a backend, by device.

    When another backend replaces the one of a type, the rows of devices of that type go with it.
    """
    table: dict[Any, Any] = {}
    _tables.append(table)
    return table


_memos: list[dict[Any, Any]] = []


def memo_of_backends() -> dict[Any, Any]:
    """Return a new dictionary for answers that depend on the backends; it is emptied when any of them changes."""
    memo: dict[Any, Any] = {}
    _memos.append(memo)
    return memo


def forget_answers() -> None:
    """Empty all memos: a backend was exchanged."""
    for memo in _memos:
        memo.clear()


def _exchange_rows(table: dict[Any, Any], type: str, rows: dict[Any, Any]) -> dict[Any, Any]:
    replaced = {device: table.pop(device) for device in tuple(table) if device.type == type}
    table.update(rows)
    return replaced


class _Providers:
    """The backends of this process, by type of device."""

    def __init__(self) -> None:
        # Reentrant: loading a backend may load another.
        self._lock = open_after_fork(threading.RLock())
        self._offers: Mapping[str, list[Offer]] | None = None
        self._loaded: dict[str, Provider] = {}
        self._failed: dict[str, str] = {}
        # The threads that are loading a backend, by its type.
        self._loading: dict[str, int] = {}
        in_child(self._fail_loading)

    def get(self, type: str) -> Provider:
        """Return the backend for a type of device, loading it at first use.

        Raises
        ------
        NoBackendError
            If no package offers one, two do, or it cannot be loaded; the message is the reason.
        """
        provider = self._loaded.get(type)
        if provider is not None:
            return provider
        with self._lock:
            known = type in self._loaded or type in self._failed
            if not known:
                self._loading[type] = threading.get_ident()
                try:
                    self._load(type)
                finally:
                    self._loading.pop(type, None)
            failure, provider = self._failed.get(type), self._loaded.get(type)
        if provider is not None and failure is None:
            return provider
        if not known:
            log.info("there is no backend for %s: %s", type, failure)
        raise NoBackendError(failure)

    def types(self) -> tuple[str, ...]:
        """Return the types of device for which a package offers a backend, in the order of `DEVICE_TYPES`."""
        offers = self._find()
        return tuple(type for type in DEVICE_TYPES if offers.get(type))

    def forget(self) -> None:
        """Forget all backends; the next request searches the installed packages again."""
        with self._lock:
            self._offers = None
            self._loaded.clear()
            self._failed.clear()
            forget_answers()

    def exchange(self, type: str, service: Service) -> Service:
        """Let something else serve a type of device, and return what served it before.

        No other thread may use devices of this type during the call.
        """
        with self._lock:
            provider, failure = self._loaded.pop(type, None), self._failed.pop(type, None)
            if service.provider is not None:
                self._loaded[type] = service.provider
            if service.failure is not None:
                self._failed[type] = service.failure
            forget_answers()
            # A table made after the service was replaced has no rows of it.
            pairs: Iterable[tuple[dict[Any, Any], dict[Any, Any]]] = zip_longest(_tables, service.rows, fillvalue={})
            return Service(provider, failure, tuple([_exchange_rows(table, type, rows) for table, rows in pairs]))

    def _fail_loading(self) -> None:
        """Fail the backends that other threads were loading at a fork: their modules stay half imported."""
        for type, thread in tuple(self._loading.items()):
            if thread != threading.get_ident():
                self._failed[type] = (
                    "the process was forked while another thread loaded its backend; start processes with 'spawn', "
                    "or use the device once before the fork"
                )

    def _find(self) -> Mapping[str, list[Offer]]:
        with self._lock:
            if self._offers is None:
                offers: dict[str, list[Offer]] = {}
                for point in _installed():
                    offered = offers.setdefault(point.name, [])
                    # An installed package and its source folder on sys.path offer the same backend.
                    if all(point.value != other.value for other in offered):
                        offered.append(point)
                self._offers = offers
            return self._offers

    def _load(self, type: str) -> None:
        offered = self._find().get(type, [])
        if not offered:
            here = ", ".join(self.types()) or "none"
            self._failed[type] = f"no installed package offers a backend for {type} (there are backends for: {here})"
        elif len(offered) > 1:
            names = " and ".join(point.value for point in offered)
            self._failed[type] = f"two packages offer a backend for {type}: {names}; uninstall one of them"
        else:
            self._load_one(type, offered[0])

    def _load_one(self, type: str, point: Offer) -> None:
        try:
            provider = point.load()
        except Exception as error:  # a third party's import can fail in any way
            summary = f"{error.__class__.__name__}: {error}"
            self._failed[type] = f"its backend {point.value} could not be loaded: {summary}"
            return
        if isinstance(provider, Provider):
            self._loaded[type] = provider
        else:
            self._failed[type] = f"{point.value} is not a backend: it has no name, devices() or why_unavailable()"


# `importlib.metadata` would take a part of the time of making the first array that is felt. It is still asked where
# packages are not in folders, as in a zip file.
def _installed() -> Iterator[Offer]:
    seen = set()
    if any(os.path.isfile(path) for path in sys.path):
        yield from _in_archives()
        return
    for folder, record in _records():
        name = record.partition("-")[0].partition(".")[0].lower().replace("_", "-")
        if name not in seen:  # of a package that is there twice, Python imports the first
            seen.add(name)
            with suppress(OSError, ValueError):  # one package with unreadable metadata must not hide all others
                yield from _offers_in(f"{folder}/{record}/entry_points.txt")


def _records() -> Iterator[tuple[str, str]]:
    """Yield the folders with the metadata of installed packages: where they are, and their names."""
    for path in sys.path:
        with suppress(OSError):
            yield from ((path or ".", name) for name in os.listdir(path or ".") if name.endswith(_RECORDS))


def _offers_in(file: str) -> list[Offer]:
    with open(file, encoding="utf-8") as opened:
        section = opened.read().partition(f"[{GROUP}]")[2].partition("\n[")[0]
    pairs = (line.partition("=") for line in section.splitlines() if "=" in line)
    return [Offer(name.strip(), value.partition("[")[0].strip()) for name, _, value in pairs]


def _in_archives() -> Iterator[Offer]:
    from importlib.metadata import distributions

    for distribution in distributions():
        with suppress(Exception):
            yield from (Offer(each.name, each.value) for each in distribution.entry_points.select(group=GROUP))


providers: _Providers = _Providers()
"""The backends of this process."""
