"""The kernels of the demo: two for flat views of memory, and one for tensors, which it cuts into tiles."""

from accel.dtypes import f64
from accel.kernels import func, grid, kernel
from accel.layout import Layout
from accel.views import BufferView, LayoutTensor

__all__ = ["find_peaks", "smooth", "sum_windows"]


@kernel
def smooth(
    x: BufferView[f64], out: BufferView[f64], weights: BufferView[f64], columns: int, pitch: int, step: int
) -> None:
    """Set each element of ``out`` to a weighted sum of the elements of ``x`` on a line through it.

    Parameters
    ----------
    x, out : BufferView
        Rows of ``pitch`` and of ``columns`` elements. ``x`` has more, as much as the line is longer than one element.
    weights : BufferView
        The weight of the middle of the line, and then of both elements at distance 1, 2 ...
    columns, pitch : int
        Elements of a row.
    step : int
        Elements from one of the line to the next: 1 along rows, ``pitch`` along columns.
    """
    reach = (weights.size - 1) * step
    for row, column in grid(out.size // columns, columns):
        middle = row * pitch + column + reach
        total = weights[0] * x[middle]
        for i in range(1, weights.size):
            total += weights[i] * (x[middle - i * step] + x[middle + i * step])
        out[row * columns + column] = total


@kernel
def sum_windows(
    x: BufferView[f64], out: BufferView[f64], margin: int, lines: int, step: int, apart: int, out_apart: int
) -> None:
    """Set each element of ``out`` to the sum of ``margin + 1`` elements of its line of ``x``, from its own place on.

    A sum is the one before it, with one element more and one less, which is exact for the numbers of the demo.

    Parameters
    ----------
    x, out : BufferView
        Lines of elements that are ``step`` apart: rows or columns. A line of ``x`` has ``margin`` elements more.
    margin, lines : int
        Elements of a window without its first; lines of ``x`` and of ``out``.
    step : int
        Elements of memory from one of a line to the next.
    apart, out_apart : int
        Elements of memory from a line to the next, of ``x`` and of ``out``.
    """
    for line in range(lines):
        first = line * apart
        total = 0.0
        for i in range(margin):
            total += x[first + i * step]
        for i in range(out.size // lines):
            total += x[first + (i + margin) * step]
            out[line * out_apart + i * step] = total
            total -= x[first + i * step]


@kernel
def find_peaks(x: LayoutTensor, middle: LayoutTensor, peaks: LayoutTensor, tile: Layout) -> None:
    """Mark the elements of ``middle`` that are the largest of a square around them.

    Two elements of a tile lie in the squares of each other. So only the largest of a tile can be a peak, and the
    squares of the others are not read.

    Parameters
    ----------
    x : LayoutTensor
        The elements of ``middle``, and around them a margin as wide as the squares reach.
    middle, peaks : LayoutTensor
        The elements, and the mask that is set.
    tile : Layout
        The shape of a tile: one more than the squares reach, along each axis.
    """
    side: int = tile.shape[0]
    rows, columns = middle.shape
    for i, j in grid((rows + side - 1) // side, (columns + side - 1) // side):
        heights = middle.tile(tile.shape, (i, j))
        marks = peaks.tile(tile.shape, (i, j))
        most = heights[0, 0]
        for row, column in heights:
            most = max(most, heights[row, column])
        for row, column in heights:
            height = heights[row, column]
            top, left = i * side + row, j * side + column
            marks[row, column] = height == most and no_larger(x, top, left, 2 * side - 1, height)


@func
def no_larger(x: LayoutTensor, top: int, left: int, side: int, height: float) -> bool:
    """Tell whether nothing in a square is larger than ``height``."""
    for row in range(top, top + side):
        for column in range(left, left + side):
            if x[row, column] > height:
                return False
    return True
