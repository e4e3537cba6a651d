"""`ArrayLibrary`: the library that computes on one device."""

import sys
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np

from accel import config
from accel.abc import (
    ComputesDirectly,
    ComputesWithin,
    Limits,
    OrdersArrays,
    ReusesMemory,
    SharesWork,
    SupportsArrays,
    SupportsSpecial,
)
from accel.device import Device, DeviceLike, resolve
from accel.dtypes import KNOWN, as_dtype
from accel.errors import CapabilityError, DeviceMismatchError
from accel.memory import heap_of
from accel.registry import table_by_device
from accel.xp.call_arguments import call_in_words
from accel.xp.host_reductions import REDUCTIONS, UFUNCS

__all__ = ["HOST_SCALARS", "LOOPED", "ArrayLibrary", "default_device", "library_on", "recorder"]

HOST_SCALARS = frozenset({dtype.type for dtype in KNOWN.values() if dtype.isbuiltin == 1})
"""The scalars of NumPy that are the elements of arrays of no axes on the host; see `in_memory`."""

LOOPED = 1 << 16
"""Bytes of an array from which on compiled loops are faster than NumPy, with the call that launches them."""

_OF_NUMPY = (np.ndarray, np.generic)  # a union would be built anew at each call


class ArrayLibrary:
    """The library that computes on one device; all arrays there share it.

    Attributes
    ----------
    device : Device
        The device.
    backend : SupportsArrays
        Its backend.
    namespace : module
        The library's functions, with the names and parameters of the array standard.
    array_type : type
        The class of the library's arrays.
    based : type or None
        The class of the library's arrays if they have ``flags``, and the base of each view is the array that owns the
        memory; else None.
    of_numpy : type or None
        `numpy.ndarray` where NumPy computes with its own arrays, which is the host.
    scalar_types : frozenset of type
        On the host NumPy's scalars, which an `Array` can have as its element.
    native_types : frozenset of type
        All that an `Array` can have as its elements: the class of the library's arrays and `scalar_types`.
    as_array : callable
        Converts any other result of the library to an array of the library.
    reductions : namespace
        The functions that reduce, by the names of the methods of the library's arrays.
    within : callable or None
        Returns the context manager in which given arrays are computed with; None if the library needs none.
    compute : callable
        Calls an operator or method of the library's arrays with operands and keywords, in the context that it needs.
        Functions of the namespace enter that context themselves.
    stream : callable or None
        Returns the stream on which the library computes now, or None; None if it computes on none.
    block_of : callable or None
        Returns the memory of an array that is no view; see `accel.abc.OrdersArrays`.
    members : dict
        Functions of the namespace that were used, by path, as ``"linalg.norm"``.
    large : int
        From so many bytes on, results may have memory of earlier arrays; see `accel.xp.large_results`.
    empty_array : callable or None
        Returns an array on such memory for a shape, a dtype and an order, or None if the library should allocate it.
    looped : int
        From so many bytes on, compiled loops may compute; see `accel.xp.compiled_functions`.
    share : callable or None
        Calls a task for each part of large work, in several threads; see `accel.xp.parts`.
    capture : callable or None
        Of a library that records: makes an operand of an array of another library, or of NumPy.
    note : callable or None
        Of a library that records: is called with each array that it makes.
    lend : callable or None
        Of a library that records: calls a function of the memory of an array, or refuses.
    """

    __slots__ = (
        "array_type",
        "as_array",
        "backend",
        "based",
        "block_of",
        "capture",
        "compute",
        "device",
        "empty_array",
        "large",
        "lend",
        "looped",
        "members",
        "namespace",
        "native_types",
        "note",
        "of_numpy",
        "reductions",
        "scalar_types",
        "share",
        "special_functions",
        "stream",
        "within",
    )

    def __init__(self, device: Device, backend: SupportsArrays) -> None:
        self.device: Device = device
        self.backend: SupportsArrays = backend
        self.namespace: Any = backend.namespace(device)
        array = self.namespace.empty(0)
        self.array_type: Any = type(array)
        on_host = self.array_type is np.ndarray
        self.based: Any = self.array_type if on_host or _is_based(backend, array) else None
        self.of_numpy: type[np.ndarray[Any, Any]] | None = np.ndarray if on_host else None
        self.scalar_types: frozenset[Any] = HOST_SCALARS if on_host else frozenset()
        self.native_types: frozenset[Any] = self.scalar_types | {self.array_type}
        # array-api-compat's asarray takes eight times as long as NumPy's.
        self.as_array: Any = np.asarray if on_host else self.namespace.asarray
        self.members: dict[str, Callable[..., Any]] = {}
        self.special_functions: Any = None  # until they are asked for
        self.within: Callable[..., AbstractContextManager[None]] | None = (
            backend.computing(device) if isinstance(backend, ComputesWithin) else None
        )
        within: Any = self.within
        self.compute: Callable[..., Any] = within.compute if isinstance(within, ComputesDirectly) else self._compute
        self.stream: Any = within.stream if isinstance(within, ComputesDirectly) else None
        self.block_of: Any = backend.block_of if isinstance(backend, OrdersArrays) else None
        self.reductions: Any = REDUCTIONS if on_host else SimpleNamespace(**self._methods(UFUNCS))
        self.large: int = sys.maxsize
        self.looped: int = LOOPED if on_host else sys.maxsize
        self.empty_array: Any = None
        if isinstance(backend, ReusesMemory):
            self.large = backend.smallest_reused
            self.empty_array = backend.empty_array
        self.share: Any = backend.share if isinstance(backend, SharesWork) else None
        self.capture: Callable[[Any], Any] | None = None
        self.note: Callable[[Any], None] | None = None
        self.lend: Callable[[Callable[[Any], Any], Any], Any] | None = None

    def _methods(self, names: Iterable[str]) -> dict[str, Callable[..., Any]]:
        """Return those methods that the library's arrays have, as functions."""
        methods = {name: getattr(self.array_type, name) for name in names if hasattr(self.array_type, name)}
        if self.within is None:
            return methods
        return {name: _reduction(self.compute, method) for name, method in methods.items()}

    def _compute(self, function: Callable[..., Any], /, *operands: Any, **keywords: Any) -> Any:
        if self.within is None:
            return function(*operands, **keywords)
        with self.within(*operands, *keywords.values()):
            return function(*operands, **keywords)

    @property
    def limits(self) -> Limits:
        """Amounts in which devices differ."""
        return heap_of(self.device).backend.limits(self.device)

    @property
    def special(self) -> Any:
        """The library's special functions, with the names of `scipy.special`; loaded when they are first used.

        Raises
        ------
        CapabilityError
            If the device has none, or if the library that has them is not installed.
        """
        if self.special_functions is None:
            if not isinstance(self.backend, SupportsSpecial):
                raise CapabilityError(f"{self.device} has no special functions; move arrays, as in x.to_device('cpu')")
            self.special_functions = self.backend.special(self.device)
        return self.special_functions

    def accept(self, value: object) -> Any:
        """Return an operand of another type as the library takes it, or NotImplemented.

        Arrays of NumPy, and sequences of numbers, are operands on the host only. On other devices scalars of NumPy, and
        its arrays of no axes, become arrays there, of their dtype: so results have the same dtypes on all devices.
        Numbers of a subclass, such as members of an `enum.IntEnum`, become plain Python numbers.
        """
        if self.device is Device.CPU:
            if type(value) in HOST_SCALARS:
                return value
            if isinstance(value, list | tuple):
                value = np.asarray(value)
        if isinstance(value, _OF_NUMPY):
            if type(value) is not np.ndarray and hasattr(type(value), "mask"):
                return NotImplemented  # the operators of a masked array know its mask
            as_dtype(value.dtype)
            if self.device is Device.CPU:
                return value
            return NotImplemented if value.ndim else self.as_array(value.item(), dtype=value.dtype)
        plain: Any
        for plain in (int, float, complex):
            if isinstance(value, plain):
                return plain(value)
        return NotImplemented

    def refuse(self, other: "ArrayLibrary") -> NoReturn:
        """Raise the error for operands on two devices."""
        raise DeviceMismatchError(
            f"the operands are on {self.device} and {other.device}; move one, as in x.to_device('{self.device}'). "
            f"{call_in_words()}"
        )


def _reduction(compute: Callable[..., Any], method: Callable[..., Any]) -> Callable[..., Any]:
    """Return what calls a method that reduces, without the keywords that have its defaults: each takes time."""

    def reduce(array: Any, *, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
        if dtype is None and keepdims is False:
            return compute(method, array, axis)
        options = {} if dtype is None else {"dtype": dtype}
        return compute(method, array, axis, keepdims=keepdims, **options)

    return reduce


def _is_based(backend: SupportsArrays, array: Any) -> bool:
    views = array[:], array[:][:]
    return (
        hasattr(array, "flags")
        and getattr(array, "base", array) is None
        and all(getattr(view, "base", None) is array is backend.root(view) for view in views)
    )


_libraries: dict[Device, ArrayLibrary] = table_by_device()
_default: tuple[config.Settings, ArrayLibrary] | None = None
"""Settings, which never change, and the library of their device."""


def library_on(device: DeviceLike | None) -> ArrayLibrary:
    """Return the library of a device, by default of `Device.default`."""
    global _default
    if device is not None:
        return _library_on(resolve(device))
    known = _default
    # Outside of blocks, `config.current` is written out, which saves a call.
    if known is not None and config._process is known[0] and config._scope.get() is config._NO_SCOPE:
        return known[1]
    settings = config.current()
    if known is not None and known[0] is settings:
        return known[1]
    library = _library_on(resolve(None))
    fell_back = library.device is Device.CPU and settings.device != "cpu"  # which is to be noted each time
    if not fell_back and library.capture is None:
        _default = settings, library
    return library


def _library_on(device: Device) -> ArrayLibrary:
    recording_now = recorder.get()
    if recording_now is not None and recording_now.device is device:
        return recording_now
    library = _libraries.get(device)
    return _make_library(device) if library is None else library


recorder: ContextVar[ArrayLibrary | None] = ContextVar("recorder", default=None)
"""The library that records what this thread or task computes; None if it computes."""


def _make_library(device: Device) -> ArrayLibrary:
    backend = heap_of(device).backend
    if not isinstance(backend, SupportsArrays):
        raise CapabilityError(f"no library computes with arrays on {device}; move them, as in x.to_device('cpu')")
    return _libraries.setdefault(device, ArrayLibrary(device, backend))


def default_device(device: DeviceLike) -> AbstractContextManager[config.Settings]:
    """Make arrays on a device inside a ``with`` block, unless a call has ``device=``.

    Values of Python and arrays of NumPy that `asarray` converts go there too. Arrays, containers and views stay where
    they are, and so do their results, those of functions such as `zeros_like`, and what `from_dlpack` receives. The
    block is that of this thread or task: other threads keep their own default.

    Parameters
    ----------
    device : Device or str
        The device.

    Returns
    -------
    context manager[config.Settings]
        A context manager; the settings of the block are its value.

    Examples
    --------
    >>> import accel.xp as xp
    >>> with xp.default_device("cpu"):
    ...     xp.zeros(3).device
    <Device.CPU: 'cpu'>
    """
    return config.using(device=str(device))
