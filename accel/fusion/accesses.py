"""`Accesses`: in which levels a memory is written and read, so that each write follows what it would change."""

from accel.fusion.boxes import Ends, are_apart, union

__all__ = ["Accesses"]


class Accesses:
    """The levels in which one memory is accessed.

    Writes that are apart may be in any order; they are a run, whose box is around all of them.

    Attributes
    ----------
    level : int
        The highest in which it was written.
    """

    def __init__(self) -> None:
        self.level: int = 0
        self._before = 0
        """The highest level of what is before the run."""
        self._written: Ends | None = None
        self._read: Ends | None = None
        self._read_level = 0

    def write(self, ends: Ends, least: int) -> int:
        """Note a write, which has at least a level, and return the level that it gets."""
        if self._read is not None and not are_apart(ends, self._read):
            least = max(least, self._read_level + 1)
        if self._written is None or are_apart(ends, self._written):
            level = max(least, self._before + 1)
            self._written = ends if self._written is None else union(ends, self._written)
        else:
            self._before = max(self.level, self._read_level)
            level = max(least, self._before + 1)
            self._written, self._read = ends, None
        self.level = max(level, self.level)
        return level

    def least_read(self, ends: Ends) -> int:
        """Return the lowest level in which elements can be read."""
        return 1 + (self._before if self._written is None or are_apart(ends, self._written) else self.level)

    def read(self, ends: Ends, level: int) -> None:
        """Note a read in a level."""
        self._read = ends if self._read is None else union(ends, self._read)
        self._read_level = max(level, self._read_level)
