"""Barriers, shared memory, fences, memory and output of kernels."""

import numpy as np
import pytest

from .gpu import launch

SOURCE = r"""
#include <assert.h>
#include <cstdio>

extern "C" __global__ void predicates(const int* x, int* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = __syncthreads_count(x[i]);
    out[n + i] = __syncthreads_and(x[i]);
    out[2 * n + i] = __syncthreads_or(x[i]);
    out[3 * n + i] = __syncthreads_count(threadIdx.x % 3 == 0);
}
extern "C" __global__ void reverse(int* x, int rounds) {
    __shared__ int local[128];
    extern __shared__ int dynamic[];
    const int i = threadIdx.x, last = blockDim.x - 1;
    for (int round = 0; round < rounds; ++round) {
        local[i] = x[blockIdx.x * blockDim.x + i];
        __syncthreads();
        dynamic[i] = local[last - i] + round;
        __syncthreads();
        x[blockIdx.x * blockDim.x + i] = dynamic[i];
    }
}
__device__ int blocks_done;
__constant__ int weights[4] = {1, 2, 3, 4};

extern "C" __global__ void sum_by_the_last_block(const int* x, int* partial, int* total) {
    __shared__ int sum;
    __shared__ bool last;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    atomicAdd(&sum, x[blockIdx.x * blockDim.x + threadIdx.x] * weights[threadIdx.x % 4]);
    __syncthreads();
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = sum;
        __threadfence();
        last = atomicInc((unsigned*)&blocks_done, gridDim.x - 1) == gridDim.x - 1;
        __threadfence();
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int all = 0;
        for (int i = 0; i < gridDim.x; ++i) all += partial[i];
        *total = all;
    }
}
template <typename T>
struct Node {
    T value;
    Node* next;
    __device__ Node(T value, Node* next) : value(value), next(next) {}
};
extern "C" __global__ void allocate(int* out, int n) {
    Node<int>* list = nullptr;
    for (int i = 0; i < n; ++i) list = new Node<int>(i * (threadIdx.x + 1), list);
    int* copy = (int*)malloc(n * sizeof(int));
    for (int i = 0; list; ++i) {
        copy[i] = list->value;
        Node<int>* next = list->next;
        delete list;
        list = next;
    }
    int* target = out + threadIdx.x * n;
    memset(target, 0, n * sizeof(int));
    memcpy(target, copy, n * sizeof(int));
    free(copy);
}
extern "C" __global__ void copies(float* to, const float* from, int n) {
    float local[4];
    memcpy(local, from + 4 * threadIdx.x, sizeof local);
    memmove(local + 1, local, 3 * sizeof(float));
    memcpy(to + 4 * threadIdx.x, local, n * sizeof(float));
}
struct Complex {
    float real, imaginary;
    Complex() = default;
    __device__ Complex(float real, float imaginary) : real(real), imaginary(imaginary) {}
};
extern "C" __global__ void shift_objects(float* x) {
    static __shared__ Complex local[32];
    volatile __shared__ float sum[1];
    local[threadIdx.x] = Complex(x[threadIdx.x], 1);
    if (threadIdx.x == 0) sum[0] = 5;
    __syncthreads();
    x[threadIdx.x] = local[(threadIdx.x + 1) % 32].real + local[threadIdx.x].imaginary + sum[0];
}
extern "C" __global__ void hello(const int* n) {
    assert(*n > 0);
    if (threadIdx.x == 2) printf("thread %d of %u: %.2f %s\n", threadIdx.x, blockDim.x, 1.5f, "text");
    if (threadIdx.x == 3) printf("plain\n");
}
extern "C" __global__ void clocks(long long* out) {
    const long long before = clock64();
    __nanosleep(100);
    const long long after = clock64();
    out[threadIdx.x] = after >= before && clock() != 0 && wall_clock64() > 0;
    double sine, cosine, whole;
    int exponent, quotient;
    sincos(0.5, &sine, &cosine);
    out[threadIdx.x] += sine * sine + cosine * cosine > 0.999;
    out[threadIdx.x] += frexp(12.0, &exponent) == 0.75 && exponent == 4;
    out[threadIdx.x] += modf(2.5, &whole) == 0.5 && whole == 2;
    out[threadIdx.x] += remquo(7.0, 2.0, &quotient) == -1 && quotient == 4;
    out[threadIdx.x] += __isLocal(&sine) && !__isLocal(out);
}
"""


def test_barriers_count_the_threads_whose_predicate_holds(warp, checks):
    x = np.array([[0] * 96, [1] * 96, [2] * 95 + [0], [0] * 50 + [-7] + [0] * 45], "i4")
    result = launch(SOURCE, "predicates", 4, 96, x, np.zeros((4, *x.shape), "i4"), x.size, warp=warp, checks=checks)[1]
    for row, function in enumerate([np.count_nonzero, np.all, np.any]):
        right = np.repeat([[int(function(block))] for block in x], 96, axis=1)
        np.testing.assert_array_equal(result[row], right)
    assert np.all(result[3] == 32)


@pytest.mark.parametrize("seed", range(4))
def test_a_barrier_lets_all_threads_see_shared_memory(seed, checks):
    x = np.arange(3 * 128, dtype="i4").reshape(3, 128)
    result = launch(SOURCE, "reverse", 3, 128, x, 5, shared=512, seed=seed, checks=checks)[0]
    np.testing.assert_array_equal(result, x[:, ::-1] + 10)


@pytest.mark.parametrize("seed", range(4))
def test_the_last_block_adds_up_what_the_others_wrote(seed, checks):
    x = np.random.default_rng(seed).integers(0, 100, 8 * 64).astype("i4")
    partial, total = np.zeros(8, "i4"), np.zeros(1, "i4")
    for _ in range(2):  # the counter of the module is 0 again after a launch
        result = launch(SOURCE, "sum_by_the_last_block", 8, 64, x, partial, total, seed=seed, checks=checks)
        assert result[2][0] == x @ np.tile([1, 2, 3, 4], 128)


def test_kernels_allocate_memory(checks):
    result = launch(SOURCE, "allocate", 1, 32, np.zeros((32, 10), "i4"), 10, checks=checks)[0]
    np.testing.assert_array_equal(result, np.outer(np.arange(1, 33), np.arange(9, -1, -1)))


def test_memory_is_copied_with_overlaps(checks):
    x = np.arange(4 * 32, dtype="f4").reshape(32, 4)
    result = launch(SOURCE, "copies", 1, 32, np.zeros_like(x), x, 4, checks=checks)[0]
    np.testing.assert_array_equal(result, x[:, [0, 0, 1, 2]])


def test_shared_memory_holds_objects_of_classes(checks):
    x = np.arange(32, dtype="f4")
    result = launch(SOURCE, "shift_objects", 1, 32, x, checks=checks)[0]
    np.testing.assert_array_equal(result, np.roll(x, -1) + 6)


def test_kernels_print(capfd):
    launch(SOURCE, "hello", 1, 32, np.ones(1, "i4"))
    assert sorted(capfd.readouterr().out.splitlines()) == ["plain", "thread 2 of 32: 1.50 text"]


def test_functions_that_write_through_pointers(checks):
    assert np.all(launch(SOURCE, "clocks", 1, 32, np.zeros(32, "i8"), checks=checks)[0] == 6)
