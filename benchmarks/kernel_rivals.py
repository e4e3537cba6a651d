"""The loops of `kernels.py`, written for accel, numba and Quadrants; Quadrants is None if it is not installed."""

import ctypes
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np

import accel
from accel import BufferView, LayoutTensor
from accel.dtypes import f32
from accel.kernels import grid, kernel

# The layers that several threads may use at once: OpenMP or TBB.
numba.config.THREADING_LAYER = "threadsafe"


def _scale(v: BufferView[f32], factor: f32):
    for i in range(v.size):
        v[i] = v[i] * factor


def _saxpy(y: BufferView[f32], x: BufferView[f32], a: f32):
    for i in range(y.size):
        y[i] = a * x[i] + y[i]


def _total(v: BufferView[f32]):
    s = accel.kernels.accumulator(f32, 0)
    for i in range(v.size):
        s += v[i]
    return s


def _stencil(out: LayoutTensor[f32], x: LayoutTensor[f32]):
    rows, columns = x.shape
    for i, j in grid(rows - 2, columns - 2):
        out[i + 1, j + 1] = f32(0.2) * (x[i + 1, j + 1] + x[i, j + 1] + x[i + 2, j + 1] + x[i + 1, j] + x[i + 1, j + 2])


def ours(*, debug: bool = False) -> SimpleNamespace:
    """Return the loops as kernels."""
    made = kernel(debug=debug)
    return SimpleNamespace(scale=made(_scale), saxpy=made(_saxpy), total=made(_total), stencil=made(_stencil))


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


def quadrants_loops() -> SimpleNamespace | None:
    """Return the loops in Quadrants, which starts here, and ``array``, which makes one of its arrays."""
    try:
        import quadrants as qd
    except ImportError:
        return None
    from quadrants import BufferView as View

    qd.init(arch=qd.cpu, log_level=qd.ERROR)

    @qd.kernel
    def scale(v: View[qd.f32], factor: qd.f32):
        for i in range(v.size):
            v[i] = v[i] * factor

    @qd.kernel
    def saxpy(y: View[qd.f32], x: View[qd.f32], a: qd.f32):
        for i in range(y.size):
            y[i] = a * x[i] + y[i]

    @qd.kernel
    def total(v: View[qd.f32]) -> qd.f32:
        s = 0.0
        for i in range(v.size):
            s += v[i]
        return s

    @qd.kernel
    def stencil(out: qd.types.ndarray(), x: qd.types.ndarray()):
        for i, j in qd.ndrange((1, x.shape[0] - 1), (1, x.shape[1] - 1)):
            out[i, j] = 0.2 * (x[i, j] + x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])

    def array(values: np.ndarray) -> Any:
        made = qd.ndarray(qd.f32, shape=values.shape)
        made.from_numpy(values)
        return made

    return SimpleNamespace(scale=scale, saxpy=saxpy, total=total, stencil=stencil, array=array)


def memcpy(target: np.ndarray, source: np.ndarray) -> None:
    """Copy by the C library, in one thread."""
    ctypes.memmove(target.ctypes.data, source.ctypes.data, source.nbytes)
