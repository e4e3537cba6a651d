"""The loops of `kernels.py` in Quadrants, which starts when this is imported."""

from typing import Any

import numpy as np
import quadrants as qd
from quadrants import BufferView

qd.init(arch=qd.cpu, log_level=qd.ERROR)


@qd.kernel
def scale(v: BufferView[qd.f32], factor: qd.f32) -> None:
    for i in range(v.size):
        v[i] = v[i] * factor


@qd.kernel
def saxpy(y: BufferView[qd.f32], x: BufferView[qd.f32], a: qd.f32) -> None:
    for i in range(y.size):
        y[i] = a * x[i] + y[i]


@qd.kernel
def total(v: BufferView[qd.f32]) -> qd.f32:
    s = 0.0
    for i in range(v.size):
        s += v[i]
    return s


@qd.kernel
def stencil(out: qd.types.ndarray(), x: qd.types.ndarray()) -> None:
    for i, j in qd.ndrange((1, x.shape[0] - 1), (1, x.shape[1] - 1)):
        out[i, j] = 0.2 * (x[i, j] + x[i - 1, j] + x[i + 1, j] + x[i, j - 1] + x[i, j + 1])


def array(values: np.ndarray) -> Any:
    """Return an array of Quadrants with the same values."""
    result = qd.ndarray(qd.f32, shape=values.shape)
    result.from_numpy(values)
    return result
