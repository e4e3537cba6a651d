"""Peak memory of the process."""

from accel.memory.sizes import in_words
from accel.support.system import peak_memory

__all__ = ["process_peak"]


def process_peak() -> str:
    """Return the peak resident memory of this process in words."""
    peak = peak_memory()
    return "unknown" if peak is None else in_words(peak)
