"""Whole programs whose streams run late, in an order drawn from a seed: a missing wait shows."""

import re

import pytest
from accel.backends.cuda_on_cpu.programs.execution import run_program

from accel import config
from accel.commands.cli import main

SEEDS = range(4)

PROGRAM = """
#include <cstdio>
#include <cstring>
#include <cuda.h>

constexpr int N = 64;

struct Factor { float value; int more[3]; };
__global__ void fill(float* x, float value) { x[threadIdx.x] = value; }
__global__ void scale(float* x, Factor factor) { x[threadIdx.x] *= factor.value; }
__global__ void add(float* x, const float* y) { x[threadIdx.x] += y[threadIdx.x]; }
__global__ void spread(float* x, int n = N) { for (int i = 0; i < n; ++i) x[i] = 1; }

static cudaStream_t first, second;
static float *x, *y, *pinned, *managed;
static void wait(const char* name) { if (!strcmp(name, "right")) cudaDeviceSynchronize(); }
static bool all(const float* values, float expected) {
    for (int i = 0; i < N; ++i) if (values[i] != expected) return false;
    return true;
}
static bool of_device(const float* values, float expected) {
    float host[N];
    cudaMemcpy(host, values, sizeof host, cudaMemcpyDeviceToHost);
    return all(host, expected);
}
static void set_seven(void* to) { *(float*)to = 7; }

static bool managed_is_read(const char* how) {
    fill<<<1, N>>>(managed, 3);
    wait(how);
    return all(managed, 3);
}
static bool pinned_is_read(const char* how) {
    fill<<<1, N, 0, first>>>(x, 4);
    cudaMemcpyAsync(pinned, x, N * sizeof(float), cudaMemcpyDeviceToHost, first);
    if (!strcmp(how, "right")) cudaStreamSynchronize(first);
    return all(pinned, 4);
}
static bool pinned_is_overwritten(const char* how) {
    for (int i = 0; i < N; ++i) pinned[i] = 5;
    cudaMemcpyAsync(x, pinned, N * sizeof(float), cudaMemcpyHostToDevice, first);
    wait(how);
    for (int i = 0; i < N; ++i) pinned[i] = 6;
    cudaStreamSynchronize(first);
    return of_device(x, 5);
}
static bool streams_are_ordered_by_an_event(const char* how) {
    cudaEvent_t written;
    cudaEventCreateWithFlags(&written, cudaEventDisableTiming);
    fill<<<1, N, 0, first>>>(x, 2);
    scale<<<1, N, 0, first>>>(x, Factor{3, {}});
    cudaEventRecord(written, first);
    if (!strcmp(how, "right")) cudaStreamWaitEvent(second, written);
    fill<<<1, N, 0, second>>>(y, 1);
    add<<<1, N, 0, second>>>(y, x);
    cudaStreamSynchronize(second);
    cudaStreamSynchronize(first);
    cudaEventDestroy(written);
    return of_device(y, 7);
}
static bool freed_in_order(const char* how) {
    float* z;
    cudaMallocAsync(&z, N * sizeof(float), first);
    fill<<<1, N, 0, first>>>(z, 1);
    cudaFreeAsync(z, !strcmp(how, "right") ? first : second);
    return cudaStreamSynchronize(first) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess;
}
static bool host_functions_are_waited_for(const char* how) {
    *pinned = 0;
    cudaLaunchHostFunc(first, set_seven, pinned);
    wait(how);
    return *pinned == 7;
}
static bool with_the_names_of_the_driver(const char* how) {
    CUdevice device;
    CUcontext context;
    CUstream stream;
    CUevent done;
    CUdeviceptr memory;
    void* host;
    cuInit(0), cuDeviceGet(&device, 0), cuCtxCreate(&context, 0, device);
    cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING), cuEventCreate(&done, CU_EVENT_DISABLE_TIMING);
    cuMemAlloc(&memory, N * sizeof(float)), cuMemAllocHost(&host, N * sizeof(float));
    cuMemsetD32Async(memory, 0x40000000, N, stream);  // 2.0f
    cuMemcpyDtoHAsync(host, memory, N * sizeof(float), stream);
    cuEventRecord(done, stream);
    if (!strcmp(how, "right")) cuEventSynchronize(done);
    const bool right = all((float*)host, 2);
    cuMemFree(memory), cuMemFreeHost(host), cuEventDestroy(done), cuStreamDestroy(stream);
    const char* name;
    cuGetErrorName(cuMemFree(memory), &name);  // reported as a wrong use
    return right && !strcmp(name, "CUDA_ERROR_INVALID_VALUE");
}

// --- what needs no wait, or waits by itself
static bool streams_are_in_order(const char*) {
    fill<<<1, N, 0, first>>>(x, 1);
    for (int i = 0; i < 5; ++i) {
        Factor factor = {2, {}};
        scale<<<1, N, 0, first>>>(x, factor);
        factor.value = 100;  // the launch has a copy
    }
    cudaMemcpyAsync(y, x, N * sizeof(float), cudaMemcpyDeviceToDevice, first);
    cudaStreamSynchronize(first);
    return of_device(y, 32);
}
static bool pageable_memory_is_copied_before_the_call_returns(const char*) {
    float host[N];
    for (float& each : host) each = 8;
    cudaMemcpyAsync(x, host, sizeof host, cudaMemcpyHostToDevice, first);
    for (float& each : host) each = 9;
    cudaMemcpyAsync(host, x, sizeof host, cudaMemcpyDeviceToHost, first);
    return all(host, 8);
}
static bool the_default_stream_waits_for_blocking_streams(const char*) {
    cudaStream_t blocking;
    cudaStreamCreate(&blocking);
    fill<<<1, N, 0, blocking>>>(x, 2);
    scale<<<1, N>>>(x, Factor{5, {}});
    fill<<<1, N, 0, blocking>>>(y, 1);
    add<<<1, N, 0, blocking>>>(y, x);
    cudaStreamDestroy(blocking);
    cudaDeviceSynchronize();
    return of_device(y, 11);
}
static bool kernels_with_default_arguments_and_by_pointer(const char*) {
    spread<<<1, 1, 0, first>>>(x);
    float value = 3;
    void* arguments[] = {&y, &value};
    cudaLaunchKernel(fill, dim3(1), dim3(N), arguments, 0, first);
    value = 4;
    cudaStreamSynchronize(first);
    return of_device(x, 1) && of_device(y, 3);
}
static bool queries_move_streams_on(const char*) {
    fill<<<1, N, 0, first>>>(x, 1);
    cudaEvent_t done;
    cudaEventCreate(&done), cudaEventRecord(done, first);
    while (cudaEventQuery(done) == cudaErrorNotReady) {}
    while (cudaStreamQuery(first) == cudaErrorNotReady) {}
    return of_device(x, 1);
}
static bool graphs_are_replayed(const char*) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    fill<<<1, N, 0, first>>>(x, 1);
    cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
    scale<<<1, N, 0, first>>>(x, Factor{2, {}});
    cudaStreamEndCapture(first, &graph);
    cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0);
    cudaGraphDestroy(graph);
    for (int i = 0; i < 3; ++i) cudaGraphLaunch(executable, first);
    cudaGraphExecDestroy(executable);
    cudaStreamSynchronize(first);
    return of_device(x, 8);
}

#define CASE(name) if (!strcmp(arguments[i], #name)) { if (!name(how)) printf("%s\\n", #name); continue; }
int main(int count, char** arguments) {
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaMalloc(&x, N * sizeof(float)), cudaMalloc(&y, N * sizeof(float));
    cudaMallocHost(&pinned, N * sizeof(float)), cudaMallocManaged(&managed, N * sizeof(float));
    const char* how = arguments[1];
    for (int i = 2; i < count; ++i) {
        cudaMemset(x, 0, N * sizeof(float)), cudaMemset(y, 0, N * sizeof(float));
        memset(pinned, 0, N * sizeof(float)), memset(managed, 0, N * sizeof(float));
        cudaDeviceSynchronize(), cudaGetLastError();
        CASES
        return 4;
    }
    return 0;
}
"""
NEED_A_WAIT, NEED_NONE = (
    re.findall(r"^static bool (\w+)\(const char\*", part, re.MULTILINE)
    for part in PROGRAM.split("// --- what needs no wait, or waits by itself")
)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """The file of a program that runs the cases that its arguments name, and prints those with a wrong result."""
    file = tmp_path_factory.mktemp("late") / "late.cu"
    file.write_text(PROGRAM.replace("CASES", " ".join(f"CASE({name})" for name in NEED_A_WAIT + NEED_NONE)))
    return file


def wrong_cases(program, how, names, *, late, seed=0):
    """The names of the cases whose result is wrong."""
    with config.using(sim_seed=seed, kernel_checks="memory"), (program.parent / "output").open("w+b") as output:
        ended = run_program([program], [how, *names], late=late, output=output.fileno())
        output.seek(0)
        assert ended.code == 0
        return {line for line in output.read().decode().splitlines() if line in names}


def test_a_missing_wait_shows_in_some_order(program):
    wrong = [wrong_cases(program, "wrong", NEED_A_WAIT, late=True, seed=seed) for seed in SEEDS]
    assert set.union(*wrong) == {*NEED_A_WAIT}
    assert wrong[1] == wrong_cases(program, "wrong", NEED_A_WAIT, late=True, seed=1), "the order is that of the seed"
    assert len({frozenset(names) for names in wrong}) > 1, "the order depends on the seed"


def test_a_missing_wait_does_not_show_at_once(program):
    assert wrong_cases(program, "wrong", NEED_A_WAIT, late=False) == set()


@pytest.mark.parametrize("seed", SEEDS)
def test_right_programs_are_right_in_every_order(program, seed):
    assert wrong_cases(program, "right", NEED_A_WAIT + NEED_NONE, late=True, seed=seed) == set()


def test_right_programs_are_right_at_once(program):
    assert wrong_cases(program, "right", NEED_A_WAIT + NEED_NONE, late=False) == set()


def test_late_streams_are_an_option_of_the_command(program, capfd):
    for options, how, expected in (
        ([], "wrong", ""),
        (["--late"], "wrong", "managed_is_read\n"),
        (["--late"], "right", ""),
    ):
        assert main(["run-kernel", *options, str(program), how, "managed_is_read"]) == 0
        assert capfd.readouterr().out == expected


def test_a_kernel_that_runs_late_is_reported_with_its_launch(tmp_path):
    text = """
    __global__ void write(int* x) { x[threadIdx.x] = 1; }
    int main() {
        int* x;
        cudaMalloc(&x, 32 * sizeof(int));
        write<<<1, 33>>>(x);
        const bool early = cudaPeekAtLastError() == cudaSuccess;
        return early && cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 3;
    }
    """
    (tmp_path / "beyond.cu").write_text(text)
    ended = run_program([tmp_path / "beyond.cu"], late=True)
    assert ended.code == 0
    assert (ended.reports[0].kernel, ended.reports[0].kind) == ("write", "out of bounds")
