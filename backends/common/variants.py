"""`Variant`: ways in which kernels of copies read ahead and write. They differ in speed only, and processors differ."""

from typing import NamedTuple

__all__ = ["USUAL", "VARIANTS", "Variant"]


class Variant(NamedTuple):
    """How a kernel reads ahead and writes.

    Attributes
    ----------
    cache : int
        The cache into which lines of the next tile are fetched; 0 if they are not.
    streams : bool
        Whether stores of whole lines bypass the caches.
    width : int
        The most bytes that one of these stores has.
    """

    cache: int = 2
    streams: bool = True
    width: int = 32


USUAL = Variant()
"""The fastest on the processors that were measured, and what is used before this one is."""

VARIANTS = (USUAL, Variant(cache=1), Variant(cache=0), Variant(streams=False), Variant(width=64))
