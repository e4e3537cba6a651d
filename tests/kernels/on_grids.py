"""Kernels with an explicit grid, which together use everything that only these have; and calls of them."""

import numpy as np

import accel
from accel import BufferView, Layout
from accel.dtypes import f32, f64, i32, i64, u8
from accel.kernels import (
    AddressSpace,
    async_copy,
    async_wait,
    atomic_add,
    atomic_compare,
    atomic_exchange,
    atomic_max,
    atomic_min,
    barrier,
    block_index,
    block_size,
    func,
    grid_size,
    kernel,
    lane_index,
    stack_allocation,
    thread_index,
    warp_all,
    warp_any,
    warp_ballot,
    warp_shuffle,
    warp_shuffle_down,
    warp_shuffle_up,
    warp_shuffle_xor,
    warp_size,
)

__all__ = ["launch_all", "launch_wrong"]

PADDED = Layout((4, 8), (9, 1))
COUNT = 9


@func
def thread_in_grid():
    return block_index.x * block_size.x + thread_index.x


@kernel
def places(out: BufferView[i64]):
    x = block_index.x * block_size.x + thread_index.x
    y = block_index.y * block_size.y + thread_index.y
    z = block_index.z * block_size.z + thread_index.z
    width, height = grid_size.x * block_size.x, grid_size.y * block_size.y
    place = x + width * (y + height * z)
    out[2 * place] = grid_size.x + 10 * grid_size.y + 100 * grid_size.z
    out[2 * place + 1] = lane_index() + 1000 * block_size.z


@kernel
def exchanged(v: BufferView, w: BufferView[f64], out: BufferView[f64]):
    place = thread_in_grid()
    x, lane = v[place], lane_index()
    first = COUNT * place
    out[first] = warp_shuffle(x, lane // 2)
    out[first + 1] = warp_shuffle_up(x, 3)
    out[first + 2] = warp_shuffle_down(w[place], 5)
    out[first + 3] = warp_shuffle_xor(x, 6)
    out[first + 4] = warp_size()
    out[first + 5] = 1 if warp_any(x > 90) else 0
    out[first + 6] = 1 if warp_all(x > 2) else 0
    out[first + 7] = f64(warp_ballot(x > 40) & 0xFFFF)
    step = warp_size() // 2
    while step > 0:
        x += warp_shuffle_xor(x, step)
        step //= 2
    out[first + 8] = x


@kernel
def reversed_in_blocks(v: BufferView, out: BufferView):
    kept = stack_allocation(f32, 32, AddressSpace.SHARED)
    place = thread_in_grid()
    if place < v.size:
        async_copy(kept, thread_index.x, v, place)
    async_wait()
    barrier()
    there = block_size.x - 1 - thread_index.x
    if place < v.size and place + there - thread_index.x < v.size:
        out[place] = kept[there]


@kernel
def turned(v: BufferView[u8], out: BufferView[u8]):
    tile = stack_allocation(u8, PADDED, AddressSpace.SHARED)
    row, column = thread_index.y, thread_index.x
    mine = stack_allocation(i32, 3)
    for k in range(3):
        mine[k] = v[(row * 8 + column + k) % v.size] * k
    tile[row, column] = v[row * 8 + column]
    barrier()
    out[column * 4 + row] = tile[row, column] + u8(mine[2] % 7)


@kernel
def combined(v: BufferView, total: BufferView):
    place = block_index.x * block_size.x + thread_index.x
    if place >= v.size:
        return
    atomic_add(total, 0, v[place])
    atomic_min(total, 1, v[place])
    atomic_max(total, 2, v[place])
    if place == 5:
        total[4] = atomic_exchange(total, 3, v[place])
    atomic_compare(total, 5, v[0], v[1])


@kernel
def halved(v: BufferView[i64], out: BufferView[i64]):
    parts = stack_allocation(i64, 32, AddressSpace.SHARED)
    parts[thread_index.x] = v[thread_in_grid()]
    half = block_size.x // 2
    while half > 0:
        barrier()
        if thread_index.x < half:
            parts[thread_index.x] += parts[thread_index.x + half]
        half //= 2
    if thread_index.x == 0:
        out[block_index.x] = parts[0]


@kernel
def both_out_of_range(v: BufferView[f32], w: BufferView[f32], at: i64):
    v[at] = w[at + 1]


@kernel
def atomic_out_of_range(v: BufferView[i32], w: BufferView[i32], at: i64):
    old = i32(7)
    old = atomic_compare(v, at, w[at], w[at + old])
    v[0] = old


@kernel
def copy_out_of_range(v: BufferView[f32], out: BufferView[f32]):
    kept = stack_allocation(f32, 4, AddressSpace.SHARED)
    for k in range(4):
        kept[k] = f32(9)
    async_copy(kept, v.size, v, v.size)
    async_copy(kept, 1, v, v.size)
    async_copy(kept, v.size, v, 0)
    async_wait()
    for k in range(4):
        out[k] = kept[k]


def integers(size, dtype):
    return accel.container(np.random.default_rng(size).integers(0, 100, size), dtype=dtype)[:]


def constant(size, dtype="float64", value=0):
    return accel.full(size, value, dtype)[:]


def launch_all():
    """Launch kernels in ways that are right for warps of 32 and of 64 threads."""
    places.on(grid=(2, 1, 3), block=(2, 3, 4))(constant(2 * 144, "int64"))
    for dtype in ("int32", "float32", "uint8", "int64"):
        exchanged.on(grid=2, block=64)(integers(128, dtype), integers(128, "float64"), constant(COUNT * 128))
    for size in (64, 50):
        reversed_in_blocks.on(grid=2, block=32)(integers(size, "float32"), constant(size, "float32"))
    turned.on(grid=1, block=(8, 4))(integers(32, "uint8"), constant(32, "uint8"))
    for dtype in ("int32", "int64", "float32", "float64"):
        combined.on(over=70, block=32)(integers(70, dtype), constant(6, dtype, 50))
    halved.on(grid=3, block=32)(integers(96, "int64"), constant(3, "int64"))


def launch_wrong():
    """Return launches that leave their memory, to be done in debug mode."""
    floats, numbers = accel.zeros(8, "float32"), accel.zeros(8, "int32")
    return [
        lambda: both_out_of_range(floats[:4], floats[4:], 4),
        lambda: both_out_of_range(floats[:4], floats[4:], 3),
        lambda: both_out_of_range(floats[:4], floats[4:], -2),
        lambda: atomic_out_of_range(numbers[:4], numbers[4:], 5),
        lambda: atomic_out_of_range(numbers[:4], numbers[4:], 0),
        lambda: copy_out_of_range.on(grid=1, block=1)(floats[:4], floats[4:]),
        lambda: combined.on(grid=3, block=32)(integers(70, "int32"), constant(2, "int32", 50)),
        lambda: exchanged.on(grid=2, block=64)(integers(100, "int32"), integers(128, "float64"), constant(COUNT * 120)),
    ]
