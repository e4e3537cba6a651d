"""Elements and comparisons for tests of large arrays that are cut in small parts."""

from typing import Any

import numpy as np

from accel import xp

THREADS = (1, 2, 3, 7)


def numbers(size: int, dtype: str) -> Any:
    """Return elements of all magnitudes, with NaN, infinities and subnormal numbers at places of all remainders."""
    random = np.random.default_rng(0)
    if dtype == "bool":
        return random.integers(0, 2, size).astype(bool)
    if np.dtype(dtype).kind in "iu":
        return random.integers(0, 100, size).astype(dtype)
    values = random.standard_normal(size) * 10.0 ** random.integers(-3, 7, size)
    values[::37] = np.resize([np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-310, 1e-40, 1e38, 4e5], len(values[::37]))
    with np.errstate(all="ignore"):
        return values.astype(dtype) * (1 + 2j if np.dtype(dtype).kind == "c" else 1)


def as_array(value: Any) -> Any:
    return xp.asarray(value) if isinstance(value, np.ndarray) else value


def same_bits(result: Any, expected: Any) -> bool:
    result = np.asarray(result)
    return (
        result.dtype == expected.dtype
        and result.shape == expected.shape
        and np.ascontiguousarray(result).tobytes() == np.ascontiguousarray(expected).tobytes()
    )
