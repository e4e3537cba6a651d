"""`fastest`: which variant of the kernels is the fastest on this processor, measured once and remembered on disk.

A measurement takes about half a second. It copies two matrices whose rows are a power of two apart, and an odd number
of bytes, part by part and by turns. Of each part the least time counts, so that other programs disturb little.
"""

import math
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from time import perf_counter, time

import numpy as np

from accel import config
from accel.abc import Leaf, Plan
from accel.support.system import largest_cache

from .blocks import LINE
from .cache_files import record, recorded
from .host_code.machine_code import identity
from .kernels import kernel_text
from .linked import CopyKernel, linked
from .numpy_copy import Bytes
from .tiles import tiling
from .variants import USUAL, VARIANTS, Variant

__all__ = ["measured", "remembered"]

_SHAPES = ((1, 1 << 13), (4, 4093))
"""Bytes of an item, and columns of the source."""

_USUAL_CACHE = 1 << 25
_MOST = 1 << 26
"""Bytes of the last cache where the system does not tell, and the most bytes of a matrix."""

_PARTS = 16
_ROUNDS = 4
_BETTER = 0.93
"""Only what takes so much of the usual variant's time replaces it: less may be chance."""

_STALE = 60.0
"""Seconds after which a measurement is begun anew that another process has begun, and not ended."""


def remembered() -> Variant | None:
    """Return the variant that was the fastest; None if that was not measured."""
    file = _file()
    found = recorded(file) if file else None
    return VARIANTS[found] if isinstance(found, int) and found in range(len(VARIANTS)) else None


def measured() -> Variant:
    """Measure which variant is the fastest, and remember it; the usual one if another process is measuring.

    Where nothing can be remembered, nothing is measured.
    """
    file = _file()
    if file is None or not _is_first(file):
        return remembered() or USUAL
    best = _measured()
    if best != USUAL and _measured() != best:  # other programs may have disturbed it
        best = USUAL
    record(file, VARIANTS.index(best))
    return best


def _file() -> Path | None:
    """Return where the choice is remembered, by processor and by the text of the kernels."""
    key = sha256(identity() + kernel_text(USUAL).encode()).hexdigest()
    try:
        return Path(config.current().cache_dir).expanduser() / "copies" / f"{key}.json"
    except RuntimeError:  # the user has no home directory
        return None


def _is_first(file: Path) -> bool:
    """Write down that this process measures; return whether that could be done, and no other does."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        if file.exists() and time() - file.stat().st_mtime < _STALE:
            return False
        record(file, "measuring")
    except OSError:
        return False
    return recorded(file) == "measuring"


def _measured() -> Variant:
    into, out_of = (np.full(_size(), 1, np.uint8) for _ in range(2))
    totals = [0.0] * len(VARIANTS)
    for shape in _SHAPES:
        times = _times(_rivals(into, out_of, *shape))
        totals = [total + math.log(each / times[0]) for total, each in zip(totals, times, strict=True)]
    least = min(totals)
    return VARIANTS[totals.index(least)] if least < len(_SHAPES) * math.log(_BETTER) else USUAL


def _size() -> int:
    """Return bytes of which only a part is in the caches: kernels are for what lies in memory."""
    return min((largest_cache() or _USUAL_CACHE) * 3 // 2, _MOST)


def _rivals(into: Bytes, out_of: Bytes, itemsize: int, columns: int) -> list[list[Callable[[], None]]]:
    """Return, for each variant, functions that copy parts of the transpose of a matrix."""
    rows = into.nbytes // (columns * itemsize)
    leaves = Leaf(columns, rows * itemsize, itemsize), Leaf(rows, itemsize, columns * itemsize)
    target, source = (array.__array_interface__["data"][0] for array in (into, out_of))
    tiles = tiling(Plan(leaves, itemsize, buffered=False), target % LINE, source % LINE)
    assert tiles is not None
    places = [tiles.size * part // _PARTS for part in range(_PARTS + 1)]

    def copied(kernel: CopyKernel, low: int, high: int) -> None:
        kernel(target + tiles.target_start, source + tiles.source_start, tiles.address, low, high)

    kernels = [linked(tiles.kernel, variant) for variant in VARIANTS]
    return [[partial(copied, kernel, *ends) for ends in pairwise(places)] for kernel in kernels]


def _times(rivals: Sequence[Sequence[Callable[[], None]]]) -> list[float]:
    """Return the seconds of each rival: the least of each of its parts."""
    least = [[math.inf] * len(parts) for parts in rivals]
    for _ in range(_ROUNDS):
        for parts, times in zip(rivals, least, strict=True):
            for part, function in enumerate(parts):
                began = perf_counter()
                function()
                times[part] = min(times[part], perf_counter() - began)
    return [sum(times) for times in least]
