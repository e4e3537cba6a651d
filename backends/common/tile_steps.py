"""`TileSteps`: where a kernel is in the loops over tiles."""

from .code import Code, Int, Variable
from .tile_fields import TileFields
from .tiles import LOOPS

__all__ = ["TileSteps"]

_WORD = 8


class TileSteps:
    """A step of each loop over tiles, in a buffer of the kernel. Only the first tile is found by divisions.

    Attributes
    ----------
    into, out_of : Variable
        The offsets in bytes of the tile, in the target and in the source.
    """

    def __init__(self, code: Code, fields: TileFields, tile: Int) -> None:
        self._code, self._fields = code, fields
        self._steps = code.scratch(LOOPS * _WORD, _WORD)
        self.into, self.out_of = Variable(code, 0), Variable(code, 0)
        left = Variable(code, tile)
        with fields.each_loop() as (number, loop):
            tiles = left.get()
            rest = tiles // loop.extent
            step = tiles - rest * loop.extent
            code.set_integer(step, self._place(number))
            self._move(step * loop.target, step * loop.source)
            left.set(rest)

    def advance(self) -> None:
        """Go to the next tile; after the last one, to the first."""
        code, carries = self._code, Variable(self._code, 1)
        with self._fields.each_loop(carries) as (number, loop):
            step = code.integer(self._place(number)) + 1
            over = step.equals(loop.extent)
            back = code.chosen(over, step, 0)
            code.set_integer(step - back, self._place(number))
            self._move((1 - back) * loop.target, (1 - back) * loop.source)
            carries.set(code.chosen(over, 1, 0))

    def firsts(self) -> list[Int]:
        """Return the first step of the tile along each axis."""
        numbers = [self._fields.number_of(axis) for axis in range(3)]
        steps = [self._code.integer(self._place(number)) for number in numbers]
        return [step * axis.steps - axis.shift for step, axis in zip(steps, self._fields.axes, strict=True)]

    def _place(self, number: Int) -> Int:
        return self._steps + number * _WORD

    def _move(self, into: Int, out_of: Int) -> None:
        self.into.set(self.into.get() + into)
        self.out_of.set(self.out_of.get() + out_of)
