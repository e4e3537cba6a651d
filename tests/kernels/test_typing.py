"""Type checkers accept kernels as they are written: those of the first steps, and those of typical programs."""

import re
import subprocess
import sys

import pytest

CONFIGURATION = "[mypy]\nstrict = True\nplugins = accel.kernels.mypy_plugin\n"
TYPICAL = """
from typing import Literal

import accel
from accel import AcceleratorDataContainer, BufferView, LayoutTensor, NDBuffer, func, kernel
from accel.kernels import accumulator, atomic_add, f32, grid, i32, i64
from accel.layout import row_major


@func
def running_sum(v):
    total = f32(0)
    for i in range(v.size):
        total += v[i]
        v[i] = total


@kernel
def sums(v: BufferView[f32], length: i64):
    for k in range(v.size // length):
        running_sum(v[k * length : (k + 1) * length])


@kernel
def sums_of_tiles(t: LayoutTensor[f32], sums: LayoutTensor[f32]):
    for i, j in grid(sums.shape[0], sums.shape[1]):
        tile, total = t.tile((4, 4), (i, j)), f32(0)
        for row, column in grid(tile.shape[0], tile.shape[1]):
            total += tile[row, column]
        sums[i, j] = total


@kernel
def shifted(m: NDBuffer[f32, Literal[2]], n: i32):
    for i, j in grid(m.shape[0], m.shape[1]):
        m[i, j] += n


@accel.kernel(debug=True)
def total(v: BufferView, counts: BufferView[i32]):
    s = accumulator(f32, 0)
    for i in range(v.size):
        s += v[i]
        atomic_add(counts, 0, 1)
    return s


def elements(t: LayoutTensor, c: AcceleratorDataContainer) -> None:
    sums(c[:], 4)
    sums_of_tiles.on()(t, t[0:2, 1])
    reveal_type(accel.zeros(6)[0])
    reveal_type(accel.zeros(6, i32)[0])
    reveal_type(accel.zeros(6, i32)[1:][2])
    reveal_type(accel.container([1.5], f32).view(row_major(1, 1))[0, 0])
    reveal_type(accel.zeros(6).view(row_major(2, 3))[0, :])
    number: float = accel.zeros(6)[0] + c[0]
"""
REVEALED = ["float64", "signedinteger", "signedinteger", "floating", "LayoutTensor[", "float64"]


def checked(text, root, folder):
    """Return what mypy says of a file."""
    (folder / "user.py").write_text(text)
    (folder / "mypy.ini").write_text(CONFIGURATION)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file=mypy.ini", "user.py"],
        check=False,
        cwd=folder,
        capture_output=True,
        text=True,
        env={"MYPYPATH": str(root), "PYTHONPATH": str(root), "PATH": ""},
    )
    return done.stdout + done.stderr


@pytest.mark.slow
def test_mypy_accepts_the_kernels_of_the_first_steps_and_typical_ones(root, tmp_path):
    blocks = re.findall("```python\n(.*?)```", (root / "docs/guide/start.md").read_text(), re.DOTALL)
    kernels = [block for block in blocks if "@kernel" in block and "accel" in block]
    assert len(kernels) >= 2
    said = checked("import accel\n" + "\n".join(kernels[:2]) + TYPICAL, root, tmp_path)
    assert re.findall(r"error: .*", said) == []
    assert all(kind in note for kind, note in zip(REVEALED, re.findall("Revealed type .*", said), strict=False)), said
