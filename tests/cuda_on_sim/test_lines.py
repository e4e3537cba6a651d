import ctypes
import re
import sys

import numpy as np
import pytest
from accel.backends.cuda_on_cpu.build.building import build
from accel.backends.cuda_on_cpu.launch.module import Module

import accel
from accel import RawKernel
from accel.commands.cli import main
from accel.errors import CapabilityError, KernelFaultError

SOURCE = """\
__device__ __attribute__((noinline)) void* here(int number) {
    void* pc = __builtin_return_address(0);
    asm_free(&number);
    return pc;
}
template <typename T> struct Tool {
    static __device__ __forceinline__ void* inner(T number) {
        return here(int(number));
    }
};
namespace lib {
__device__ __forceinline__ void* outer(int number) {
    return Tool<float>::inner(number + 1);
}
}
extern "C" __global__ void direct(void** out) {
    out[0] = here(1);
    out[1] =
        here(2);
}
#line 70 "some dir/file.cu"
extern "C" __global__ void inlined(void** out) {
    out[0] = lib::outer(3);
    out[1] = here(4);
}
"""
# Calls that differ, so that no compiler makes one of two.
SOURCE = "__device__ volatile int seen;\n#line 1\n" + SOURCE.replace("asm_free(&number);", "seen = number;")


@pytest.fixture(scope="module")
def module():
    return Module.load(build(SOURCE, warp=32, checked=False, kernels=("direct", "inlined")), "sim:0")


def addresses(module, kernel):
    out = np.zeros(2, "u8")
    pointer = ctypes.c_void_p(out.ctypes.data)
    pointers = (ctypes.c_void_p * 1)(ctypes.addressof(pointer))
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(module.entry(kernel).address)(pointers)
    return [int(pc) for pc in out]


def test_a_return_address_is_the_line_of_the_call(module):
    frames = [module.frames(pc) for pc in addresses(module, "direct")]
    assert [[(f.function, f.file, f.line, f.text) for f in each] for each in frames] == [
        [("direct", "<source>", 17, "out[0] = here(1);")],
        [("direct", "<source>", 19, "here(2);")],
    ]


def test_inlined_calls_are_innermost_first_with_their_files(module):
    inlined, plain = (module.frames(pc) for pc in addresses(module, "inlined"))
    assert [(f.file, f.line, f.text) for f in inlined] == [
        ("<source>", 8, "return here(int(number));"),
        ("<source>", 13, "return Tool<float>::inner(number + 1);"),
        ("some dir/file.cu", 71, "out[0] = lib::outer(3);"),
    ]
    assert [f.function for f in inlined] == ["inner", "outer", "inlined"]
    assert [(f.file, f.line) for f in plain] == [("some dir/file.cu", 72)]


def test_headers_of_the_language_are_no_frames(module):
    entry = module.entry("direct").address
    files = {frame.file for pc in range(entry, module.code[1]) for frame in module.frames(pc)}
    assert files <= {"<source>", "some dir/file.cu"}


def test_an_address_elsewhere_has_no_frames(module):
    assert module.frames(0) == module.frames(module.code[0]) == module.frames(module.code[1] + 4096) == ()


def test_functions_of_a_file_of_the_user_have_its_lines(tmp_path):
    (tmp_path / "tool.h").write_text(
        "// one\n__device__ inline void* tool() {\n  return __builtin_return_address(0); }\n"
    )
    kernel = 'extern "C" __global__ void k(void** out) {\n  out[0] = tool(); }'
    source = f'#include "tool.h"\n#line 5 "k.cu"\n{kernel}'
    options = ("-I", str(tmp_path))
    module = Module.load(build(source, options=options, warp=32, checked=True, kernels=("k",)), "sim:0")
    entry = module.entry("k").address
    frames = {frame for pc in range(module.code[0], entry + 4096) for frame in module.frames(pc)}
    assert {(frame.line, frame.text) for frame in frames if frame.file.endswith("tool.h")} >= {
        (3, "return __builtin_return_address(0); }")
    }


@pytest.fixture
def without_reader(monkeypatch):
    """Python without pyelftools."""
    for name in [name for name in sys.modules if name.partition(".")[0] == "elftools"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "elftools", None)


def trap():
    return RawKernel.from_source('extern "C" __global__ void trap(int* x) { if (*x == 0) __trap(); }')


def test_checks_ask_for_the_reader_of_lines_before_the_launch(without_reader):
    x = accel.zeros(1, "int32", device="sim")
    with pytest.raises(CapabilityError, match=r"pip install 'accel-container\[cuda-sim\]'") as caught:
        trap()(x, grid=1, block=1)
    remedy = re.search(r"accel\.configure\((\w+)='(\w+)'\)", str(caught.value))
    with accel.using(**{remedy[1]: remedy[2]}), pytest.raises(KernelFaultError, match="trap"):
        trap()(x, grid=1, block=1).wait()


def test_a_program_asks_for_the_reader_of_lines_before_it_is_compiled(without_reader, tmp_path, capsys):
    file = tmp_path / "program.cu"
    file.write_text("int main() { return does_not_compile; }")
    assert main(["run-kernel", str(file)]) == 1
    assert "pip install 'accel-container[cuda-sim]'" in capsys.readouterr().err
