"""NVRTC compiles the kernels for every architecture, with the expected instructions."""

import re
from itertools import product

import numpy as np
import pytest
from accel.backends.cupy import launches

from accel.abc import CacheEviction
from accel.errors import KernelSyntaxError

from . import nvrtc, tools, users
from .cases import every_kernel, matrix
from .copying import Case, Memory, launch_of
from .strategies import WIDTHS

ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120")
MOST_REGISTERS = 64  # of 65,536: four blocks of 256 threads at once
ACCESSES = {1: r"\w8", 2: r"\w16", 4: r"\w32", 8: r"\w64", 16: r"v4\.\w32|v2\.\w64"}
MOST_SHARED = 17_000  # of 64 KiB and more, so that as many blocks have their tiles


@pytest.fixture(scope="module", autouse=True)
def _compiler():
    tools.need(nvrtc.library(), "NVRTC (nvidia-cuda-nvrtc)")


def nothing(seed):
    return Memory(np.zeros(0, np.int64), 0, 0, seed)


def compiled(launch, architecture="sm_90"):
    return nvrtc.compile(launches.module_source(), launch.defines, architecture)


def launches_with(width, bits):
    """Return launches that use every kernel with accesses of a width; tables have 64-bit indices."""
    found = [launch_of(case, nothing(1), nothing(2)) for case in every_kernel(width, bits)]
    return {launch.kernel: launch for launch in found if f"-DACCEL_INDEX={bits}" in launch.defines}


def body_of(kernel, ptx):
    """Return the PTX of one kernel."""
    return re.search(rf"\.entry {kernel}\(.*?^}}", ptx, re.DOTALL | re.MULTILINE)[0]


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("width", WIDTHS)
def test_registers_suffice(width, bits, architecture):
    launch = launches_with(width, bits)["copy_items"]
    kernels = compiled(launch, architecture).kernels
    used = {name: found.registers for name, found in sorted(kernels.items())}
    print(f"NVRTC {nvrtc.version()} {architecture} {width:2} bytes, {bits} bits, registers: {used}")  # noqa: T201 - what ci/device_code shows
    assert len(used) == (6 if width < 4 else 5)
    assert {(found.stack, found.spilled) for found in kernels.values()} == {(0, 0)}
    assert max(used.values()) <= MOST_REGISTERS
    assert kernels["transpose_items"].shared == 32 * 33 * width
    assert max(found.shared for found in kernels.values()) <= MOST_SHARED


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("width", WIDTHS)
def test_an_item_is_one_access_of_memory(width, bits):
    found = launches_with(width, bits)
    ptx = compiled(found["copy_items"]).ptx
    assert ".local" not in ptx
    for kernel, loads in [(name, True) for name in found] + [("fill_items", False)]:
        access = ACCESSES[4 if kernel == "transpose_packed" else width]
        body = body_of(kernel, ptx)
        assert re.search(rf"st\.global\.({access})\s", body), kernel
        assert not loads or re.search(rf"ld\.global\.(nc\.)?({access})\s", body), kernel
        assert not re.search(r"\s(ld|st)\.(v\d\.)?\w\d+\s", body), "the compiler sees that memory is global"


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("width", WIDTHS)
def test_all_loads_are_under_way_before_the_first_store_waits(width, bits):
    found = launches_with(width, bits)
    ptx = compiled(found["copy_items"]).ptx
    for kernel, loads in {"copy_items": 4, "transpose_items": 4, "transpose_packed": 8}.items():
        if kernel in found:
            accesses = re.findall(r"\b(ld|st)\.(?:global|shared)", body_of(kernel, ptx))
            assert accesses[: loads + 1] == [*["ld"] * loads, "st"]


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("width", WIDTHS)
def test_parameters_are_those_that_are_packed(width, bits):
    found = launches_with(width, bits)
    ptx = compiled(found["copy_items"]).ptx
    for kernel, launch in found.items():
        sizes = re.findall(rf"\.param (?:\.align \d+ )?\.(u64|b64|b8) .*?{kernel}_param_\d+(?:\[(\d+)\])?,?\n", ptx)
        assert [int(size or 8) for _, size in sizes] == [argument.nbytes for argument in launch.arguments], kernel


@pytest.mark.parametrize(
    ("eviction", "width"),
    [*product([CacheEviction.FIRST], WIDTHS), *product(list(CacheEviction)[2:], [16])],
)
def test_a_hint_is_in_every_load_of_items(eviction, width):
    case = Case(matrix(width, 33, 40)._replace(eviction=eviction))
    launch = launch_of(case, nothing(1), nothing(2))
    ptx = compiled(launch).ptx
    for kernel in ("copy_items", "gather_items", "transpose_items"):
        loads = re.findall(r"ld\.global\S*", body_of(kernel, ptx))
        assert loads
        assert all(re.fullmatch(rf"ld\.global\.L1::{eviction.value}\.({ACCESSES[width]})", load) for load in loads), (
            loads
        )


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_views_are_taken_by_value_and_cost_no_memory(architecture):
    made = nvrtc.compile(users.ADD.unit, (), architecture)
    assert (made.kernels["add"].stack, made.kernels["add"].spilled, ".local" in made.ptx) == (0, 0, False)
    assert [*map(int, re.findall(r"\.param \.align 8 \.b8 add_param_\d\[(\d+)\]", made.ptx))] == users.sizes()


@pytest.mark.parametrize("wrong", users.WRONG)
def test_what_is_wrong_in_a_users_kernel_leads_to_its_line(wrong):
    source = users.WRONG[wrong]
    with pytest.raises(AssertionError) as said:
        nvrtc.compile(source.unit, (), "sm_90")
    error = source.located_error("add", KernelSyntaxError(str(said.value)))
    assert (error.filename, error.lineno, error.text) == (source.file, 5, source.text.splitlines()[4])
