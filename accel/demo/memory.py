"""Peak memory of the process."""

import sys

from accel.memory.sizes import in_words

__all__ = ["process_peak"]


def process_peak() -> str:
    """Return the peak resident memory of this process in words."""
    try:
        import resource
    except ModuleNotFoundError:  # on Windows
        return "unknown"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return in_words(peak if sys.platform == "darwin" else peak * 1024)
