"""Generated calls of every function return what array_api_strict returns, on the CPU and on the simulated device."""

import dataclasses
import inspect
import warnings

import array_api_strict
import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, reject, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from accel import xp

from .calls import CORE, FUNCTIONS, SPECIAL, calls, member, of_strict, on_device, xps
from .other_calls import OTHERS

EXAMPLES = settings(
    max_examples=8,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
NOT_CALLED = {
    "__array_namespace_info__",  # tells of the devices of each library
    *("get_array_api_strict_flags", "reset_array_api_strict_flags", "set_array_api_strict_flags"),
}
OPEN = ("empty", "empty_like")
"""Functions whose results have any values."""
# It refuses other operands than the standard has, and decompositions that do not exist.
REFUSALS = (TypeError, ValueError, IndexError, OverflowError, np.linalg.LinAlgError)


@pytest.fixture
def devices(sim):
    return xp.Device.CPU, sim


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def assert_same(result, expected, device, compare=np.testing.assert_allclose, rounding=(1e-5, 1e-13)):
    """Compare a result with that of strict: types, names of fields, dtypes, shapes, and values of each precision."""
    if isinstance(expected, tuple):
        assert type(result).__name__.lower() == type(expected).__name__.lower().removesuffix("result")
        assert getattr(result, "_fields", len(result)) == getattr(expected, "_fields", len(expected))
        for one, other in zip(result, expected, strict=True):
            assert_same(one, other, device, compare, rounding)
    elif isinstance(expected, type(array_api_strict.asarray(0))):
        assert type(result) is xp.Array
        assert (result.device, result.dtype, result.shape) == (device, expected.dtype._np_dtype, expected.shape)
        limit = rounding[result.dtype not in ("float32", "complex64")]
        compare(np.asarray(result.to_device("cpu")), np.asarray(expected), rtol=limit, atol=limit)
    elif isinstance(result, np.dtype):
        assert result == expected._np_dtype
    elif dataclasses.is_dataclass(expected):
        for name, value in vars(expected).items():
            assert_same(getattr(result, name), value, device)
    else:
        assert type(result) is type(expected)
        assert result == expected


def no_values(result, expected, **_):
    """Compare nothing."""


def compare_calls(data, name, strategy, devices):
    arguments, keywords = data.draw(strategy)
    try:
        expected = member(array_api_strict, name)(
            *of_strict(arguments), **{key: of_strict(keywords[key]) for key in keywords}
        )
    except REFUSALS:
        reject()
    for device in devices:
        with xp.default_device(device):
            placed = {key: on_device(value, device) for key, value in keywords.items()}
            result = member(xp, name)(*on_device(arguments, device), **placed)
        note(f"on {device}: {result}, and strict: {expected}")
        assert_same(result, expected, device, no_values if name in OPEN else np.testing.assert_allclose)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_the_table_agree(name, devices):
    @EXAMPLES
    @given(st.data())
    def agree(data):
        compare_calls(data, name, calls(name), devices)

    agree()


@pytest.mark.parametrize("name", OTHERS)
def test_other_functions_agree(name, devices):
    @EXAMPLES
    @given(st.data())
    def agree(data):
        compare_calls(data, name, OTHERS[name], devices)

    agree()


def test_every_function_of_the_standard_is_called(strict):
    names = {name for name in [*xp.__all__, *strict.__all__] if inspect.isfunction(getattr(strict, name, None))}
    for part in ("linalg", "fft"):
        names |= {f"{part}.{name}" for name in getattr(xp, part).__all__ if hasattr(getattr(strict, part), name)}
    assert names - NOT_CALLED == {*FUNCTIONS, *OTHERS}
    assert {*SPECIAL, *CORE} <= {*FUNCTIONS}


@st.composite
def indexed(draw):
    """Draw an array and an index: slices, integers and new axes, a mask, or an array of integers for each axis."""
    x = draw(xps.arrays(xps.scalar_dtypes(), npst.array_shapes(min_dims=1, max_dims=3, max_side=3)))
    shape = draw(npst.array_shapes(min_dims=0, max_dims=2, max_side=3))
    integers = [xps.arrays(xp.int64, shape, elements=st.integers(-extent, extent - 1)) for extent in x.shape]
    kinds = [xps.indices(x.shape, allow_newaxis=True), xps.arrays(xp.bool, x.shape), st.tuples(*integers)]
    return x, draw(st.sampled_from(kinds).flatmap(lambda kind: kind))


@settings(EXAMPLES, max_examples=80)
@given(indexed())
def test_elements_are_selected(devices, case):
    x, key = map(of_strict, case)
    for device in devices:
        y, same_key = (on_device(each, device) for each in case)
        assert_same(y[same_key], x[key], device)


@settings(EXAMPLES, max_examples=60)
@given(st.data())
def test_elements_are_assigned(devices, data):
    shape = data.draw(npst.array_shapes(min_dims=1, max_dims=3, max_side=3))
    dtype = data.draw(xps.scalar_dtypes())
    x, y = (data.draw(xps.arrays(dtype, shape)) for _ in range(2))
    if data.draw(st.booleans()):
        key, values = data.draw(xps.arrays(xp.bool, shape)), data.draw(xps.from_dtype(dtype))
    else:
        key = data.draw(xps.indices(shape))
        values = y[key]
    expected = of_strict(x)
    expected[of_strict(key)] = of_strict(values)
    for device in devices:
        changed = on_device(x, device)
        changed[on_device(key, device)] = on_device(values, device)
        assert_same(changed, expected, device)
