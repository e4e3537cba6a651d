"""`Holder`: the fields of an owner that the allocation table reads; `holders`: all owners, without a list of them."""

import gc
from typing import Any

from accel.abc.block import Block
from accel.abc.external import ExternalAllocation
from accel.memory.sizes import in_words

__all__ = ["Holder", "holders"]


class Holder:
    """The fields of an owner of memory.

    Attributes
    ----------
    allocation : Block or None
        The bytes; None before they are allocated or adopted, and after the last use.
    external : ExternalAllocation or None
        Memory that was not allocated here.
    heap : Heap
        The memory of the device.
    counted : bool
        Whether the bytes are managed, not external.
    handles, keep_alives : int
        The number of handles, and of exports and pending work that keep the bytes alive.
    sentinel : object
        Only the allocation table refers to it too: its reference count shows the table when the holder is gone.
    call_site : str
        Where in the user's code the owner was made; set in debug mode only.
    """

    __slots__ = ("allocation", "call_site", "counted", "external", "handles", "heap", "keep_alives", "sentinel")
    allocation: Block | None
    external: ExternalAllocation | None
    heap: Any
    counted: bool
    handles: int
    keep_alives: int
    call_site: str
    sentinel: object
    of_library = False
    """Whether the memory is of a library of arrays, which allocated it."""

    @property
    def site(self) -> str:
        """Where in the user's code the owner was made; empty outside of debug mode."""
        return getattr(self, "call_site", "")

    @property
    def nbytes(self) -> int:
        """Size of the memory in bytes; 0 before it is allocated and after it is freed."""
        allocation, external = self.allocation, self.external
        return external.nbytes if external is not None else 0 if allocation is None else allocation.nbytes

    def in_words(self) -> str:
        """Return a description for people."""
        others = f", kept alive by {self.keep_alives} more" if self.keep_alives else ""
        origin = f", made at {self.call_site}" if self.site else ""
        return f"{in_words(self.nbytes)}, {self.handles} handle{'s' * (self.handles != 1)}{others}{origin}"


def holders(*, external: bool = True) -> list[Holder]:
    """Return all holders of memory, or only those of memory that was allocated here.

    A list of them would slow down every allocation. Instead the garbage collector finds what refers to their classes.
    Objects that `gc.freeze` hides from the collector are missing.
    """
    # Not gc.get_objects: it refers to objects that other threads are building, and a tuple with a second reference
    # cannot be resized.
    kinds = [kind for each in Holder.__subclasses__() for kind in (each, *each.__subclasses__())]
    existing = [each for each in gc.get_referrers(*kinds) if issubclass(type(each), Holder)]
    return [each for each in existing if _has_memory(each, external)]


def _has_memory(holder: Holder, external: bool) -> bool:
    if not getattr(holder, "handles", 0) and not getattr(holder, "keep_alives", 0):  # or another thread is making it
        return False
    if holder.of_library or holder.external is not None:
        return external
    return holder.allocation is not None
