"""What C++ leaves undefined: bit-fields that race, pointers to variables that have ended, functions without return."""

import pytest

from .checks import ints, kinds, ran

SOURCE = r"""
struct Bits { unsigned a : 4, b : 4, : 0, c : 4; };
struct Pair {
    float values[2];
    __device__ float& operator[](int i) { return values[i]; }
    __device__ const float* data() const { return values; }
};
__device__ float* dead_array(float v) { float a[2] = {v, v}; float* p = a; return p; }
__device__ float* dead_variable(float v) { float a = v; float* p = &a; return p; }
template <typename T> __device__ T& dead_reference(T v) { T a[3] = {v, v, v}; T* p = a; return p[1]; }
__device__ const Pair* dead_object(float v) {
    Pair pairs[1] = {{{v, v}}};
    const Pair* p = pairs;
    return p;
}
__device__ float* larger(float* a, float* b) { float both[2] = {*a, *b}; return both[0] > both[1] ? a : b; }
__device__ int without_return(int i) { if (i < 5) return 1; }
enum Kind { ONE, TWO };
__device__ int by_kind(Kind kind) {
    switch (kind) {
        case ONE: return 1;
        case TWO: return 2;
    }
}
__device__ int traps(int i) {
    if (i >= 0) return i;
    __trap();
}

extern "C" __global__ void race_of_bits(int* y) {
    __shared__ Bits s;
    if (threadIdx.x == 0) s.a = 1;
    if (threadIdx.x == 40) s.b = 2;
    __syncthreads();
    y[threadIdx.x] = 1;
}
extern "C" __global__ void race_in_global_memory(Bits* y) {
    if (threadIdx.x == 0) y->a = 1;
    if (threadIdx.x == 40) y->b = 2;
}
extern "C" __global__ void race_of_what_is_never_read(int* y) {
    __shared__ int s;
    s = threadIdx.x;
}
extern "C" __global__ void dangling_array(float* y) { y[threadIdx.x] = dead_array(y[threadIdx.x])[1]; }
extern "C" __global__ void dangling_variable(float* y) { y[threadIdx.x] = *dead_variable(y[threadIdx.x]); }
extern "C" __global__ void dangling_reference(float* y) { y[threadIdx.x] = dead_reference(y[threadIdx.x]); }
extern "C" __global__ void dangling_object(float* y) { y[threadIdx.x] = dead_object(y[threadIdx.x])->data()[1]; }
extern "C" __global__ void end_without_return(int* y) { y[threadIdx.x] = without_return(threadIdx.x); }

extern "C" __global__ void right(int* y) {
    const int t = threadIdx.x;
    __shared__ Bits s;
    if (t == 0) s.a = 1;
    if (t == 40) s.c = 2;
    __syncthreads();
    if (t == 40) s.b = 2;
    float mine = t, other = t + 1;
    *larger(&mine, &other) = 3;
    Pair pair = {{1, 2}};
    pair[1] = mine;
    y[t] = int(pair.data()[1]) + by_kind(t % 2 ? ONE : TWO) + without_return(t % 5) + traps(t) + int(other);
}
"""
KINDS = {
    "race_of_bits": "RACE",
    "race_in_global_memory": "RACE",
    "race_of_what_is_never_read": "RACE",
    "dangling_array": "DANGLING",
    "dangling_variable": "DANGLING",
    "dangling_reference": "DANGLING",
    "dangling_object": "DANGLING",
    "end_without_return": "NO_RETURN",
}


@pytest.mark.parametrize(("kernel", "kind"), KINDS.items())
def test_what_is_undefined_is_reported(kernel, kind, setup):
    assert kinds(ran(SOURCE, kernel, 1, 64, ints(), setup=setup, checks="memory,race"))[0] == kind


@pytest.mark.parametrize("seed", range(3))
def test_what_looks_like_it_is_not(seed, setup):
    y = ints()
    assert not kinds(ran(SOURCE, "right", 1, 64, y, setup=setup, seed=seed, checks="memory,race"))
    expected = [t + (1 if t % 2 else 2) + 1 + t + 3 for t in range(64)]
    assert y.values.tolist() == expected
