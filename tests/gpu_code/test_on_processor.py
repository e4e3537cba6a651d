"""Device text on the processor, as the tests run it: what kernels can rely on, and the errors that are reported."""

import numpy as np
import pytest

from . import on_processor
from .on_processor import KernelError, Memory

both_warps = pytest.mark.parametrize("warp", [32, 64])
SUM = """
template <typename T>
__device__ T total(T value) {
    __shared__ T of_warp[256 / ACCEL_WARP];
    for (int by = ACCEL_WARP / 2; by > 0; by /= 2) value += __shfl_down_sync(~0ull, value, by);
    if (threadIdx.x % ACCEL_WARP == 0) of_warp[threadIdx.x / ACCEL_WARP] = value;
    __syncthreads();
    value = threadIdx.x < 256 / ACCEL_WARP ? of_warp[threadIdx.x] : T(0);
    for (int by = 128 / ACCEL_WARP; by > 0; by /= 2) value += __shfl_xor_sync(~0ull, value, by);
    return value;
}
extern "C" __global__ void __launch_bounds__(256) sum(const float* values, int count, float* result) {
    float mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) mine += values[i];
    mine = total(mine);
    if (threadIdx.x == 0) atomicAdd(result, mine);
}
"""


def address(array):
    return np.uint64(array.ctypes.data)


def summed(text, warp, seed=0):
    """Tell whether the sum is right; a kernel that leaves its memory is stopped before it writes."""
    values, result = np.arange(3000, dtype="float32"), np.zeros(1, "float32")
    module = on_processor.compile(text, warp=warp, checked=True)
    arguments = (address(values), np.int32(3000), address(result))
    memory = [Memory.of(values), Memory.of(result)]
    try:
        module.launch("sum", 3, 256, arguments, seed=seed, checks="memory", memory=memory)
    except KernelError:
        return False
    return result[0] == values.sum()


BODIES = {
    "shfl": "out[i] = __shfl_sync(~0ull, i, 3);",
    "shfl_down": "out[i] = __shfl_down_sync(~0ull, (int)(i % ACCEL_WARP), 3, 8);",
    "shfl_up": "out[i] = __shfl_up_sync(~0ull, (long long)(i % ACCEL_WARP), 3, 8);",
    "shfl_xor": "out[i] = __shfl_xor_sync(~0ull, (double)i, 5);",
    "ballot": "out[i] = __ballot_sync(~0u, i % 3 == 0);",
    "votes_of_odd": "if (i % 2) out[i] = __any_sync(0xAAAAAAAA, i == 5) + 2 * __all_sync(0xAAAAAAAA, i != 4);",
    "seven_lanes": "out[i] = __shfl_down_sync(~0u, i, 1) * (i % 32 < 7);",
    "numbered": "__shared__ int n; if (!i) n = 0; __syncthreads(); out[i] = atomicAdd(&n, 1);",
    "greatest": "__shared__ int n; if (!i) n = 0; __syncthreads(); atomicMax(&n, i); __syncthreads(); out[i] = n;",
    "turned": "extern __shared__ long long all[]; all[i] = i; __syncthreads(); out[i] = all[63 - i];",
    "unwritten": "__shared__ long long all[64]; out[i] = all[i]; all[i] = 7;",
    "order": "__shared__ int n; if (i == 0) n = 0; __syncthreads(); out[i] = n++;",
    "one": "out[i] = 1;",
    "branches": "if (i < 40) { __syncthreads(); out[i] = 1; }\nelse { out[i] = 2;\n__syncthreads(); out[i] += 3; }",
    "one_lane": "__syncwarp(1);",
    "never": "if (i % 2) __shfl_xor_sync(~0u, i, 1); else __syncthreads(), out[i] = __shfl_xor_sync(~0u, i, 1);",
    "traps": "if (i == 3) __trap();",
    "wild": "*(int*)(i == 3) = 1;",
}
"""What thread ``i`` of a block does; ``out`` has a number for each thread."""

KERNELS = "".join([
    f'extern "C" __global__ void {name}(long long* out) {{ const unsigned i = threadIdx.x; {body} }}\n'
    for name, body in BODIES.items()
])  # fmt: skip


def ran(name, *, block=64, warp=32, shared=0, seed=0):
    """Return the numbers that the threads of a block wrote, one each."""
    result = np.zeros(block, "int64")
    on_processor.compile(KERNELS, warp=warp).launch(name, 1, block, (address(result),), shared, seed)
    return result.tolist()


@both_warps
@pytest.mark.parametrize("seed", range(5))
def test_a_sum_by_shuffles_shared_memory_and_atomics(warp, seed):
    assert summed(SUM, warp, seed)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("__syncthreads();", ""),
        ("by = ACCEL_WARP / 2", "by = 16"),
        ("by = ACCEL_WARP / 2", "by = ACCEL_WARP / 4"),
        ("threadIdx.x / ACCEL_WARP]", "threadIdx.x / 32]"),
        ("atomicAdd(result, mine)", "*result = mine"),
    ],
)
def test_a_sum_with_a_planted_bug_is_wrong_in_nearly_any_order(right, wrong):
    assert right in SUM
    assert sum(summed(SUM.replace(right, wrong), 64, seed) for seed in range(10)) <= 1


def test_a_warp_of_the_wrong_width_is_wrong():
    assert not any(summed(SUM.replace("ACCEL_WARP", "64"), 32, seed) for seed in range(10))


@both_warps
def test_shuffles_are_those_of_cuda(warp):
    lanes = [i % warp for i in range(64)]
    groups = [lane // 8 * 8 for lane in lanes]
    assert ran("shfl", warp=warp) == [i - lane + 3 for i, lane in enumerate(lanes)]
    down = ran("shfl_down", warp=warp)
    assert down == [lane + 3 if lane + 3 < first + 8 else lane for lane, first in zip(lanes, groups, strict=True)]
    up = ran("shfl_up", warp=warp)
    assert up == [lane - 3 if lane - 3 >= first else lane for lane, first in zip(lanes, groups, strict=True)]
    assert ran("shfl_xor", warp=warp) == [i ^ 5 for i in range(64)]


def test_votes_are_those_of_the_lanes_in_the_mask():
    assert ran("ballot", block=32) == [sum(1 << i for i in range(0, 32, 3))] * 32
    assert ran("votes_of_odd", block=32) == [0, 3] * 16


def test_a_warp_that_is_not_full_meets_the_lanes_that_it_has():
    assert ran("seven_lanes", block=40)[32:] == [*range(33, 40), 0]


def test_atomics_return_what_was_there():
    assert sorted(ran("numbered")) == [*range(64)]
    assert ran("greatest") == [63] * 64


def test_shared_memory_may_be_asked_for_at_the_launch():
    assert ran("turned", shared=512) == [*range(63, -1, -1)]


def test_shared_memory_is_never_what_it_was():
    assert 7 not in ran("unwritten") + ran("unwritten", seed=1)


def test_the_seed_is_the_order():
    orders = [ran("order", seed=seed) for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("branches", "DIVERGENT_BARRIER"),
        ("one_lane", "WRONG_MASK"),
        ("never", "DEADLOCK"),
        ("traps", "TRAP"),
        ("wild", "INVALID_ADDRESS"),
    ],
)
def test_errors_of_kernels_are_reported(name, kind):
    for seed in range(5):
        with pytest.raises(KernelError, match=f"{name}: {kind}"):
            ran(name, seed=seed)
    assert ran("one") == [1] * 64


def test_arguments_have_the_sizes_of_the_parameters():
    module = on_processor.compile('struct S { char a; double b; }; extern "C" __global__ void f(S s, int n) {}')
    struct = np.zeros(1, np.dtype([("a", "i1"), ("b", "f8")], align=True))
    module.launch("f", (1, 1, 1), (1,), (struct, np.int32(1)))
    with pytest.raises(KernelError, match=r"f takes arguments of \[16, 4\] bytes; found \[16, 8\]"):
        module.launch("f", 1, 1, (struct, 1))


def test_what_does_not_compile_says_where():
    with pytest.raises(KernelError, match="<source>:2:"):
        on_processor.compile('extern "C" __global__ void f() {\n nonsense; }')
    with pytest.raises(KernelError, match="there is no kernel g"):
        on_processor.compile('extern "C" __global__ void f() {}').launch("g", 1, 1, ())


def test_indices_are_those_of_three_axes():
    text = """extern "C" __global__ void f(int* out) {
        const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
        const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
        out[block * blockDim.x * blockDim.y * blockDim.z + thread] += 1;
    }"""
    out = np.zeros(2 * 3 * 4 * 5 * 2 * 3, "int32")
    on_processor.compile(text).launch("f", (2, 3, 4), (5, 2, 3), (address(out),))
    assert out.tolist() == [1] * out.size
