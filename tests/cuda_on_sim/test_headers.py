"""Headers of C++ beside what kernels have without an include: nothing clashes, and the results are the same."""

import numpy as np
import pytest
from accel.backends.cuda_on_cpu.build.machine_files import HEADERS as FOLDER

from .gpu import launch

HEADERS = [
    "cmath", "math.h", "cstdio", "stdio.h", "cstdlib", "stdlib.h", "cstring", "string.h", "algorithm", "limits",
    "type_traits", "new", "cassert", "cstdint", "ctime", "utility", "numeric", "memory", "vector", "functional",
    "complex", "iostream", "string", "map", "random", "chrono",
]  # fmt: skip
BODY = """
#ifdef USE_STD
static double more(float x) {
    using namespace std;
    return std::sin(x) + sqrt(x) + std::abs(x) + abs(-3) + abs(x) + pow(x, 2) + std::isnan(x);
}
#else
static double more(float x) {
    return sin(x) + sqrt(x) + abs(x) + abs(-3) + abs(x) + pow(x, 2) + isnan(x);
}
#endif
template <typename T>
__device__ __noinline__ T twice(T x) {
    return max(min(x, T(3)), T(1)) + abs(x) + sqrt(x) + pow(x, T(2)) + exp(x) + floor(x);
}
extern "C" __global__ void all_overloads(float* x, double* y, int n) {
    const int i = threadIdx.x;
    assert(i < n);
    y[i] = twice(x[i]) + twice(double(x[i])) + more(x[i]) + log(n) + pow(2, n) + pow(x[i], 3) + ceil(n / 2.0);
    y[i] += abs((long long)-n) + fma(x[i], x[i], 1.0f) + isfinite(x[i]) + signbit(-x[i]) + round(x[i]) + rsqrt(x[i]);
    float sine, cosine;
    sincosf(x[i], &sine, &cosine);
    int* local = (int*)malloc(sizeof(int));
    memset(local, 0, sizeof(int));
    y[i] += sine + cosine + *local + (sizeof(pow(x[i], x[i])) == 4) + (sizeof(sin(n)) == 8) + (clock() > 0);
    free(local);
    y[i] += (INFINITY > FLT_MAX) + isnan(NAN) + M_PI + (INT_MAX == 2147483647);
    x[i] = __expf(x[i]) + __sinf(x[i]) + __powf(x[i], 2.0f);
}
"""


def results(source, options=(), warp=32):
    x = np.linspace(0.5, 4, 32).astype("f4")
    return launch(source, "all_overloads", 1, 32, x, np.zeros(32), 32, options=options, warp=warp)[:2]


ALL = pytest.param("".join([f"#include <{each}>\n" for each in HEADERS]) + "#define USE_STD\n", (), id="all")
NEWER = pytest.param("#include <cmath>\n#include <cuda_runtime.h>\n#define USE_STD\n", ("-std=c++20",), id="c++20")


@pytest.mark.parametrize(("includes", "options"), [ALL, NEWER])
def test_a_kernel_computes_the_same_whatever_it_includes(includes, options, warp):
    right = results(BODY)
    for result, expected in zip(results(includes + BODY, options, warp), right, strict=True):
        np.testing.assert_array_equal(result, expected)


OURS = sorted({str(path.relative_to(FOLDER)) for path in FOLDER.rglob("*.h") if path.parent.name != "accel_sim"})
OF_HIP = [name for name in OURS if name.startswith("hip")]
OF_CUDA = [name for name in OURS if name not in OF_HIP]
OF_LIBRARIES = ["cuda/barrier", "cuda/pipeline", "cuda/atomic", "cuda/std/complex", "cuda/semaphore", "nv/target"]
GROUPS = """
using namespace cooperative_groups;
extern "C" __global__ void sum(int* x) {
    thread_block block = this_thread_block();
    thread_block_tile<32> tile = tiled_partition<32>(block);
    block.sync();
    x[threadIdx.x] = tile.shfl(x[threadIdx.x], 3);
}
"""


def works(names, warp):
    source = "".join([f"#include <{name}>\n" for name in names]) + GROUPS
    assert launch(source, "sum", 1, 32, np.arange(32, dtype="i4"), warp=warp)[0].tolist() == [3] * 32


# One order and its reverse: each header comes before and after each other one.
@pytest.mark.parametrize("step", [1, -1])
@pytest.mark.parametrize(("names", "warp"), [(OF_CUDA, 32), (OF_HIP, 64)], ids=["cuda", "hip"])
def test_the_headers_may_come_in_any_order(names, warp, step):
    works(names[::step], warp)


@pytest.mark.slow
@pytest.mark.parametrize("step", [1, -1])
def test_those_of_libraries_may_come_before_and_after_ours(step):
    works([*OF_LIBRARIES, *OF_CUDA][::step], 32)
