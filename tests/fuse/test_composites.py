"""Functions that are composed of others in loops: they give NumPy's bits."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import accel
from accel import xp

from .comparison import bits_of
from .test_fused_functions import DEVICES, host

DTYPES = ("float64", "float32", "int64", "int16", "uint8", "bool", "complex128", "complex64")

TRUTHS = (
    *("isnan", "isinf", "isfinite", "equal", "not_equal", "greater", "greater_equal", "less", "less_equal"),
    *("logical_and", "logical_or", "logical_xor", "logical_not"),
)
FLOATS = ("fabs", "heaviside", "deg2rad", "radians", "rad2deg", "degrees", "fmax", "fmin")
COMPOSITES: dict[str, Callable[..., Any]] = {
    "round": lambda x, _: (xp.round(x), xp.round(x, 2), np.round(x, -1), np.around(x, 3)),
    "nan_to_num": lambda x, _: (xp.nan_to_num(x), xp.nan_to_num(x, nan=3, posinf=7.5), np.nan_to_num(x, neginf=-1)),
    "isclose": lambda x, y: (xp.isclose(x, y), np.isclose(x, y, rtol=0.1, equal_nan=True), xp.isclose(x, y[0], atol=1)),
}


def operands(dtype: str, device: str, count: int = 2) -> list[Any]:
    special = [np.nan, np.inf, -np.inf, -0.0] if dtype[0] in "fc" else []
    with np.errstate(all="ignore"):
        pool = np.array([0, 1, 2, 3, -1, 0.5, 2.5, 1.005, 123.456, *special]).astype(dtype)
    if dtype[0] == "c":
        pool = np.concatenate([pool, pool * 1j, pool + 1j])
    rng = np.random.default_rng(0)
    return [xp.asarray(pool[rng.integers(0, len(pool), (9, 21))], device=device) for _ in range(count)]


def fused_of(function: Any, **options: Any) -> Any:
    return accel.fuse(lambda *x: function(*x, **options))


def called(fused: Any, *arguments: Any) -> bool:
    return any(step.title.startswith("call") for step in fused.explain(*arguments).steps)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_functions_of_elements_have_the_bits_of_unfused_ones(dtype: str, device: str) -> None:
    for name in (*TRUTHS, *FLOATS):
        function, ufunc = getattr(xp, name), getattr(np, name)
        if (dtype[0] == "c" and name not in TRUTHS) or (dtype[0] in "ib" and name in FLOATS):
            continue
        arguments = operands(dtype, device, ufunc.nin)
        fused = fused_of(function)
        found, expected = host(fused(*arguments)), host(function(*arguments))
        if name in ("fmax", "fmin"):
            found, expected = found + 0, expected + 0  # of two zeros, any is the extreme
        np.testing.assert_array_equal(bits_of(found), bits_of(expected), name)
        assert found.dtype == expected.dtype
        is_ordered = dtype[0] == "c" and name.startswith(("greater", "less"))
        assert is_ordered or dtype[0] == "u" or not called(fused, *arguments), name


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", COMPOSITES)
def test_composites_have_the_bits_of_unfused_ones(name: str, dtype: str, device: str) -> None:
    arguments = operands(dtype, device)
    try:
        expected = COMPOSITES[name](*arguments)
    except TypeError:
        return  # NumPy does not round truth values
    fused = accel.fuse(COMPOSITES[name])
    for one, other in zip(fused(*arguments), expected, strict=True):
        np.testing.assert_array_equal(bits_of(host(one)), bits_of(host(other)))
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
    assert dtype[0] != "f" or not called(fused, *arguments)
