"""`cupyx`, and the names of `cupy.cuda` for profilers: what programs and tests of CuPy call beside its arrays."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import numpy as np

from accel import xp
from accel.testing.cupy_simulation.host_calls import on_host
from accel.testing.cupy_simulation.streams import Device, Event, get_current_stream, get_elapsed_time
from accel.xp.arrays import Array

__all__ = ["Benchmark", "extension_members", "nvtx_members", "profiler_members", "range_members"]

_SCATTERED = ("int32", "float16", "float32", "float64", "complex64", "complex128", "uint32", "uint64")


class Benchmark:
    """What `cupyx.profiler.benchmark` returns. The times say nothing of a GPU.

    Attributes
    ----------
    name : str
        The name of the function.
    cpu_times, gpu_times : numpy.ndarray
        Seconds of each run; those of the device have an axis for devices.
    """

    def __init__(self, name: str, host: list[float], device: list[float]) -> None:
        self.name: str = name
        self.cpu_times = np.array(host)
        self.gpu_times = np.array([device])

    def to_str(self, show_gpu: bool = False) -> str:
        """Return the times as text."""
        times = [("CPU", self.cpu_times), *([("GPU-0", self.gpu_times[0])] if show_gpu else [])]
        shown = [
            f"{which}: {1e6 * each.mean():9.3f} us +/- {1e6 * each.std():6.3f} "
            f"(min: {1e6 * each.min():9.3f} / max: {1e6 * each.max():9.3f}) us"
            for which, each in times
        ]
        return f"{self.name:<20}:    {'    '.join(shown)}"

    def __str__(self) -> str:
        return self.to_str(show_gpu=True)

    def __repr__(self) -> str:
        return str(self)


def _benchmark(
    func: Callable[..., Any],
    args: Any = (),
    kwargs: Any = None,
    n_repeat: int = 10000,
    *,
    name: str | None = None,
    n_warmup: int = 10,
    max_duration: float = float("inf"),
    devices: Any = None,
) -> Benchmark:
    """Run a function many times."""
    if not callable(func):
        raise ValueError("`func` should be a callable object.")  # noqa: TRY004 - as CuPy
    if not isinstance(args, tuple):
        raise ValueError("`args` should be of tuple type.")  # noqa: TRY004 - as CuPy
    keywords, host, device = kwargs or {}, list[float](), list[float]()
    for _ in range(n_warmup):
        func(*args, **keywords)
    Device().synchronize()
    begun = perf_counter()
    for _ in range(n_repeat):
        start, end, before = Event(), Event(), perf_counter()
        start.record()
        func(*args, **keywords)
        host.append(perf_counter() - before)
        end.record()
        get_current_stream().synchronize()
        device.append(get_elapsed_time(start, end) * 1e-3)
        if perf_counter() - begun > max_duration:
            break
    return Benchmark(func.__name__ if name is None else name, host, device)


def _scattering(name: str, function: Any) -> Callable[[Any, Any, Any], None]:
    """Return a function that does the same for each index, also for those that come several times; on the host."""

    def scatter(a: Any, slices: Any, value: Any) -> None:
        if not isinstance(a, Array) or a.dtype.name not in _SCATTERED:
            raise TypeError(
                f"{name} takes an array of {', '.join(_SCATTERED)}; found {getattr(a, 'dtype', type(a).__name__)}"
            )
        values, places, given = (on_host(each, name) for each in (a, slices, value))
        function.at(values, places, given)
        a[...] = xp.asarray(values, device=a.device)

    return scatter


@contextmanager
def _nothing(*arguments: Any, **keywords: Any) -> Iterator[None]:
    """Do nothing around a block or a function."""
    yield


def _pinned(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda shape, dtype=float, order="C": function(shape, dtype, order)


def extension_members() -> dict[str, Any]:
    """Return the members of `cupyx`."""
    return {
        "scatter_add": _scattering("cupyx.scatter_add", np.add),
        "scatter_max": _scattering("cupyx.scatter_max", np.maximum),
        "scatter_min": _scattering("cupyx.scatter_min", np.minimum),
        "rsqrt": lambda x: 1 / xp.sqrt(x),
        "empty_pinned": _pinned(np.empty),
        "zeros_pinned": _pinned(np.zeros),
        "empty_like_pinned": lambda a: np.empty(a.shape, a.dtype),
        "zeros_like_pinned": lambda a: np.zeros(a.shape, a.dtype),
        "errstate": _nothing,
        "allow_synchronize": _nothing,
        "geterr": lambda: {"linalg": "ignore", "divide": None, "over": None, "under": None, "invalid": None},
        "seterr": lambda **kinds: None,
    }


def profiler_members() -> dict[str, Any]:
    """Return the members of `cupyx.profiler`."""
    return {"benchmark": _benchmark, "profile": _nothing, "time_range": _nothing}


def nvtx_members() -> dict[str, Any]:
    """Return the members of `cupy.cuda.nvtx`, which do nothing."""
    names = ("Mark", "MarkC", "RangePush", "RangePushC", "RangePop", "RangeStart", "RangeEnd")
    return {**dict.fromkeys(names, lambda *arguments, **keywords: None), "available": True}


def range_members() -> dict[str, Any]:
    """Return the members of `cupy.cuda.profiler`, which do nothing."""
    return {"start": lambda: None, "stop": lambda: None, "initialize": lambda *arguments: None}
