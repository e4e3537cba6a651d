"""The functions that replace CuPy's, computed here with NumPy in place of CuPy: NumPy's results."""

import warnings

import numpy as np
import pytest
from accel.backends.cupy.corrections import Corrected
from hypothesis import given
from hypothesis import strategies as st

ROWS = st.integers(1, 4)
NUMBERS = {
    "float64": st.floats(-10, 10),
    "float32": st.floats(-8, 8, width=16),
    "int64": st.integers(-9, 9),
    "complex128": st.complex_numbers(max_magnitude=9),
}


def arrays(draw, shape, dtype):
    return np.array([draw(NUMBERS[dtype]) for _ in range(int(np.prod(shape)))], dtype).reshape(shape)


@pytest.mark.parametrize("dtype", NUMBERS)
@given(st.data())
def test_covariances_with_weights(dtype, data):
    draw = data.draw
    length, rowvar = draw(st.integers(2, 6)), draw(st.booleans())
    shape = draw(st.sampled_from([(length,), (draw(ROWS), length)]))
    m, y = (arrays(draw, shape, dtype) for _ in range(2))
    m, y = (each if rowvar or each.ndim == 1 else each.T for each in (m, y))
    keywords = {
        "y": draw(st.sampled_from([None, y])),
        "rowvar": rowvar,
        "bias": draw(st.booleans()),
        "ddof": draw(st.sampled_from([None, 0, 1, 2])),
        "fweights": draw(st.sampled_from([None, np.arange(1, length + 1)])),
        "aweights": draw(st.sampled_from([None, np.linspace(0.5, 2.0, length)])),
    }
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # NumPy warns where no degrees of freedom are left
        expected = np.cov(m, **keywords)
        result = Corrected(np, np).cov(m, **keywords)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-9)
    assert result.shape == expected.shape


def test_covariances_with_weights_are_computed_once():
    shapes = []

    class Module:
        def __getattr__(self, name):
            return getattr(np, name)

        def cov(self, m, *others, **keywords):
            shapes.append(m.shape)
            return np.cov(m, *others, **keywords)

    m, weights = np.arange(12.0).reshape(3, 4) ** 2, np.linspace(0.5, 2.0, 4)
    result = Corrected(Module(), None).cov(m, aweights=weights)
    np.testing.assert_allclose(result, np.cov(m, aweights=weights), rtol=1e-12)
    assert shapes == [(1, 4)]


def test_errors_and_warnings_of_covariances_with_weights():
    m, weights = np.ones((3, 4)), np.ones(4, int)
    for keywords in (
        {"fweights": weights[:3]},
        {"aweights": weights.reshape(2, 2)},
        {"fweights": weights / 2},
        {"fweights": weights, "ddof": 0.5},
        {"fweights": weights, "y": np.ones((3, 4, 1))},
    ):
        with pytest.raises((RuntimeError, TypeError, ValueError)) as expected:
            np.cov(m, **keywords)
        with pytest.raises(expected.type):
            Corrected(np, np).cov(m, **keywords)
    with pytest.warns(RuntimeWarning, match="Degrees of freedom"), np.errstate(all="ignore"):
        assert np.isnan(Corrected(np, np).cov(m, fweights=weights, ddof=4)).all()
    assert Corrected(np, np).cov(np.ones((0, 4)), fweights=weights).shape == (0, 0)
