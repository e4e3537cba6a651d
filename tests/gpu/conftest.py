"""Tests for real devices: collected where ``--accel-devices`` names one, and where it does not no skips either."""


def pytest_configure(config):
    """Let CuPy say what it likes of its surroundings; all other warnings are errors."""
    config.addinivalue_line("filterwarnings", "default:::cupy")


def pytest_ignore_collect(config):
    """Leave this folder out, unless a file of it is asked for by name."""
    names = (config.getoption("--accel-devices") or "").split(",")
    return None if any(name.startswith(("cuda", "rocm", "gpu")) for name in names) else True
