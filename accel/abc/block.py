"""`Block`: memory that a backend allocated or adopted, and `Span`, a part of a block."""

from typing import Any, NamedTuple

__all__ = ["Block", "Span"]


class Block:
    """A range of bytes on one device, made by its backend.

    Attributes
    ----------
    pointer : int
        Address of the first byte on the device; 0 if ``nbytes`` is 0.
    nbytes : int
        Size in bytes: at least the size that was asked for.
    native : object
        The backend's own object for this memory: a NumPy array of bytes, a buffer of a GPU library.
    lent : bool
        Whether other libraries may still use the memory when it is freed. Such a block is freed on a stream, and goes
        to the backend and into no pool.
    stream : Stream or None
        The stream that may use new memory at once, of a backend that `FreesInOrder`; other streams must wait first.
    """

    __slots__ = ("native", "nbytes", "pointer")
    lent: bool = False
    stream: Any = None

    def __init__(self, pointer: int, nbytes: int, native: Any) -> None:
        self.pointer: int = pointer
        self.nbytes: int = nbytes
        self.native: Any = native

    def __repr__(self) -> str:
        return f"Block(pointer={self.pointer:#x}, nbytes={self.nbytes})"


class Span(NamedTuple):
    """``nbytes`` bytes of a block, from byte ``start`` on."""

    block: Block
    start: int
    nbytes: int
