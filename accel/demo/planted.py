"""A kernel with an error that debug mode finds, and the kernel without it."""

from accel.dtypes import f64
from accel.kernels import func, kernel
from accel.views import BufferView

__all__ = ["smooth_row", "smooth_row_too_far"]


@func
def smoothed(x: BufferView[f64], i: int) -> float:
    """Return the weighted mean of an element and its neighbours; ``i`` is the index of the left one."""
    return (x[i] + 2 * x[i + 1] + x[i + 2]) / 4


@kernel
def smooth_row(x: BufferView[f64], out: BufferView[f64]):
    """Smooth a row; ``out`` has two elements less than ``x``, because the first and the last have one neighbour."""
    for i in range(x.size - 2):
        out[i] = smoothed(x, i)


@kernel
def smooth_row_too_far(x: BufferView[f64], out: BufferView[f64]):
    """Smooth a row, and take one step too many."""
    for i in range(x.size - 1):
        out[i] = smoothed(x, i)
