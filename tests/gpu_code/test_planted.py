"""Bugs planted in the kernels are found by the comparisons of `test_kernels.py`."""

import numpy as np
import pytest
from accel.backends.cupy import launches

from accel.abc import Fill, Leaf, Plan, Swizzling

from .copying import Case, End, check_copy
from .host_gpu import KernelError
from .strategies import aligned, plan_of


def turned(rows, columns, *, gap):
    """Return a transpose of items of 2 bytes, with gaps between rows, by fewer blocks than there are tiles."""
    plan = plan_of(2, (columns, rows), (2 * (rows + gap), 2), (2, 2 * (columns + gap)), (0, 0), 32)
    return Case(aligned(plan, End(), End()), blocks=2)


STRIDED = Plan((Leaf(40, 200, 6), Leaf(33, 4, 130)), 2, vector=2, index_bits=32)
TABLE = Plan((Leaf(300, 6, 0),), 2, "table", vector=2)
CASES = {
    "turned": turned(70, 75, gap=0),
    "packed": turned(131, 71, gap=1),
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
    ("turned", "__syncthreads();\n#pragma", "\n#pragma"),
    ("packed", "__syncthreads();\n#pragma", "\n#pragma"),
    ("turned", "__syncthreads();  // the next", "// the next"),
    # A barrier that some threads do not reach.
    ("turned", "__syncthreads();\n#pragma", "if (x < a_extent) __syncthreads();\n#pragma"),
    # An off-by-one error at an edge.
    ("turned", "WHOLE || a < a_extent", "WHOLE || a + 1 < a_extent"),
    ("turned", "WHOLE || b < b_extent", "WHOLE || b <= b_extent"),
    ("turned", "WHOLE || b < b_extent", "WHOLE || b + 1 < b_extent"),
    ("turned", "at < extent ? extent - at : 0", "1"),
    ("packed", "i < left", "i <= left"),
    ("packed", "i < left", "i + 1 < left"),
    ("strided", "min(first + i * blockDim.x, count - 1)", "first + i * blockDim.x"),
    # A wrong stride, or a wrong step.
    ("turned", "b * plane.b_target_stride", "b * plane.a_source_stride"),
    ("turned", "a * plane.a_source_stride", "a * plane.b_source_stride"),
    ("turned", "tile += gridDim.x", "tile += gridDim.x + 1"),
    ("strided", "Index(loop.source_stride)", "Index(loop.target_stride)"),
    ("strided", "Index(blockIdx.x) * blockDim.x * ACCEL_FLIGHT", "Index(blockIdx.x) * blockDim.x"),
    # Wrong arithmetic.
    ("strided", "high_half(number, by.magic) + number", "high_half(number, by.magic)"),
    ("packed", "words[j] >> (8 * ACCEL_ITEM * i)", "words[i] >> (8 * ACCEL_ITEM * j)"),
    ("swizzled", "distance += swizzle.offset;", ""),
    ("swizzled", "taken >> swizzle.shift", "taken << swizzle.shift"),
    ("in pieces", "gathering.pieces) * ACCEL_ITEM", "gathering.pieces)"),
    ("by a table", "end.start + (table", "end.start + 2 * (table"),
    # A missing mask.
    ("masked", "distance >= mask.bound", "distance > mask.bound"),
    ("masked", "distance >= mask.bound", "false"),
    ("masked", "if (!mask.zero) move.target = nullptr;", ""),
    ("zeroed", "move.source = nullptr;", ""),
]


def finds(name, text=None):
    """Return the seeds with which a case fails."""
    found = []
    for seed in range(10):
        try:
            check_copy(CASES[name]._replace(seed=2 * seed), text)
        except (AssertionError, KernelError):
            found.append(seed)
    return found


@pytest.mark.parametrize("name", CASES)
def test_without_a_bug_nothing_is_found(name):
    assert finds(name) == []


@pytest.mark.parametrize(("name", "right", "wrong"), BUGS)
def test_a_bug_is_found_whatever_the_order_of_threads(name, right, wrong):
    text = launches.module_source()
    assert right in text
    assert finds(name, text.replace(right, wrong)) == list(range(10))


def test_an_access_that_is_not_aligned_is_found(monkeypatch):
    monkeypatch.setattr(launches, "packable", lambda *_: True)
    with pytest.raises(KernelError, match=r"transpose_packed: an access at 0x\w+ is not aligned"):
        check_copy(turned(131, 70, gap=2))
