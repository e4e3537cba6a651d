"""Infinities, NaN and signed zeros where NumPy's results are not those of the array standard."""

import operator
import warnings
from math import copysign, inf, nan

import numpy as np
import pytest

import accel
from accel import xp

# NumPy computes short arrays, long ones and those with gaps by different code.
LENGTHS = {"cpu": (1, 2, 3, 7, 33), "sim": (1, 3)}
FLOOR_DIVIDE = [
    (inf, 2.0, inf),
    (inf, -2.0, -inf),
    (-inf, 2.0, -inf),
    (-inf, -0.0, inf),
    (inf, inf, nan),
    (1.0, -inf, -0.0),
    (-1.0, inf, -0.0),
    (1.0, inf, 0.0),
    (0.0, -inf, -0.0),
    (nan, inf, nan),
    (1.0, 0.1, 9.0),  # finite: NumPy's floor of the exact quotient, not floor(1.0 / 0.1)
    (-7.0, 2.0, -4.0),
]
POW = [(-0.0, 0.5, 0.0), (-inf, 0.5, inf), (4.0, 0.5, 2.0), (-1.0, 0.5, nan), (-0.0, 3.0, -0.0), (-inf, 1.5, inf)]
FUNCTIONS = {
    "floor_divide": (FLOOR_DIVIDE, operator.floordiv, operator.ifloordiv),
    "pow": (POW, operator.pow, operator.ipow),
}
BINARY = [(name, *case) for name, (cases, *_) in FUNCTIONS.items() for case in cases]
EXPM1 = [
    (complex(-0.0, 0.0), 0j),
    (complex(0.0, -0.0), complex(0.0, -0.0)),
    (complex(inf, 0.0), complex(inf, 0.0)),
    (complex(-inf, inf), complex(-1.0, 0.0)),
    (complex(inf, inf), complex(inf, nan)),
    (complex(-inf, nan), complex(-1.0, 0.0)),
    (complex(inf, nan), complex(inf, nan)),
    (complex(nan, 0.0), complex(nan, 0.0)),
    (complex(0.0, inf), complex(nan, nan)),
]
TANH = [
    (complex(inf, 2.0), complex(1.0, 0.0)),
    (complex(inf, -2.0), complex(1.0, -0.0)),
    (complex(-inf, 2.0), complex(-1.0, 0.0)),
    (complex(0.0, inf), complex(0.0, nan)),
]
UNARY = [("expm1", *case) for case in EXPM1] + [("tanh", *case) for case in TANH]


@pytest.fixture(params=["cpu", "sim"])
def device(request):
    return request.getfixturevalue("sim") if request.param == "sim" else xp.Device.CPU


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        yield


def placed(value, other, length, step, dtype, device):
    """Return an array with gaps, of a value in the middle of others."""
    values = xp.full(length * step, other, dtype=dtype, device=device)[::step]
    values[length // 2] = value
    return values


def host(x):
    return np.asarray(x.to_device("cpu"))


def assert_is(result, expected):
    """Compare a result with a number, including the signs of zeros; the sign of NaN says nothing."""
    for one, other in ((result.real, expected.real), (result.imag, expected.imag)):
        assert one == other or (np.isnan(one) and np.isnan(other))
        assert np.isnan(other) or copysign(1, one) == copysign(1, other)


@pytest.mark.parametrize("dtype", [xp.float32, xp.float64])
@pytest.mark.parametrize(("name", "one", "other", "expected"), BINARY)
def test_functions_and_operators_agree_on_infinities_and_zeros(name, one, other, expected, dtype, device):
    if dtype is xp.float32 and other == 0.1:
        expected = np.floor_divide(np.float32(one), np.float32(other))
    _, by_operator, in_place = FUNCTIONS[name]
    for length, step in [(length, step) for length in LENGTHS[device.type] for step in (1, 2)]:
        x1 = placed(one, 1.5, length, step, dtype, device)
        x2 = placed(other, 2.5, length, step, dtype, device)
        copy = xp.asarray(x1, copy=True)
        output = [
            getattr(xp, name)(x1, x2),
            by_operator(x1, x2),
            by_operator(x1, other),
            by_operator(x1, xp.asarray(other, dtype=dtype, device=device)),
            by_operator(one, x2),
            in_place(copy, x2),
        ]
        assert output[-1] is copy
        for result in output:
            assert result.dtype == dtype
            assert_is(host(result)[length // 2], expected)


@pytest.mark.parametrize("dtype", [xp.complex64, xp.complex128])
@pytest.mark.parametrize(("name", "value", "expected"), UNARY)
def test_complex_functions_of_infinities_and_zeros(name, value, expected, dtype, device):
    for length, step in [(length, step) for length in LENGTHS[device.type] for step in (1, 2)]:
        result = getattr(xp, name)(placed(value, 0.5j, length, step, dtype, device))
        assert result.dtype == dtype
        assert_is(host(result)[length // 2], expected)


@pytest.mark.parametrize("name", ["expm1", "tanh"])
def test_complex_functions_are_numpys_elsewhere(name):
    parts = np.linspace(-50, 45, 97)
    z = (parts[:, None] + 1j * parts).ravel()
    np.testing.assert_allclose(np.asarray(getattr(xp, name)(xp.asarray(z))), getattr(np, name)(z), rtol=1e-13)


def test_complex_expm1_does_not_overflow_before_its_value_does():
    z = complex(710.0, 0.785)
    assert complex(xp.expm1(xp.asarray(z))) == complex(np.exp(z))


@pytest.mark.parametrize("values", [np.asarray([3.0, -inf, 1e300]), np.asarray([[7.5, -2.0], [inf, 0.5]])])
def test_floor_divide_of_broadcast_operands_and_of_other_dtypes(values):
    with np.errstate(all="ignore"):
        expected = np.floor(values / np.asarray(2.0))
    x = xp.asarray(values)
    for other in (2, 2.0, np.float32(2), xp.asarray(2), xp.asarray([2.0]), xp.broadcast_to(xp.asarray(2.0), x.shape)):
        np.testing.assert_array_equal(np.asarray(x // other), expected)


def test_floor_divide_in_place_keeps_the_shape_beside_infinities():
    x = xp.asarray([1.0, -inf])
    with pytest.raises(accel.errors.LayoutError, match="non-broadcastable"):
        x //= xp.ones((1, 2))
    assert x.tolist() == [1.0, -inf]


def test_floor_divide_warns_as_numpy_does_and_not_of_infinities():
    x = xp.asarray([inf, 1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert float((x // 2)[0]) == inf
        with pytest.raises(RuntimeWarning, match="divide by zero"):
            x // 0.0


def test_integers_are_divided_and_raised_as_before():
    x = xp.asarray([7, -7, 2])
    assert (x // 2).dtype == (x**2).dtype == x.dtype
    assert np.asarray(x // 2).tolist() == [3, -4, 1]
    assert np.asarray(2 ** xp.asarray([0, 1, 2])).tolist() == [1, 2, 4]
    with pytest.raises(TypeError, match="does not fit int64 in place"):
        x //= 2.0
    with pytest.raises(TypeError, match="does not fit int64 in place"):
        x **= 0.5


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_powers_have_the_bits_of_numpys_operators(dtype, device):
    values = (np.linspace(0.1, 9, 301) * (1 if dtype[0] == "f" else 1 + 2j)).astype(dtype)
    for exponent in (-1, 0, 0.5, 1, 2, 3, -1.0, 1.5, 2.0):
        x, expected = xp.asarray(values, device=device, copy=True), values.copy()
        assert host(x**exponent).tobytes() == (values**exponent).tobytes(), exponent
        x **= exponent
        expected **= exponent
        assert host(x).tobytes() == expected.tobytes(), exponent


def test_a_negative_exponent_among_several_changes_nothing(device):
    x = xp.asarray([2, 3, 4], device=device)
    with pytest.raises(ValueError, match="negative integer powers"):
        x **= xp.asarray([2, 2, -1], device=device)
    assert host(x).tolist() == [2, 3, 4]


@pytest.mark.parametrize("dtypes", [("uint64", "int64"), ("uint8", "int8")])
def test_a_negative_exponent_of_unsigned_numbers_does_not_fit_in_place(dtypes, device):
    x, exponents = (xp.asarray([2, 3, 1], dtype=dtype, device=device) for dtype in dtypes)
    with pytest.raises(accel.errors.DTypeError, match=f"does not fit {dtypes[0]} in place"):
        x **= -exponents
    assert host(x).tolist() == [2, 3, 1]


@pytest.mark.parametrize("where", ["first", "last"])
@pytest.mark.parametrize("device", [None, "cpu", "sim"])
def test_a_list_that_contains_itself_is_refused(where, device):
    parts = [] if device is None else [xp.ones(1, device=device)]
    parts.insert(0 if where == "first" else len(parts), parts)
    with pytest.raises(ValueError, match=r"at most 64 axes|maximum number of dimension|inhomogeneous"):
        xp.asarray(parts)
