"""Kernels that find the first NaN that is written."""

import math

import numpy as np
import pytest

import accel
from accel.kernels import func, kernel

WRITTEN = "It was written into the parameter 'w', 2 elements from its first one"


@kernel(finds_nan=True)
def logarithms(v, w):
    for i in range(v.size):
        w[i] = logarithm(v[i])


@func
def logarithm(x):
    return math.log(x)


@pytest.mark.parametrize("device", ["cpu", "sim"])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_a_nan_that_is_written_is_an_error_with_its_place(device, dtype):
    v = accel.container(np.array([1, 2, -3, 4]), dtype, device)
    w = accel.zeros(4, dtype, device)
    with pytest.raises(FloatingPointError) as caught:
        logarithms(v, w).wait()
    assert str(caught.value).splitlines() == [
        "Not A Number: kernel[logarithms] tid=2.",
        "Callstack:",
        "logarithms (test_finds_nan.py:17)",
        f"{WRITTEN}, of dtype {dtype}, in memory of 4 elements.",
        "There were no other failed checks.",
    ]


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_numbers_and_infinities_are_no_error(device):
    v, w = accel.container([1.0, 0.0, math.inf], device=device), accel.zeros(3, device=device)
    logarithms(v, w).wait()
    assert w.to_numpy().tolist() == [0.0, -math.inf, math.inf]


@pytest.mark.parametrize("value", [complex(math.nan, 0), complex(0, math.nan)])
def test_each_part_of_a_complex_number_counts(value):
    @kernel(finds_nan=True)
    def put(v, x):
        v[1] = x

    with pytest.raises(FloatingPointError, match="1 elements from its first one, of dtype complex64"):
        put(accel.zeros(3, "complex64"), value)


def test_other_kernels_write_nan_also_in_debug_mode():
    @kernel(debug=True)
    def put(v):
        v[0] = math.nan

    c = accel.zeros(1)
    put(c)
    assert np.isnan(c[0])


def test_integers_are_not_checked():
    @kernel(finds_nan=True)
    def put(v):
        for i in range(v.size):
            v[i] = i

    c = accel.zeros(4, "int64")
    put(c)
    assert c.to_numpy().tolist() == [0, 1, 2, 3]
