"""The standard's extension for Fourier transforms; the signatures are in ``fft.pyi``."""

from accel.xp.frequencies import fftfreq, rfftfreq
from accel.xp.functions import fft as _compiled

_functions = _compiled()
__getattr__, __dir__ = _functions.fetch, _functions.listed
__all__ = ["fftfreq", "rfftfreq", *sorted(_functions)]
