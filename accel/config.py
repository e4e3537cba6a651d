"""Settings of the library.

The value of a setting comes from the first of these that gives one: the argument of a call, the innermost ``with
accel.using(name=...)`` block, ``accel.configure(name=...)``, the environment variable ``ACCEL_NAME``, the default.
Blocks are held in a context variable, so threads and tasks do not affect one another.
"""

import os
import threading
import warnings
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple

from accel.support import setting_values
from accel.support.call_sites import stack_level
from accel.support.lazy import listing
from accel.support.locks import open_after_fork
from accel.support.spelling import nearest
from accel.support.system import usable_processors

__all__ = ["Settings", "configure", "current", "debug", "debugging", "enter", "leave", "strict", "using"]

__dir__ = listing(__name__, __all__)


class Settings(NamedTuple):
    """One consistent set of settings.

    Attributes
    ----------
    device : str
        The device that is used when no ``device=`` is given: the name of a device, or ``gpu``.
    debug : bool
        Check every access in kernels and fused functions, and record where memory was released.
    nan_checks : bool
        In debug mode, a NaN that a kernel or a fused function makes and stores is an error with its line.
    fallback : str
        For an unavailable device: ``raise``, or use the CPU with a warning (``warn``) or without one (``silent``).
    host_copies : str
        When a function that reads the host's memory only, such as NumPy's, gets an `accel.xp` array on another device:
        raise (``never``), or give it a copy on the host, with a warning (``warn``) or without one (``allow``). Copies
        are counted: see `accel.xp.host_copies`. Writes to a copy do not reach the array.
    fuse : str
        ``on``, or ``off`` to run functions of `accel.fuse` unfused, and to let NumPy compute what loops that are
        compiled in the background would.
    strict : bool
        Accessing memory with work in flight raises an error instead of waiting.
    threads : int
        Threads for work on the host, 1 to 1024; by default the number of processors that this process may use: by its
        affinity, the quota of its cgroup and ``OMP_NUM_THREADS``.
    sim_seed : int
        Seed of the order in which simulated devices interleave their streams.
    sim_memory : int
        Memory of each simulated device, in bytes.
    sim_heap : int
        Bytes that ``malloc`` and ``new`` of CUDA and HIP kernels share on each simulated device, at least 4096; as
        ``cudaLimitMallocHeapSize``. More than 256 MiB take effect when none of them is in use.
    sim_warp : int
        Threads of a warp of simulated devices: 32 as of NVIDIA's GPUs, or 64 as of AMD's.
    kernel_checks : str
        What CUDA and HIP kernels are checked for on simulated devices: some of ``memory``, ``race``, ``init`` and
        ``sync``, with commas between; or ``all``, or ``none``. ``banks``, also after ``all``, counts the passes over
        shared memory, which are no error. ``order`` runs each launch in several orders of its threads, and reports
        results that differ, also of kernels in Python. ``same-value`` makes errors of races in which all threads write
        the same bytes.
    kernel_limit : int
        Seconds after which a CUDA or HIP kernel on a simulated device is stopped.
    compile_limit : int
        Seconds after which a compiler of CUDA or HIP for simulated devices is ended.
    cache_dir : str
        Folder for the cache of compiled code; ``~`` is the home folder. If it cannot be written, nothing is cached.
    """

    device: str = "cpu"
    debug: bool = False
    nan_checks: bool = False
    fallback: str = "raise"
    host_copies: str = "never"
    fuse: str = "on"
    strict: bool = False
    threads: int = 1
    sim_seed: int = 0
    sim_memory: int = 1 << 30
    sim_heap: int = 8 << 20
    sim_warp: int = 32
    kernel_checks: str = "memory,sync"
    kernel_limit: int = 60
    compile_limit: int = 180
    cache_dir: str = ""


# More than the processors of the largest machines. Each thread takes memory; threads beyond the processors are no use.
_MOST_THREADS = 1024

_PARSERS: Mapping[str, Callable[[object], Any]] = {
    "device": setting_values.device,
    "debug": setting_values.flag,
    "nan_checks": setting_values.flag,
    "fallback": setting_values.choice("raise", "warn", "silent"),
    "host_copies": setting_values.choice("never", "warn", "allow"),
    "fuse": setting_values.choice("on", "off"),
    "strict": setting_values.flag,
    "threads": setting_values.count(1, _MOST_THREADS),
    "sim_seed": setting_values.count(0),
    "sim_memory": setting_values.count(0),
    "sim_heap": setting_values.count(4096),
    "sim_warp": setting_values.width,
    "kernel_checks": setting_values.checks,
    "kernel_limit": setting_values.count(1),
    "compile_limit": setting_values.count(1),
    "cache_dir": setting_values.path,
}


_turned_on: set[str] = set()
"""The settings that were ever true in this process, each from before it was: of others nothing need be looked up."""


def _parse(name: str, value: object, where: str) -> object:
    try:
        result = _PARSERS[name](value)
    except ValueError as error:
        raise ValueError(f"{where}: {value!r} is not a value of {name!r}: {error}") from None
    if result is True:
        _turned_on.add(name)
    return result


def _parse_all(values: Mapping[str, object], where: str) -> dict[str, Any]:
    unknown = sorted(values.keys() - _PARSERS.keys())
    if unknown:
        near = nearest(unknown[0], _PARSERS)
        instead = f"write {near}=; the" if near else "the"
        raise TypeError(f"{where}: no setting is called {unknown[0]!r}; {instead} settings are {', '.join(_PARSERS)}")
    return {name: _parse(name, value, where) for name, value in values.items()}


def _from_environment() -> Settings:
    values: dict[str, Any] = {}
    for name in Settings._fields:
        variable = f"ACCEL_{name.upper()}"
        text = os.environ.get(variable)
        if text:
            values[name] = _parse(name, text, variable)
    cache_dir = f"{os.environ.get('XDG_CACHE_HOME') or '~/.cache'}/accel"
    defaults = Settings(threads=min(usable_processors(), _MOST_THREADS), cache_dir=cache_dir)
    return defaults._replace(**values)


# Backends read the last one. Other variables are no settings of ours, unless their names are near to one of these.
_VARIABLES = (*[f"ACCEL_{name.upper()}" for name in _PARSERS], "ACCEL_KERNEL_COMPILER")


def _warn_of_misspelt_variables() -> None:
    for variable in os.environ:
        if not variable.upper().startswith("ACCEL_") or variable in _VARIABLES:
            continue
        near = nearest(variable[len("ACCEL_") :], [each[len("ACCEL_") :] for each in _VARIABLES])
        if near:
            text = f"the environment variable {variable} is not a setting, and is ignored; write ACCEL_{near}"
            warnings.warn(text, stacklevel=stack_level())


class _Scope:
    """The overrides of the enclosing blocks, the outermost first, and the settings they give (cached)."""

    __slots__ = ("_cached", "overrides")

    def __init__(self, *overrides: dict[str, Any]) -> None:
        self.overrides = overrides
        # One tuple, assigned at once: threads that share the scope must not combine a base with settings of another.
        self._cached: tuple[Settings | None, Settings] = (None, Settings())

    def over(self, base: Settings) -> Settings:
        cached_base, settings = self._cached
        if cached_base is not base:
            settings = base._replace(**ChainMap(*reversed(self.overrides)))
            self._cached = base, settings
        return settings


_NO_SCOPE = _Scope()
_scope: ContextVar[_Scope] = ContextVar("accel_settings", default=_NO_SCOPE)
_lock = open_after_fork(threading.Lock())
_process: Settings | None = None


def _of_process() -> Settings:
    global _process
    settings = _process
    if settings is None:
        with _lock:
            settings = _process
            if settings is not None:
                return settings
            settings = _process = _from_environment()
        _warn_of_misspelt_variables()  # without the lock, because a filter or a hook may ask for a setting
    return settings


def current() -> Settings:
    """Return the current settings; the environment is read once, at first use.

    Returns
    -------
    Settings
        The settings of this thread or task.

    Raises
    ------
    ValueError
        If an environment variable ``ACCEL_...`` has an invalid value.
    """
    base = _of_process() if _process is None else _process
    scope = _scope.get()
    return base if scope is _NO_SCOPE else scope.over(base)


def debugging() -> bool:
    """Tell whether debug mode is on. Never raises: memory can be released even if a setting is invalid.

    Returns
    -------
    bool
        Whether it is on.
    """
    if "debug" not in _turned_on and _process is not None:  # fast, because every allocation and release calls this
        return False
    try:
        return current().debug
    except (ValueError, Warning):
        return False


def strict() -> bool:
    """Tell whether strict mode is on; raises as `current` does.

    Returns
    -------
    bool
        Whether it is on.
    """
    return ("strict" in _turned_on or _process is None) and current().strict


def configure(**settings: object) -> None:
    """Change settings for the whole process; if one value is invalid, none is changed.

    Parameters
    ----------
    **settings
        New values of `Settings`, by name.

    Raises
    ------
    TypeError
        If no setting has that name.
    ValueError
        If a value is invalid.

    Examples
    --------
    >>> import accel
    >>> accel.configure(fallback="raise")
    """
    global _process
    parsed = _parse_all(settings, "accel.configure")
    base = _of_process()
    with _lock:
        _process = (_process or base)._replace(**parsed)


@contextmanager
def using(**settings: object) -> Iterator[Settings]:
    """Change settings within a ``with`` block, for this thread or task only.

    Parameters
    ----------
    **settings
        New values of `Settings`, by name.

    Returns
    -------
    iterator of Settings
        A context manager; its value are the settings of the block.

    Raises
    ------
    TypeError
        If no setting has that name.
    ValueError
        If a value is invalid.

    Examples
    --------
    >>> import accel
    >>> with accel.using(fallback="silent"):
    ...     accel.empty(3, device="cuda:9").device
    <Device.CPU: 'cpu'>
    """
    overrides = _parse_all(settings, "accel.using")
    enter(overrides)
    try:
        yield current()
    finally:
        leave(overrides)


def debug(kernels: str = "all", *, nan: bool = False) -> AbstractContextManager[Settings]:
    """Turn on debug mode within a ``with`` block: ``using(debug=True, kernel_checks=kernels, nan_checks=nan)``.

    Parameters
    ----------
    kernels : str
        What CUDA and HIP kernels are checked for on simulated devices: some of ``memory``, ``race``, ``init`` and
        ``sync``, with commas between; or ``all``, or ``none``. ``banks``, also after ``all``, counts the passes over
        shared memory, which are no error. ``order`` runs each launch in several orders of its threads, and reports
        results that differ, also of kernels in Python. ``same-value`` makes errors of races in which all threads write
        the same bytes.
    nan : bool
        Whether a NaN that a kernel in Python or a fused function makes and stores is an error with its line.

    Returns
    -------
    context manager[Settings]
        A context manager.

    Examples
    --------
    >>> import accel
    >>> with accel.debug() as settings:
    ...     settings.debug
    True
    """
    return using(debug=True, kernel_checks=kernels, nan_checks=nan)


def enter(overrides: dict[str, Any]) -> None:
    """Begin a block with these overrides, for this thread or task.

    Parameters
    ----------
    overrides : dict of str to object
        The values of the settings, by name.
    """
    _scope.set(_Scope(*_scope.get().overrides, overrides))


def leave(overrides: dict[str, Any]) -> None:
    """End the innermost block that was entered with this very object; do nothing if there is none.

    Blocks in generators may end in any order, and in another context than the one they began in.

    Parameters
    ----------
    overrides : dict of str to object
        The values of the settings, by name.
    """
    entered = _scope.get().overrides
    for place in reversed(range(len(entered))):
        if entered[place] is overrides:
            remaining = entered[:place] + entered[place + 1 :]
            _scope.set(_Scope(*remaining) if remaining else _NO_SCOPE)
            return
