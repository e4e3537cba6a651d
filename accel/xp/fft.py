"""The standard's extension for Fourier transforms; the signatures are in ``fft.pyi``."""

from accel.support.lazy import listing
from accel.xp.frequencies import fftfreq, rfftfreq
from accel.xp.functions import fft as _compiled

_functions = _compiled()
__all__ = ["fftfreq", "rfftfreq", *sorted(_functions)]
__getattr__, __dir__ = _functions.fetch, listing(__name__, __all__)
