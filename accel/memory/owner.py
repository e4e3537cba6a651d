"""`Owner`: one block and the count of those who use it; `Pin`: a use that outlives the handles."""

from typing import Self

from accel import config
from accel.errors import ReleasedError
from accel.memory.block import Block
from accel.memory.external import ExternalAllocation
from accel.memory.hazards import Hazards, noting
from accel.memory.heap import Heap
from accel.memory.holder import Holder
from accel.memory.stream import Event, Stream
from accel.sites import call_site

__all__ = ["Owner", "Pin"]


class Owner(Holder):
    """What all handles on one block share.

    The bytes go with the last handle, or with the last pin if an export or pending work still holds one then.

    Attributes
    ----------
    readonly : bool
        Whether writing is forbidden.
    hazards : Hazards or None
        The work in flight on the bytes.
    """

    __slots__ = ("__weakref__", "hazards", "readonly")
    heap: Heap

    def __init__(self, heap: Heap, block: Block | None, external: ExternalAllocation | None, counted: bool) -> None:
        self.heap = heap
        self.held = block
        self.external = external
        self.counted = counted
        self.readonly = external is not None and external.readonly
        self.handles = 1
        self.pins = 0
        self.hazards: Hazards | None = None
        if config.debugging():
            self.made = call_site()

    @property
    def block(self) -> Block:
        """The bytes; those of external memory are adopted when first asked for."""
        if self.held is None:
            self._refuse_if_ended()
            assert self.external is not None, "an owner has a block or knows where to find one"
            self.held = self.heap.backend.adopt(self.external)
        return self.held

    @property
    def ended(self) -> bool:
        """Whether nobody uses the bytes any more."""
        return not self.handles and not self.pins

    def add_handle(self) -> None:
        """Count one more handle."""
        with self.heap.gate:
            if not self.handles:
                raise ReleasedError("the last handle on this memory was released by another thread")
            self.handles += 1

    def add_pin(self) -> None:
        """Count one more pin."""
        with self.heap.gate:
            if not self.handles:
                self._refuse_if_ended()
            self.pins += 1

    def settle(self, *, writing: bool) -> None:
        """Make the host wait for the work in flight that it must not overtake."""
        hazards = self.hazards
        if hazards is not None:
            hazards.settle(f"memory of {self.heap.device}", writing=writing)
            seen = hazards.events
            if all(event.done() for event in seen):
                with noting:
                    if hazards.events == seen:  # another thread may have noted more
                        self.hazards = None

    def order(self, stream: Stream, *, writing: bool) -> None:
        """Let a stream's next work start after the work in flight that it must not overtake."""
        if self.hazards is not None:
            self.hazards.order(stream, writing=writing)

    def note(self, event: Event, *, writing: bool) -> None:
        """Remember work that was submitted."""
        with noting:
            hazards = self.hazards = self.hazards or Hazards()
            hazards.note(event, writing=writing)
        hazards.forget_some()

    def less_one_handle(self) -> ExternalAllocation | None:
        """Count one handle less: a note for the heap."""
        self.handles -= 1
        if self.handles:
            return None
        if self.pins:
            self.heap.pinned_blocks += 1
            return None
        return self._end()

    def less_one_pin(self) -> ExternalAllocation | None:
        """Count one pin less: a note for the heap."""
        self.pins -= 1
        if self.pins or self.handles:
            return None
        self.heap.pinned_blocks -= 1
        return self._end()

    def _refuse_if_ended(self) -> None:
        if self.ended:
            raise ReleasedError("this memory was released by another thread")

    def _end(self) -> ExternalAllocation | None:
        block, external = self.held, self.external
        self.held = self.external = None
        if external is None and block is not None:
            self.heap.free(block)
        # Returned also where there is nothing to run: what it keeps alive must not die inside the gate.
        return external


class Pin:
    """Keeps a block alive after its handles are released: a live export, or work in flight."""

    __slots__ = ("_owner",)
    _owner: Owner | None

    def __init__(self, owner: Owner) -> None:
        self._owner = None
        owner.add_pin()
        self._owner = owner

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    @property
    def owner(self) -> Owner | None:
        """What it keeps alive; None when it is released."""
        return self._owner

    def release(self) -> None:
        """End the use; doing so again is harmless."""
        owner = self._owner
        if owner is not None:
            owner.heap.do(self._end)

    def _end(self) -> ExternalAllocation | None:
        # Looked at again with the gate closed: two threads may release one pin.
        owner, self._owner = self._owner, None
        return None if owner is None else owner.less_one_pin()

    def __del__(self) -> None:
        # Forgotten first: a finaliser may run on an object that others still reach.
        owner, self._owner = self._owner, None
        if owner is not None:
            owner.heap.do_or_leave(owner.less_one_pin)
