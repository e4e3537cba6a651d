"""The kernels of copies, compiled for older processors and run, and for others as text."""

import math
import platform
import re

import numpy as np
import pytest
from accel.backends.common import compiled, thresholds
from accel.backends.common.bands import bands_text
from accel.backends.common.blocks import LINE, Block
from accel.backends.common.host_code import machine_code
from accel.backends.common.kernels import kernel_text
from accel.backends.common.packing import packing_text
from accel.backends.common.variants import USUAL, VARIANTS
from hypothesis import HealthCheck, given, settings

import accel
from accel.testing.blocks import random_bytes

from .copied_arrays import arrays, compare, long_rows

llvm = pytest.importorskip("llvmlite.binding")

X86 = {
    "x86-64": (),
    "x86-64-v3": ("avx2", "bmi2", "fma"),
    "x86-64-v4": ("avx512bw", "avx512cd", "avx512dq", "avx512vl"),
}
"""Processors, and LLVM's names of what a machine must have to run what is compiled for them."""

ELSEWHERE = {"generic": "aarch64-unknown-linux-gnu", "pwr9": "powerpc64le-unknown-linux-gnu"}

BLOCKS = [
    *[Block(form, itemsize, 1) for form in ("lines", "bands") for itemsize in (1, 2, 4, 8, 16)],
    *[Block("turn", itemsize, 2) for itemsize in (1, 2, 4, 8, 16)],
    *[Block(form, 1, number, 4) for form in ("weave", "unweave") for number in (3, 7)],
    *[Block("join", word, number) for word, number in ((1, 3), (1, 13), (2, 3), (4, 3), (4, 5), (8, 3))],
    Block("items", 8, 2),
    Block("items", 64, 1),
]

# Item size, shape of the source, and its axes in the order of the target: one size above and below each width of
# vectors and lines, primes, powers of two a cache's sets apart, and few rows or columns.
SHAPES = [
    *[(itemsize, (257, 131), (1, 0)) for itemsize in (1, 2, 4, 8, 16, *range(3, 32, 3), 13, 20, 28)],
    *[(itemsize, (320 // itemsize, 640 // itemsize), (1, 0)) for itemsize in (1, 2, 4, 8, 16)],
    *[(itemsize, (192 // itemsize, 257), (1, 0)) for itemsize in (1, 2, 4, 8, 16)],
    *[(itemsize, (2200 // itemsize + 3, 400 // itemsize + 5), (1, 0)) for itemsize in (1, 2, 4, 8, 16)],
    *[(itemsize, (1100 // itemsize, 1100 // itemsize + 3), (1, 0)) for itemsize in (1, 2, 4, 8, 16)],
    *[(itemsize, (70 // itemsize + 1, 33, 2, 350 // itemsize), (3, 2, 1, 0)) for itemsize in (1, 2, 4, 8, 16)],
    (2, (3, 64, 5, 96), (3, 2, 0, 1)),
    (4, (16, 80, 32), (2, 1, 0)),
    (4, (16, 9, 16), (2, 1, 0)),
    (1, (64, 3, 200), (2, 1, 0)),
    *[(itemsize, (31 // itemsize + 1, 1000), (1, 0)) for itemsize in (1, 2, 4, 8)],
    *[(itemsize, (1000, 17), (1, 0)) for itemsize in (1, 2, 4, 8, 16)],
    *[(1, (40, 73, planes), (2, 0, 1)) for planes in range(2, 16)],
    *[(1, (planes, 40, 73), (1, 2, 0)) for planes in range(2, 16)],
    *[(2, (planes, 900), (1, 0)) for planes in range(2, 8)],
    *[(4, (900, planes), (1, 0)) for planes in (2, 3)],
    (1, (64, 1 << 15), (1, 0)),
    (4, (40, 1 << 13), (1, 0)),
    (4, (9, 10, 11, 12), (3, 2, 1, 0)),
    (4, (7, 12, 20), (0, 2, 1)),
    (2, (3, 65, 5, 33), (0, 2, 3, 1)),
    (1, (30, 41, 12), (1, 0, 2)),
]

many = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(params=X86)
def processor(request, monkeypatch):
    """A processor for which all kernels are compiled."""
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("another machine")
    lacks = [feature for feature in X86[request.param] if not machine_code.features().get(feature)]
    if lacks:
        pytest.skip(f"this machine lacks {', '.join(lacks)}")
    monkeypatch.setattr(machine_code, "processor", request.param)
    monkeypatch.setattr(compiled, "_kernels", {})
    monkeypatch.setattr(compiled, "_variant", USUAL)
    for name, value in {"SMALL": 0, "AT_ONCE": 0, "SHARED": 0, "PIECE": 1, "STREAMED": 0}.items():
        monkeypatch.setattr(thresholds, name, value)
    with accel.using(threads=2):
        yield request.param


def aligned(data):
    """Return the bytes from the first cache line on."""
    return data[-data.__array_interface__["data"][0] % LINE :]


def packed_by(block):
    """Return the text of the function that packs a tile."""
    return (bands_text if block.form == "bands" else packing_text)(block, USUAL)


def assembly(text, processor, triple=""):
    """Return what LLVM compiles a text to, for an assembler."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    machine = machine_code._Machine(llvm, processor, triple)
    return machine.target.emit_assembly(machine.optimised(text))


@pytest.mark.parametrize(("itemsize", "shape", "axes"), SHAPES)
def test_all_copy_what_numpy_does(processor, itemsize, shape, axes):
    nbytes = math.prod(shape) * itemsize
    for to, of in ((0, 0), (0, 16), (1, 3), (33, 64)):
        into, out_of = (aligned(random_bytes(nbytes + 140)) for _ in range(2))
        source = np.ndarray(shape, f"V{itemsize}", out_of, of).transpose(axes)
        compare(into, np.ndarray(source.shape, source.dtype, into, to), out_of, source)
    assert None not in compiled._kernels.values()


@pytest.mark.parametrize("rows", [64, 65, 130])
def test_rows_in_reverse_complete_the_last_line_of_a_tile(processor, rows):
    """Two planes are separated 64 items at a time, and 63 items beyond the tile would complete its last line."""
    into, out_of = (random_bytes(66 * rows + 140) for _ in range(2))
    source = np.ndarray((33, rows, 2), "V1", out_of)[::-1].transpose(2, 0, 1)
    compare(into, np.ndarray(source.shape, "V1", into, 7), out_of, source)


@settings(many, max_examples=200)
@given(case=arrays())
def test_all_copy_what_numpy_does_with_axes_in_any_order(processor, case):
    compare(*case)


@settings(many, max_examples=60)
@given(case=long_rows())
def test_long_rows_begin_anywhere(processor, case):
    compare(*case)
    assert [block for block in compiled._kernels if block.form in ("bands", "lines")]


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("itemsize", "shape", "axes"), [SHAPES[0], (2, (5, 900), (1, 0)), (3, (900, 70), (1, 0))])
def test_all_variants_copy_what_numpy_does(processor, monkeypatch, variant, itemsize, shape, axes):
    monkeypatch.setattr(compiled, "_variant", variant)
    test_all_copy_what_numpy_does(processor, itemsize, shape, axes)


@pytest.mark.parametrize(("name", "registers"), [("x86-64", "x"), ("x86-64-v3", "xy"), ("x86-64-v4", "xyz")])
def test_vectors_are_as_wide_as_the_processor_has(name, registers):
    texts = [kernel_text(USUAL), *(packed_by(block) for block in BLOCKS)]
    code = "".join([assembly(text, name, "x86_64-unknown-linux-gnu") for text in texts])
    assert set(re.findall(r"%([xyz])mm\d", code)) == set(registers)
    for width, widest in ((16, "x"), (32, "y"), (64, "z")):
        code = assembly(kernel_text(USUAL._replace(width=width)), name, "x86_64-unknown-linux-gnu")
        assert set(re.findall(r"movnt.*%([xyz])mm", code)) == {min(widest, registers[-1])}


@pytest.mark.parametrize(("processor", "triple"), ELSEWHERE.items())
def test_other_machines_have_vectors_too(processor, triple):
    for block in BLOCKS:
        code = assembly(packed_by(block), processor, triple)
        assert "memcpy" not in code
        assert "call" not in code
    code = assembly(kernel_text(USUAL), processor, triple) + assembly(
        packing_text(Block("turn", 1, 2), USUAL), processor, triple
    )
    expected = {"generic": ("stnp\tq", "zip1", "prfm", "dmb"), "pwr9": ("stxv", "vmrghb", "dcbt", "sync")}
    assert [each for each in expected[processor] if each not in code] == []
