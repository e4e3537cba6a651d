"""Vector types of kernels: layout, make_ functions, loads and stores."""

import numpy as np
import pytest

from .gpu import launch

ELEMENTS = {
    "char": ("signed char", 1), "uchar": ("unsigned char", 1), "short": ("short", 2), "ushort": ("unsigned short", 2),
    "int": ("int", 4), "uint": ("unsigned", 4), "long": ("long", 8), "ulong": ("unsigned long", 8),
    "longlong": ("long long", 8), "ulonglong": ("unsigned long long", 8),
    "float": ("float", 4), "double": ("double", 8),
}  # fmt: skip
VECTORS = [(name, count) for name in ELEMENTS for count in (1, 2, 3, 4)]


def alignment(size, count):
    """Return what CUDA's documentation says."""
    return size if count in {1, 3} else min(size * count, 16)


LAYOUTS = "\n".join([f"    out[{2 * row}] = sizeof({name}{count}), out[{2 * row + 1}] = alignof({name}{count});"
                     for row, (name, count) in enumerate(VECTORS)])  # fmt: skip
MADE = "\n".join([
    f"    {{ {name}{count} v = make_{name}{count}({', '.join('1234'[:count])}); total += v.x + 0 * sizeof v;"
    f" total += {' + '.join(f'v.{axis} * 10' for axis in 'xyzw'[1:count]) or '0'}; }}"
    for name, count in VECTORS
])  # fmt: skip
SOURCE = (
    f"""
extern "C" __global__ void layouts(int* out) {{
{LAYOUTS}
}}
extern "C" __global__ void made(double* out) {{
    double total = 0;
{MADE}
    *out = total;
}}
"""
    """
struct __align__(16) Padded {
    float3 position;
    unsigned char tag;
};
extern "C" __global__ void swap_halves(float* data, int* sizes, int n) {
    float4* vectors = reinterpret_cast<float4*>(data);
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float4 v = __ldg(vectors + i);
        __stcs(&vectors[i], make_float4(v.z, v.w, v.x, v.y));
    }
    if (i == 0) sizes[0] = sizeof(Padded), sizes[1] = sizeof(double4_32a), sizes[2] = alignof(double4_32a);
}
extern "C" __global__ void positions(unsigned* out) {
    const uint3 thread = threadIdx, block = blockIdx;
    const dim3 extents = blockDim, blocks = gridDim, one(7), filled;
    const unsigned in_block = (thread.z * extents.y + thread.y) * extents.x + thread.x;
    const unsigned number = (block.z * blocks.y + block.y) * blocks.x + block.x;
    unsigned* place = out + 8 * (number * extents.x * extents.y * extents.z + in_block);
    place[0] = thread.x, place[1] = thread.y, place[2] = thread.z;
    place[3] = block.x, place[4] = block.y, place[5] = block.z;
    place[6] = one.x * 100 + one.y * 10 + one.z;
    place[7] = filled.x + filled.y + filled.z;
}
"""
)


def test_vectors_have_the_sizes_and_alignments_of_cuda(warp):
    result = launch(SOURCE, "layouts", 1, 1, np.zeros(2 * len(VECTORS), "i4"), warp=warp)[0].reshape(-1, 2)
    for (name, count), (size, aligned) in zip(VECTORS, result.tolist(), strict=True):
        element = ELEMENTS[name][1]
        assert (size, aligned) == (element * count, alignment(element, count)), (name, count)


def test_vectors_are_made_of_their_elements():
    total = launch(SOURCE, "made", 1, 1, np.zeros(1))[0]
    assert total[0] == len(ELEMENTS) * sum(1 + 10 * sum(range(2, count + 1)) for count in (1, 2, 3, 4))


def test_vectors_are_loaded_and_stored_as_a_whole(checks):
    data = np.arange(4 * 100, dtype="f4")
    result, sizes, _ = launch(SOURCE, "swap_halves", 1, 128, data, np.zeros(3, "i4"), 100, checks=checks)
    np.testing.assert_array_equal(result.reshape(-1, 4), data.reshape(-1, 4)[:, [2, 3, 0, 1]])
    assert sizes.tolist() == [16, 32, 32]


@pytest.mark.parametrize("seed", range(2))
def test_each_thread_knows_its_place_in_three_dimensions(seed, checks):
    grid, block = (3, 2, 2), (4, 3, 5)
    out = np.zeros((*grid[::-1], *block[::-1], 8), "u4")
    result = launch(SOURCE, "positions", grid, block, out, seed=seed, checks=checks)[0]
    indices = np.indices(out.shape[:-1])
    for column, axis in enumerate((5, 4, 3, 2, 1, 0)):
        np.testing.assert_array_equal(result[..., column], indices[axis])
    assert np.all(result[..., 6] == 711)
    assert np.all(result[..., 7] == 3)


def test_an_array_of_char_in_shared_memory_has_room_for_vectors(checks):
    source = """
    extern "C" __global__ void round_trip(double2* data) {
        __shared__ char flag, bytes[32 * sizeof(double2)], after;
        double2* vectors = reinterpret_cast<double2*>(bytes);
        if (threadIdx.x == 0) flag = after = 1;
        vectors[threadIdx.x] = data[threadIdx.x];
        __syncthreads();
        data[threadIdx.x] = vectors[31 - threadIdx.x];
    }
    """
    data = np.arange(64.0).reshape(32, 2)
    result = launch(source, "round_trip", 1, 32, data, checks=checks)[0]
    np.testing.assert_array_equal(result, data[::-1])
