"""The modules that stand for `cupy` and its parts."""

import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import cache, wraps
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy as np

from accel import xp
from accel.errors import KernelSyntaxError, OutOfMemoryError
from accel.testing.cupy_simulation import kernels, streams
from accel.testing.cupy_simulation.array_names import array_names, fourier_names, linear_names
from accel.testing.cupy_simulation.arrays import MemoryPointer, asnumpy
from accel.testing.cupy_simulation.comparisons import comparisons
from accel.testing.cupy_simulation.elementwise import ElementwiseKernel
from accel.testing.cupy_simulation.extensions import (
    extension_members,
    nvtx_members,
    profiler_members,
    range_members,
)
from accel.testing.cupy_simulation.jit import jit_members
from accel.testing.cupy_simulation.places import current_device, number_of, visible
from accel.testing.cupy_simulation.pools import PinnedMemoryPool, Pool, pool_members
from accel.testing.cupy_simulation.random_numbers import random_members
from accel.testing.cupy_simulation.reduction import ReductionKernel
from accel.testing.cupy_simulation.runtime_info import get_runtime_info, show_config
from accel.testing.cupy_simulation.scipy_modules import MODULES, finder
from accel.testing.cupy_simulation.sparse import sparse_members, spmatrix
from accel.testing.cupy_simulation.subclasses import for_subclasses, is_elementwise, ndarray, plain
from accel.testing.cupy_simulation.testing_helpers import testing_helpers
from accel.testing.cupy_simulation.testing_members import testing_members
from accel.testing.cupy_simulation.vectorized import vectorize
from accel.tracing import fuse

__all__ = ["modules"]

_OF_NUMPY = (
    *("bool_", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "intp"),
    *("float16", "float32", "float64", "complex64", "complex128"),
    *("pi", "e", "inf", "nan", "newaxis", "dtype", "iinfo", "finfo", "errstate", "ndindex", "s_", "index_exp"),
)
_OF_PINNED = ("PinnedMemoryPool", "PinnedMemoryPointer", "alloc_pinned_memory")
_OF_STREAMS = ("Stream", "Event", "get_current_stream", "get_elapsed_time")
_OF_UFUNCS = ("accumulate", "at", "outer", "reduce", "reduceat", "nargs", "nin", "nout", "types")
"""What CuPy's ufuncs have. The methods are NumPy's, which let the arrays compute."""
_OF_CUDA = "there are Device, Stream, Event, MemoryPool, MemoryPointer, runtime, nvtx and profiler"
_PRESENT = (
    "RawKernel, RawModule, ElementwiseKernel, ReductionKernel, the functions of accel.xp, cupy.cuda, cupy.random and "
    "cupy.testing"
)


class _Module(ModuleType):
    """A module with names of its own; other names are those of another module, or are not simulated."""

    def __init__(
        self, name: str, own: dict[str, Any], others: Callable[[str], Any], instead: str = f"there are {_PRESENT}"
    ) -> None:
        super().__init__(name, f"Stands for {name} on a simulated device.")
        self.__dict__.update(own)
        self.__path__: list[str] = []
        self.__spec__ = ModuleSpec(name, None, is_package=True)  # importlib.util.find_spec refuses a module without one
        self._others, self._instead = others, instead

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *vars(self).get("__all__", ())]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        member = self._others(name)
        if member is None:
            raise AttributeError(f"{self.__name__}.{name} is not simulated; {self._instead}", name=name, obj=self)
        return member


def modules() -> dict[str, ModuleType]:
    """Return the modules by their names."""
    pool, pinned = Pool(), PinnedMemoryPool()
    parts = {
        "cuda": _Module("cupy.cuda", {**_cuda(), **pool_members(pool, pinned)}, _nothing, _OF_CUDA),
        "random": _Module("cupy.random", *random_members()),
        "testing": _Module("cupy.testing", {**comparisons(), **testing_members(), **testing_helpers()}, _nothing),
        "linalg": _of_extension(xp.linalg, linear_names()),
        "fft": _of_extension(xp.fft, fourier_names()),
    }
    within = {
        "nvtx": nvtx_members(),
        "profiler": range_members(),
        "memory": {**pool_members(pool, pinned), "MemoryPointer": MemoryPointer, "OutOfMemoryError": OutOfMemoryError},
        "pinned_memory": {name: pool_members(pool, pinned)[name] for name in _OF_PINNED},
        "compiler": {"CompileException": KernelSyntaxError},
        "driver": {"get_build_version": streams.runtime.driverGetVersion},
        "stream": {name: getattr(streams, name) for name in _OF_STREAMS},
        "device": {"Device": streams.Device, "get_device_id": _device_id},
    }
    for name, members in within.items():
        parts[f"cuda.{name}"] = _Module(f"cupy.cuda.{name}", members, _nothing, _OF_CUDA)
        setattr(parts["cuda"], name, parts[f"cuda.{name}"])
    direct = {name: module for name, module in parts.items() if "." not in name}
    own = {**_own(pool, pinned), **direct}
    cupy = _Module("cupy", {**own, "__all__": _public((*own, *dir(xp)))}, _of_arrays)
    scipy = _scipy()
    profiler = _Module("cupyx.profiler", profiler_members(), _nothing)
    jit = _Module("cupyx.jit", jit_members(), _nothing, "call the function from a RawKernel, or write its loop")
    linalg = _Module("cupyx.linalg", {"invh": _found(xp.linalg, "inv")}, _nothing, "call those of cupy.linalg")
    of_cupyx = {"scipy": scipy["cupyx.scipy"], "profiler": profiler, "jit": jit, "linalg": linalg}
    instead = "there are scatter_add, rsqrt, empty_pinned, get_runtime_info, jit, linalg, profiler and scipy"
    members = {**extension_members(), "get_runtime_info": get_runtime_info, **of_cupyx}
    cupyx = _Module("cupyx", members, _nothing, instead)
    named = {module.__name__: module for module in (cupy, cupyx, profiler, jit, linalg)}
    return {**named, **scipy, **{f"cupy.{name}": module for name, module in parts.items()}, **_backends()}


def _backends() -> dict[str, ModuleType]:
    """Return `cupy_backends`, where projects find the error of the runtime."""
    runtime = _Module("cupy_backends.cuda.api.runtime", {"CUDARuntimeError": RuntimeError}, _nothing)
    api = _Module("cupy_backends.cuda.api", {"runtime": runtime}, _nothing)
    cuda = _Module("cupy_backends.cuda", {"api": api}, _nothing)
    backends = _Module("cupy_backends", {"cuda": cuda}, _nothing)
    return {module.__name__: module for module in (backends, cuda, api, runtime)}


def _public(names: Iterable[str]) -> list[str]:
    return sorted({name for name in names if not name.startswith("_")})


def _of_extension(module: ModuleType, own: dict[str, Any]) -> _Module:
    name = f"cupy.{module.__name__.rpartition('.')[2]}"
    names = {**own, "__all__": _public((*own, *dir(module)))}
    return _Module(
        name, names, lambda name: _found(module, name), f"call that of {name.replace('cupy', 'numpy')} with x.get()"
    )


def _of_arrays(name: str) -> Any:
    """Find a function of arrays; without a device there is none to compute on."""
    visible()
    return _found(xp, name)


@cache
def _found(module: ModuleType, name: str) -> Any:
    function = for_subclasses(getattr(module, name, None), elementwise=is_elementwise(name))
    native = getattr(np, name, None)
    if module is xp and isinstance(native, np.ufunc):
        vars(function).update({each: getattr(native, each) for each in _OF_UFUNCS})
    return function


def _nothing(name: str) -> None:
    """Find no member."""


def _scipy() -> dict[str, ModuleType]:
    """Return `cupyx.scipy` and its modules."""
    found = {"": _Module("cupyx.scipy", {"get_array_module": _array_module}, _nothing)}
    for name in sorted(MODULES):
        own, find = (sparse_members(), _nothing) if name == "sparse" else ({}, finder(name))
        instead = f"call that of SciPy with x.get(), if scipy.{name} has it"
        found[name] = _Module(f"cupyx.scipy.{name}", own, find, instead)
        parent, _, last = name.rpartition(".")
        setattr(found[parent], last, found[name])
    return {module.__name__: module for module in found.values()}


def _own(pool: Pool, pinned: PinnedMemoryPool) -> dict[str, Any]:
    return {
        "RawKernel": kernels.RawKernel,
        "RawModule": kernels.RawModule,
        "ElementwiseKernel": ElementwiseKernel,
        "ReductionKernel": ReductionKernel,
        "fuse": _fuse,
        "vectorize": vectorize,
        "ndarray": ndarray,
        "asnumpy": asnumpy,
        "array": for_subclasses(_array),
        **dict.fromkeys(("asarray", "asanyarray", "ascontiguousarray"), for_subclasses(_asarray)),
        "get_array_module": _array_module,
        "get_default_memory_pool": lambda: pool,
        "get_default_pinned_memory_pool": lambda: pinned,
        "is_available": _is_available,
        "show_config": show_config,
        "__version__": "14.0.0",
        "__array_api_version__": xp.__array_api_version__,
        "__array_namespace_info__": xp.__array_namespace_info__,
        **{name: getattr(np, name) for name in _OF_NUMPY},
        **array_names(),
    }


def _fuse(*functions: Any, kernel_name: str | None = None) -> Any:
    """Return a function whose operations are one kernel, or a decorator for it; as `cupy.fuse`."""
    if not functions or not callable(functions[0]):
        return lambda function: _fuse(function, kernel_name=kernel_name)
    fused: Any = fuse(functions[0], kernel_name=kernel_name)

    @wraps(functions[0])
    def run(*arguments: Any, **keywords: Any) -> Any:
        return fused(*plain(arguments), **plain(keywords))

    run.explain, run.source = fused.explain, fused.source  # type: ignore[attr-defined]
    return run


def _array_module(*arrays: Any) -> ModuleType:
    """Return the module of the arrays, as `cupy.get_array_module` does."""
    return sys.modules["cupy"] if any(isinstance(each, (ndarray, spmatrix)) for each in arrays) else np


def _array(
    values: Any,
    dtype: Any = None,
    copy: bool = True,
    order: str = "K",
    subok: bool = False,
    ndmin: int = 0,
    *,
    blocking: bool = False,
) -> Any:
    """Return an array of its own, as `cupy.array` does."""
    visible()
    if subok:
        raise NotImplementedError("cupy.array has no subok=True; write x.copy().view(type(x))")
    array = xp.asarray(values, dtype=None if dtype is None else np.dtype(dtype), copy=copy or None)
    return xp.reshape(array, (1,) * (ndmin - array.ndim) + array.shape) if ndmin > array.ndim else array


def _asarray(
    values: Any, dtype: Any = None, order: str = "K", *, blocking: bool = False, device: Any = None, copy: Any = None
) -> Any:
    """Return an array, without a copy where it is one already; as `cupy.asarray` and the array standard do."""
    visible()
    return xp.asarray(values, dtype=None if dtype is None else np.dtype(dtype), device=device, copy=copy)


def _cuda() -> dict[str, Any]:
    names = ("Device", "Event", "Stream", "get_current_stream", "get_elapsed_time", "runtime")
    return {
        **{name: getattr(streams, name) for name in names},
        "MemoryPointer": MemoryPointer,
        "is_available": _is_available,
        "get_device_id": _device_id,
        "get_local_runtime_version": streams.runtime.runtimeGetVersion,
        **dict.fromkeys(("get_cuda_path", "get_nvcc_path", "get_rocm_path", "get_hipcc_path"), lambda: None),
        "profile": profiler_members()["profile"],
    }


def _device_id() -> int:
    """Return the number of the current device."""
    return number_of(current_device())


def _is_available() -> bool:
    """Tell whether a device is visible."""
    with suppress(RuntimeError):
        return bool(visible())
    return False
