"""Clang compiles the kernels for AMD's GPUs. Whether the code is correct is not tested here: that needs such a GPU."""

import functools
import re
import subprocess
from pathlib import Path

import pytest
from accel.backends.cupy import launches

from accel.errors import KernelSyntaxError

from . import tools, users
from .cases import accesses, launches_with
from .strategies import WIDTHS

ARCHITECTURES = ("gfx90a", "gfx942", "gfx1100")
HEADER = Path(__file__).with_name("hip_device.h")
CLANG = tools.hip_compiler()
FLAGS = ("-x", "hip", "--cuda-device-only", "-nogpulib", "-nogpuinc", "-std=c++17", "-O3", "-S", "-o", "-", "-")
MOST_SCALARS = 32  # spilled
MOST_REGISTERS = 128  # of 512: four waves at once
# By bytes. Into one half of a register (d16), newer compilers load bytes too.
ACCESSES = {
    1: r"(?:d16_(?:hi_)?)?(?:ubyte|u8|byte|b8)",
    2: r"(?:d16_(?:hi_)?)?(?:ushort|u16|short|b16)",
    4: "dword|b32",
    8: "dwordx2|b64",
    16: "dwordx4|b128",
}
KERNEL = re.compile(r"\.name:\s+(\w+)\n.*?\.vgpr_count:\s+(\d+)\n", re.DOTALL)


@pytest.fixture(scope="module", autouse=True)
def _compiler():
    tools.need(CLANG, "clang (clang-19, or ziglang)")


@functools.cache
def version():
    """Return the version text of the compiler."""
    text = subprocess.run([*CLANG, "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"clang version \S+", text)[0]


def compiled(text, architecture, *defines):
    """Return the assembly of all kernels; an AssertionError has the compiler's message."""
    command = [*CLANG, f"--offload-arch={architecture}", "-include", HEADER, *defines, *FLAGS]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("width", WIDTHS)
def test_registers_suffice_and_an_item_is_one_access_of_memory(width, bits, architecture):
    used = {}
    for kernel, launch in launches_with(width, bits).items():
        code = compiled(launches.module_source(), architecture, *launch.defines)
        ((name, registers),) = KERNEL.findall(code)
        assert name == launch.kernel
        used[kernel] = int(registers)
        for what in (r"private_segment_fixed_size", r"\.vgpr_spill_count"):
            assert {int(number) for number in re.findall(rf"{what}:?\s+(\d+)", code)} == {0}
        # A scalar register is spilled to a lane of a vector register, not to memory.
        assert int(re.search(r"\.sgpr_spill_count:\s+(\d+)", code)[1]) <= MOST_SCALARS
        for access, size in zip(("load", "store"), accesses(launch), strict=True):
            assert re.search(rf"global_{access}_({ACCESSES[size]})\w*\s", code)
        assert "flat_load" not in code
    print(f"{version()} {architecture} {width:2} bytes, {bits} bits, vector registers: {used}")  # noqa: T201 - what ci/device_code shows
    assert max(used.values()) <= MOST_REGISTERS


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_views_are_taken_by_value_and_cost_no_memory(architecture):
    code = compiled(users.ADD.unit, architecture)
    for what in (r"private_segment_fixed_size", r"\.sgpr_spill_count", r"\.vgpr_spill_count"):
        assert {int(number) for number in re.findall(rf"{what}:?\s+(\d+)", code)} == {0}
    assert [*map(int, re.findall(r"\.size:\s+(\d+)\n\s+\.value_kind:\s+by_value", code))] == users.sizes()


@pytest.mark.parametrize("wrong", users.WRONG)
def test_what_is_wrong_in_a_users_kernel_leads_to_its_line(wrong):
    source = users.WRONG[wrong]
    with pytest.raises(AssertionError) as refusal:
        compiled(source.unit, ARCHITECTURES[0])
    error = source.located_error("add", KernelSyntaxError(str(refusal.value)))
    assert (error.filename, error.lineno, error.text) == (source.file, 5, source.text.splitlines()[4])
