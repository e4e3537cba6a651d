"""A kernel that leaves its views, to show what debug mode reports; and the kernel without the error."""

from accel.dtypes import f64
from accel.kernels import func, kernel
from accel.views import BufferView

__all__ = ["smooth_row", "smooth_row_too_far", "smoothed"]


@func
def smoothed(x: BufferView[f64], i: int) -> float:
    """Return the weighted mean of x[i] and the next two elements."""
    total: float = x[i] + 2 * x[i + 1] + x[i + 2]
    return total / 4


@kernel
def smooth_row(x: BufferView[f64], out: BufferView[f64]) -> None:
    """Smooth a row; ``out`` has no place for the first and the last element, which have one neighbour."""
    for i in range(x.size - 2):
        out[i] = smoothed(x, i)


@kernel
def smooth_row_too_far(x: BufferView[f64], out: BufferView[f64]) -> None:
    """Smooth a row, with one step too many."""
    for i in range(x.size - 1):  # x.size - 2 is right
        out[i] = smoothed(x, i)
