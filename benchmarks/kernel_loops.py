"""The loops of `kernels.py` and `gpu_kernels.py`, as kernels of accel."""

from types import SimpleNamespace

from accel import BufferView, LayoutTensor
from accel.dtypes import f32
from accel.kernels import accumulator, grid, kernel


def _scale(v: BufferView[f32], factor: f32) -> None:
    for i in range(v.size):
        v[i] = v[i] * factor


def _saxpy(y: BufferView[f32], x: BufferView[f32], a: f32) -> None:
    for i in range(y.size):
        y[i] = a * x[i] + y[i]


def _add(v: BufferView[f32], term: f32) -> None:
    for i in range(v.size):
        v[i] = v[i] + term


def _total(v: BufferView[f32]) -> f32:
    s = accumulator(f32, 0)
    for i in range(v.size):
        s += v[i]
    return s


def _total_into(out: BufferView[f32], v: BufferView[f32]) -> None:
    s = accumulator(f32, 0)
    for i in range(v.size):
        s += v[i]
    out[0] = s


def _stencil(out: LayoutTensor[f32], x: LayoutTensor[f32]) -> None:
    rows, columns = x.shape
    for i, j in grid(rows - 2, columns - 2):
        out[i + 1, j + 1] = f32(0.2) * (x[i + 1, j + 1] + x[i, j + 1] + x[i + 2, j + 1] + x[i + 1, j] + x[i + 1, j + 2])


def kernels(*, debug: bool = False) -> SimpleNamespace:
    """Return the loops as kernels."""
    result = kernel(debug=debug)
    loops = (_scale, _saxpy, _add, _total, _total_into, _stencil)
    return SimpleNamespace(**{function.__name__[1:]: result(function) for function in loops})
