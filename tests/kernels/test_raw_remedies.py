"""What errors of raw kernels say to write is accepted."""

import numpy as np
import pytest

import accel
from accel import AcceleratorDataContainer, Layout, NDBuffer, RawKernel, xp
from accel.errors import CapabilityError, DeviceUnavailableError, DTypeError
from tests.remedies import follow, suggestions
from tests.tables import rows

SCALE = """
extern "C" __global__ void scale(accel::View<float, 1> x, float factor) {
    if (threadIdx.x < x.extents[0]) x(threadIdx.x) *= factor;
}
extern "C" __global__ void first(float* x) { if (!threadIdx.x) *x = 7; }
extern "C" __global__ void vectors(float4* x) { if (!threadIdx.x) x->y = 7; }
extern "C" __global__ void nothing(int number) {}
"""
NAMES = {"accel": accel, "xp": xp, "np": np, **{
    name: RawKernel.from_source(SCALE, name) for name in ("scale", "first", "vectors", "nothing")
}}  # fmt: skip
MEMORY = [
    "accel.full(4, 2, dtype, device=device)",
    "accel.full(4, 2, dtype, device=device)[:2]",
    "accel.full(4, 2, dtype, device=device).storage",
    "xp.full(4, 2, dtype=dtype, device=device)",
    "NDBuffer(accel.full(8, 2, dtype, device=device), (4,), (2,))",
    "accel.full(4, 2, dtype, device=device).view(Layout.row_major(4))",
]


def memory(text, dtype, device):
    return eval(text, {**NAMES, "NDBuffer": NDBuffer, "Layout": Layout, "dtype": dtype, "device": device})


def remedied(kernel, x, error):
    """Launch a kernel as the error says to; return the memory that it wrote to."""
    with pytest.raises(error) as caught:
        NAMES[kernel](x, 3, over=2)
    (remedy,) = suggestions(str(caught.value))
    converted = eval(remedy, {**NAMES, "x": x})
    NAMES[kernel](converted, 3, over=2)
    return converted


@rows("text", MEMORY)
def test_memory_of_the_host_is_moved_to_a_device_that_is_here(text):
    x = memory(text, "float32", "cpu")
    moved = remedied("scale", x, CapabilityError)
    assert np.asarray(accel.from_dlpack(moved).to("cpu"))[0] == 6
    assert isinstance(moved, AcceleratorDataContainer) == isinstance(x, AcceleratorDataContainer)


@rows("text, dtype", [(text, dtype) for text in MEMORY for dtype in ("float64", "int16", "complex64")])
def test_memory_of_another_dtype_is_converted(text, dtype):
    x = memory(text, dtype, "sim")
    assert np.asarray(accel.from_dlpack(remedied("scale", x, DTypeError)).to("cpu"))[0] == 6


@rows(
    "line, error",
    [
        ("nothing(3, grid=1)", DeviceUnavailableError),
        ("nothing(3, grid=1, stream='sim')", TypeError),
        ("scale(accel.zeros(1, 'float32', device='sim'), 1, over=1, stream=accel.new_stream('cpu'))", ValueError),
        ("scale(accel.zeros(1, 'float32', device='sim'), 1, over=1, stream=7)", TypeError),
        ("first(accel.zeros(1, 'float32', device='cpu'), grid=1)", CapabilityError),
        ("vectors(accel.zeros(4, 'float64', device='sim'), grid=1)", DTypeError),
    ],
)
def test_other_remedies_are_python(line, error):
    if not accel.Device.available("cuda", "rocm") or error is not DeviceUnavailableError:
        names = {**NAMES, "x": "accel.zeros(4, 'float64', device='cpu')"}
        with pytest.raises(error):
            eval(line, dict(NAMES))
        assert follow(line, names)


def test_a_kernel_names_a_device_that_compiles_it():
    with pytest.raises(CapabilityError, match=r"compiled\('sim'\)"):
        NAMES["first"].compiled("cpu")
