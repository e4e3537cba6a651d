"""`SimArray`: an array in a simulated device's memory, which NumPy on the host cannot read."""

import operator
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Protocol

import numpy as np

from accel.device import Device
from accel.errors import DeviceMismatchError

from .memory import Memory
from .regions import Region

__all__ = ["SimArray", "Values"]

Values = np.ndarray[Any, np.dtype[Any]]

_ARITHMETIC = (
    "add",
    "sub",
    "mul",
    "truediv",
    "floordiv",
    "mod",
    "pow",
    "matmul",
    "and",
    "or",
    "xor",
    "lshift",
    "rshift",
)
_COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
_UNARY = ("abs", "neg", "pos", "invert")
_METHODS = (
    *("all", "any", "clip", "copy", "diagonal", "max", "mean", "min", "nonzero", "prod", "repeat", "reshape", "round"),
    *("squeeze", "std", "sum", "swapaxes", "trace", "transpose", "var", "view"),
)
_NUMBERS = (bool, int, float, complex)


class Executor(Protocol):
    """Computes for the arrays of one device; `SimExecutor` is the implementation."""

    @property
    def device(self) -> Device:
        """The device of the arrays."""
        ...

    def call(self, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
        """Call a NumPy function on the device's memory."""
        ...

    def fetch(self, function: Callable[[], Any], source: "SimArray") -> Any:
        """Return the result of a function that reads an array, as a value of the host."""
        ...

    def assign(self, target: "SimArray", key: Any, value: Any) -> None:
        """Set elements of an array."""
        ...

    def update(self, function: Callable[..., Any], target: "SimArray", other: Any) -> None:
        """Apply an in-place operator."""
        ...


class SimArray:
    """An array in a simulated device's memory.

    It supports no protocol that would let the host read it. ``item()``, and the conversions to Python numbers, wait
    for the device and copy one element to the host.

    Attributes
    ----------
    memory : Memory
        The memory of its block.
    address : int
        Address of its first element on the device.
    """

    __slots__ = ("__weakref__", "_base", "_executor", "_keep", "_values", "address", "memory")
    __array_ufunc__ = None
    __iter__ = None
    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        executor: Executor,
        values: Values,
        memory: Memory,
        address: int,
        base: "SimArray | None" = None,
        keep: object = None,
    ) -> None:
        self._base = base
        self._executor = executor
        self._values = values
        self._keep = keep
        self.memory = memory
        self.address = address

    dtype = property(attrgetter("_values.dtype"))
    shape = property(attrgetter("_values.shape"))
    ndim = property(attrgetter("_values.ndim"))
    size = property(attrgetter("_values.size"))
    strides = property(attrgetter("_values.strides"))
    itemsize = property(attrgetter("_values.itemsize"))
    nbytes = property(attrgetter("_values.nbytes"))

    @property
    def device(self) -> Device:
        """The device of its memory."""
        return self._executor.device

    @property
    def root(self) -> "SimArray":
        """The array that it is a view of, or itself."""
        return self if self._base is None else self._base

    @property
    def readonly(self) -> bool:
        """Whether it is read-only."""
        return not self._values.flags.writeable

    @property
    def region(self) -> Region:
        """The region of addresses that its elements cover."""
        values = self._values
        return Region.at(self.address, values.shape, values.strides, values.itemsize)

    def part(self, values: Values) -> "SimArray":
        """Return the view for a NumPy view of its values; itself if that is all of them."""
        if values is self._values:
            return self
        address = self.address + _address(values) - _address(self._values)
        return SimArray(self._executor, values, self.memory, address, self.root)

    def __len__(self) -> int:
        return len(self._values)

    def __bool__(self) -> bool:
        return bool(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __float__(self) -> float:
        return float(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __index__(self) -> int:
        index: int = self._executor.fetch(self._values.__index__, self)
        return index

    def item(self) -> Any:
        """Return the one element as a Python number, on the host; waits for it."""
        return self._executor.fetch(self._values.item, self)

    def __array__(self, dtype: object = None, copy: object = None) -> Values:
        # Without this method NumPy would treat it as a sequence and fetch one element after another.
        raise DeviceMismatchError(f"this array is on {self.device}, where the host cannot read it; copy it to the cpu")

    def __getitem__(self, key: Any) -> "SimArray":
        selected: SimArray = self._executor.call(operator.getitem, self, key)
        return selected

    def __setitem__(self, key: Any, value: Any) -> None:
        self._executor.assign(self, key, value)

    def __repr__(self) -> str:
        return f"<SimArray of shape {self.shape} and dtype {self.dtype.name} on {self.device}>"


def _address(values: Values) -> int:
    return int(values.__array_interface__["data"][0])


def _method(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: SimArray, *arguments: Any, **keywords: Any) -> Any:
        return self._executor.call(function, self, *arguments, **keywords)

    return method


def _binary(function: Callable[..., Any], *, reflected: bool = False) -> Callable[..., Any]:
    def method(self: SimArray, other: Any) -> Any:
        if not isinstance(other, SimArray) and (isinstance(other, np.generic) or not isinstance(other, _NUMBERS)):
            return NotImplemented
        return self._executor.call(function, other, self) if reflected else self._executor.call(function, self, other)

    return method


def _in_place(function: Callable[..., Any]) -> Callable[..., Any]:
    def method(self: SimArray, other: Any) -> SimArray:
        self._executor.update(function, self, other)
        return self

    return method


def _add_operators() -> None:
    """Add the operators to `SimArray`, and the methods that `accel.xp` uses."""
    for name in _ARITHMETIC:
        function = getattr(operator, f"__{name}__")
        setattr(SimArray, f"__{name}__", _binary(function))
        setattr(SimArray, f"__r{name}__", _binary(function, reflected=True))
        setattr(SimArray, f"__i{name}__", _in_place(getattr(operator, f"__i{name}__")))
    for name in _COMPARISONS:
        setattr(SimArray, f"__{name}__", _binary(getattr(operator, name)))
    for name in _UNARY:
        setattr(SimArray, f"__{name}__", _method(getattr(operator, name)))
    for name in _METHODS:
        setattr(SimArray, name, _method(getattr(np.ndarray, name)))


_add_operators()
