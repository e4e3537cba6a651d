"""Scalars of NumPy as operands: results have NumPy's dtypes on every device."""

import operator

import numpy as np
import pytest

import accel
from accel import xp

from ..tables import rows

SCALARS = [np.int64(1), np.int8(2), np.float32(1.5), np.float64(2.0), np.complex64(1 + 1j), np.bool_(True), np.uint8(3)]
ARRAYS = ["uint32", "int8", "float32", "float64", "complex64", "bool"]


@rows("scalar", SCALARS, ids=repr)
@pytest.mark.parametrize("dtype", ARRAYS)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_operators_and_functions(scalar, dtype, device):
    values = np.asarray([1, 0, 1]).astype(dtype)
    x = xp.asarray(values, device=device)
    arithmetic = operator.add, operator.sub, operator.mul, operator.truediv, operator.pow
    for function in (*arithmetic, operator.eq, operator.lt):
        for arguments, others in (((x, scalar), (values, scalar)), ((scalar, x), (scalar, values))):
            try:
                expected = function(*others)
            except (TypeError, ValueError):
                continue
            found = function(*arguments)
            assert (type(found), found.dtype, found.device) == (xp.Array, expected.dtype, device)
            np.testing.assert_array_equal(found.to_device("cpu"), expected)
    assert xp.add(x, scalar).dtype == np.add(values, scalar).dtype
    assert xp.where(x == 1, x, scalar).dtype == np.where(values == 1, values, scalar).dtype
    if "complex" not in dtype and not isinstance(scalar, np.complexfloating):
        assert x.clip(scalar).dtype == values.clip(scalar).dtype


@rows("scalar", SCALARS, ids=repr)
def test_ranges(scalar, device):
    assert xp.full(2, scalar, device=device).dtype == np.full(2, scalar).dtype
    assert xp.full(2, scalar, dtype="complex128", device=device).dtype == np.complex128
    if isinstance(scalar, np.complexfloating | np.bool_):
        return
    expected = np.arange(scalar), np.arange(0, scalar), np.arange(0, 10, scalar), np.linspace(0, scalar, 5)
    with accel.using(device=device):
        found = xp.arange(scalar), xp.arange(0, scalar), xp.arange(0, 10, scalar), xp.linspace(0, scalar, 5)
    for ours, theirs in zip(found, expected, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours.to_device("cpu"), theirs)
