"""Tests for real GPUs: collected only if ``--accel-devices`` names one."""

from .allocators import install

_CUPY_KERNELS = "cupy_kernels: needs the results of CuPy's own kernels, which a fake driver may not execute"


def pytest_configure(config):
    """Do not turn warnings of CuPy into errors; all other warnings are errors."""
    config.addinivalue_line("filterwarnings", "default:::cupy")
    config.addinivalue_line("markers", _CUPY_KERNELS)
    install()


def pytest_ignore_collect(config):
    """Ignore this folder unless a GPU is named; files named on the command line are collected anyway."""
    names = (config.getoption("--accel-devices") or "").split(",")
    return None if any(name.startswith(("cuda", "rocm", "gpu")) for name in names) else True
