"""`Block`: the bytes that a backend gives, and `Span`, a part of them."""

from typing import Any, NamedTuple

__all__ = ["Block", "Span"]


class Block:
    """Bytes on one device, as its backend gave them.

    Attributes
    ----------
    pointer : int
        Address of the first byte on its device; 0 where ``nbytes`` is 0.
    nbytes : int
        How many bytes there are: at least as many as were asked for.
    native : object
        What the backend itself keeps: a NumPy array of bytes, a buffer of a GPU library ...
    lent : bool
        Whether others may still use it when it comes back, and so nobody but its backend may give it again.
    """

    __slots__ = ("native", "nbytes", "pointer")
    lent: bool = False

    def __init__(self, pointer: int, nbytes: int, native: Any) -> None:
        self.pointer = pointer
        self.nbytes = nbytes
        self.native = native

    def __repr__(self) -> str:
        return f"Block(pointer={self.pointer:#x}, nbytes={self.nbytes})"


class Span(NamedTuple):
    """``nbytes`` bytes of a block, from byte ``start`` on."""

    block: Block
    start: int
    nbytes: int
