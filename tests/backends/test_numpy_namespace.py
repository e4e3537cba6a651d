"""NumPy's functions as the array standard has them, where they are not NumPy's own."""

import numpy as np
import pytest
from accel.backends.common import numpy_namespace
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

LIMITS = st.none() | st.integers(-300, 300) | st.floats(-300, 300)


NUMBERS = st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.complex_numbers()


@given(st.integers(0, 4) | st.lists(st.integers(0, 3), max_size=3).map(tuple), NUMBERS)
def test_new_arrays_of_a_number_are_those_of_numpy(shape, number):
    for dtype in (None, np.dtype(np.result_type(number)), "complex128"):
        same(numpy_namespace.full(shape, number, dtype=dtype), np.full(shape, number, dtype))
    for dtype in (None, "bool", "int8", "float16", "complex64"):
        same(numpy_namespace.ones(shape, dtype=dtype), np.ones(shape, dtype))


@given(st.integers(0, 5), st.none() | st.integers(0, 5), st.integers(-7, 7) | st.sampled_from((-(10**30), 10**30)))
def test_diagonals_of_ones_are_those_of_numpy(rows, columns, k):
    for dtype in (None, "bool", "complex64"):
        same(numpy_namespace.eye(rows, columns, k=k, dtype=dtype), np.eye(rows, columns, k, dtype))


def same(found, expected):
    assert (found.dtype, found.shape, found.tobytes()) == (expected.dtype, expected.shape, expected.tobytes())


@given(x=arrays(np.int8, 5), low=LIMITS, high=LIMITS)
def test_clip_keeps_the_dtype_whatever_the_limits_are(x, low, high):
    # NumPy's own rule of promotion; a limit beyond the dtype limits nothing, or leaves the choice to the library.
    if low is not None and high is not None and low > high:
        low, high = high, low
    if (low is not None and low > 127) or (high is not None and high < -128):
        return
    expected = x if low is None and high is None else np.clip(x.astype(float), low, high).astype(np.int8)
    clipped = numpy_namespace.clip(x, low, high)
    assert clipped.dtype == np.int8
    assert (clipped == expected).all()


def test_clip_leaves_its_limits_as_they_are():
    low = np.full(3, -200, np.int16)
    numpy_namespace.clip(np.zeros(3, np.int8), low)
    assert (low == -200).all()


def test_clip_of_narrow_floats_by_wide_limits_stays_narrow():
    x = np.asarray([-1, 0.5, 2], np.float32)
    assert numpy_namespace.clip(x, np.float64(0), np.ones(3)).dtype == np.float32


@given(x=arrays(np.int8, (3, 4), elements=st.integers(0, 3)), axis=st.sampled_from((0, 1, -1)))
def test_a_stable_descending_sort_keeps_the_order_of_equal_elements(x, axis):
    indices = numpy_namespace.argsort(x, axis=axis, descending=True)
    # Distinct keys: first by the element, then by its place.
    keys = x * 10 - np.expand_dims(np.arange(x.shape[axis]), 1 - axis % 2)
    assert (indices == np.argsort(-keys, axis=axis)).all()
    expected = np.take_along_axis(x, indices, axis=axis)
    assert (numpy_namespace.sort(x, axis=axis, descending=True) == expected).all()


@given(arrays(np.float32, 6, elements=st.sampled_from((0.0, 1.0, 2.0, np.nan))))
def test_unique_values_are_in_order(x):
    values = numpy_namespace.unique_values(x)
    finite = values[~np.isnan(values)]
    assert (np.diff(finite) > 0).all()
    assert len(values) - len(finite) == np.isnan(x).sum()  # each NaN is its own value


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
def test_eigenvalues_are_complex_even_if_they_are_real(dtype):
    wide = np.result_type(dtype, np.complex64)
    values, vectors = numpy_namespace.linalg.eig(np.diag([1, 2]).astype(dtype))
    assert (values.dtype, vectors.dtype) == (wide, wide)
    assert numpy_namespace.linalg.eigvals(np.eye(2, dtype=dtype)).dtype == wide


def test_the_rank_of_a_vector_is_refused():
    with pytest.raises(np.linalg.LinAlgError, match=r"found shape \(3,\)"):
        numpy_namespace.linalg.matrix_rank(np.ones(3))


@pytest.mark.parametrize("name", ["fftfreq", "rfftfreq"])
def test_frequencies_have_the_dtype_that_was_asked_for(name):
    function = getattr(numpy_namespace.fft, name)
    assert function(4, d=0.5).tolist() == getattr(np.fft, name)(4, 0.5).tolist()
    assert function(4, dtype=np.dtype("float32")).dtype == np.float32


WIDE = ("int32", "int64", "uint32", "uint64", "float32", "float64")
LEVELS = {"nearly distinct": 1 << 22, "some equal": 5000, "many equal": 9}


@pytest.mark.parametrize("first", [1.0, np.inf])
def test_a_quotient_with_another_shape_than_out_is_refused(first):
    x = np.array([first, 1.0])
    with pytest.raises(ValueError, match="broadcast"):
        numpy_namespace.floor_divide(x, np.ones((1, 1)), x)


class TestLargeSorts:
    """From some hundred elements on NumPy's default algorithms are used, whose order of equal elements is another."""

    @pytest.mark.parametrize("dtype", WIDE)
    @pytest.mark.parametrize("levels", LEVELS)
    @pytest.mark.parametrize("axis", [0, 1])
    @pytest.mark.parametrize("descending", [False, True])
    def test_equal_elements_keep_their_order(self, dtype, levels, axis, descending):
        x = np.random.default_rng(0).integers(0, LEVELS[levels], (120, 140)).astype(dtype)
        extent = x.shape[axis]
        expected = x.argsort(axis, stable=True)
        if descending:
            expected = extent - 1 - np.flip(np.flip(x, axis).argsort(axis, stable=True), axis)
        found = numpy_namespace.argsort(x, axis=axis, descending=descending)
        assert (found == expected).all()
        ordered = numpy_namespace.sort(x, axis=axis, descending=descending)
        assert (ordered == np.take_along_axis(x, expected, axis)).all()

    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    @pytest.mark.parametrize("transposed", [False, True])
    def test_zeros_of_both_signs_and_what_is_no_number(self, dtype, transposed):
        x = np.random.default_rng(0).permutation(np.arange(-9000, 9000)).astype(dtype).reshape(120, 150)
        x[3:7, ::3], x[3:7, 1::3], x[2:9, 5:9] = 0.0, -0.0, np.nan
        x = x.T if transposed else x
        for axis in (0, 1):
            found, expected = numpy_namespace.sort(x, axis=axis), np.sort(x, axis, stable=True)
            np.testing.assert_array_equal(found, expected)
            numbers = ~np.isnan(expected)
            assert (np.signbit(found)[numbers] == np.signbit(expected)[numbers]).all()
            assert (numpy_namespace.argsort(x, axis=axis) == x.argsort(axis, stable=True)).all()

    def test_of_the_flat_array(self):
        x = np.random.default_rng(0).integers(0, 1 << 22, (120, 140)).T
        assert (numpy_namespace.argsort(x, axis=None) == x.argsort(None, stable=True)).all()
        assert (numpy_namespace.sort(x, axis=None) == np.sort(x, None)).all()
