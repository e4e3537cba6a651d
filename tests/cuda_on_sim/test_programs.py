"""Whole programs, with host code and `main`, on the simulated device."""

import json
import platform
import re
import subprocess
import sys
from pathlib import Path

import pytest
from accel.backends.cuda_on_cpu.programs.execution import run_program
from accel.backends.cuda_on_cpu.programs.files import device_variables
from accel.backends.cuda_on_cpu.programs.launches import with_launches
from accel.backends.cuda_on_cpu.programs.shadowing import renamed

from accel import config
from accel.errors import KernelSyntaxError

WHOLE = """
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <vector>
#include "helper.cuh"

__constant__ float factor;
__device__ int counter;

__global__ void scale(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
    if (i == 0) counter = 7;
}

template <class T>
__global__ void add(T* x, T value, int n) {
    extern __shared__ char bytes[];
    T* part = (T*)bytes;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = value;
    __syncthreads();
    if (i < n) x[i] += part[blockDim.x - 1 - threadIdx.x];
}

template <int N, class T>
__global__ void fill(T* x, T value = 3) { if (threadIdx.x < N) x[threadIdx.x] = value; }

#define LAUNCH(kernel, ...) kernel<<<1, 32>>>(__VA_ARGS__)

static void fail(const char* what) { printf("FAIL %s\\n", what); exit(3); }
static void expect(bool holds, const char* what) { if (!holds) fail(what); }

struct Runner {
    float* x;
    template <class T> void go(dim3 gridDim, dim3 blockDim, int n) {
        add<T><<<gridDim, blockDim, blockDim.x * sizeof(T)>>>((T*)x, T(1), n);
    }
};

int main(int argc, char** argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    const int past = argc > 2 ? atoi(argv[2]) : 0;
    std::vector<float> host(n, 1.5f);
    std::map<int, int> of_host{{1, 2}};
    float *x, two = 2;
    expect(cudaMalloc(&x, n * sizeof(float)) == cudaSuccess, "malloc");
    cudaMemcpyToSymbol(factor, &two, sizeof two);
    cudaMemcpy(x, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
    cudaEvent_t begin, end;
    cudaEventCreate(&begin), cudaEventCreate(&end);
    cudaEventRecord(begin);
    scale<<<(n + 255) / 256, 256>>>(x, n + past);
    cudaEventRecord(end);
    float milliseconds = -1;
    cudaEventElapsedTime(&milliseconds, begin, end);
    if (past) {
        printf("%s\\n", cudaGetErrorString(cudaGetLastError()));
        return 0;
    }
    expect(milliseconds >= 0, "time");
    Runner{x}.go<float>((n + 63) / 64, dim3(64), n);
    add<<<(n + 63) / 64, 64, 64 * sizeof(float)>>>(x, two, n);
    void* arguments[] = {&x, &two, (void*)&n};
    cudaLaunchKernel((void*)add<float>, dim3((n + 63) / 64), dim3(64), arguments, 64 * sizeof(float), 0);
    hipLaunchKernelGGL(scale, dim3((n + 63) / 64), dim3(64), 0, 0, x, n);
    cudaMemcpy(host.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost);
    for (float value : host) expect(value == 2 * (2 * 1.5f + 1 + 2 + 2), "values");
    LAUNCH(fill<4>, x, 9.0f);
    LAUNCH((fill<4, float>), x);
    cudaMemcpy(host.data(), x, 5 * sizeof(float), cudaMemcpyDefault);
    expect(host[0] == 3 && host[3] == 3 && host[4] == 16, "default arguments");
    int seen;
    cudaMemcpyFromSymbol(&seen, counter, sizeof seen);
    expect(seen == 7, "symbols");
    int* pitched;
    size_t pitch;
    cudaMallocPitch(&pitched, &pitch, 12, 3);
    int rows[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, back[9] = {};
    cudaMemcpy2D(pitched, pitch, rows, 12, 12, 3, cudaMemcpyHostToDevice);
    cudaMemcpy2D(back, 12, pitched, pitch, 12, 3, cudaMemcpyDeviceToHost);
    expect(!memcmp(rows, back, sizeof rows), "rows");
    cudaDeviceProp properties;
    cudaGetDeviceProperties(&properties, 0);
    expect(properties.warpSize == warps_of_the_helper(), "properties");
    expect(clock() / CLOCKS_PER_SEC < 100000, "seconds of the processor, not nanoseconds since it started");
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaFree(x);
    printf("PASS\\n");
    fflush(stdout);
    return argc > 3 ? 5 : 0;
}
"""
HELPER = "#pragma once\ninline int warps_of_the_helper() { return ACCEL_SIM_WARP; }\n"

WRONG = """
#include <cstring>
#include <cstdlib>
#include <stdexcept>
__global__ void write(int* x) { x[threadIdx.x] = 1; }
__global__ void keep(int* x) {}
__global__ void freed(int* x) { void* p = malloc(8); free(p); free(p); }
__global__ void thrown(int* x) { throw 1; }
__global__ void moved(int* x) { free(realloc(malloc(8), 16)); }
__global__ void total(int* x) { *x = *x + 1; }
__global__ void wait_for(volatile int* x) { while (*x != 77) {} }
int main(int argc, char** argv) {
    const char* what = argv[1];
    int *x, host[8] = {};
    cudaMalloc(&x, sizeof host);
    if (!strcmp(what, "host pointer")) write<<<1, 8>>>((int*)malloc(sizeof host));
    if (!strcmp(what, "released")) { cudaFree(x); write<<<1, 8>>>(x); }
    if (!strcmp(what, "not written")) total<<<1, 1>>>(x);
    if (!strcmp(what, "race")) { cudaMemset(x, 0, sizeof host); total<<<4, 1>>>(x); }
    if (!strcmp(what, "copy")) cudaMemcpy(x, host, 2 * sizeof host, cudaMemcpyHostToDevice);
    if (!strcmp(what, "twice")) { cudaFree(x); cudaFree(x); }
    if (!strcmp(what, "large block")) write<<<1, 2000>>>(x);
    if (!strcmp(what, "crash")) abort();
    if (!strcmp(what, "large memory") && cudaMalloc(&x, size_t(1) << 60) != cudaErrorMemoryAllocation) return 9;
    if (!strcmp(what, "large memory") && cudaGetLastError() != cudaErrorMemoryAllocation) return 9;
    if (!strcmp(what, "large grid")) {
        void* arguments[] = {&x};
        int blocks = 0, processors = 0;
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, write, 8, 0);
        cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
        blocks *= processors;
        if (cudaLaunchCooperativeKernel((void*)keep, blocks, 1, arguments, 0, 0)) return 8;
        const cudaError_t error = cudaLaunchCooperativeKernel((void*)keep, blocks + 1, 1, arguments, 0, 0);
        if (error != cudaErrorCooperativeLaunchTooLarge) return 9;
    }
    if (!strcmp(what, "double free")) freed<<<1, 2>>>(x);
    if (!strcmp(what, "throw")) thrown<<<1, 1>>>(x);
    try { throw std::runtime_error("of the host"); } catch (const std::exception&) {}
    if (!strcmp(what, "realloc")) moved<<<1, 1>>>(x);
    return 0;
}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("programs")
    for name, text in {"whole.cu": WHOLE, "helper.cuh": HELPER, "wrong.cu": WRONG}.items():
        (path / name).write_text(text)
    return path


def run(file, *arguments, checks="all", warp=32, **options):
    with (
        config.using(kernel_checks=checks, sim_warp=warp),
        (file.parent / f"{'-'.join(arguments)}{warp}.out").open("w+b") as output,
    ):
        ended = run_program([file], arguments, output=output.fileno(), **options)
        output.seek(0)
        return ended, output.read().decode()


def test_a_right_program_runs_to_its_end_without_findings(folder, warp):
    ended, output = run(folder / "whole.cu", "700", warp=warp)
    assert (ended.code, output, ended.reports) == (0, "PASS\n", [])


def test_the_exit_code_is_that_of_main(folder):
    ended, _ = run(folder / "whole.cu", "64", "0", "more")
    assert ended.code == 5


def test_an_access_out_of_bounds_is_reported_with_its_line_and_the_allocation(folder):
    ended, output = run(folder / "whole.cu", "1000", "1")
    (report,) = ended.reports
    assert (report.check, report.kind, report.kernel, report.offset) == ("memory", "out of bounds", "scale", 4000)
    line = 1 + next(number for number, text in enumerate(WHOLE.splitlines()) if "x[i] *= factor" in text)
    assert (Path(report.place.frames[0].file).name, report.place.frames[0].line) == ("whole.cu", line)
    assert "4000 bytes of cudaMalloc" in report.memory
    assert "an illegal memory access was encountered" in output


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        ("host pointer", "invalid address|out of bounds"),
        ("released", "released"),
        ("not written", "never written"),
        ("race", "race in kernel total"),
        ("copy", "cudaMemcpy at .*wrong.cu:[0-9]+: the destination has 64 bytes from offset 0, but its memory has 32"),
        ("twice", "cudaFree at .*: .* was released before"),
        ("large block", "a block of .2000, 1, 1. threads"),
        ("large memory", "cudaMalloc at .*wrong.cu:[0-9]+: 1152921504606846976 bytes; .* are free: set sim_memory"),
        ("large grid", "cooperative launch of 257 blocks of 1 threads; the device runs 256 of them at once"),
        ("double free", "wrong free in kernel freed: .*wrong.cu:[0-9]+ frees 0x[0-9a-f]+, which was freed before"),
        ("throw", "host call in kernel thrown: .*wrong.cu:[0-9]+ calls a function of the host: throw"),
        ("realloc", "host call in kernel moved: .*wrong.cu:[0-9]+ calls a function of the host: realloc"),
    ],
)
def test_a_wrong_program_is_reported(folder, what, expected):
    ended, output = run(folder / "wrong.cu", what)
    assert ended.code == 0
    assert re.search(expected, ended.reports[0].message), ended.reports[0].message
    assert ended.reports[0].message in output
    assert ended.found >= len(ended.reports)


HEAP = """
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
__global__ void allocate(int size, int* given) { *given = malloc(size) != nullptr; }
static int expect(int size, int right) {
    int* given;
    cudaMallocManaged(&given, sizeof *given);
    allocate<<<1, 1>>>(size, given);
    cudaDeviceSynchronize();
    if (*given != right) printf("%d bytes: %d\\n", size, *given);
    return *given != right;
}
int main() {
    size_t heap = 0, of_driver = 0, stack = 0;
    int wrong = cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize) || heap != 8 << 20;
    wrong |= expect(9 << 20, 0);
    wrong |= cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20) != cudaSuccess;
    wrong |= cuCtxGetLimit(&of_driver, CU_LIMIT_MALLOC_HEAP_SIZE) || of_driver != 64 << 20;
    wrong |= hipDeviceGetLimit(&heap, hipLimitMallocHeapSize) || heap != 64 << 20;
    wrong |= hipDeviceSetLimit(hipLimitStackSize, 4096) || hipDeviceGetLimit(&stack, hipLimitStackSize);
    wrong |= stack != 4096;
    for (int round = 0; round < 3; ++round) {
        wrong |= expect(40 << 20, 1) | expect(40 << 20, 0);
        cudaDeviceReset();  // returns what kernels did not free
    }
    wrong |= cuCtxSetLimit(CU_LIMIT_MALLOC_HEAP_SIZE, 4 << 20) || expect(5 << 20, 0) || expect(3 << 20, 1);
    void* of_host = malloc(100 << 20);
    wrong |= of_host == nullptr;
    free(realloc(of_host, 200));
    free(calloc(3, 4));
    if (wrong) exit(3);
    return 0;
}
"""


def test_the_heap_of_kernels_has_the_limit_that_the_program_sets(tmp_path):
    (tmp_path / "heap.cu").write_text(HEAP)
    ended, output = run(tmp_path / "heap.cu")
    assert (ended.code, output, ended.reports) == (0, "", [])


def test_a_program_that_crashes_has_the_number_of_the_signal(folder):
    ended, _ = run(folder / "wrong.cu", "crash")
    assert ended.code == -6


def test_a_kernel_that_launches_a_kernel_is_an_error(tmp_path):
    source = "__global__ void inner() {}\n__global__ void outer() {\n    inner<<<1, 1>>>();\n}\n"
    main = "int main() { outer<<<1, 1>>>(); return cudaDeviceSynchronize() != cudaSuccess; }\n"
    (tmp_path / "nested.cu").write_text(source + main)
    ended, _ = run(tmp_path / "nested.cu")
    assert ended.code == 1
    assert "kernel launches from kernels" in str(ended.reports[0])


ASSEMBLY = """
#include <cstdint>
#define PAUSE asm volatile("pause" ::: "memory")
static uint64_t now() {
    uint32_t low, high;
    asm volatile("rdtsc" : "=a"(low), "=d"(high));
    return uint64_t(high) << 32 | low;
}
static void exchange(int* x, int& y) { __asm__ __volatile__("xchgl %0, %1" : "+r"(y), "+m"(*x) :: "memory"); }
using Words = struct { int a, b; };
__global__ void add(int* x, Words w) {
    int y;
    asm("add.s32 %0, %1, %2;" : "=r"(y) : "r"(w.a), "r"(w.b));
    *x = y;
}
int main() {
    int* x;
    cudaMallocManaged(&x, 4);
    uint64_t begin = now();
    add<<<1, 1>>>(x, Words{3, 4});
    cudaDeviceSynchronize();
    PAUSE;
    int y = 9;
    exchange(x, y);
    return now() > begin && y == 7 ? *x : 1;
}
"""


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in {"x86_64", "AMD64"}, reason="assembly of x86")
@pytest.mark.parametrize("checks", ["all", "none"])
def test_assembly_of_the_host_runs_beside_that_of_kernels(tmp_path, checks):
    (tmp_path / "clock.cu").write_text(ASSEMBLY)
    ended, _ = run(tmp_path / "clock.cu", checks=checks)
    assert (ended.code, ended.reports) == (9, [])


def test_a_program_of_several_files_is_one_program(tmp_path):
    (tmp_path / "main.cu").write_text('#include "parts.h"\nint main() { return answer(40) - 42; }\n')
    (tmp_path / "parts.h").write_text("int answer(int);\nint of_host(int);\n")
    (tmp_path / "answer.cu").write_text(
        '#include "parts.h"\n__global__ void add(int* x) { *x += 1; }\n'
        "int answer(int n) { int* x; cudaMallocManaged(&x, 4); *x = of_host(n); add<<<1, 1>>>(x); return *x; }\n"
    )
    (tmp_path / "host.cpp").write_text('#include "parts.h"\nint of_host(int n) { return n + 1; }\n')
    ended = run_program([tmp_path / name for name in ("main.cu", "answer.cu", "host.cpp")])
    assert (ended.code, ended.reports) == (0, [])


def test_all_of_the_runtime_has_the_names_of_hip(tmp_path):
    (tmp_path / "names.hip").write_text("""
    int main() {
        hipStream_t stream;
        hipGraph_t graph;
        unsigned flags = 7;
        int lanes = 0;
        hipStreamCreate(&stream), hipStreamGetFlags(stream, &flags);
        hipDeviceGetAttribute(&lanes, hipDeviceAttributeWarpSize, 0);
        hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipStreamEndCapture(stream, &graph);
        return hipGraphDestroy(graph) == hipSuccess && flags == hipStreamDefault && lanes == 32 ? 0 : 3;
    }
    """)
    ended, _ = run(tmp_path / "names.hip")
    assert (ended.code, ended.reports) == (0, [])


def test_a_program_that_does_not_compile_is_an_error_with_file_and_line(tmp_path):
    (tmp_path / "bad.cu").write_text("int main() {\n    return nothing;\n}\n")
    with pytest.raises(KernelSyntaxError, match=r"bad\.cu:2"):
        run_program([tmp_path / "bad.cu"])


def test_a_function_that_is_not_there_is_an_error(tmp_path):
    (tmp_path / "missing.cu").write_text("int missing(int);\nint main() { return missing(1); }\n")
    with pytest.raises(KernelSyntaxError, match="missing"):
        run_program([tmp_path / "missing.cu"])


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("k<<<1, 2>>>(x);", "ACCEL_SIM_LAUNCH((1, 2), k)(x);"),
        ("a::b<c<int>, 4><<<g, b, 0, s>>>();", "ACCEL_SIM_LAUNCH((g, b, 0, s), a::b<c<int>, 4>)();"),
        ("return k<x<y>> <<<1, 1>>>(1);", "return ACCEL_SIM_LAUNCH((1, 1), k<x<y>>)(1);"),
        ("(*table[i])<<<1, 1>>>(1);", "ACCEL_SIM_LAUNCH((1, 1), (*table[i]))(1);"),
        ("o.p->k<<<f(a, b), (c)>>>(1);", "ACCEL_SIM_LAUNCH((f(a, b), (c)), o.p->k)(1);"),
        ("x = s.self()->k[0]<<<1, 2>>>(1);", "x = ACCEL_SIM_LAUNCH((1, 2), s.self()->k[0])(1);"),
        ("get<T>(1)<<<1, 2>>>(1);", "ACCEL_SIM_LAUNCH((1, 2), get<T>(1))(1);"),
        ("if (x) (k)<<<1, 2>>>(1);", "if (x) ACCEL_SIM_LAUNCH((1, 2), (k))(1);"),
        ("k<<<[] { return 1; }(), 2>>>(1);", "ACCEL_SIM_LAUNCH(([] { return 1; }(), 2), k)(1);"),
        ("#define ONE <<<1, 2>>>\nint x;", "#define ONE <<<1, 2>>>\nint x;"),
        ("#define RUN(k, x) k<<<1, 2>>>(x)", "#define RUN(k, x) ACCEL_SIM_LAUNCH((1, 2), k)(x)"),
        ('// k<<<1, 1>>>()\n"k<<<1, 1>>>()"', '// k<<<1, 1>>>()\n"k<<<1, 1>>>()"'),
        ("T::template k<4><<<1, 1>>>(1);", "ACCEL_SIM_LAUNCH((1, 1), T::template k<4>)(1);"),
        ("CHECK(k<<<1, 1>>>(1));", "CHECK(ACCEL_SIM_LAUNCH((1, 1), k)(1));"),
    ],
)
def test_a_launch_becomes_a_call(source, expected):
    assert with_launches(source) == expected


def test_a_launch_over_several_lines_keeps_the_numbers_of_lines():
    source = "k\n<int,\n 4>\n<<<1,\n 2>>>\n(x);\n"
    result = with_launches(source)
    assert result.count("\n") == source.count("\n")
    assert result.split("(x)")[0].count("\n") == source.split("(x)", maxsplit=1)[0].count("\n")


def test_a_launch_in_a_macro_stays_in_the_macro():
    assert with_launches("#define L(k) \\\n k \\\n <<<1, 1>>>()\nint x;").splitlines()[-1] == "int x;"


@pytest.mark.parametrize("source", ["k<<<1, 2;", "<<<1, 2>>>(x);"])
def test_a_launch_that_cannot_be_read_is_an_error_with_its_line(source):
    with pytest.raises(KernelSyntaxError, match=r"<source>:2: .*kernel<<<grid, block>>>"):
        with_launches(f"\n{source}")


def test_variables_of_host_code_do_not_hide_those_of_kernels():
    result = renamed(
        "__global__ void k() { blockDim.x; } int main() { dim3 blockDim(2), gridDim(1); k<<<gridDim, blockDim>>>(); }"
    )
    kernel, host = result.split(" int main")
    assert "accel_sim_host" not in kernel
    assert re.findall(r"(\w*)(?:gridDim|blockDim)", host) == ["accel_sim_host_"] * 4


def test_variables_of_the_device_are_found_and_functions_are_not():
    text = "__device__ int f(int a); __device__ float a[4], b = 1; static __constant__ T<int, 2> c; __managed__ int d;"
    assert device_variables(text) == ("a", "b", "c", "d")


@pytest.mark.slow
def test_the_public_suite_is_run_with_all_four_checks(tmp_path):
    folder = tmp_path / "races-cuda"
    folder.mkdir()
    (folder / "Makefile").write_text("source = main.cu\nrun:\n\t./main 3\n")
    (folder / "main.cu").write_text(
        "#include <cuda_runtime.h>\n"
        "__global__ void race(int* x) { x[0] = threadIdx.x; }\n"
        "__global__ void init(const int* x, int* y) { y[threadIdx.x] = x[threadIdx.x]; }\n"
        "__global__ void sync(int* x) {\n"
        "    if (threadIdx.x < 16)\n"
        "        __syncthreads();\n"
        "    else\n"
        "        __syncthreads();\n"
        "}\n"
        "__global__ void memory(int* x) { x[64 + threadIdx.x] = 1; }\n"
        "int main(int count, char**) {\n"
        "    int *x, *y;\n"
        "    cudaMalloc(&x, 256); cudaMalloc(&y, 256);\n"
        "    init<<<1, 32>>>(x, y); race<<<1, 32>>>(x); sync<<<1, 32>>>(x); memory<<<1, 32>>>(x);\n"
        "    return count == 2 ? 0 : 5;\n"
        "}\n"
    )
    results = tmp_path / "results.jsonl"
    script = Path(__file__).parents[2] / "benchmarks" / "public_suite.py"
    subprocess.run([sys.executable, script, tmp_path, "--results", results], check=True)
    (result,) = [json.loads(line) for line in results.read_text().splitlines()]
    assert (result["program"], result["compiles"], result["code"]) == ("races-cuda", True, 0)
    assert {report["check"] for report in result["reports"]} == {"memory", "race", "init", "sync"}
