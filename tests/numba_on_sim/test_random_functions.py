"""Random functions of numbers, compiled by numba for processors and by numba-cuda for simulated devices.

Types and values are equal, to the last bit: neither contracts floats. Divisors are neither 0 nor -1, and shifts are by
fewer bits than there are: a processor raises an exception there, or the language says nothing.
"""

import math

import numba
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numba import cuda
from numba.core.errors import TypingError as HostTypingError
from numba.cuda.core.errors import TypingError

import accel
from accel.testing import numba_cuda_on_sim

INTEGERS = [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
DTYPES = [*INTEGERS, "float32", "float64", "bool"]
NAMES = "abcd"
ROWS = 64
OF_INTEGERS = [
    "({} + {})", "({} - {})", "({} * {})", "({} & {})", "({} | {})", "({} ^ {})", "min({}, {})", "max({}, {})",
    "({} // (({} & 7) + 1))", "({} % (({} & 7) + 1))", "({} << ({} & 5))", "({} >> ({} & 7))",
]  # fmt: skip
OF_AN_INTEGER = [
    "(-{})", "(~{})", "abs({})", "({} // -3)", "({} % -5)", "({} // 7)", "({} % 6)", "({} // d)", "({} % d)",
    *[f"np.{kind}({{}} & -1)" for kind in INTEGERS],  # of floats, GPUs saturate and processors do not
]  # fmt: skip
OF_FLOATS = ["({} + {})", "({} - {})", "({} * {})", "({} / {})", "min({}, {})", "math.copysign({}, {})"]
OF_A_FLOAT = ["(-{})", "abs({})", "math.sqrt(abs({}))", "np.float32({})", "({} // 3.0)", "({} % 2.5)"]
TESTS = ["({} < {})", "({} >= {})", "({} == {})", "({} != {})"]


@st.composite
def functions(draw):
    """Return the dtypes of the arguments, of which the last is neither 0 nor -1, and the text of a function."""
    dtypes = [*draw(st.lists(st.sampled_from(DTYPES), min_size=3, max_size=3)), draw(st.sampled_from(INTEGERS))]
    integers = [name for name, dtype in zip(NAMES, dtypes, strict=True) if "int" in dtype]
    floats = [name for name, dtype in zip(NAMES, dtypes, strict=True) if "float" in dtype]

    def integer(depth):
        if not depth or draw(st.integers(0, 5)) == 0:
            return draw(st.sampled_from([*integers, "3", "-9", "200"]))
        if draw(st.booleans()):
            return draw(st.sampled_from(OF_INTEGERS)).format(integer(depth - 1), integer(depth - 1))
        return draw(st.sampled_from(OF_AN_INTEGER)).format(integer(depth - 1))

    def floating(depth):
        if not depth or draw(st.integers(0, 5)) == 0:
            return draw(st.sampled_from([*floats, "1.5", f"float({draw(st.sampled_from(integers))})"]))
        if draw(st.booleans()):
            return draw(st.sampled_from(OF_FLOATS)).format(floating(depth - 1), floating(depth - 1))
        return draw(st.sampled_from(OF_A_FLOAT)).format(floating(depth - 1))

    def number(depth):
        return (integer if draw(st.booleans()) else floating)(depth)

    condition = draw(st.sampled_from(TESTS)).format(number(2), number(2))
    first, second = number(3), number(3)
    loop = f"for k in range({draw(st.integers(0, 3))}):\n        p = p + ({integer(2)} ^ k)"
    lines = [
        f"p = {integer(3)} + 0 * k",
        f"if {condition}:\n        q = {first}\n    else:\n        q = {second}",
        loop,
    ]
    return dtypes, "def f(a, b, c, d):\n    k = 0\n    " + "\n    ".join(lines) + "\n    return p, q, " + number(
        3
    ) + "\n"


def values(dtype, generator, *, divisors):
    """Return numbers of a dtype: its limits, small ones, and any."""
    if dtype == "bool":
        return generator.integers(0, 2, ROWS).astype(bool)
    if "float" in dtype:
        return np.concatenate([[0.0, -0.0, 0.5, -2.5], generator.normal(0, 100, ROWS - 4)]).astype(dtype)
    limits = np.iinfo(dtype)
    some = generator.integers(limits.min, limits.max, ROWS, dtype, endpoint=True)
    some[:8] = np.array([0, 1, 2, 3, 4, limits.max, limits.min, limits.max - 1]).astype(dtype)
    some[8:32] = generator.integers(max(limits.min, -20), 20, 24, dtype)
    return np.where((some == 0) | (some + 1 == 0), dtype_of(dtype)(3), some) if divisors else some


def dtype_of(name):
    return np.dtype(name).type


def made(text):
    """Return the function of a text."""
    names = {"np": np, "math": math}
    exec(text, names)
    return names["f"]


def on_device(text, kinds, arguments, results):
    """Run a function for each row on a simulated device."""
    with numba_cuda_on_sim():
        function = cuda.jit(device=True)(made(text))

        def kernel(a, b, c, d, p, q, r):
            i = cuda.grid(1)
            if i < a.size:
                p[i], q[i], r[i] = function(a[i], b[i], c[i], d[i])

        try:
            returned = function.compile_device(kinds).signature.return_type
        except (HostTypingError, TypingError):
            return None
        arrays = [cuda.to_device(each) for each in (*arguments, *results)]
        cuda.jit(kernel)[1, ROWS](*arrays)
        return str(returned), [each.copy_to_host() for each in arrays[4:]]


def compare(function, seed):
    """Compare a function on both."""
    dtypes, text = function
    generator = np.random.default_rng(seed)
    arguments = [values(dtype, generator, divisors=name == "d") for name, dtype in zip(NAMES, dtypes, strict=True)]
    kinds = tuple(numba.from_dtype(each.dtype) for each in arguments)
    compiled = numba.njit(error_model="numpy")(made(text))
    try:
        compiled.compile(kinds)
    except (HostTypingError, TypingError):
        compiled = None
    if compiled is None:
        assert on_device(text, kinds, arguments, [np.zeros(ROWS)] * 3) is None, text
        return
    returned = compiled.nopython_signatures[0].return_type
    results = [np.zeros(ROWS, numba.np.numpy_support.as_dtype(each)) for each in returned]
    for i in range(ROWS):
        for result, value in zip(results, compiled(*[each[i] for each in arguments]), strict=True):
            result[i] = value
    found = on_device(text, kinds, arguments, [np.zeros_like(each) for each in results])
    assert found is not None, text
    assert found[0] == str(returned), text
    for result, expected in zip(found[1], results, strict=True):
        np.testing.assert_array_equal(result, expected, err_msg=f"{dtypes}\n{text}")


@pytest.mark.slow
@settings(max_examples=60, deadline=None, database=None, suppress_health_check=[*HealthCheck])
@given(functions(), st.integers(0, 1000))
@pytest.mark.filterwarnings("ignore")
def test_types_and_values_are_those_of_numba_on_processors(function, seed):
    with accel.using(kernel_checks="none"):
        compare(function, seed)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@settings(max_examples=5, deadline=None, database=None, derandomize=True, suppress_health_check=[*HealthCheck])
@given(functions(), st.integers(0, 1000))
def test_checks_change_no_value(function, seed):
    with accel.using(kernel_checks="all"):
        compare(function, seed)
