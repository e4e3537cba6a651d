"""The devices' compilers accept the text of kernels that are written in Python, and make sound code of it."""

import functools
import re

import pytest
from accel.backends.cupy.device_code import device_source, kernel_name, launched

from . import nvrtc, tools
from .example_programs import COPIED, SAXPY, every_program
from .test_hip import CLANG, compiled

NVIDIA = ("sm_75", "sm_90", "sm_120")
AMD = ("gfx90a", "gfx942", "gfx1100")
MOST_REGISTERS = 64  # of 65,536: four blocks of 256 threads at once
bits = pytest.mark.parametrize("bits", [32, 64])


@functools.cache
def programs():
    return every_program()


def with_nvrtc(program, architecture="sm_90", bits=32):
    tools.need(nvrtc.library(), "NVRTC (nvidia-cuda-nvrtc)")
    return nvrtc.compile(device_source(program), (f"-DACCEL_INDEX={bits}", "--fmad=false"), architecture)


@bits
@pytest.mark.parametrize("architecture", NVIDIA)
def test_nvrtc_spills_nothing_and_uses_few_registers(architecture, bits):
    used = {}
    for name, program in programs().items():
        result = with_nvrtc(program, architecture, bits)
        assert len(result.kernels) >= len(program.steps)
        assert {kernel.spilled for kernel in result.kernels.values()} == {0}, name
        used[name] = max(kernel.registers for kernel in result.kernels.values())
    print(f"NVRTC {nvrtc.version()} {architecture}, {bits} bits, registers: {used}")  # noqa: T201 - what ci/device_code shows
    assert max(used.values()) <= MOST_REGISTERS


def test_arithmetic_is_done_as_written():
    ptx = with_nvrtc(SAXPY).ptx
    assert "mul.rn.f32" in ptx
    assert "fma" not in ptx


def test_copies_to_shared_memory_are_asynchronous_where_the_architecture_has_them():
    assert "cp.async.ca.shared.global" in with_nvrtc(COPIED, "sm_90").ptx
    assert "cp.async.ca" not in with_nvrtc(COPIED, "sm_75").ptx
    assert "cp.async.ca" not in with_nvrtc(programs()["copies of 2"], "sm_90").ptx


def test_narrow_indices_are_computed_with_narrow_multiplications():
    for program in (SAXPY, COPIED):
        assert "mul.lo.s64" not in with_nvrtc(program, bits=32).ptx
        assert "mul.lo.s64" in with_nvrtc(program, bits=64).ptx


@pytest.mark.slow
@bits
@pytest.mark.parametrize("architecture", AMD)
def test_clang_spills_no_vector_registers_for_amd(architecture, bits):
    tools.need(CLANG, "clang (clang-19, or ziglang)")
    for name, program in programs().items():
        warp = 32 if architecture == "gfx1100" else 64
        code = compiled(device_source(program), architecture, f"-DACCEL_INDEX={bits}", f"-DACCEL_WARP={warp}")
        assert kernel_name(program, launched(program)[0]) in code
        if "functions" not in name:  # the header for tests declares these, and calls need a stack
            assert {int(number) for number in re.findall(r"\.vgpr_spill_count:\s+(\d+)", code)} == {0}, name
