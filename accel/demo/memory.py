"""How much memory the demo needed."""

import sys

__all__ = ["in_words", "process_peak"]


def process_peak() -> int | None:
    """Return the most bytes of real memory this process ever held, or None where the system does not tell."""
    try:
        import resource
    except ModuleNotFoundError:  # on Windows
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def in_words(nbytes: int | None) -> str:
    """Return a number of bytes for people.

    Examples
    --------
    >>> in_words(37_748_736), in_words(None)
    ('36.0 MiB', 'unknown here')
    """
    return "unknown here" if nbytes is None else f"{nbytes / 2**20:.1f} MiB"
