"""The loops of `kernels.py`, written for accel, numba and Quadrants."""

import ctypes
import sys
from collections.abc import Mapping
from contextlib import redirect_stdout
from importlib.util import find_spec
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np

# The layers that several threads may use at once: OpenMP or TBB.
numba.config.THREADING_LAYER = "threadsafe"


def numba_loops() -> SimpleNamespace:
    """Return the loops in numba: parallel ones, and ``serial`` ones."""
    parallel, serial = numba.njit(parallel=True), numba.njit
    reassociated = numba.njit(parallel=True, fastmath={"reassoc", "nsz"})

    def scale(v: Any, factor: Any) -> None:
        for i in numba.prange(v.size):
            v[i] = v[i] * factor

    def saxpy(y: Any, x: Any, a: Any) -> None:
        for i in numba.prange(y.size):
            y[i] = a * x[i] + y[i]

    def total(v: Any) -> Any:
        s = np.float32(0)
        for i in numba.prange(v.size):
            s += v[i]
        return s

    def stencil(out: Any, x: Any) -> None:
        fifth = np.float32(0.2)
        for i in numba.prange(1, x.shape[0] - 1):
            for j in range(1, x.shape[1] - 1):
                out[i, j] = fifth * (x[i, j] + x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])

    return SimpleNamespace(
        scale=parallel(scale),
        saxpy=parallel(saxpy),
        total=parallel(total),
        reassociated_total=reassociated(total),
        stencil=parallel(stencil),
        serial_scale=serial(scale),
    )


def has_quadrants() -> bool:
    """Tell whether Quadrants is installed."""
    return find_spec("quadrants") is not None


def quadrants_loops() -> Any:
    """Return the module with the loops in Quadrants; None if it is not installed."""
    try:
        with redirect_stdout(sys.stderr):  # it prints its version, which is no JSON
            import quadrants_loops
    except ImportError:
        return None
    return quadrants_loops


def memcpy(target: np.ndarray, source: np.ndarray) -> None:
    """Copy by the C library, in one thread."""
    ctypes.memmove(target.ctypes.data, source.ctypes.data, source.nbytes)


def numpy_stencil(out: np.ndarray, x: np.ndarray) -> None:
    """Compute the stencil by NumPy, in place as far as it goes."""
    inner = out[1:-1, 1:-1]
    np.add(x[1:-1, 1:-1], x[:-2, 1:-1], out=inner)
    for neighbour in (x[2:, 1:-1], x[1:-1, :-2], x[1:-1, 2:]):
        np.add(inner, neighbour, out=inner)
    np.multiply(inner, np.float32(0.2), out=inner)


_TIMED = """
import json
from time import perf_counter

began = perf_counter()
{imports}
{setup}
imported = perf_counter()
{call}
called = perf_counter()
print(json.dumps({{"imports": imported - began, "call": called - imported}}))
"""

_LOOP = """
{decorator}
def scale({parameters}):
    for i in range(v.size):
        v[i] = v[i] * factor
"""

_FIRST = {
    "accel": (
        "import accel\nfrom accel import BufferView\nfrom accel.dtypes import f32",
        _LOOP.format(decorator="@accel.kernel", parameters="v: BufferView[f32], factor: f32")
        + "v = accel.zeros(64, 'float32')[:]",
        "scale(v, 2.0)",
    ),
    "numba, serial, cached": (
        "import numpy as np\nfrom numba import njit",
        _LOOP.format(decorator="@njit(cache=True)", parameters="v, factor") + "v = np.zeros(64, 'float32')",
        "scale(v, np.float32(2))",
    ),
    "quadrants": (
        "import quadrants as qd\nfrom quadrants import BufferView",
        "qd.init(arch=qd.cpu, log_level=qd.ERROR, offline_cache_file_path='caches/quadrants')\n"
        + _LOOP.format(decorator="@qd.kernel", parameters="v: BufferView[qd.f32], factor: qd.f32")
        + "v = qd.ndarray(qd.f32, shape=(64,))[:]",
        "scale(v, 2.0)",
    ),
}


def first_calls(*, with_quadrants: bool) -> Mapping[str, str]:
    """Return programs that call a small kernel once, and print the seconds of the imports and of the call."""
    return {
        name: _TIMED.format(imports=imports, setup=setup, call=call)
        for name, (imports, setup, call) in _FIRST.items()
        if with_quadrants or name != "quadrants"
    }
