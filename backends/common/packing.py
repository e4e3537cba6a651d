"""The innermost part of a copy, as text for LLVM: packs a tile by blocks, one module for each kind of block."""

from .blocks import LINE, Block
from .code import Code, Int
from .tile_fields import TileFields
from .tiles import COLUMNS, DEPTH, ROWS
from .variants import Variant
from .vectors import Ends, Fetches, move_block

__all__ = ["packing_text"]


def packing_text(block: Block, variant: Variant) -> str:
    """Return the module with the function ``pack``, which moves one kind of block at a time.

    It takes the address of the tiling; the addresses of a tile's first item in the buffer and in the source; how
    many layers, rows and columns it has; the distance in bytes to the next tile in the source; the address of the
    buffer; and the first row or layer, which is 0 where the target's rows begin.
    """
    return _Packing(block, variant).text()


class _Packing:
    def __init__(self, block: Block, variant: Variant) -> None:
        self._block = block
        names = ("tiling", "place", "origin", "layers", "rows", "columns", "ahead", "buffer", "row")
        self._code = code = Code("pack", names, variant)
        tiling, self._place, self._origin, self._layers, self._rows, self._columns, self._ahead, *_ = code.arguments
        self._fields = TileFields(code, tiling)

    def text(self) -> str:
        """Return the module."""
        code, fields, depth = self._code, self._fields, self._fields.axes[DEPTH]
        partly = code.both(fields.apart > 0, fields.cut.equals(DEPTH))
        least = code.most((fields.nbytes + (LINE - 2)) // fields.nbytes, self._block.rows)
        completes = code.least(self._rows, least)
        with code.loop(0, self._layers) as layer:
            # The layers beyond a tile's own are read for as much as completes a line.
            beyond = code.both(partly, layer >= depth.steps)
            rows = code.chosen(beyond, completes, self._rows)
            self._layer(self._place + layer * depth.spacing, self._origin + layer * depth.source, rows)
        return code.module()

    def _layer(self, place: Int, origin: Int, extent: Int) -> None:
        code, block, fields = self._code, self._block, self._fields
        rows, columns = fields.axes[ROWS], fields.axes[COLUMNS]
        ahead = Fetches(code, origin + self._ahead, self._columns * fields.nbytes, rows.source)
        with code.loop(0, extent, block.rows) as down:
            y = code.least(down, extent - block.rows)
            with code.loop(0, self._columns, block.columns) as across:
                x = code.least(across, self._columns - block.columns)
                corner = origin + y * rows.source + x * columns.source
                spot = place + y * rows.spacing + x * columns.spacing
                move_block(code, block, Ends(spot, columns.spacing, corner, rows.source, fields.nbytes, ahead))
