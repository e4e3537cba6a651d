"""Launches of a plan: the numbers that kernels rely on, and the limits of devices."""

import numpy as np
import pytest
from accel.backends.cupy import launches
from accel.backends.cupy.boxes import SOURCE, TARGET, box_of
from accel.backends.cupy.structures import divisor
from hypothesis import given
from hypothesis import strategies as st

from accel.abc import Block, Leaf, Limits, Operand, Plan, Span

from .cases import macro, matrix
from .comparison import Case, Memory, launch_of, run
from .strategies import WIDTHS


@pytest.mark.slow
def test_all_files_of_kernels_are_compiled_and_installed(root, installed):
    files = {path.name for path in (root / "backends/cupy/kernels").iterdir()}
    assert set(launches._SOURCES) == files
    assert {path.name for path in (installed / "accel/backends/cupy/kernels").iterdir()} == files


def launched(plan, blocks=1 << 30):
    nothing = Memory(np.zeros(0, np.int64), 0, 0, seed=1)
    return launch_of(Case(plan, blocks=blocks), nothing, nothing)


@given(st.data(), st.sampled_from([32, 64]))
def test_multiplication_divides(data, bits):
    numbers = st.integers(1, (1 << (bits - 1)) - 1) | st.integers(1, 9) | st.integers(3, bits - 2).map(lambda n: 1 << n)
    number, by = data.draw(numbers), data.draw(numbers)
    value, magic, shift = divisor(by, bits)
    assert (value, magic < 1 << bits) == (by, True)
    for near in (number, number // by * by, max(number // by * by - 1, 0)):
        assert ((near * magic >> bits) + near) >> shift == near // by


@pytest.mark.parametrize(
    ("count", "bits", "blocks"),
    [
        (1, 32, 1),
        (1024, 32, 1),
        (1025, 32, 2),
        (1 << 30, 32, 1 << 20),
        (1 << 31, 64, 1 << 21),
        (1 << 40, 64, 1 << 30),
    ],
)
def test_there_are_as_many_blocks_as_are_needed_and_may_be(count, bits, blocks):
    plan = Plan((Leaf(count, 1, 1),), 1, index_bits=32)
    launch = launched(plan)
    assert (launch.grid, macro(launch, "COUNT")) == ((blocks, 1, 1), str(bits))
    assert launched(plan, blocks=3).grid == (min(blocks, 3), 1, 1)


@given(st.integers(256, 1 << 38))
def test_there_are_no_more_threads_than_the_device_counts(threads):
    everything = Operand(Span(Block(0, 1 << 45, None), 0, 1 << 45), 0, np.dtype("uint8"), (1 << 45,), (1,))
    limits = Limits(0, 256, 64, frozenset(), (1 << 31, 1, 1), threads)
    launch = launches.fill_launch(everything, 0, 0, limits=limits)
    assert launch.grid[0] * launch.block[0] <= threads < (launch.grid[0] + 1) * launch.block[0]


@pytest.mark.parametrize("width", WIDTHS)
def test_a_block_has_threads_enough_for_any_device(width):
    for plan in (matrix(width, 999, 999), matrix(width, 999, 999)._replace(kind="gather", tile=None)):
        assert np.prod(launched(plan).block) == 256


def test_nothing_is_one_block_that_finds_no_work():
    assert launched(Plan((Leaf(0, 0, 0),), 4)).grid == (1, 1, 1)


def test_a_plan_is_worked_out_once():
    """Only the addresses change from copy to copy."""
    plan = matrix(4, 50, 60)
    first, again = launched(plan), launched(plan)
    assert all(one is other for one, other in zip(first.arguments[2:], again.arguments[2:], strict=True))


@pytest.mark.parametrize(
    ("bits", "start", "strides"),
    [
        (32, -(1 << 31), ((1 << 31) - 4, (1 << 31) - 8)),
        (32, 0, (1 << 31, 1 << 32)),
        (32, (1 << 33) - 8, (-(1 << 31), -(1 << 32))),
        (64, 1 << 33, (-(1 << 31), -(1 << 32))),
    ],
)
def test_distances_are_in_items_and_may_be_as_large_as_their_bits_say(bits, start, strides):
    plan = Plan((Leaf(2, 8, strides[0]), Leaf(2, 4, strides[1])), 4, "gather", 0, start, vector=4, index_bits=32)
    # Only the pages that are touched take memory.
    source, target = np.empty((1 << 33) + 64, np.uint8), np.zeros(4, np.uint32)
    base = source.ctypes.data + max(-start, 0)
    distances = [start + i * strides[0] + j * strides[1] for i in range(2) for j in range(2)]
    for value, distance in enumerate(distances):
        at = base + distance - source.ctypes.data
        source[at : at + 4].view(np.uint32)[0] = value
    launch = launched(plan)
    assert (macro(launch, "COUNT"), macro(launch, "DISTANCE")) == ("32", str(bits))
    addresses = (np.uint64(target.ctypes.data), np.uint64(base))
    run(launch._replace(arguments=(*addresses, *launch.arguments[2:])), seed=0)
    assert target.tolist() == [0, 1, 2, 3]


@given(st.data())
def test_a_box_is_within_its_limits(data):
    extents = data.draw(st.lists(st.sampled_from([2, 3, 7, 12, 20, 100, 5000]), min_size=1, max_size=6))
    width = data.draw(st.sampled_from(WIDTHS))
    axes = range(len(extents))
    target, source = (_strides(extents, data.draw(st.permutations(axes)), width) for _ in range(2))
    box = box_of(tuple(map(Leaf, extents, target, source)), width, 1 << 14)
    assert box.nbytes <= 1 << 14
    assert box.shared_bytes <= 1 << 15
    assert len(box.inside) <= 4
    assert len(box.cut) <= 2
    assert all(part <= extent for part, extent in zip(box.parts, extents, strict=True))
    if len(extents) < 4:
        assert min(box.run_bytes(SOURCE), box.run_bytes(TARGET)) >= min(64, np.prod(extents) * width)


def _strides(extents, order, step):
    strides = [0] * len(extents)
    for axis in order:
        strides[axis] = step
        step *= extents[axis]
    return strides
