"""The sizes at which a copy on the host takes another path, and why they are where they are.

They were tuned by measuring. They decide how fast a copy is, never what it copies.
"""

__all__ = [
    "AT_ONCE",
    "COMPILING",
    "FEW_COLUMNS",
    "INDEXED_SHARE",
    "LONG_LOOP",
    "LONG_RUN",
    "PIECE",
    "PIECES_EACH",
    "ROOM",
    "SHARED",
    "SMALL",
    "STREAMED",
]

SMALL = 1 << 15
"""Bytes of a copy that NumPy does in any case: tiling it and calling a kernel takes longer than a kernel saves."""

SHARED = 1 << 20
"""Bytes from which several threads share a copy: below, a thread wakes too late to take part."""

PIECE = 1 << 18
"""Bytes of the smallest piece that a thread takes: a smaller one costs more to hand out than it evens out."""

PIECES_EACH = 8
"""Pieces for each thread: with fewer, all wait for the slowest thread; with more, handing them out takes longer."""

INDEXED_SHARE = 1 << 18
"""Bytes of an indexed copy for each thread: each has memory of its own for lists of offsets, which takes time."""

AT_ONCE = 1 << 24
"""Bytes of a copy for which a kernel is compiled at its first use: NumPy takes as long for the copy as LLVM does."""

COMPILING = 0.1
"""Seconds that llvmlite's import and the first kernel take: so much NumPy may lose before.

A copy waits so long for a compilation of another thread, too.
"""

ROOM = 1 << 29
"""Bytes of address space that must be free to compile: LLVM ends the process where it finds too little."""

LONG_RUN = 256
"""Bytes of a contiguous run from which NumPy is as fast as a kernel."""

LONG_LOOP = 64
"""Steps of the target's fastest loop from which NumPy's loop over single items costs little for each item."""

FEW_COLUMNS = 5
"""Steps of the source's nearest loop below which NumPy is as fast: a tile would use too little of each cache line."""

STREAMED = 1 << 22
"""Bytes from which a transpose writes past the caches: the target would not be there any more when it is read."""
