"""Host code of checked programs: it has no calls of the checks, and what kernels reach has all of them."""

import pytest
from accel.backends.cuda_on_cpu.programs.building import build_program
from accel.backends.cuda_on_cpu.programs.execution import run_program
from accel.backends.cuda_on_cpu.programs.host_code import KNOWN, without_calls
from elftools.elf.elffile import ELFFile
from hypothesis import given
from hypothesis import strategies as st

from accel import config

pytestmark = pytest.mark.skipif(not KNOWN, reason="calls are left where they are on other processors than x86-64")

PROGRAM = """
#include <cstdlib>
#include <cstring>
__device__ int direct(const int* x, int i) {
    return x[i]; // direct
}
__host__ __device__ __attribute__((noinline)) int of_both(const int* x, int i) {
    return x[i]; // both
}
__device__ int pointed(const int* x, int i) {
    return x[i]; // table
}
typedef int (*Reader)(const int*, int);
__device__ Reader table[] = {pointed, of_both};
struct Base { __device__ virtual int read(const int* x, int i) = 0; };
struct Derived : Base {
    __device__ int read(const int* x, int i) override {
        return x[i]; // virtual
    }
};
template <int WHAT> __global__ void kernel(const int* x, int* y) {
    const int i = threadIdx.x;
    Derived derived;
    Base* base = &derived;
    y[i] = WHAT == 0 ? direct(x, i) : WHAT == 1 ? of_both(x, i) : WHAT == 2 ? table[i - i](x, i) : base->read(x, i);
}
int compared(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }
int main(int argc, char** argv) {
    int *x, *y, mine[3] = {3, 1, 2};
    qsort(mine, 3, sizeof *mine, compared);
    if (of_both(mine, 0) + direct(mine, 1) != 3) return 9;
    cudaMalloc(&x, 16), cudaMalloc(&y, 64);
    cudaMemset(x, 0, 16);
    if (!strcmp(argv[1], "direct")) kernel<0><<<1, 5>>>(x, y);
    if (!strcmp(argv[1], "both")) kernel<1><<<1, 5>>>(x, y);
    if (!strcmp(argv[1], "table")) kernel<2><<<1, 5>>>(x, y);
    if (!strcmp(argv[1], "virtual")) kernel<3><<<1, 5>>>(x, y);
    return 0;
}
"""
HOST = """
#include <cstdio>
#include <vector>
int main(int argc, char** argv) {
    std::vector<int> x(100 * argc, 2);
    int sum = 0;
    for (int each : x) sum += each;
    return sum;
}
"""
CALLS = ("call\t*{}@GOTPCREL(%rip)", "call\t{}", "callq\t{}@PLT  # a remark", "jmp\t{}", "jne\t{}")
TAKEN = ("leaq\t{}(%rip), %rdi", "movq\t{}@GOTPCREL(%rip), %rax", "pushq\t${}")


def assembly(name, calls, addresses, style):
    lines = [f"\t.globl\t{name}", f"\t.type\t{name}, @function", f"{name}:   # @{name}", ".LFB0:", "\t.cfi_startproc"]
    lines += [f"\t{CALLS[(style + at) % len(CALLS)].format(f'f{each}')}" for at, each in enumerate(calls)]
    lines += [f"\t{TAKEN[(style + at) % len(TAKEN)].format(f'f{each}')}" for at, each in enumerate(addresses)]
    return [*lines, "\tcall\t*__tsan_read4@GOTPCREL(%rip)", "\tcall\t*__tsan_atomic32_load@GOTPCREL(%rip)", "\tret"]


def reached(graph, first):
    functions = set()
    while first - functions:
        functions |= first
        first = {callee for each in functions for callee in graph[each][0]}
    return functions


@given(st.data(), st.integers(1, 8))
def test_calls_stay_exactly_where_a_function_whose_address_is_taken_can_get(data, count):
    some = st.lists(st.integers(0, count - 1), max_size=3)
    graph = data.draw(st.lists(st.tuples(some, st.one_of(st.just([]), some)), min_size=count, max_size=count))
    stored, starting = data.draw(some), data.draw(some)
    parts = [assembly(f"f{at}", calls, addresses, at) for at, (calls, addresses) in enumerate(graph)]
    parts[0] += ["\t.section\t.data.rel.ro", *[f"\t.quad\tf{each}" for each in stored]]
    parts[0] += ["\t.section\t.init_array", *[f"\t.quad\tf{each}" for each in starting], "\t.text"]
    split = data.draw(st.integers(0, count))
    units = ["\n".join(line for part in some for line in part) for some in (parts[:split], parts[split:])]
    checked = reached(graph, {*stored, *[each for _, addresses in graph for each in addresses]})
    expected = [[line for line in part if at in checked or "__tsan_read4" not in line] for at, part in enumerate(parts)]
    assert without_calls(units) == [
        "\n".join(line for part in some for line in part) for some in (expected[:split], expected[split:])
    ]


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    file = tmp_path_factory.mktemp("host") / "program.cu"
    file.write_text(PROGRAM)
    return file


@pytest.mark.parametrize("what", ["direct", "both", "table", "virtual"])
def test_what_kernels_reach_is_checked_though_host_code_calls_it_too(program, what):
    with config.using(kernel_checks="all"), (program.parent / what).open("wb") as output:
        ended = run_program([program], [what], output=output.fileno())
    (report,) = ended.reports
    line = 1 + next(number for number, text in enumerate(PROGRAM.splitlines()) if f"// {what}" in text)
    assert (ended.code, report.kind, report.offset, report.place.frames[0].line) == (0, "out of bounds", 16, line)


def test_host_code_does_not_call_the_checks(tmp_path):
    file = tmp_path / "host.cu"
    file.write_text(HOST)
    with build_program([file], warp=32, checked=True).path.open("rb") as program:
        names = {symbol.name for symbol in ELFFile(program).get_section_by_name(".dynsym").iter_symbols()}
    assert "main" in names
    assert not {name for name in names if name.startswith("__tsan_read")}
