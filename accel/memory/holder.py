"""`Holder`: who answers for memory, and how all of them are found without keeping a list."""

import gc
from typing import Any

from accel.abc.block import Block
from accel.abc.external import ExternalAllocation
from accel.memory.sizes import in_words

__all__ = ["Holder", "holders"]


class Holder:
    """What is known of the owner of a block.

    Attributes
    ----------
    held : Block or None
        The bytes; None before they are allocated or adopted, and after the last use.
    external : ExternalAllocation or None
        Memory made elsewhere.
    heap : Heap
        The memory of the device.
    counted : bool
        Whether the bytes are managed, and not somebody else's.
    handles, keep_alives : int
        How many handles there are, and how many exports and pieces of work keep the bytes alive.
    life : object
        To which nobody else refers but the books, so that they show when the holder is gone.
    made : str
        Where in the user's code it was made; not set outside of debug mode.
    """

    __slots__ = ("counted", "external", "handles", "heap", "held", "keep_alives", "life", "made")
    held: Block | None
    external: ExternalAllocation | None
    heap: Any
    counted: bool
    handles: int
    keep_alives: int
    life: object
    made: str

    @property
    def site(self) -> str:
        """Where in the user's code it was made; empty if that was not in debug mode."""
        return getattr(self, "made", "")

    @property
    def nbytes(self) -> int:
        """Bytes that it answers for."""
        held, external = self.held, self.external
        return external.nbytes if external is not None else 0 if held is None else held.nbytes

    def in_words(self) -> str:
        """Describe it for people."""
        kept = f", kept alive by {self.keep_alives} more" if self.keep_alives else ""
        made = f", made at {self.made}" if self.site else ""
        return f"{in_words(self.nbytes)}, {self.handles} handle{'s' * (self.handles != 1)}{kept}{made}"


def holders(*, external: bool = True) -> list[Holder]:
    """Return all that have memory now, or only those of memory that was allocated here.

    A list of them would cost every allocation something; so the collector is asked who refers to their class. Those
    that `gc.freeze` took from it are not found.
    """
    # Not gc.get_objects: it lends what other threads are still building, and a tuple that is lent cannot be finished.
    kinds = [kind for each in Holder.__subclasses__() for kind in (each, *each.__subclasses__())]
    found = [each for each in gc.get_referrers(*kinds) if issubclass(type(each), Holder)]
    return [each for each in found if _has_memory(each, external)]


def _has_memory(found: Holder, external: bool) -> bool:
    if not getattr(found, "handles", 0) and not getattr(found, "keep_alives", 0):  # or another thread is making it
        return False
    return found.held is not None if found.external is None else external
