"""Counters of lines: kernels say in comments how often threads take a line, and how often its conditions hold."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from accel.backends.cuda_on_cpu.build.building import kernel_names
from accel.backends.cuda_on_cpu.build.flags import for_kernels
from accel.backends.cuda_on_cpu.build.machine_files import HEADERS
from accel.backends.cuda_on_cpu.build.units import unit_of
from accel.backends.cuda_on_cpu.text.counted import counted
from elftools.elf.elffile import ELFFile

import accel
from accel import RawKernel, xp
from accel.testing import kernel_coverage

from .corpus.cases import OPTIONS, every_program
from .gpu import Gpu

CORPUS = Path(__file__).parent / "corpus"
KERNEL = """
#define TWICE(x) do { x; x; } while (0)
#define EACH(i, n) for (int i = 0; i < n; i++)
template <typename T> __device__ T doubled(T x) {
    return x + x;  // 20
}
template <typename T> __device__ T unused(T x) {
    return x;
}
struct Pair {
    int a, b;
    __device__ Pair(int x) : a(x), b(x) {}
  public:
    __device__ int sum() const { return a + b; }  // 20
};
__device__ const int numbers[] = {1, 2, 3};
constexpr __device__ int three() { return 3; }
extern "C" __global__ void k(int* out, int n) {
    __shared__ int part[32];
    const int i = threadIdx.x;  // 32
    int rest;
    part[i] = 0;  // 32
    __syncthreads();  // 32
    if (i >= n)  // 32, 12 20
        return;  // 12
    if (i % 2) { out[i] = 1; } else out[i] = 2;  // 20, 10 10
    if (i == 0)  // 20, 1 19
        out[i] += 10;  // 1
    else if (i == 1)  // 19, 1 18
        out[i] += 20;  // 1
    else  //
        out[i] +=  // 18
            30;
#pragma unroll
    for (int j = 0; j < 4; j++)  // 20, 80 20
        for (rest = j; rest; --rest) out[i]++;  // 120, 120 80
    while (out[i] > 30) {  // 20, 135 20
        if (out[i] < 0) break;  // 135, 0 135
        out[i]--;  // 135
    }
    do {
        out[i] -= 1;  // 23
        if (i > 4) continue;  // 23, 15 8
    } while (out[i] % 10 == 9 && i < 5);  // , 3 20
    switch (i) {  // 20
        case 0: out[i] = 0;  // 1
        case 1:
            out[i] = 1;  // 2
            break;  // 2
        default: {
            out[i] = 2;  // 18
        }
    }
#if defined(__HOST_ONLY__) && 1
    out[i] = 7;
#elif 1
    out[i] = 8;  // 20
#else
    out[i] = 9;
#endif
    TWICE(out[i]++);  // 20
    EACH(j, 2) {  // 20
        out[i] += numbers[j];  // 40
    }
    auto add = [&](int x) {  // 20
        out[i] += x;  // 40
    };
    add(1), add(2);  // 20
    for (;;) {
        goto end;  // 20
    }
end:
    out[i] = doubled(Pair(out[i]).sum());  // 20
    if constexpr (sizeof(int) == 8)  // 20
        out[i] = three();
}
"""


def expected(text):
    """Return the counts of lines and conditions that a source says it has."""
    lines, branches = {}, {}
    for number, line in enumerate(text.split("\n"), 1):
        found = re.search(r"// (\d+)?(?:, (\d+) (\d+))?$", line)
        if found and found[1]:
            lines[number] = int(found[1])
        if found and found[2]:
            branches[number, 0] = int(found[2]), int(found[3])
    return lines, branches


@pytest.mark.parametrize("checks", ["none", "all"])
def test_each_line_and_condition_has_the_count_that_it_says(setup, checks, monkeypatch, tmp_path):
    monkeypatch.setenv("ACCEL_KERNEL_COMPILER", setup.compiler)
    file = tmp_path / "kernel.cu"
    file.write_text(KERNEL)
    out = xp.zeros(32, dtype="int32", device="sim")
    with kernel_coverage() as coverage, accel.using(kernel_checks=checks, sim_warp=setup.warp):
        RawKernel.from_file(file)(out, 20, grid=1, block=32).wait()
    [covered] = coverage.files
    assert covered.file == str(file)
    lines, branches = expected(KERNEL)
    assert covered.branches == branches
    assert covered.lines == lines


def test_without_coverage_no_code_is_counted():
    kernel = RawKernel.from_source('extern "C" __global__ void k(int* out) { out[0] += 1; }')
    out = xp.zeros(1, dtype="int32", device="sim")
    kernel(out, grid=1, block=1).wait()
    with kernel_coverage() as coverage:
        kernel(out, grid=1, block=1).wait()
        kernel(out, grid=1, block=1).wait()
    kernel(out, grid=1, block=1).wait()
    assert int(out[0]) == 4
    assert [[*each.lines.values()] for each in coverage.files] == [[2]]


@pytest.mark.parametrize("file", sorted(CORPUS.glob("*.cu*")), ids=lambda file: file.name)
def test_lines_stay_where_they_are_and_without_the_counters_the_source_is_the_same(file):
    text = file.read_text()
    edited = counted(text).text
    assert edited.count("\n") == text.count("\n")
    plain = re.sub(r"ACCEL_SIM_COUNT\(\d+\);|accel_sim::counted<\d+>\(static_cast<bool>|\s|[{}()]", "", edited)
    assert plain == re.sub(r"\s|[{}()]", "", text)


@pytest.mark.parametrize("name", ["reductions", "warps", "waiting"])
@pytest.mark.slow
def test_counted_lines_are_those_of_the_table_of_lines_that_the_compiler_makes(name, tmp_path):
    text = (CORPUS / f"{name}.cu").read_text()
    points = counted(text).points
    assert {each.line for each in points} <= lines_of_compiler(text, tmp_path)


def lines_of_compiler(text, folder):
    """Return the lines that g++ has instructions for without optimisation, and those of calls that it inlines."""
    (folder / "unit.cpp").write_text(unit_of(text, kernel_names(text), checked=False))
    words = [word for word in for_kernels("gcc", checked=False, warp=32) if word != "-O2"]
    command = [shutil.which("g++"), *words, "-O0", "-I", str(HEADERS), "-I", str(CORPUS), "-shared"]
    subprocess.run([*command, str(folder / "unit.cpp"), "-o", str(folder / "unit.so")], check=True)
    with (folder / "unit.so").open("rb") as file:
        info = ELFFile(file).get_dwarf_info()
        [unit] = info.iter_CUs()
        program = info.line_program_for_CU(unit)
        states = [entry.state for entry in program.get_entries() if entry.state is not None]
        names = [entry.name.decode() for entry in program.header["file_entry"]]
        here = names.index("<source>") + 1
        calls = [entry.attributes for entry in unit.iter_DIEs() if "DW_AT_call_line" in entry.attributes]
        inlined = {each["DW_AT_call_line"].value for each in calls if each["DW_AT_call_file"].value == here}
        return inlined | {state.line for state in states if state.file == here}


@pytest.mark.parametrize("name", ["last_block_sum", "look_back"])
def test_programs_compute_the_same_with_counters(name):
    program = every_program()[name]
    with kernel_coverage() as coverage:
        program.run(Gpu(program.source, seed=1, options=OPTIONS))
    assert any(each.lines for each in coverage.files)


def test_a_kernel_without_statements_has_no_lines():
    with kernel_coverage() as coverage:
        RawKernel.from_source('extern "C" __global__ void k(int* out) {}')(
            accel.zeros(1, "int32", device="sim"), grid=1, block=1
        ).wait()
    assert coverage.files == []


def test_counts_of_several_launches_and_devices_are_added():
    kernel = RawKernel.from_source('extern "C" __global__ void k(int* out) { out[threadIdx.x] = 1; }')
    with kernel_coverage() as coverage:
        for device, threads in (("sim", 3), ("sim:1", 5), ("sim", 7)):
            kernel(accel.empty(8, "int32", device=device), grid=1, block=threads).wait()
    assert [[*each.lines.values()] for each in coverage.files] == [[15]]
