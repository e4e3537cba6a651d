"""`Block`: the items that a kernel moves at a time, and which block suits the loops of a copy."""

from typing import Literal, NamedTuple

from accel.abc import Leaf

__all__ = ["CHUNK", "LINE", "TURNED", "WORD", "Block", "block_of"]

CHUNK = 16
"""Bytes of the vectors that every machine has."""

WORD = 8
"""Bytes of the numbers as which parts of a chunk are shuffled."""

LANES = 2
"""How many of them are worked on as one at most: as many as a register has on most machines."""

GROUPS = 4
"""How many of them are interleaved or separated in a row: fewer take longer, as the loop does little in each round."""

LINE = 64
"""Bytes of a cache line."""

JOINED = 2 * CHUNK
"""Bytes of an item from which on it is moved by itself."""

TURNED = (1, 2, 4, 8, 16)
"""Sizes in bytes of the items that the vector instructions can transpose."""


class Block(NamedTuple):
    """What one kernel moves at a time; there is one kernel for each block.

    Attributes
    ----------
    form : str
        ``lines``: a square of cache lines is transposed, and written past the caches. ``bands``: some rows are
        transposed, and written so wherever lines begin in the target. ``turn``: a matrix is transposed. ``weave``:
        items of ``number`` rows are interleaved. ``unweave``: interleaved items are separated into ``number`` columns.
        ``join``: items of some rows are joined, each of ``number`` words. ``items``: one item of any size.
    itemsize : int
        Bytes of an item; for ``join``, of a word; for ``items``, of the pieces that an item is moved in.
    number : int
        For ``turn``, how many chunks are read of each column; for ``items``, how many pieces cover an item;
        for ``lines`` and ``bands``, 1.
    groups : int
        For ``weave`` and ``unweave``, how many chunks are read or written of each row or column.
    """

    form: Literal["lines", "bands", "turn", "weave", "unweave", "join", "items"]
    itemsize: int
    number: int
    groups: int = 1

    @property
    def rows(self) -> int:
        """Rows of the block."""
        chunk, line = CHUNK // self.itemsize, LINE // self.itemsize
        several = {"lines": line, "bands": line, "turn": self.number * chunk, "weave": self.number, "join": chunk}
        several["unweave"] = self.groups * chunk
        return several.get(self.form, 1)

    @property
    def columns(self) -> int:
        """Columns of the block."""
        chunk, line = CHUNK // self.itemsize, LINE // self.itemsize
        if self.form == "join":
            return -(-chunk // self.number)
        return {"lines": line, "bands": line, "turn": chunk, "weave": self.groups * chunk, "unweave": self.number}.get(
            self.form, 1
        )


def block_of(nbytes: int, rows: Leaf, columns: Leaf) -> Block:
    """Return the block for a matrix of items of ``nbytes``.

    Parameters
    ----------
    nbytes : int
        Bytes of an item.
    rows, columns : Leaf
        The loop that steps fastest in the target, and the loop that steps fastest in the source.
    """
    if nbytes in TURNED and rows.target_stride == columns.source_stride == nbytes:
        height, width = rows.extent * nbytes, columns.extent * nbytes
        if height >= CHUNK and width >= CHUNK:
            return Block("turn", nbytes, _power_of_two(min(height // CHUNK, LANES)))
        if height >= CHUNK and rows.source_stride == width > nbytes:
            return Block("unweave", nbytes, columns.extent, GROUPS if height >= GROUPS * CHUNK else 1)
        if width >= CHUNK and columns.target_stride == height > nbytes:
            return Block("weave", nbytes, rows.extent, GROUPS if width >= GROUPS * CHUNK else 1)
    joined = Block("join", nbytes & -nbytes, nbytes // (nbytes & -nbytes))
    if nbytes < JOINED and joined.number > 1 and _joins(joined, nbytes, rows, columns):
        return joined
    piece = _power_of_two(min(nbytes, LINE))
    return Block("items", piece, -(-nbytes // piece))


def _joins(block: Block, nbytes: int, rows: Leaf, columns: Leaf) -> bool:
    adjacent = block.columns == 1 or columns.source_stride == nbytes
    return rows.target_stride == nbytes and adjacent and rows.extent >= block.rows and columns.extent >= block.columns


def _power_of_two(number: int) -> int:
    """Return the largest power of two that is not above a number."""
    return 1 << number.bit_length() - 1
