"""The modules that stand for `cupy` and its parts."""

import sys
from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any

import numpy as np

from accel import xp
from accel.memory import heap_of
from accel.testing.cupy_simulation import kernels, streams
from accel.testing.cupy_simulation.arrays import MemoryPointer, asnumpy, ndarray
from accel.testing.cupy_simulation.elementwise import ElementwiseKernel
from accel.testing.cupy_simulation.places import current_device
from accel.testing.cupy_simulation.reduction import ReductionKernel
from accel.testing.simulation import in_use

__all__ = ["modules"]

_OF_NUMPY = (
    *("bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "intp"),
    *("float16", "float32", "float64", "complex64", "complex128"),
    *("pi", "e", "inf", "nan", "newaxis", "dtype", "iinfo", "finfo", "errstate", "ndindex", "s_", "index_exp"),
)
_ABSENT = {
    "fuse": "call the functions one by one",
    "vectorize": "write the kernel as an ElementwiseKernel, which is simulated",
}
_PRESENT = (
    "RawKernel, RawModule, ElementwiseKernel, ReductionKernel, the functions of accel.xp, cupy.cuda, cupy.random and "
    "cupy.testing"
)


class _Module(ModuleType):
    """A module with names of its own; other names are those of another module, or are not simulated."""

    def __init__(self, name: str, own: dict[str, Any], others: Callable[[str], Any]) -> None:
        super().__init__(name, f"Stands for {name} on a simulated device.")
        self.__dict__.update(own)
        self.__path__: list[str] = []
        self._others = others

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        member = None if name in _ABSENT else self._others(name)
        if member is None:
            instead = _ABSENT.get(name, f"there are {_PRESENT}")
            raise AttributeError(f"{self.__name__}.{name} is not simulated; {instead}", name=name, obj=self)
        return member


class _Pool:
    """Stands for the memory pools of CuPy: those of the current device. No unused memory is kept."""

    def used_bytes(self) -> int:
        """Return how many bytes are in use."""
        return in_use(heap_of(current_device()))

    def total_bytes(self) -> int:
        """Return how many bytes are in use."""
        return self.used_bytes()

    def free_all_blocks(self, stream: Any = None) -> None:
        """Do nothing."""

    def free_bytes(self) -> int:
        """Return 0."""
        return 0

    def n_free_blocks(self) -> int:
        """Return 0."""
        return 0


def modules() -> dict[str, ModuleType]:
    """Return the modules by their names."""
    cuda = _Module("cupy.cuda", _cuda(), lambda _: None)
    random = _Module("cupy.random", {}, _random(np.random.RandomState(0)))
    testing = _Module("cupy.testing", {}, _testing)
    parts = {"cuda": cuda, "random": random, "testing": testing, "linalg": xp.linalg, "fft": xp.fft}
    cupy = _Module("cupy", {**_own(), **parts}, lambda name: getattr(xp, name, None))
    cupyx = _Module("cupyx", {}, lambda _: None)
    return {"cupy": cupy, "cupyx": cupyx, **{f"cupy.{name}": module for name, module in parts.items()}}


def _own() -> dict[str, Any]:
    pool = _Pool()
    return {
        "RawKernel": kernels.RawKernel,
        "RawModule": kernels.RawModule,
        "ElementwiseKernel": ElementwiseKernel,
        "ReductionKernel": ReductionKernel,
        "ndarray": ndarray,
        "asnumpy": asnumpy,
        "array": _array,
        "asarray": _asarray,
        "ascontiguousarray": _asarray,
        "get_array_module": _array_module,
        "get_default_memory_pool": lambda: pool,
        "get_default_pinned_memory_pool": lambda: pool,
        "is_available": lambda: True,
        "__version__": "14.0.0",
        **{name: getattr(np, name) for name in _OF_NUMPY},
    }


def _array_module(*arrays: Any) -> ModuleType:
    """Return the module of the arrays, as `cupy.get_array_module` does."""
    return sys.modules["cupy"] if any(isinstance(each, ndarray) for each in arrays) else np


def _array(values: Any, dtype: Any = None, copy: bool = True, order: str = "K", ndmin: int = 0) -> Any:
    """Return an array of its own, as `cupy.array` does."""
    array = xp.asarray(values, dtype=None if dtype is None else np.dtype(dtype), copy=copy or None)
    return xp.reshape(array, (1,) * (ndmin - array.ndim) + array.shape) if ndmin > array.ndim else array


def _asarray(values: Any, dtype: Any = None, order: str = "K") -> Any:
    """Return an array, without a copy where it is one already; as `cupy.asarray` does."""
    return xp.asarray(values, dtype=None if dtype is None else np.dtype(dtype))


def _cuda() -> dict[str, Any]:
    names = ("Device", "Event", "Stream", "get_current_stream", "get_elapsed_time", "runtime")
    return {
        **{name: getattr(streams, name) for name in names},
        "MemoryPointer": MemoryPointer,
        "is_available": lambda: True,
    }


def _random(state: np.random.RandomState) -> Callable[[str], Any]:
    """Return what looks up a function of `cupy.random`: NumPy draws, and the numbers are copied to the device."""

    def find(name: str) -> Any:
        function = np.random.default_rng if name == "default_rng" else getattr(state, name, None)
        if function is None:
            return None
        return _Generator if name == "default_rng" else _copied(function)

    return find


class _Generator:
    """Stands for `cupy.random.Generator`."""

    def __init__(self, seed: Any = None) -> None:
        self._generator = np.random.default_rng(seed)

    def __getattr__(self, name: str) -> Any:
        return _copied(getattr(self._generator, name))


def _copied(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*arguments: Any, dtype: Any = None, **keywords: Any) -> Any:
        result = function(*arguments, **keywords)
        return result if result is None else xp.asarray(np.asarray(result, dtype))

    return call


def _testing(name: str) -> Any:
    """Return a function of `numpy.testing` for arrays of the device."""
    function = getattr(np.testing, name, None)
    if not name.startswith("assert_") or function is None:
        return None

    @wraps(function)
    def compare(*arguments: Any, **keywords: Any) -> None:
        function(*(asnumpy(each) if isinstance(each, ndarray) else each for each in arguments), **keywords)

    return compare
