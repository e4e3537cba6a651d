"""Bugs planted in the kernels are found by the comparisons of `test_kernels.py`."""

import numpy as np
import pytest
from accel.backends.cupy import launches

from accel.abc import Fill, Leaf, Plan, Swizzling

from .cases import matrix, rows
from .comparison import Case, End, check_copy
from .on_processor import ALL, KernelError
from .shapes import permuted
from .strategies import aligned, plan_of


def turned(rows, columns, *, gap):
    """Return a transpose of items of 2 bytes, with gaps between rows, by fewer blocks than there are tiles."""
    plan = plan_of(2, (columns, rows), (2 * (rows + gap), 2), (2, 2 * (columns + gap)), (0, 0), 32)
    return Case(aligned(plan, End(), End()), blocks=2)


STRIDED = Plan((Leaf(40, 200, 6), Leaf(33, 4, 130)), 2, vector=2, index_bits=32)
TABLE = Plan((Leaf(300, 6, 0),), 2, "table", vector=2)
CASES = {
    "turned": turned(201, 151, gap=0),
    "in words": turned(132, 72, gap=4),
    "of bytes": Case(matrix(1, 136, 72, multiple=8), blocks=2),
    "channels": Case(permuted((3, 9001), (1, 0), 1), blocks=1),
    "images": Case(permuted((701, 3), (1, 0), 1)),
    "pixels": Case(permuted((60, 170, 3), (1, 0, 2), 2), blocks=2),
    "rows": Case(rows(2, phases=(2, 12)), End(phase=2), End(phase=12)),
    "strided": Case(STRIDED),
    "masked": Case(STRIDED._replace(bound=260)),
    "zeroed": Case(STRIDED._replace(bound=260, fill=Fill.ZERO)),
    "swizzled": Case(STRIDED, source=End(Swizzling(0b110000, 2, 8))),
    "in pieces": Case(STRIDED._replace(itemsize=4, bound=10_000)),
    "by a table": Case(TABLE, source=End(table=np.arange(300)[::-1] * 2)),
}

# The case, the source text to replace, and its replacement.
BUGS = [
    # A missing barrier.
    ("turned", "__syncthreads();\n    write_tile", "write_tile"),
    ("in words", "__syncthreads();\n    write_tile", "write_tile"),
    ("turned", "__syncthreads();  // the next tile", "// the next tile"),
    ("channels", "__syncthreads();\n        write_box", "write_box"),
    ("channels", "__syncthreads();  // the next box", "// the next box"),
    # A barrier that some threads do not reach.
    ("turned", "__syncthreads();\n    write_tile", "if (threadIdx.x < a_left) __syncthreads();\n    write_tile"),
    # An off-by-one error at an edge.
    ("turned", "(y + (done + k) * DOWN) * PACK < a_left", "(y + (done + k) * DOWN) * PACK + 1 < a_left"),
    ("turned", "row + k * ROWS < b_left", "row + k * ROWS <= b_left"),
    ("turned", "row + k * ROWS < b_left", "row + k * ROWS + 1 < b_left"),
    ("turned", "column * PACK >= a_left", "column * PACK > a_left"),
    ("turned", "x * PACK >= b_left", "x * PACK + 1 >= b_left"),
    ("channels", "position < run ? run - position", "true ? run - position"),
    ("channels", "position < run ? run - position", "position < run ? side.run - position"),
    ("channels", "i < spot.left; ++i, walk", "i + 1 < spot.left; ++i, walk"),
    ("images", "i < spots[k].left; ++i", "i + 1 < spots[k].left; ++i"),
    ("pixels", "if (count >= left.of(side.rows[i].cut, ~0u)) spot.left = 0;", ""),
    ("rows", "(phase ? 2 * CHUNK : CHUNK) <= length", "0 <= length"),
    ("rows", "end = min(at + CHUNK, length)", "end = at + CHUNK"),
    ("rows", "at < 0 ? 0 : at", "at"),
    # A wrong stride, or a wrong step.
    ("turned", "target, plane.b_target_stride", "target, plane.a_source_stride"),
    ("turned", "a * Offset(plane.a_source_stride)", "a * Offset(plane.b_target_stride)"),
    ("turned", "tile += gridDim.x", "tile += gridDim.x + 1"),
    ("pixels", "first * Offset(box.target_steps[0])", "first * Offset(box.target_steps[1])"),
    ("pixels", "spot.shared += count * side.rows[i].shared;", ""),
    ("channels", "if (++counts[i] < extent) break;", "if (++counts[i] <= extent) break;"),
    ("channels", "box.shared[i + 1] - extent * box.shared[i]", "box.shared[i + 1]"),
    ("rows", "(ACCEL_FLIGHT * LANES) + lane)", "(ACCEL_FLIGHT * LANES) + lane + 1)"),
    ("strided", "Offset(loop.source_stride)", "Offset(loop.target_stride)"),
    ("strided", "Index(blockIdx.x) * blockDim.x * ACCEL_FLIGHT", "Index(blockIdx.x) * blockDim.x"),
    # Wrong arithmetic.
    ("strided", "high_half(number, by.magic) + number", "high_half(number, by.magic)"),
    ("in words", "b = picked<0x7632>(a, b), a = first;", "a = first, b = picked<0x7632>(a, b);"),
    ("of bytes", "high = picked<0x7362>(a, b)", "high = picked<0x7362>(b, a)"),
    ("in words", "[i / LENGTH * WIDTH + l] =", "[j / WIDTH + l] ="),
    ("rows", "byte & 8 ? word[i + 2]", "byte & 8 ? word[i + 1]"),
    ("rows", "byte & 4 ? word[i + 1]", "byte & 4 ? word[i]"),
    ("rows", "8 * byte)", "4 * byte)"),
    ("swizzled", "distance += swizzle.offset;", ""),
    ("swizzled", "<< swizzle.left) >> swizzle.right", ">> swizzle.left) << swizzle.right"),
    ("in pieces", "return piece * ACCEL_ITEM;", "return piece;"),
    ("by a table", "end.start + (table", "end.start + 2 * (table"),
    # A missing mask.
    ("masked", "distance >= mask.bound", "distance > mask.bound"),
    ("masked", "distance >= mask.bound", "false"),
    ("masked", "if (!mask.zero) move.target = nullptr;", ""),
    ("zeroed", "move.source = nullptr;", ""),
]

# These change no byte of the target. The check that finds them is the last.
SEEN_BY_CHECKS = [
    ("strided", "min(first + i * blockDim.x, count - 1)", "first + i * blockDim.x", "OUT_OF_BOUNDS"),
    ("strided", "i * blockDim.x < left && ", "", "RACE"),
    ("by a table", "i * blockDim.x < left && ", "", "RACE"),
    ("turned", "__syncthreads();  // the next tile", "// the next tile", "RACE"),
    ("turned", "(y + (done + k) * DOWN) * PACK < a_left", "(y + (done + k) * DOWN) * PACK <= a_left", "OUT_OF_BOUNDS"),
]


def finds(name, text=None, **how):
    """Return the seeds with which a case fails."""
    seeds = []
    for seed in range(10):
        try:
            check_copy(CASES[name]._replace(seed=2 * seed), text, **how)
        except (AssertionError, KernelError):
            seeds.append(seed)
    return seeds


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_without_a_bug_nothing_is_found(name):
    assert finds(name) == []
    assert finds(name, checks=ALL) == []


@pytest.mark.slow
@pytest.mark.parametrize(("name", "right", "wrong"), BUGS)
def test_a_bug_is_found_whatever_the_order_of_threads(name, right, wrong):
    text = launches.module_source()
    assert right in text
    assert finds(name, text.replace(right, wrong)) == list(range(10))


@pytest.mark.parametrize(("name", "right", "wrong", "finding"), SEEN_BY_CHECKS)
def test_a_bug_that_changes_no_byte_is_found_by_the_checks(name, right, wrong, finding):
    text = launches.module_source()
    assert right in text
    for seed in range(3):
        with pytest.raises(KernelError, match=finding):
            check_copy(CASES[name]._replace(seed=seed), text.replace(right, wrong), checks=ALL)


def test_an_access_that_is_not_aligned_is_found(monkeypatch):
    monkeypatch.setattr(launches, "word_of", lambda *_: 8)
    with pytest.raises(KernelError, match="transpose_tiles: MISALIGNED"):
        check_copy(turned(131, 70, gap=2), checks=ALL)
