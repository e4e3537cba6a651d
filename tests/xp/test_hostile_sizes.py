"""Sizes that nobody can mean: calls end at once, with NumPy's result or with an error that says why."""

import numpy as np
import pytest

from accel import xp

from ..tables import rows

VALUES = np.asarray([1.25, -2.5, 30.0, 4.0])


@rows("n", [0, 1, 2, 3, 4, 5, 7])
@pytest.mark.parametrize("dtype", ["float64", "int32", "bool"])
def test_differences_are_those_of_numpy(n, dtype, device):
    values = VALUES.astype(dtype)
    x = xp.asarray(values, device=device)
    for options in ({}, {"prepend": values[:1]}, {"append": values[:3]}, {"prepend": values, "append": values[:2]}):
        expected = np.diff(values, n=n, **options)
        found = xp.diff(x, n=n, **{name: xp.asarray(value, device=device) for name, value in options.items()})
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_array_equal(found.to_device("cpu"), expected)
    assert xp.diff(x[:0], n=n).shape == (0,)


@rows("n", [10**9, 10**12, (1 << 63) - 1])
def test_many_differences_leave_no_elements(n, device):
    x = xp.asarray(np.ones((3, 2)), device=device)
    assert xp.diff(x, n=n).shape == (3, 0)
    assert xp.diff(x, n=n, axis=0).shape == (0, 2)


@rows("decimals", [-(10**9), -1000, -3, 0, 2, 400, 10**9, (1 << 31) - 1])
@pytest.mark.parametrize("dtype", ["float64", "float32", "int8", "int64", "complex64"])
def test_rounding_to_many_decimals(decimals, dtype, device):
    values = VALUES.astype(dtype)
    x = xp.asarray(values, device=device)
    small = max(min(decimals, 1000), -1000)  # of more, NumPy takes seconds for the same result
    with np.errstate(all="ignore"):
        expected = np.round(values, small)
        for found in (xp.round(x, decimals), x.round(decimals), xp.around(x, decimals)):
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found.to_device("cpu"), expected)
