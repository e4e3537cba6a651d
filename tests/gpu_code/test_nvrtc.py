"""NVRTC compiles the kernels for every architecture, with the expected instructions."""

import re
from itertools import product

import pytest
from accel.backends.cupy import launches

from accel.abc import CacheEviction, Leaf, Plan, Swizzling
from accel.errors import KernelSyntaxError

from ..tables import rows
from . import nvrtc, tools, users
from .cases import accesses, every_kernel, launches_with, nothing
from .comparison import Case, End, launch_of
from .strategies import WIDTHS

ARCHITECTURES = ("sm_75", "sm_80", "sm_90", "sm_100", "sm_120")
MOST_REGISTERS = 80  # of 65,536: three blocks of 256 threads at once
ACCESSES = {1: r"\w8", 2: r"\w16", 4: r"\w32", 8: r"\w64", 16: r"v4\.\w32|v2\.\w64"}
MOST_SHARED = 16_384
BYTES = {"U8": 1, "U16": 2, "64": 8, "128": 16}


@pytest.fixture(scope="module", autouse=True)
def _compiler():
    tools.need(nvrtc.library(), "NVRTC (nvidia-cuda-nvrtc)")


def compiled(launch, architecture="sm_90"):
    return nvrtc.compile(launches.module_source(), launch.defines, architecture)


def ptx_of(launch):
    """Return the PTX of the only kernel of a launch's module."""
    return re.search(r"\.entry .*?^}", compiled(launch).ptx, re.DOTALL | re.MULTILINE)[0]


def code_of(launch, architecture="sm_90"):
    """Return the machine instructions of a launch's kernel."""
    tools.need(nvrtc.disassembler(), "nvdisasm (nvidia-cuda-nvdisasm)")
    return nvrtc.instructions(compiled(launch, architecture).code)[launch.kernel]


def bytes_in_flight(code):
    """Return the bytes that a thread loads before it first stores one of them."""
    most = loaded = 0
    for instruction in code:
        name, *suffixes = instruction.split()[0].split(".")
        if name == "LDG":
            loaded += next((BYTES[suffix] for suffix in suffixes if suffix in BYTES), 4)
        elif name in {"STG", "STS"}:
            most, loaded = max(most, loaded), 0
    return most


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("width", WIDTHS)
def test_registers_suffice(width, bits, architecture):
    used = {}
    for name, launch in launches_with(width, bits).items():
        ((kernel, resources),) = compiled(launch, architecture).kernels.items()
        assert (kernel, resources.stack, resources.spilled) == (launch.kernel, 0, 0)
        assert resources.shared <= MOST_SHARED
        used[name] = resources.registers
    print(f"NVRTC {nvrtc.version()} {architecture} {width:2} bytes, {bits} bits, registers: {used}")  # noqa: T201 - what ci/device_code shows
    assert len(used) == (5 if width == 16 else 7)
    assert max(used.values()) <= MOST_REGISTERS


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("width", WIDTHS)
def test_an_item_is_one_access_of_memory(width, bits):
    for name, launch in launches_with(width, bits).items():
        read, written = accesses(launch)
        body = ptx_of(launch)
        assert ".local" not in body
        assert re.search(rf"st\.global\.({ACCESSES[written]})\s", body), name
        assert re.search(rf"ld\.global\.(nc\.)?({ACCESSES[read]})\s", body), name
        assert not re.search(r"\s(ld|st)\.(v\d\.)?\w\d+\s", body), "the compiler sees that memory is global"


# Bytes that a thread has in flight, and instructions of the whole kernel, which are about what a thread carries out for
# the bytes that it has in flight twice (whole tiles, and others) or once.
BUDGETS = {
    ("copy_items", 4): (16, 150),
    ("gather_items", 4): (16, 240),
    ("copy_table", 4): (16, 330),
    ("copy_boxes", 1): (64, 640),
    ("copy_boxes", 4): (32, 420),
    ("transpose_tiles 1", 1): (16, 900),
    ("transpose_tiles 8", 1): (64, 500),
    ("transpose_tiles 8", 2): (64, 460),
    ("transpose_tiles 16", 4): (64, 320),
    ("transpose_tiles 4", 4): (64, 730),
    ("transpose_tiles 16", 8): (64, 320),
    ("transpose_tiles 16", 16): (64, 290),
    ("copy_rows", 1): (64, 400),
    ("copy_rows", 4): (64, 360),
}


@rows(("name", "width"), BUDGETS)
def test_a_kernel_has_enough_in_flight_and_few_instructions(name, width):
    in_flight, most = BUDGETS[name, width]
    code = code_of(launches_with(width, 32)[name])
    print(f"sm_90 {name}, {width} bytes: {bytes_in_flight(code)} bytes in flight, {len(code)} instructions")  # noqa: T201 - what ci/device_code shows
    assert bytes_in_flight(code) >= in_flight
    assert len(code) <= most


@pytest.mark.parametrize("kernel", ["copy_items", "gather_items", "copy_boxes"])
def test_distances_of_64_bits_cost_less_than_half_as_many_instructions_again(kernel):
    narrow, far = (len(code_of(launches_with(4, bits)[kernel])) for bits in (32, 64))
    assert narrow < far < 1.5 * narrow


def test_what_happens_to_no_distance_costs_nothing():
    """A gather with both swizzles, a mask and pieces had 816 instructions whatever it used."""
    strided = Plan((Leaf(50, 12, -4),), 4, vector=4, index_bits=32)
    swizzled = End(Swizzling(0b110000, 2, 8))
    cases = [Case(strided), Case(strided, source=swizzled), Case(strided, swizzled, swizzled)]
    cases.append(cases[-1]._replace(plan=strided._replace(bound=-36)))
    sizes = [len(code_of(launch_of(case, nothing(1), nothing(2)))) for case in cases]
    assert sizes == sorted(sizes)
    assert sizes[-1] < 300


def test_small_items_are_turned_by_whole_registers():
    """A square of 8 x 8 bytes takes 32 permutations, one of 4 x 4 pairs of bytes 8, and larger items none."""
    for width, word, least in ((1, 8, 32), (2, 8, 16), (4, 16, 0)):
        code = code_of(launches_with(width, 32)[f"transpose_tiles {word}"])
        permutations = [instruction for instruction in code if instruction.startswith("PRMT")]
        assert 2 * least <= len(permutations) <= 2 * least + 8  # in whole tiles, and in others


@pytest.mark.parametrize("bits", [32, 64])
@pytest.mark.parametrize("width", WIDTHS)
def test_parameters_are_those_that_are_packed(width, bits):
    for kernel, launch in launches_with(width, bits).items():
        parameter = rf"\.param (?:\.align \d+ )?\.(u64|b64|b8) .*?{launch.kernel}_param_\d+(?:\[(\d+)\])?,?\n"
        sizes = re.findall(parameter, compiled(launch).ptx)
        assert [int(size or 8) for _, size in sizes] == [argument.nbytes for argument in launch.arguments], kernel


@pytest.mark.parametrize(
    ("eviction", "width"),
    [*product([CacheEviction.FIRST], WIDTHS), *product(list(CacheEviction)[2:], [16])],
)
def test_a_hint_is_in_every_load_of_items(eviction, width):
    for case in every_kernel(width, 32):
        launch = launch_of(case._replace(plan=case.plan._replace(eviction=eviction)), nothing(1), nothing(2))
        loads = re.findall(r"ld\.global\S*", ptx_of(launch))
        of_items = [load for load in loads if launch.kernel != "copy_table" or ".L1::" in load]
        assert of_items
        assert all(load.startswith(f"ld.global.L1::{eviction.value}.") for load in of_items), loads


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_views_are_taken_by_value_and_cost_no_memory(architecture):
    result = nvrtc.compile(users.ADD.unit, (), architecture)
    assert (
        result.kernels["add"].stack,
        result.kernels["add"].spilled,
        ".local" in result.ptx,
    ) == (0, 0, False)
    assert [*map(int, re.findall(r"\.param \.align 8 \.b8 add_param_\d\[(\d+)\]", result.ptx))] == users.sizes()


@pytest.mark.parametrize("wrong", users.WRONG)
def test_what_is_wrong_in_a_users_kernel_leads_to_its_line(wrong):
    source = users.WRONG[wrong]
    with pytest.raises(AssertionError) as refusal:
        nvrtc.compile(source.unit, (), "sm_90")
    error = source.located_error("add", KernelSyntaxError(str(refusal.value)))
    assert (error.filename, error.lineno, error.text) == (source.file, 5, source.text.splitlines()[4])
