"""What is said where Python runs without its global interpreter lock (the GIL), which `accel` asks at its import."""

import warnings

__all__ = ["NOT_SAFE", "warn_of_missing_gil"]

NOT_SAFE = (
    "Python runs without the GIL, by which accel counts the users of memory and orders the work of threads: let each "
    "container, array, stream and kernel be used by one thread at a time, or start Python with PYTHON_GIL=1"
)
"""What is not safe, and what to do."""


def warn_of_missing_gil() -> None:
    """Warn the module that imports `accel`."""
    warnings.warn(NOT_SAFE, RuntimeWarning, stacklevel=3)
