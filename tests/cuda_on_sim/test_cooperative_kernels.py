"""Cooperative launches of raw kernels: as many blocks as a device runs at once, and no more."""

import pytest

import accel
from accel import RawKernel
from accel.errors import KernelLaunchError

from ..tables import rows

SOURCE = r"""
#include <cooperative_groups.h>
extern "C" __global__ void count_twice(int* count) {
    if (!(threadIdx.x + threadIdx.y)) atomicAdd(count, 1);
    cooperative_groups::this_grid().sync();
    if (!(threadIdx.x + threadIdx.y) && *count < int(gridDim.x * gridDim.y * gridDim.z)) __trap();
    cooperative_groups::this_grid().sync();
    if (!(threadIdx.x + threadIdx.y)) atomicAdd(count, 1);
}
"""
# Of 8 multiprocessors, each has 2048 threads and 32 blocks, and reserves 1 KiB of shared memory for each block.
MOST = {
    (32, 1, 0): 8 * 32,
    (32, 96, 0): 8 * 21,
    (32, 97, 0): 8 * 16,
    (64, 97, 0): 8 * 16,
    (64, 129, 0): 8 * 10,
    (32, 1024, 0): 8 * 2,
    (32, 1, 48 << 10): 8 * 4,
    (32, 1, 227 << 10): 8,
    (64, 1, 64 << 10): 8,
}


@pytest.fixture(scope="module")
def kernel():
    return RawKernel.from_source(SOURCE, enable_cooperative_groups=True)


def counter():
    return accel.container([0], "int32", device="sim")


@rows("warp, threads, shared", MOST)
def test_more_blocks_than_a_device_runs_at_once_are_refused_where_they_are_launched(kernel, warp, threads, shared):
    count, most = counter(), MOST[warp, threads, shared]
    said = (
        f"count_twice was launched cooperatively with {most + 1} blocks of {threads} threads, which must run at once; "
        f"a simulated device runs {most} of them: use a smaller grid"
    )
    with accel.using(sim_warp=warp), pytest.raises(KernelLaunchError) as caught:
        kernel(count, grid=most + 1, block=threads, shared=shared)
    assert said in str(caught.value)
    assert count.to_numpy().tolist() == [0]


@rows("grid, block", [((4, 8, 8), 1), ((2, 4, 1), (32, 32))])
def test_all_blocks_that_a_device_runs_at_once_may_wait_for_each_other(kernel, grid, block):
    count = counter()
    kernel(count, grid=grid, block=block, shared=0).wait()
    assert count.to_numpy().tolist() == [2 * grid[0] * grid[1] * grid[2]]


@rows("grid", [(2, 8, 17), (1, 1, 257)])
def test_the_blocks_of_all_extents_are_counted(kernel, grid):
    with pytest.raises(KernelLaunchError, match="a simulated device runs 256 of them"):
        kernel(counter(), grid=grid, block=1)


def test_a_kernel_that_is_not_cooperative_has_no_such_limit():
    kernel = RawKernel.from_source('extern "C" __global__ void count(int* x) { atomicAdd(x, 1); }')
    count = counter()
    kernel(count, grid=300, block=1).wait()
    assert count.to_numpy().tolist() == [300]
