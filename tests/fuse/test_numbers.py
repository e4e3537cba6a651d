"""Numbers among the arguments of fused functions: of Python and of NumPy, and what Python and NumPy compute of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp
from accel.tracing.launch_checks import MISSED

from .comparison import same

DEVICES = ("cpu", "sim")
SCALARS = ("float32", "float16", "longlong", "complex64", "bool", "uint8")
Function = Callable[..., Any]


def in_place(x: Any, number: Any) -> Any:
    total = number
    total += x
    x[0] = number
    return total, x


FUNCTIONS: dict[str, Function] = {
    "operators": lambda x, number: (x + number, number * x, x == number, x**number),
    "functions": lambda x, number: (xp.where(x > 0, number, x), xp.maximum(x, number), np.add(x, number)),
    "arrays": lambda x, number: (xp.asarray(number), xp.full((2,), number), xp.asarray([number, number])),
    "numbers": lambda x, number: (x * (number + number), x + number.real, number * number, number),
    "numbers of NumPy": lambda x, number: (np.sqrt(number + 1) * x, np.float32(2) * number, np.hypot(number, 2) + x),
    "arrays of NumPy": lambda x, number: (np.multiply(x, number, dtype="complex128"), np.multiply.outer(x, number)),
    "in place": in_place,
}


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("number", [3, 2.5, True, 1 + 2j, *SCALARS])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_numbers_of_python_and_scalars_of_numpy(name: str, number: Any, device: str) -> None:
    """What a function returns, its numbers among that, is as unfused; another value needs no new trace."""
    if number in SCALARS:
        number = np.dtype(number).type(1)
    function, fused = FUNCTIONS[name], accel.fuse(FUNCTIONS[name])
    for value in (number, number + number if not isinstance(number, bool | np.bool) else number):
        runs = []
        for each in (fused, function):
            x = xp.asarray([1.0, 2.0, 4.0], dtype="complex128", device=device)
            runs.append(outcome(each, x, value, device))
        found, expected = runs
        assert [type(each) for each in found] == [type(each) for each in expected]
        for one, other in zip(found, expected, strict=True):
            if isinstance(one, xp.Array):
                same([one], [other], 4, name)
            else:
                assert one == other


def outcome(function: Function, x: Any, number: Any, device: str) -> list[Any]:
    """Return what a function returns, or the type of what it raises."""
    try:
        with accel.using(device=device):
            return [*function(x, number)]
    except Exception as error:
        return [type(error)]


def test_a_number_has_the_type_that_it_has_unfused() -> None:
    @accel.fuse
    def scaled(x: Any, count: Any, scale: Any) -> Any:
        assert isinstance(count, int)
        assert not isinstance(count, float)
        assert scale.dtype == np.float32
        assert (scale * count).dtype == np.float32
        return x * count + scale

    same([scaled(xp.ones(3), 3, np.float32(0.5))], [xp.ones(3) * 3.5], 0, "a result")


def test_a_new_value_of_a_scalar_needs_no_trace() -> None:
    traces = []

    @accel.fuse
    def scaled(x: Any, scale: Any) -> Any:
        traces.append(1)
        return x * scale

    for scale in (np.float32(2), np.float32(3)):
        same([scaled(xp.ones(3), scale)], [xp.ones(3) * scale], 0, "a result")
    scaled(xp.ones(3), np.float64(2))
    assert len(traces) == 2


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_a_complex_number_is_true_if_one_of_its_parts_is(dtype: str, device: str) -> None:
    def truths(z: Any) -> Any:
        return xp.astype(z, "bool"), xp.count_nonzero(z), xp.any(z[:1]), xp.all(z[:1]), xp.where(z, 1, 2)

    values = np.array([1j, 0, 1, -0.0, complex(0, np.nan), complex(-0.0, -0.0), -1j] * 3, dtype)
    z = xp.asarray(values, device=device)
    same([*accel.fuse(truths)(z)], [*truths(z)], 0, "a result")


def test_static_numbers_of_numpy_are_found_again() -> None:
    fused, x = accel.fuse(static=["n"])(lambda x, n: x * n), xp.ones(3)
    fused(x, np.float64(2))
    (launch,) = fused._launches
    assert launch((x, np.float64("2")), {}) is not MISSED
    for other in (np.float64(3), np.float32(2), 2.0, np.int64(2)):
        assert launch((x, other), {}) is MISSED
        assert float(fused(x, other)[0]) == float(other)


@pytest.mark.parametrize("device", ["cpu", "sim"])
def test_numbers_that_arrays_have_wrap_around_when_they_are_cast(device: str) -> None:
    def function(x: Any) -> Any:
        x[...] = -2
        y = xp.full((), 300, dtype=xp.int16)
        return xp.astype(x, xp.uint32), xp.astype(y, xp.uint8), xp.astype(y, xp.float32), xp.astype(y > 7, xp.int8)

    found, expected = [each(xp.asarray(1, dtype=xp.int16, device=device)) for each in (accel.fuse(function), function)]
    for one, other in zip(found, expected, strict=True):
        assert (one.dtype, int(one)) == (other.dtype, int(other))
