"""Accesses outside of memory, misaligned, to released or to constant memory stop a launch before they are made."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .checks import ROOM, Memory, ints, kinds, ran, setups

SOURCE = r"""
#define N 64
__device__ int table[8];
__constant__ int fixed[4];
struct Pair { char letter; int number; };
struct alignas(16) Four { float x, y, z, w; };

extern "C" __global__ void write_at(int* out, int at) { out[at] = 7; }
extern "C" __global__ void read_at(const int* in, int* out, int at) { out[0] = in[at]; }
extern "C" __global__ void update_at(int* out, int at) { atomicAdd(&out[at], 1); }
extern "C" __global__ void volatile_at(volatile int* out, int at) { out[at] = 1; }
extern "C" __global__ void wide_at(double* out, int at) { *(double*)((char*)out + at) = 1.0; }
extern "C" __global__ void copy_to(char* out, const char* in, int size) { memcpy(out, in, size); }
extern "C" __global__ void set(char* out, int size) { memset(out, 0, size); }
extern "C" __global__ void global_at(int* out, int at) { out[0] = table[at & 15]; }
extern "C" __global__ void indexed(int* out, int at) { int local[8] = {}; local[at] = 1; out[0] = local[at / 2]; }
extern "C" __global__ void shared_at(int* out, int at) {
    __shared__ int first[N];
    int* pointer = first;
    first[threadIdx.x] = threadIdx.x;
    out[0] = pointer[at];
}
extern "C" __global__ void dynamic_at(int* out, int at) {
    extern __shared__ int dynamic[];
    dynamic[at] = 1;
    out[0] = dynamic[at];
}
extern "C" __global__ void write_fixed() { int* pointer = fixed; pointer[1] = 2; }
extern "C" __global__ void read_fixed(int* out) { out[threadIdx.x] = fixed[threadIdx.x % 4]; }
extern "C" __global__ void follow(int** in) { **in = 1; }
extern "C" __global__ void misplaced(char* out, int at) { ((Four*)(out + at))->y = 1; }
extern "C" __global__ void misplaced_int(char* out, int at) { *(int*)(out + at) = 1; }
extern "C" __global__ void structures(Pair* out, Four* four) {
    Pair one;
    one.letter = 'a', one.number = 2;
    out[threadIdx.x] = one;
    four[threadIdx.x] = four[threadIdx.x];
}
extern "C" __global__ void heap_at(int* out, int at) {
    int* own = (int*)malloc(16);
    for (int i = 0; i < 4; ++i) own[i] = i;
    out[0] = own[at];
    free(own);
}
extern "C" __global__ void heap_after_free(int* out) {
    int* own = (int*)malloc(16);
    own[0] = 1;
    free(own);
    out[0] = own[0];
}
extern "C" __global__ void literals(char* out) {
    const char* text = "a text in the module";
    static const float factors[4] = {1, 2, 3, 4};
    out[threadIdx.x] = text[threadIdx.x % 20] + int(factors[threadIdx.x % 4]);
}
__device__ void fill(int* values, int count) { for (int i = 0; i < count; ++i) values[i] = i; }
extern "C" __global__ void locals(int* out) {
    int values[16];
    fill(values, 16);
    int sum = 0;
    for (int i = 0; i < 16; ++i) sum += values[(i * 5 + threadIdx.x) % 16];
    out[threadIdx.x] = sum;
}
"""
SETUPS = setups()


def launch(setup, kernel, *arguments, threads=1, **options):
    return ran(SOURCE, kernel, 1, threads, *arguments, setup=setup, **options)


@pytest.mark.parametrize("kernel", ["write_at", "update_at", "volatile_at"])
@settings(max_examples=15)
@given(at=st.integers(-100, 200))
def test_a_write_is_made_exactly_if_it_is_in_bounds(kernel, at):
    for setup in SETUPS:
        memory = ints()
        outcome = launch(setup, kernel, memory, at)
        assert bool(memory.values.any()) == (0 <= at < 64)
        assert kinds(outcome) == ([] if 0 <= at < 64 else ["OUT_OF_BOUNDS"])


def test_an_access_that_misses_the_memory_of_a_test_hits_no_other():
    first, second = ints(), ints()
    assert abs(first.address - second.address) >= 2 * ROOM


@pytest.mark.parametrize("at", [-1, 64, 10_000])
def test_a_read_out_of_bounds_names_the_nearest_memory(setup, at):
    read, written = ints(), ints()
    outcome = launch(setup, "read_at", read, written, at)
    assert kinds(outcome) == ["OUT_OF_BOUNDS"]
    finding = outcome.findings[0]
    assert finding.address == read.address + 4 * at
    assert (finding.here.mode, finding.here.size, finding.space) == (1, 4, 1)


def test_an_access_may_begin_inside_and_end_outside(setup):
    memory = Memory(np.zeros(20, np.uint8))
    assert kinds(launch(setup, "wide_at", memory, 16)) == ["OUT_OF_BOUNDS"]
    assert kinds(launch(setup, "wide_at", memory, 8)) == []


@pytest.mark.parametrize(("to", "size"), [(64, 65), (65, 65)])
def test_copies_and_fills_are_checked_as_a_whole(setup, to, size):
    target, source = Memory(np.ones(to, np.uint8)), Memory(np.zeros(64, np.uint8))
    assert kinds(launch(setup, "copy_to", target, source, size)) == ["OUT_OF_BOUNDS"]
    assert kinds(launch(setup, "copy_to", target, source, 64)) == []
    assert not target.values[:64].any()
    assert kinds(launch(setup, "set", target, to + 1)) == ["OUT_OF_BOUNDS"]
    assert kinds(launch(setup, "set", target, to)) == []


def test_an_index_of_a_variable_of_constant_size_is_checked(setup):
    assert kinds(launch(setup, "indexed", ints(), 8)) == ["INDEX_OUT_OF_BOUNDS"]
    assert launch(setup, "indexed", ints(), 8).findings[0].detail == 8
    assert kinds(launch(setup, "indexed", ints(), 7)) == []
    assert kinds(launch(setup, "global_at", ints(), 9)) == ["INDEX_OUT_OF_BOUNDS"]
    assert kinds(launch(setup, "global_at", ints(), 7)) == []


@pytest.mark.parametrize("at", [-1, 64, 100])
def test_shared_memory_ends_with_its_variables(setup, at):
    assert "OUT_OF_BOUNDS" in kinds(launch(setup, "shared_at", ints(), at, threads=64))
    assert kinds(launch(setup, "shared_at", ints(), 0)) == []


def test_dynamic_shared_memory_has_the_bytes_of_the_launch(setup):
    assert kinds(launch(setup, "dynamic_at", ints(), 4, shared=16)) == ["OUT_OF_BOUNDS"]
    assert kinds(launch(setup, "dynamic_at", ints(), 3, shared=16)) == []
    assert kinds(launch(setup, "dynamic_at", ints(), 0, shared=0)) != []


def test_released_memory_is_not_used(setup):
    memory = ints(released=True)
    assert kinds(launch(setup, "write_at", memory, 3)) == ["RELEASED"]
    assert not memory.values.any()


def test_constant_memory_is_not_written(setup):
    assert kinds(launch(setup, "write_fixed")) == ["READ_ONLY"]
    assert kinds(launch(setup, "write_at", ints(readonly=True), 3)) == ["READ_ONLY"]
    assert kinds(launch(setup, "read_fixed", ints(), threads=8)) == []


@pytest.mark.parametrize(
    ("pointer", "text"), [(0, b"null"), (8, b"null"), ((1 << 48) + 512, b"simulated device"), (1 << 47, b"")]
)
def test_addresses_of_no_memory_are_invalid(setup, pointer, text):
    outcome = launch(setup, "follow", Memory(np.array([pointer], np.uint64)))
    assert kinds(outcome) == ["INVALID_ADDRESS"]
    assert text in outcome.findings[0].text
    assert outcome.findings[0].address == pointer


def test_accesses_are_aligned(setup):
    memory = Memory(np.zeros(64, np.uint8))
    assert kinds(launch(setup, "misplaced_int", memory, 2)) == ["MISALIGNED"]
    assert b"int" in launch(setup, "misplaced_int", memory, 2).findings[0].text
    assert kinds(launch(setup, "misplaced_int", memory, 4)) == []
    assert kinds(launch(setup, "misplaced", memory, 8)) == ["MISALIGNED"]
    assert kinds(launch(setup, "misplaced", memory, 16)) == []
    assert kinds(launch(setup, "wide_at", memory, 4)) == ["MISALIGNED"]


def test_memory_of_malloc_has_bounds_and_an_end(setup):
    assert kinds(launch(setup, "heap_at", ints(), 3)) == []
    assert kinds(launch(setup, "heap_at", ints(), 4)) == ["OUT_OF_BOUNDS"]
    assert kinds(launch(setup, "heap_after_free", ints())) == ["RELEASED"]


def test_what_is_allowed_is_not_reported(setup):
    pairs, fours = Memory(np.zeros(64, np.uint64)), Memory(np.ones(256, np.float32))
    assert kinds(launch(setup, "structures", pairs, fours, threads=64)) == []
    assert kinds(launch(setup, "literals", Memory(np.zeros(64, np.uint8)), threads=64)) == []
    out = ints()
    assert kinds(launch(setup, "locals", out, threads=64)) == []
    assert (out.values == sum(range(16))).all()


def test_only_checks_that_are_on_report(setup):
    assert kinds(launch(setup, "heap_at", ints(), 5, checks="race,init")) in ([], ["UNINITIALIZED"])
    assert kinds(launch(setup, "misplaced_int", Memory(np.zeros(8, np.uint8)), 2, checks="race")) == []
