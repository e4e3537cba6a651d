"""The heap of a device: malloc, free, new and delete in kernels; and functions of the host that kernels cannot have."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import accel
from accel.errors import KernelFaultError, KernelMemoryError
from accel.memory import heap_of

from ..tables import rows
from .gpu import Gpu, launch

SOURCE = r"""
#include <csignal>
#include <cstdlib>
#include <exception>

__device__ int* kept[64];
extern "C" __global__ void keep(int* y) {
    kept[threadIdx.x] = (int*)malloc(threadIdx.x * 4 + 4);
    *kept[threadIdx.x] = threadIdx.x;
}
extern "C" __global__ void free_those_of_others(int* y) {
    const int other = blockDim.x - 1 - threadIdx.x;
    y[threadIdx.x] = *kept[other];
    free(kept[other]);
    free(nullptr);
}
extern "C" __global__ void ask(long long size, int* given) {
    char* p = (char*)malloc(size);
    *given = p != nullptr;
    if (p) p[0] = p[size - 1] = 1;
    free(p);
    p = new char[size];
    *given += 2 * (p != nullptr);
    delete[] p;
}
// Each operation is a size to allocate, or minus a place to free.
extern "C" __global__ void operate(const int* operations, int count, int* given, int* damaged) {
    unsigned char* pieces[64] = {};
    int sizes[64] = {};
    for (int i = 0; i < count; ++i) {
        const int operation = operations[i];
        if (operation > 0) {
            pieces[i] = (unsigned char*)malloc(operation);
            sizes[i] = operation;
            given[i] = pieces[i] != nullptr && (size_t)pieces[i] % 16 == 0;
            if (pieces[i]) memset(pieces[i], i, operation);
        } else {
            unsigned char* piece = pieces[-operation];
            for (int j = 0; piece && j < sizes[-operation]; ++j) *damaged |= piece[j] != -operation;
            free(piece);
            pieces[-operation] = nullptr;
        }
    }
    for (int i = 0; i < count; ++i) {
        for (int j = 0; pieces[i] && j < sizes[i]; ++j) *damaged |= pieces[i][j] != i;
        free(pieces[i]);
    }
}
"""

WRONG_FREES = {
    "free_twice": "float* p = (float*)malloc(16); p[0] = 1; free(p); free(p);",
    "free_long_after": "void* p = malloc(16); free(p); for (int i = 0; i < 99; ++i) free(malloc(16)); free(p);",
    "free_an_argument": "free(y);",
    "free_the_middle": "char* p = (char*)malloc(64); free(p + 16);",
    "free_an_odd_address": "char* p = (char*)malloc(64); free(p + 1);",
    "free_shared_memory": "__shared__ float s[4]; s[0] = 1; free(s);",
    "free_a_local_variable": "float local[4]; local[0] = *y; free(local); *y = local[0];",
    "free_a_number": "free((void*)16);",
    "free_before_malloc": "free((char*)y + ((size_t)1 << 40));",
    "delete_twice": "int* volatile p = new int(3); delete p; delete p;",
    "delete_an_array_twice": "float* volatile p = new float[4]; p[0] = 1; delete[] p; delete[] p;",
    "delete_after_free": "int* volatile p = new int(3); int* q = (int*)malloc(4); free(q); delete p; delete q;",
}
OTHER_WAYS = {
    "delete_an_array_as_one": "int* volatile p = new int[4]; delete p;",
    "delete_one_as_an_array": "int* volatile p = new int; delete[] p;",
    "delete_what_malloc_gave": "int* p = (int*)malloc(4); delete p;",
    "free_what_new_gave": "int* volatile p = new int; free(p);",
}
ENDS = {
    "call_abort": "abort();",
    "call_std_abort": "std::abort();",
    "call_builtin_abort": "__builtin_abort();",
    "call_terminate": "std::terminate();",
    "call_trap": "__trap();",
    "call_exit": "exit(3);",
    "call_quick_exit": "std::quick_exit(3);",
    "call_end": "_Exit(3);",
    "call_raise": "raise(SIGABRT);",
    "call_realloc": "void* p = malloc(16); p = realloc(p, 32); free(p);",
    "call_calloc": "free(calloc(4, 4));",
}
ACCESSES = {
    "write_past_the_end": "char* p = (char*)malloc(10); p[10] = 1; free(p);",
    "read_after_free": "float* p = (float*)malloc(16); p[0] = 1; free(p); *y = p[0];",
    "read_unwritten": "float* p = (float*)malloc(16); *y = p[1]; free(p);",
}
SOURCE += "".join(
    f'extern "C" __global__ void {name}(float* y) {{ *y = {number}; {body} }}\n'
    for number, (name, body) in enumerate({**WRONG_FREES, **OTHER_WAYS, **ENDS, **ACCESSES}.items())
)


def free_bytes():
    return next(usage.free_bytes for usage in accel.memory.snapshot().devices if str(usage.device) == "sim")


def failure(kernel, checks, error):
    with pytest.raises(error) as caught:
        launch(SOURCE, kernel, 1, 1, np.zeros(4, "f4"), checks=checks)
    assert not heap_of(accel.Device.SIM).backend.spaces[0].heap.used, (
        "what a launch that was stopped had allocated is returned"
    )
    return caught.value.reports[0]


@pytest.mark.parametrize("kernel", WRONG_FREES)
def test_a_wrong_address_is_not_freed(kernel, checks):
    report = failure(kernel, checks, KernelMemoryError)
    assert report.kind == "wrong free"
    assert report.place.frames[0].text.startswith(f'extern "C" __global__ void {kernel}(')


@pytest.mark.parametrize("kernel", OTHER_WAYS)
def test_memory_is_freed_in_the_way_in_which_it_was_allocated(kernel):
    assert failure(kernel, "memory", KernelMemoryError).kind == "wrong free"
    launch(SOURCE, kernel, 1, 2, np.zeros(4, "f4"), checks="none")  # as on a GPU, where all of these are the same


@pytest.mark.parametrize("kernel", ENDS)
def test_functions_that_end_a_process_stop_the_kernel_only(kernel, checks):
    report = failure(kernel, checks, KernelFaultError)
    assert report.kind in {"trap", "host call"}
    assert report.place.frames[0].text.startswith(f'extern "C" __global__ void {kernel}(')


@pytest.mark.parametrize(
    ("kernel", "kind"),
    [
        ("write_past_the_end", "out of bounds"),
        ("read_after_free", "use after release"),
        ("read_unwritten", "read of memory that was never written"),
    ],
)
def test_the_bytes_of_the_heap_are_checked(kernel, kind):
    report = failure(kernel, "all", accel.errors.KernelCheckError)
    assert (report.kind, report.space) == (kind, "heap")


def test_threads_free_what_others_and_earlier_launches_allocated(checks):
    gpu = Gpu(SOURCE, checks=checks)
    y = gpu.zeros(64, "i4")
    before = free_bytes()
    gpu.launch("keep", 1, 64, y)
    assert free_bytes() == before - sum(range(4, 260, 4))
    gpu.launch("free_those_of_others", 1, 64, y)
    gpu.expect(y, np.arange(64)[::-1])
    assert free_bytes() == before


@pytest.mark.parametrize(("size", "given"), [(1, 3), (8000 << 10, 3), (8 << 20, 0), (1 << 40, 0)])
def test_the_heap_has_the_bytes_that_it_has_by_default(size, given, checks):
    assert launch(SOURCE, "ask", 1, 1, size, np.zeros(1, "i4"), checks=checks)[1] == given


@pytest.mark.slow
def test_the_size_of_the_heap_is_a_setting(checks):
    for heap, size, expected in [
        (1 << 16, 60_000, 3),
        (1 << 16, 1 << 16, 0),
        (64 << 20, 63 << 20, 3),
        (8 << 20, 9 << 20, 0),
    ]:
        with accel.using(sim_heap=heap):
            assert launch(SOURCE, "ask", 1, 1, size, np.zeros(1, "i4"), checks=checks)[1] == expected


OPERATIONS = st.lists(st.one_of(st.integers(1, 3000), st.integers(-63, 0)), min_size=1, max_size=64)


@settings(deadline=None)
@given(OPERATIONS, st.sampled_from(["none", "memory,init"]))
def test_pieces_of_the_heap_do_not_overlap_and_are_used_again(operations, checks):
    freed = set()
    for place, operation in enumerate(operations):
        if operation <= 0 and (-operation in freed or -operation >= place or operations[-operation] <= 0):
            operations[place] = 1  # there is nothing to free
        elif operation <= 0:
            freed.add(-operation)
    array = np.array(operations, "i4")
    with accel.using(sim_heap=1 << 16):
        for _ in range(3):
            arguments = array, len(operations), np.zeros_like(array), np.zeros(1, "i4")
            given, damaged = launch(SOURCE, "operate", 1, 1, *arguments, checks=checks)[2:]
            assert not damaged[0]
            if array[array > 0].sum() < 30_000:
                np.testing.assert_array_equal(given, array > 0)
            whole = launch(SOURCE, "ask", 1, 1, 65_000, np.zeros(1, "i4"), checks=checks)[1]
            assert whole == 3, "all was freed, so there is room again"


DEEP = r"""
__device__ __attribute__((noinline)) int deep(int level, int first, int size) {
    volatile char* room = (volatile char*)__builtin_alloca(first);
    room[0] = level;
    void* piece = malloc(size);
    const int below = deep(level + 1, 16, size);
    free(piece);
    return below + room[0];
}
__device__ __attribute__((noinline)) int deep_print(int level, int first) {
    volatile char* room = (volatile char*)__builtin_alloca(first);
    room[0] = level;
    printf("%d ", level);
    return deep_print(level + 1, 512) + room[0];
}
extern "C" __global__ void fall(int* y, int first, int size) { y[0] = deep(0, first, size); }
extern "C" __global__ void fall_printing(int* y, int first, int size) { y[0] = deep_print(0, first); }
extern "C" __global__ void go_on(int* y) {
    int* piece = (int*)malloc(64);
    printf("-");
    y[0] = piece != nullptr;
    free(piece);
}
"""


@pytest.mark.slow
@rows("kernel, checks, size", [("fall", "none", 16), ("fall", "all", 1000), ("fall_printing", "none", 0)])
def test_a_kernel_whose_stack_ends_in_the_runtime_leaves_no_lock_behind(kernel, checks, size, capsys):
    fall, go_on = (accel.RawKernel.from_source(DEEP, name) for name in (kernel, "go_on"))
    with accel.using(kernel_checks=checks):
        for first in range(16, 1216, 48):
            with pytest.raises(KernelFaultError, match="stack overflow"):
                fall(accel.container([0], "int32", device="sim"), first, size, grid=1, block=1).wait()
            y = accel.container([0], "int32", device="sim")
            go_on(y, grid=1, block=1)
            assert y.to_numpy().tolist() == [1]
