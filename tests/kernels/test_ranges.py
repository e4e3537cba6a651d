"""Loops over ranges of every integer type are Python's, up to the limits of the types, on every device."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import accel
from accel.kernels import accumulator, f64, i64, kernel, u64
from tests.tables import rows

DEVICES = ["cpu", "sim"]
DTYPES = [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
MOST = 1 << 64


@kernel
def serial(start, stop, step, numbers, floats, count):
    for _ in range(1):
        n = 0
        for j in range(start, stop, step):
            if n < numbers.size:
                numbers[n] = j
                floats[n] = f64(j)
            n += 1
        count[0] = n


@kernel
def parallel(start, stop, step):
    total, count = accumulator(u64, 0), accumulator(i64, 0)
    for j in range(start, stop, step):
        total += u64(j)
        count += 1
    return total, count


def agree(start, stop, step, device):
    """Compare the loops over a range with Python's; the arguments are NumPy's integers."""
    expected = range(*[int(x) for x in (start, stop, step)])
    unsigned = start.dtype == "uint64"
    numbers, floats = accel.zeros(12, "uint64" if unsigned else "int64", device=device), accel.zeros(12, device=device)
    count = accel.zeros(1, "int64", device=device)
    serial(start, stop, step, numbers[:], floats[:], count[:])
    first = list(expected[:12])
    assert count.to_numpy()[0] == len(expected)
    assert numbers.to_numpy().tolist()[: len(first)] == first
    assert floats.to_numpy().tolist()[: len(first)] == list(map(float, first))
    if device == "cpu":
        assert [int(x) for x in parallel(start, stop, step)] == [sum(expected) % MOST, len(expected)]


@st.composite
def ranges(draw):
    """Draw the bounds of a range of few numbers: near the limits of a type, near the sign's bit, and anywhere."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    limits = np.iinfo(dtype)
    low, high = int(limits.min), int(limits.max)
    near = st.sampled_from([low, high, (low + high) // 2 + 1, 0]).flatmap(lambda x: st.integers(x - 9, x + 9))
    start, stop = (draw((near | st.integers(low, high)).filter(lambda x: low <= x <= high)) for _ in range(2))
    least = max(abs(stop - start) // 40, 1)
    signed = np.dtype("int64") if dtype.kind == "u" else dtype
    kind = draw(st.sampled_from([dtype, signed]))
    step = draw(st.integers(least, least + 5) | st.just(high))
    step = min(step, int(np.iinfo(kind).max)) * (draw(st.sampled_from([1, -1])) if kind.kind == "i" else 1)
    return dtype.type(start), dtype.type(stop), kind.type(step)


@pytest.mark.slow
@pytest.mark.parametrize("device", DEVICES)
@settings(max_examples=30, deadline=None)
@given(bounds=ranges())
def test_are_those_of_python(device, bounds):
    agree(*bounds, device)


LARGE = 1 << 63


@rows(
    "bounds",
    [
        (MOST - 6, MOST - 1, 2),
        (MOST - 1, MOST - 6, -2),
        (0, MOST - 1, LARGE),
        (0, MOST - 1, LARGE // 2),
        (LARGE - 2, LARGE + 2, 1),
        (LARGE + 2, LARGE - 2, -1),
        (LARGE + 2, 0, -LARGE // 2),
        (MOST - 1, MOST - 1, 1),
        (MOST - 1, 0, 1),
        (0, MOST - 1, MOST - 1),
    ],
)
def test_of_uint64_are_those_of_python(bounds):
    *ends, step = bounds
    pace = np.int64(step) if step < 0 else np.uint64(step)
    for device in DEVICES:
        agree(*map(np.uint64, ends), pace, device)


@kernel
def constants(numbers):
    for _ in range(1):
        n = 0
        for j in range(18446744073709551610, 18446744073709551615, 2):
            numbers[n] = j
            n += 1
        for j in range(0, 18446744073709551615, 9223372036854775807):
            numbers[n] = j
            n += 1
        for j in range(u64(3)):
            for k in range(j):
                numbers[n] = numbers.size - k - 1
                n += 1


@pytest.mark.parametrize("device", DEVICES)
def test_of_constants_are_those_of_python(device):
    numbers = accel.zeros(9, "uint64", device=device)
    constants(numbers[:])
    first = [MOST - 6, MOST - 4, MOST - 2, 0, LARGE - 1, MOST - 2]
    assert numbers.to_numpy().tolist() == [*first, 8, 8, 7]


@kernel
def until(numbers, stop):
    for _ in range(1):
        for j in range(u64(0), u64(18446744073709551615)):
            numbers[j] = j
            if j == stop:
                break


@pytest.mark.parametrize("device", DEVICES)
def test_that_are_longer_than_all_indices_can_be_left(device):
    numbers = accel.full(4, 9, "uint64", device=device)
    until(numbers[:], 2)
    assert numbers.to_numpy().tolist() == [0, 1, 2, 9]
