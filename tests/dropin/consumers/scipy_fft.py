"""SciPy: Fourier and related transforms."""

import numpy as np
from scipy import fft

rng = np.random.default_rng(2)
X = rng.normal(size=(6, 10))
Z = X + 1j * rng.normal(size=X.shape)


def transform(name, values, **options):
    return lambda a: getattr(fft, name)(a(values), **options)


RETURNS_OURS = {
    **{
        name: transform(name, Z)
        for name in ["fft", "ifft", "irfft", "hfft", "fft2", "ifft2", "fftn", "ifftn", "irfftn", "hfft2"]
    },
    **{name: transform(name, X) for name in ["rfft", "ihfft", "rfft2", "rfftn", "ihfftn", "fftshift", "ifftshift"]},
    **{name: transform(name, X) for name in ["dct", "idct", "dst", "idst", "dctn", "idctn", "dstn", "idstn"]},
    "fft with n and norm": transform("fft", X, n=16, norm="ortho", axis=0),
    "fht": lambda a: fft.fht(a(X[0]), 0.1, 0.0),
    "ifht": lambda a: fft.ifht(a(X[0]), 0.1, 0.0),
    "fftfreq": lambda a: fft.fftfreq(8, 0.5, xp=a.xp),
    "rfftfreq": lambda a: fft.rfftfreq(8, 0.5, xp=a.xp),
}
