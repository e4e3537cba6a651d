"""Peak memory of the process, and numbers of bytes as text."""

import sys

__all__ = ["in_words", "process_peak"]


def process_peak() -> int | None:
    """Return the peak resident memory of this process in bytes, or None if the system does not report it."""
    try:
        import resource
    except ModuleNotFoundError:  # on Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def in_words(nbytes: int | None) -> str:
    """Return a number of bytes as text.

    Examples
    --------
    >>> in_words(37_748_736), in_words(None)
    ('36.0 MiB', 'unknown')
    """
    return "unknown" if nbytes is None else f"{nbytes / 2**20:.1f} MiB"
