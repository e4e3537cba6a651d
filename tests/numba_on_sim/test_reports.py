from pathlib import Path

import numpy as np
import pytest
from numba import cuda, float32

from accel.errors import KernelInitError, KernelMemoryError, KernelRaceError, KernelSyncError

from .launching import launched


def missing_barrier(x, y):
    i = cuda.grid(1)
    tile = cuda.shared.array(64, dtype=float32)
    tile[i] = x[i]
    y[i] = tile[63 - i]  # reported


def past_the_end(part, y):
    i = cuda.grid(1)
    y[i] = part[i + 1]  # reported


def lost_update(x, y):
    i = cuda.grid(1)
    y[int(x[i]) % 7] += 1  # reported


def barrier_in_a_branch(x, y):
    i = cuda.grid(1)
    if i < 40:
        cuda.syncthreads()  # reported
    else:
        cuda.syncthreads()
    y[i] = x[i]


def unwritten_tile(x, y):
    i = cuda.grid(1)
    tile = cuda.shared.array((8, 8), dtype=float32)
    if i < 60:
        tile[i >> 3, i & 7] = x[i]
    cuda.syncthreads()
    y[i] = tile[i >> 3, i & 7]  # reported


@pytest.mark.usefixtures("checked")
@pytest.mark.parametrize(
    ("kernel", "error", "text"),
    [
        (missing_barrier, KernelRaceError, "in the shared array tile of 256 bytes"),
        (past_the_end, KernelMemoryError, "part[64], right after the end of part"),
        (lost_update, KernelRaceError, "y["),
        (barrier_in_a_branch, KernelSyncError, "divergent barrier"),
        (unwritten_tile, KernelInitError, "tile[6"),
    ],
)
def test_errors_are_reported_at_their_line(kernel, error, text):
    x, y = np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    with pytest.raises(error) as raised:
        launched(kernel, (1,), (64,), x, y)
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    report = raised.value.reports[0]
    frames = [place.frames[0] for place in (report.place, report.other) if place is not None]
    assert any("# reported" in lines[frame.line - 1] for frame in frames)
    assert all(frame.function == kernel.__name__ for frame in frames)
    assert text in str(raised.value)
