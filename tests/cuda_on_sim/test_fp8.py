"""Floating-point types of 8 bits convert as those of ml_dtypes do."""

import ml_dtypes
import numpy as np
import pytest

from .gpu import launch

KINDS = {"e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2, "e8m0": ml_dtypes.float8_e8m0fnu}
TEXT = "#include <cuda_fp8.h>\n" + "".join([
    f"""
extern "C" __global__ void decode_{kind}(const unsigned char* x, float* y) {{
    __nv_fp8_{kind} value;
    value.__x = x[threadIdx.x];
    y[threadIdx.x] = float(value);
}}
extern "C" __global__ void encode_{kind}(const float* x, unsigned char* y) {{
    y[threadIdx.x] = __nv_fp8_{kind}(x[threadIdx.x]).__x;
}}
extern "C" __global__ void others_{kind}(const unsigned char* x, float* y) {{
    __nv_fp8_{kind} value;
    value.__x = x[threadIdx.x];
    y[threadIdx.x] = float(__half(value)) == float(value) && int(value) == int(float(value)) &&
                     float(__nv_bfloat16(value)) == float(value) && bool(value) == (float(value) != 0) &&
                     __nv_fp8_{kind}(double(value)).__x == value.__x;
}}
"""
    for kind in KINDS
]) + """
extern "C" __global__ void unsaturated(const float* x, unsigned char* y) {
    y[threadIdx.x] = __nv_cvt_float_to_fp8(x[threadIdx.x], __NV_NOSAT, __NV_E4M3);
    y[threadIdx.x + 256] = __nv_cvt_double_to_fp8(x[threadIdx.x], __NV_NOSAT, __NV_E5M2);
    y[threadIdx.x + 512] = __nv_cvt_float_to_e8m0(x[threadIdx.x], __NV_NOSAT, cudaRoundZero);
}
"""  # fmt: skip
CODES = np.arange(256, dtype=np.uint8)


def values(kind):
    """Return all numbers of a kind, those halfway between two, their neighbours, and some beyond."""
    known = CODES.view(KINDS[kind]).astype(np.float64)
    known = np.unique(known[np.isfinite(known)])
    halves = (known[1:] + known[:-1]) / 2
    some = np.concatenate([known, halves, halves * (1 + 1e-6), halves * (1 - 1e-6)]).astype(np.float32)
    return np.concatenate([some, np.array([np.nan, -0.0], np.float32)])


def in_blocks(name, x, dtype):
    padded = np.concatenate([x, np.zeros(-len(x) % 256, x.dtype)]).reshape(-1, 256)
    return np.concatenate([launch(TEXT, name, 1, 256, row, np.zeros(256, dtype))[1] for row in padded])[: len(x)]


@pytest.mark.parametrize("kind", KINDS)
def test_numbers_are_those_of_ml_dtypes(kind):
    np.testing.assert_array_equal(
        in_blocks(f"decode_{kind}", CODES, np.float32), CODES.view(KINDS[kind]).astype(np.float32)
    )


@pytest.mark.parametrize("kind", ["e4m3", "e5m2"])
def test_floats_are_rounded_to_the_nearest_and_saturate(kind):
    x = values(kind)
    beyond = np.array([1e9, -1e9, np.inf, -np.inf], np.float32)
    largest = float(ml_dtypes.finfo(KINDS[kind]).max)
    result = in_blocks(f"encode_{kind}", np.concatenate([x, beyond]), np.uint8).view(KINDS[kind]).astype(np.float32)
    np.testing.assert_array_equal(result[: len(x)], x.astype(KINDS[kind]).astype(np.float32))
    assert result[len(x) :].tolist() == [largest, -largest, largest, -largest]


def test_exponents_are_rounded_upwards():
    x = np.array([1, 1.5, 2, 3, 1e-3, -4, 0, 1e38, np.inf, 2.0**-127], np.float32)
    result = in_blocks("encode_e8m0", x, np.uint8)
    assert result.tolist() == [127, 128, 128, 129, 118, 129, 0, 254, 254, 0]


@pytest.mark.parametrize("kind", ["e4m3", "e5m2"])
def test_other_types_have_the_same_value(kind):
    finite = CODES[np.isfinite(CODES.view(KINDS[kind]).astype(np.float32))]
    assert in_blocks(f"others_{kind}", finite, np.float32).all()


def test_without_saturation():
    x = np.resize(np.array([448, 470, 57344, 62000, np.inf, 5], np.float32), 256)
    result = launch(TEXT, "unsaturated", 1, 256, x, np.zeros(768, np.uint8))[1].reshape(3, 256)[:, :6]
    assert result[0].tolist() == [0x7E, 0x7F, 0x7F, 0x7F, 0x7F, 0x4A]
    assert result[1].view(KINDS["e5m2"]).astype(float).tolist() == [448, 448, 57344, np.inf, np.inf, 5]
    assert result[2].tolist() == [135, 135, 142, 142, 255, 129]
