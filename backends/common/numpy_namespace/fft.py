"""NumPy's Fourier transforms as the array standard has them."""

from typing import Any

import numpy as np

__all__ = ["fftfreq", "rfftfreq"]


def __getattr__(name: str) -> Any:
    value = globals()[name] = getattr(np.fft, name)
    return value


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None) -> Any:
    """Return the frequencies of a transform, in a dtype."""
    return np.fft.fftfreq(n, d).astype(dtype or float, copy=False)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None) -> Any:
    """Return the frequencies of a transform of real numbers, in a dtype."""
    return np.fft.rfftfreq(n, d).astype(dtype or float, copy=False)
