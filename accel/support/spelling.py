"""The name that a misspelt one may stand for."""

from collections.abc import Iterable

__all__ = ["nearest"]

_ALIKE = 0.75  # of difflib's measure: THREAD and NUM_THREADS are near to THREADS, KERNEL_EXAMPLES to no setting


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the name that is nearest to a misspelt one, or None if none is near.

    Examples
    --------
    >>> names = ["threads", "sim_seed"]
    >>> nearest("NumThreads", names), nearest("seed", names), nearest("verbose", names)
    ('threads', 'sim_seed', None)
    """
    from difflib import get_close_matches

    word = name.lower()
    candidates = {each.lower(): each for each in names}
    near = get_close_matches(word, candidates, 1, _ALIKE)
    near += [each for each in candidates if {*word.split("_")} <= {*each.split("_")}]
    return candidates[near[0]] if near else None
