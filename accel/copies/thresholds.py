"""The sizes at which a copy takes another path, with the reason of each.

They decide how fast a copy is, never what it copies. Those of the host's loops and threads are in
`accel.backends.common.thresholds`.
"""

__all__ = ["FEW_BYTES", "FEW_ELEMENTS", "INLINE", "PIECE"]

FEW_ELEMENTS = 500
"""Elements up to which NumPy copies without the checks for other threads: it does not release the GIL for so few
(from 501 on it does), so no other thread can free or use the memory meanwhile."""

FEW_BYTES = 1 << 15
"""Bytes below which NumPy reads and writes elements directly: to make a plan takes longer than to copy them."""

INLINE = 1 << 15
"""Bytes below which a stream of threads copies in the caller's thread: to wake a thread takes longer."""

PIECE = 1 << 24
"""Bytes of each piece of a copy that reports its progress: some hundred reports a second at most, and large enough
that a piece costs nothing extra."""
