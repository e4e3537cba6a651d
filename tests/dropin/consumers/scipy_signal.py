"""SciPy: signals."""

import numpy as np
from scipy import signal

rng = np.random.default_rng(4)
X = rng.normal(size=(2, 64))
K = rng.normal(size=7)
IMAGE = rng.normal(size=(8, 9))
B, A = signal.butter(3, 0.3)
SOS = signal.butter(4, 0.3, output="sos")

RETURNS_OURS = {
    "convolve": lambda a: [signal.convolve(a(X[0]), a(K), mode=mode) for mode in ("full", "same", "valid")],
    "convolve2d": lambda a: signal.convolve2d(a(IMAGE), a(IMAGE[:3, :3]), mode="same"),
    "correlate": lambda a: signal.correlate(a(X[0]), a(K)),
    "fftconvolve": lambda a: signal.fftconvolve(a(X[0]), a(K), mode="same"),
    "oaconvolve": lambda a: signal.oaconvolve(a(X[0]), a(K)),
    "detrend": lambda a: signal.detrend(a(X)),
    "envelope": lambda a: signal.envelope(a(X[0])),
    "filtfilt": lambda a: signal.filtfilt(a(B), a(A), a(X)),
    "hilbert": lambda a: signal.hilbert(a(X)),
    "lfilter": lambda a: signal.lfilter(a(B), a(A), a(X)),
    "lfilter_zi": lambda a: signal.lfilter_zi(a(B), a(A)),
    "sosfilt": lambda a: signal.sosfilt(a(SOS), a(X)),
    "sosfiltfilt": lambda a: signal.sosfiltfilt(a(SOS), a(X)),
    "freqz": lambda a: signal.freqz(a(B), a(A), worN=16),
    "freqz_zpk": lambda a: signal.freqz_zpk(a([0.5]), a([0.2]), 1.0, worN=16),
    "get_window": lambda a: signal.get_window("hann", 16, xp=a.xp),
    "windows.kaiser": lambda a: signal.windows.kaiser(16, 4.0, xp=a.xp),
    "medfilt": lambda a: signal.medfilt(a(X[0]), 3),
    "resample": lambda a: signal.resample(a(X), 20, axis=-1),
    "resample_poly": lambda a: signal.resample_poly(a(X), 2, 3, axis=-1),
    "savgol_filter": lambda a: signal.savgol_filter(a(X), 7, 2),
    "upfirdn": lambda a: signal.upfirdn(a(K), a(X), 2, 1),
    "wiener": lambda a: signal.wiener(a(IMAGE), 3),
    "zpk2tf, tf2zpk": lambda a: (signal.zpk2tf(a([0.5, 0.1]), a([0.2, 0.3]), 2.0), signal.tf2zpk(a(B), a(A))[2:]),
    "bilinear": lambda a: signal.bilinear(a([1.0]), a([1.0, 2.0]), fs=2.0),
    "iirnotch": lambda a: signal.iirnotch(0.2, 30.0, xp=a.xp),
}
RETURNS_VALUES = {
    "find_peaks": lambda a: signal.find_peaks(a(X[0]))[0],
    "periodogram": lambda a: signal.periodogram(a(X)),
    "welch": lambda a: signal.welch(a(X), nperseg=16),
    "stft": lambda a: signal.stft(a(X[0]), nperseg=16),
    "spectrogram": lambda a: signal.spectrogram(a(X[0]), nperseg=16),
}
