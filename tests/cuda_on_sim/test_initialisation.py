"""Reads of memory that was never written are reported; copies of what is partly written are not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .checks import Memory, ints, kinds, ran, setups

SOURCE = r"""
#define N 64
struct Pair { char letter; int number; };
struct Wide { char letter; double a, b, c; };

extern "C" __global__ void shared_written_by_some(int* out, int count) {
    __shared__ int s[N];
    if (threadIdx.x < count) s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void shared_bytes(unsigned char* out, int count) {
    __shared__ unsigned char s[N];
    if (threadIdx.x < count) s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
extern "C" __global__ void dynamic_written_by_some(int* out, int count) {
    extern __shared__ int d[];
    if (threadIdx.x < count) d[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x] = d[threadIdx.x];
}
extern "C" __global__ void sum_without_zero(int* out) {
    __shared__ int sum;
    atomicAdd(&sum, 1);
    __syncthreads();
    out[threadIdx.x] = sum;
}
extern "C" __global__ void copy(const int* in, int* out) { out[threadIdx.x] = in[threadIdx.x]; }
extern "C" __global__ void fill_then_copy(int* between, int* out) {
    between[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = between[threadIdx.x];
}
__device__ __attribute__((noinline)) void maybe(int* value, bool really) { if (really) *value = 1; }
__device__ __attribute__((noinline)) int used(const int* value) { return *value; }
extern "C" __global__ void local_by_pointer(int* out, int really) {
    int x;
    maybe(&x, really);
    out[threadIdx.x] = used(&x);
}
extern "C" __global__ void local_array(int* out, int count) {
    int values[8];
    for (int i = 0; i < count; ++i) maybe(&values[i], true);
    int sum = 0;
    for (int i = 0; i < 8; ++i) sum += used(&values[i]);
    out[threadIdx.x] = sum;
}
__device__ __attribute__((noinline)) int leaves_marks(int n) {
    int values[32];
    maybe(&values[n], true);
    return used(&values[n]);
}
__device__ __attribute__((noinline)) int writes_all(int n) {
    int values[32] = {};
    maybe(&values[n], true);
    int sum = 0;
    for (int i = 0; i < 32; ++i) sum += used(&values[i]);
    return sum;
}
extern "C" __global__ void frames_after_frames(int* out) {
    int sum = 0;
    for (int i = 0; i < 4; ++i) sum += leaves_marks(i) + writes_all(i);
    out[threadIdx.x] = sum;
}
__device__ __attribute__((noinline)) int by_value(Wide w, int which) { return which ? int(w.a) : w.letter; }
extern "C" __global__ void parameters_after_frames(int* out) {
    int sum = leaves_marks(3);
    Wide wide;
    wide.letter = 1, wide.a = 2;
    sum += by_value(wide, threadIdx.x % 2);
    out[threadIdx.x] = sum;
}
extern "C" __global__ void scopes_after_scopes(int* out, int count) {
    int sum = 0;
    for (int round = 0; round < 3; ++round) {
        if (round % 2) {
            int some[40];
            for (int i = 0; i < count; ++i) some[i] = i;
            if (count > 0) sum += some[count - 1];
        } else {
            int all[40] = {1, 2, round};
            for (int x : all) sum += x;
        }
    }
    out[threadIdx.x] = sum;
}
extern "C" __global__ void padded(Pair* pairs, Wide* wides) {
    __shared__ Pair s[N];
    __shared__ Wide w[N];
    Pair one;
    one.letter = 'a', one.number = threadIdx.x;
    Wide wide;
    wide.letter = 'b', wide.b = 3;
    s[threadIdx.x] = one;
    w[threadIdx.x] = wide;
    __syncthreads();
    pairs[threadIdx.x] = s[N - 1 - threadIdx.x];
    wides[threadIdx.x] = w[N - 1 - threadIdx.x];
}
extern "C" __global__ void part_of_a_vector(float4* out) {
    __shared__ float4 s[N];
    s[threadIdx.x].x = 1, s[threadIdx.x].y = 2, s[threadIdx.x].z = 3;
    __syncthreads();
    out[threadIdx.x] = s[N - 1 - threadIdx.x];
}
extern "C" __global__ void heap(int* out, int count) {
    int* own = (int*)malloc(16);
    for (int i = 0; i < count; ++i) own[i] = i;
    out[threadIdx.x] = own[3];
    free(own);
}
extern "C" __global__ void each_block_anew(int* out) {
    __shared__ int s[N];
    if (blockIdx.x == 0) s[threadIdx.x] = 1;
    __syncthreads();
    out[threadIdx.x + blockIdx.x * N] = s[threadIdx.x];
}
extern "C" __global__ void filled(int* out, int size) {
    __shared__ int s[N];
    if (threadIdx.x == 0) memset(s, 0, size);
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x];
}
"""
N = 64
SETUPS = setups()


def launch(setup, kernel, *arguments, threads=N, grid=1, **options):
    options = {"checks": "memory,race,init", **options}
    return ran(SOURCE, kernel, grid, threads, *arguments, setup=setup, **options)


def count(outcome):
    """How many reads were reported, all of them of memory that was never written."""
    assert set(kinds(outcome)) <= {"UNINITIALIZED"}
    return sum(finding.count for finding in outcome.findings)


@pytest.mark.parametrize("kernel", ["shared_written_by_some", "shared_bytes", "dynamic_written_by_some"])
@settings(max_examples=15)
@given(written=st.integers(0, N))
def test_each_read_of_shared_memory_that_was_never_written_is_reported(kernel, written):
    for setup in SETUPS:
        outcome = launch(setup, kernel, ints(), written, shared=4 * N)
        assert count(outcome) == N - written
        assert all(finding.space == (3 if "dynamic" in kernel else 2) for finding in outcome.findings)


def test_an_atomic_update_reads(setup):
    assert count(launch(setup, "sum_without_zero", ints())) == 1


@settings(max_examples=15)
@given(written=st.lists(st.booleans(), min_size=N, max_size=N))
def test_each_read_of_an_element_that_was_never_written_is_reported(written):
    for setup in SETUPS:
        memory = ints(written=False)
        memory.marks[: 4 * N] = np.repeat(written, 4)
        assert count(launch(setup, "copy", memory, ints())) == written.count(False)


def test_bytes_other_than_those_of_new_memory_count_as_written(setup):
    memory = ints(written=False)
    memory.values[:10] = 5
    assert count(launch(setup, "copy", memory, ints())) == N - 10


def test_writes_of_a_kernel_count_for_this_launch_and_later_ones(setup):
    memory = ints(written=False)
    assert count(launch(setup, "fill_then_copy", memory, ints())) == 0
    assert memory.marks[: 4 * N].all()
    assert count(launch(setup, "copy", memory, ints())) == 0


def test_a_local_variable_without_a_value_is_reported(setup):
    assert count(launch(setup, "local_by_pointer", ints(), 0)) == N
    assert count(launch(setup, "local_by_pointer", ints(), 1)) == 0


@pytest.mark.parametrize("written", [0, 3, 8])
def test_elements_of_a_local_array_have_values_one_by_one(setup, written):
    outcome = launch(setup, "local_array", ints(), written, threads=4)
    assert count(outcome) == 4 * (8 - written)
    assert all(finding.space == 4 for finding in outcome.findings)


@pytest.mark.parametrize("kernel", ["frames_after_frames", "parameters_after_frames"])
def test_what_a_function_left_unwritten_is_forgotten_when_it_ends(setup, kernel):
    assert count(launch(setup, kernel, ints())) == 0


def test_what_a_scope_left_unwritten_is_forgotten_when_it_ends(setup):
    for written in (0, 3):
        assert count(launch(setup, "scopes_after_scopes", ints(), written)) == 0


def test_structures_are_copied_with_their_gaps(setup):
    assert count(launch(setup, "padded", Memory(np.zeros(N, "u8")), Memory(np.zeros(4 * N, "u8")))) == 0
    assert count(launch(setup, "part_of_a_vector", Memory(np.zeros(4 * N, "f4")))) == 0


def test_memory_of_malloc_has_no_value(setup):
    assert count(launch(setup, "heap", ints(), 3)) == N
    assert count(launch(setup, "heap", ints(), 4)) == 0


def test_each_block_begins_with_unwritten_shared_memory(setup):
    assert count(launch(setup, "each_block_anew", ints(3 * N), grid=3)) == 2 * N


@pytest.mark.parametrize("size", [0, 4, 4 * N])
def test_fills_write(setup, size):
    assert count(launch(setup, "filled", ints(), size)) == N - size // 4
