"""Numbers of blocks and threads of a launch, and their limits."""

from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from accel.abc import Limits
from accel.kernels.grids import as_block, as_grid, as_shared, blocks_over

from ..tables import rows

QUICK = settings(max_examples=50, deadline=None, database=None)
MOST = Limits(0, 1, 32, frozenset(), (2**31 - 1, 65_535, 65_535))
OF_HIP = MOST._replace(threads=2**32 - 1)
ONE = (1, 1, 1)
extents = st.sampled_from([1, 2, 3, 7, 16, 64])
blocks = st.tuples(extents, extents, extents).filter(lambda block: prod(block) <= 1024)


@QUICK
@given(st.lists(st.integers(1, 65_535), min_size=1, max_size=3), blocks)
def test_there_are_threads_enough_and_no_block_too_many(over, block):
    grid = blocks_over(over, block, MOST)
    for threads, count, width in zip([*over, 1, 1], grid, block, strict=False):
        assert (count - 1) * width < threads <= count * width


@QUICK
@given(st.lists(st.integers(0, 9), min_size=1, max_size=3).filter(lambda over: 0 in over), blocks)
def test_over_nothing_there_are_no_blocks(over, block):
    assert prod(blocks_over(over, block, MOST)) == 0


@QUICK
@given(blocks)
def test_what_is_left_out_is_one(block):
    assert as_block(block[:1]) == as_block(block[0]) == (block[0], 1, 1)
    assert as_grid(block[:2], ONE, MOST) == (*block[:2], 1)
    assert as_grid(block, ONE, MOST) == block


def test_more_than_2_to_the_31_threads_are_counted():
    assert blocks_over(2**33 + 1, (256, 1, 1), MOST) == (2**25 + 1, 1, 1)


@QUICK
@given(blocks, st.integers(-2, 2))
def test_as_many_threads_as_the_device_counts_are_launched_and_no_more(block, near):
    grid = OF_HIP.threads // block[0] + near
    if grid * block[0] <= OF_HIP.threads and grid <= OF_HIP.grid[0]:
        assert as_grid(grid, block, OF_HIP) == blocks_over(grid * block[0], block, OF_HIP) == (grid, 1, 1)
    else:
        for make in (lambda: as_grid(grid, block, OF_HIP), lambda: blocks_over(grid * block[0], block, OF_HIP)):
            with pytest.raises(ValueError, match=r"along x; .* possible"):
                make()


@rows(
    ("make", "error", "message"),
    [
        (
            lambda: blocks_over(2**32 - 1, (256, 1, 1), OF_HIP),
            ValueError,
            r"the grid has 16777216 along x; up to 16777215 blocks of 256 threads are possible here: write a loop",
        ),
        (
            lambda: blocks_over((1000, 100_000), (256, 1, 1), MOST),
            ValueError,
            r"the grid has 100000 along y; up to 65535 blocks of 1 threads .* in steps of gridDim.y \* blockDim.y",
        ),
        (lambda: as_grid((), ONE, MOST), ValueError, r"a grid has one to three extents, x first; found \(\)"),
        (lambda: as_grid((1, 2, 3, 4), ONE, MOST), ValueError, "a grid has one to three extents"),
        (lambda: as_grid((1, 0), ONE, MOST), ValueError, "the grid has 0 along y; 1 or more are possible"),
        (lambda: as_grid(2**31, ONE, MOST), ValueError, "the grid has 2147483648 along x"),
        (lambda: as_block((1, 1, 65)), ValueError, "the block has 65 along z; from 1 to 64 are possible"),
        (lambda: as_block(-1), ValueError, "the block has -1 along x"),
        (lambda: as_block((32, 33)), ValueError, r"a block of \(32, 33, 1\) has 1056 threads; up to 1024 are possible"),
        (
            lambda: blocks_over(-5, ONE, MOST),
            ValueError,
            "the number of threads has -5 along x; 0 or more are possible",
        ),
        (lambda: blocks_over(2**40, ONE, MOST), ValueError, "the grid has 1099511627776 along x"),
        (lambda: as_block(2.0), TypeError, r"a block is counted in integers; found 2.0: write int\(n\)"),
        (lambda: as_grid(None, ONE, MOST), TypeError, "a grid is counted in integers; found None"),
        (lambda: blocks_over((1, 2.5), ONE, MOST), TypeError, "a number of threads is counted in integers; found 2.5"),
        (lambda: as_block("many"), TypeError, "a block is counted in integers; found 'm'"),
        (lambda: as_shared(1.5), TypeError, "shared memory is counted in integers; found 1.5"),
    ],
)
def test_impossible_grids_blocks_and_sizes_are_refused_with_the_remedy(make, error, message):
    with pytest.raises(error, match=message):
        make()


@pytest.mark.parametrize("nbytes", [0, True, 48 << 10, 2**31 - 1])
def test_shared_memory_is_so_many_bytes(nbytes):
    assert as_shared(nbytes) == nbytes


@pytest.mark.parametrize("nbytes", [-1, 2**31, 2**32, 2**70])
def test_shared_memory_of_which_a_driver_would_read_but_some_bits_is_refused(nbytes):
    with pytest.raises(ValueError, match=f"{nbytes} bytes of shared memory were asked for; from 0 to 2147483647 are"):
        as_shared(nbytes)
