"""Inline PTX of kernels: instructions compute what NumPy does, and accesses are those of memory, with its checks."""

import ml_dtypes
import numpy as np
import pytest
from accel.backends.cuda_on_cpu.text.ptx import translated_ptx

from accel.errors import KernelMemoryError, KernelRaceError, KernelSyntaxError

from ..tables import rows
from .gpu import launch

checks = pytest.mark.parametrize("checks", ["", "all"])
BF16 = ml_dtypes.bfloat16
FLOATS = np.array([0, -0.0, 1, -1.5, 2.5, 3.5, 1e-8, 6e-5, 65504, 65520, 1e9, -1e9, 2**31, np.inf, -np.inf, 0.1], "f4")
CONVERSIONS = {
    "cvt.rn.f16.f32": ("f", "f4", "h", "f2", lambda x: x.astype("f2")),
    "cvt.rn.f16.f64": ("d", "f8", "h", "f2", lambda x: x.astype("f2")),
    "cvt.f32.f16": ("h", "f2", "f", "f4", lambda x: x.astype("f4")),
    "cvt.f64.f16": ("h", "f2", "d", "f8", lambda x: x.astype("f8")),
    "cvt.rn.bf16.f32": ("f", "f4", "h", BF16, lambda x: x.astype(BF16)),
    "cvt.f32.bf16": ("h", BF16, "f", "f4", lambda x: x.astype("f4")),
    "cvt.f64.f32": ("f", "f4", "d", "f8", lambda x: x.astype("f8")),
    "cvt.rn.f32.f64": ("d", "f8", "f", "f4", lambda x: x.astype("f4")),
    "cvt.rni.s32.f32": ("f", "f4", "r", "i4", lambda x: np.clip(np.rint(x.astype("f8")), -(2**31), 2**31 - 1)),
    "cvt.rzi.s32.f32": ("f", "f4", "r", "i4", lambda x: np.clip(np.trunc(x.astype("f8")), -(2**31), 2**31 - 1)),
    "cvt.rpi.u32.f32": ("f", "f4", "r", "u4", lambda x: np.clip(np.ceil(x.astype("f8")), 0, 2**32 - 1)),
    "cvt.rn.f32.s32": ("r", "i4", "f", "f4", lambda x: x.astype("f4")),
    "cvt.u32.u64": ("l", "u8", "r", "u4", lambda x: x.astype("u4")),
    "cvt.s64.s32": ("r", "i4", "l", "i8", lambda x: x.astype("i8")),
}


TYPES = {"f": "float", "d": "double", "h": "unsigned short", "r": "unsigned", "l": "unsigned long long"}
CONVERT = "".join([
    f"""extern "C" __global__ void {instruction.replace(".", "_")}(const {TYPES[read]}* x, {TYPES[written]}* y) {{
        asm("{instruction} %0, %1;" : "={written}"(y[threadIdx.x]) : "{read}"(x[threadIdx.x]));
    }}
    """
    for instruction, (read, _, written, _, _) in CONVERSIONS.items()
])  # fmt: skip


@rows("instruction", CONVERSIONS)
def test_conversions_are_those_of_numpy(instruction):
    read, source, written, target, numpy = CONVERSIONS[instruction]
    with np.errstate(all="ignore"):
        x = FLOATS.astype(source) if np.dtype(source).kind != "i" else np.arange(-8, 8, dtype=source) * 123456789
        if source == "f8":
            x[-1] = 1 + 2.0**-11 + 2.0**-40  # twice rounded, it would become another float16
        expected = numpy(x).astype(target)
    bits = [np.dtype(f"u{np.dtype(each).itemsize}") if letter in "hrl" else each
            for letter, each in ((read, source), (written, target))]  # fmt: skip
    name = instruction.replace(".", "_")
    _, result = launch(CONVERT, name, 1, 16, x.view(bits[0]), np.zeros(16, bits[1]), checks="")
    np.testing.assert_array_equal(result.view(target).astype("f8"), expected.astype("f8"))


APPROXIMATE = {
    "tanh": np.tanh, "ex2": np.exp2, "lg2": np.log2, "sin": np.sin, "cos": np.cos, "rcp": lambda x: 1 / x,
    "rsqrt": lambda x: 1 / np.sqrt(x), "sqrt": np.sqrt,
}  # fmt: skip


@rows("name", APPROXIMATE)
def test_approximate_functions_are_those_of_numpy(name):
    text = f"""extern "C" __global__ void k(const float* x, float* y) {{
        asm("{name}.approx{".ftz" if name in ("ex2", "rcp") else ""}.f32 %0, %1;" : "=f"(y[threadIdx.x])
            : "f"(x[threadIdx.x]));
    }}"""
    x = np.linspace(0.1, 7, 32).astype("f4")
    _, y = launch(text, "k", 1, 32, x, np.zeros_like(x))
    np.testing.assert_allclose(y, APPROXIMATE[name](x.astype("f8")), rtol=2e-7)


STAGED = """
__device__ unsigned address(const void* at) { return unsigned(__cvta_generic_to_shared(at)); }
extern "C" __global__ void reverse(const float4* x, float4* y, int used) {
    __shared__ float4 before, fixed[32];
    extern __shared__ float4 dynamic[];
    float4* const part = blockIdx.x ? fixed : dynamic;
    const int i = threadIdx.x, last = blockDim.x - 1;
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;" ::
                 "r"(address(part + i)), "l"(x + blockIdx.x * blockDim.x + i), "r"(used));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group %0;" ::"n"(0));
    BARRIER
    float4 value;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w) : "r"(address(part + (last - i))));
    asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" :: "l"(y + blockIdx.x * blockDim.x + i), "f"(value.x),
                 "f"(value.y), "f"(value.z), "f"(value.w) : "memory");
}
"""
BARRIERS = ("__syncthreads();", 'asm volatile("bar.sync 0;");')


@checks
@pytest.mark.parametrize("barrier", BARRIERS)
@pytest.mark.parametrize("used", [16, 4])
def test_parts_are_copied_to_static_and_dynamic_shared_memory(barrier, used, checks):
    x = np.arange(256, dtype="f4").reshape(2, 32, 4)
    text = STAGED.replace("BARRIER", barrier)
    _, y, _ = launch(text, "reverse", 2, 32, x, np.zeros_like(x), np.int32(used), shared=512, checks=checks)
    expected = np.where(np.arange(4) < used // 4, x, 0)[:, ::-1]
    np.testing.assert_array_equal(y, expected)


def test_a_copy_to_shared_memory_is_checked_at_both_ends():
    x = np.arange(256, dtype="f4")
    with pytest.raises(KernelRaceError, match=r"cp\.async"):
        launch(STAGED.replace("BARRIER", ""), "reverse", 2, 32, x, np.zeros_like(x), np.int32(16), shared=512)
    with pytest.raises(KernelMemoryError, match="dynamic shared memory of 256 bytes"):
        launch(STAGED.replace("BARRIER", BARRIERS[0]), "reverse", 1, 32, x, np.zeros_like(x), np.int32(16), shared=256)
    with pytest.raises(KernelMemoryError, match="reads 16 bytes"):
        launch(
            STAGED.replace("BARRIER", BARRIERS[0]),
            "reverse",
            2,
            32,
            x[:128],
            np.zeros_like(x),
            np.int32(16),
            shared=512,
        )


HINTED = """
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
#define LOAD "ld.global.L1::" TEXT(HINT)
extern "C" __global__ void scaled(const unsigned* x, unsigned* y) {
    unsigned value;
    asm volatile(LOAD ".u32 %0, [%1];" : "=r"(value) : "l"(x + threadIdx.x));
    asm("{ .reg .f32 f; cvt.rn.f32.u32 f, %1; mul.f32 f, f, 0f40000000; cvt.rzi.u32.f32 %0, f; }"
        : "=r"(y[threadIdx.x]) : "r"(value));
}
"""


@checks
def test_macros_may_name_a_hint_and_numbers_are_given_by_their_bits(checks):
    x = np.arange(32, dtype="u4")
    _, y = launch(HINTED, "scaled", 1, 32, x, np.zeros_like(x), options=("-DHINT=evict_first",), checks=checks)
    np.testing.assert_array_equal(y, 2 * x)


UNKNOWN = {
    "an instruction": 'asm("wgmma.fence.sync.aligned;");',
    "a conversion": 'asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %1;" : "=h"(h) : "f"(f));',
    "an instruction of a macro": 'asm(ANY(add) ".u32 %0, %0, 1;" : "+r"(x));',
    "a name of an operand": 'asm("add.u32 %[y], %[y], 1;" : [y] "+r"(x));',
    "several registers": 'asm("{ .reg .u32 r<4>; mov.u32 %0, r0; }" : "=r"(x));',
    "an operation of a barrier": 'asm("bar.sync 1, 32;");',
    "an offset below": 'asm("ld.u32 %0, [%1 + -4];" : "=r"(x) : "l"(&x));',
    "no end": 'asm("add.u32 %0, %0, 1;" : "+r"(x);',
}  # fmt: skip


@pytest.mark.parametrize("what", UNKNOWN)
def test_ptx_that_is_not_simulated_is_an_error_at_its_line(what):
    text = f"""#define ANY(name) #name
    extern "C" __global__ void k(int* y) {{
        unsigned x = 0; float f = 0; unsigned short h = 0;
        {UNKNOWN[what]}
    }}"""
    with pytest.raises(KernelSyntaxError) as error:
        launch(text, "k", 1, 1, np.zeros(1, "i4"))
    assert error.value.lineno == 4
    assert what == "no end" or "CUDA that is not simulated: inline PTX" in str(error.value)


def test_a_call_takes_the_place_of_each_instruction_and_lines_stay():
    text = 'asm("add.u32 %0, %1, 1;"\n : "=r"(y) : "r"(x)); asm("unknown;");'
    result = translated_ptx(text, lambda _, message: f"refused({message})")
    assert "accel_sim::ptx::add<uint32_t>(accel_sim_1, 1)" in result
    assert "refused(unknown;)" in result
    assert result.count("\n") == 1
