"""`Owner`: one block and the count of those who use it; `KeepAlive`: a use that outlives the handles."""

from typing import NoReturn, Self

from accel import config
from accel.abc.block import Block
from accel.abc.external import ExternalAllocation
from accel.abc.stream import Event
from accel.call_sites import call_site
from accel.errors import ReleasedError
from accel.memory import hazards
from accel.memory.hazards import IDLE, Claim, Hazards, Traffic
from accel.memory.heap import Heap
from accel.memory.holder import Holder

__all__ = ["ForeignOwner", "KeepAlive", "Owner"]


class Owner(Holder):
    """What all handles on one block share.

    The bytes go with the last handle, or with the last pin if an export or pending work still holds one then. If an
    interrupt prevents a finaliser from counting, they go when nobody refers to the owner any more.

    Attributes
    ----------
    readonly : bool
        Whether writing is forbidden.
    traffic : Traffic
        Where the work in flight on the bytes is noted, and that which failed to write them.
    """

    __slots__ = ("__weakref__", "readonly", "traffic")
    heap: Heap

    def __init__(self, heap: Heap) -> None:
        self.heap = heap
        self.held = None
        self.external = None
        self.counted = True
        self.readonly = False
        self.handles = 1
        self.keep_alives = 0
        self.life = object()
        self.traffic = IDLE
        if config.debugging():
            self.made = call_site()

    @property
    def block(self) -> Block:
        """The bytes; those of external memory are adopted when first asked for."""
        if self.held is None:
            if self.ended:
                self.refuse_ended()
            assert self.external is not None, "an owner has a block or knows where to find one"
            self.held = self.heap.backend.adopt(self.external)
        return self.held

    @property
    def hazards(self) -> Hazards | None:
        """The work in flight on the bytes, as `accel.memory.hazards` notes it."""
        return self.traffic.hazards

    def own_traffic(self) -> Traffic:
        """Return where work on the bytes can be noted."""
        if self.traffic is IDLE:
            made = Traffic()
            # No call between these: another thread may have been first.
            if self.traffic is IDLE:
                self.traffic = made
        return self.traffic

    @property
    def ended(self) -> bool:
        """Whether nobody uses the bytes any more."""
        return not self.handles and not self.keep_alives

    def add_handle(self) -> None:
        """Count one more handle."""
        # No call between these, as above.
        if self.handles:
            self.handles += 1
        else:
            self.refuse_ended()

    def add_keep_alive(self) -> None:
        """Count one more pin; `drop_keep_alive` is a note for the heap."""
        # No call between these, so that another thread cannot end it meanwhile.
        if self.handles or self.keep_alives:
            self.keep_alives += 1
        else:
            self.refuse_ended()

    def keep_alive(self) -> "KeepAlive":
        """Keep the bytes alive until the pin is released."""
        return KeepAlive(self)

    def claim(self, *, writing: bool) -> Claim:
        """Return the use of all bytes."""
        block = self.block
        return self.own_traffic(), block.pointer, block.pointer + block.nbytes, writing, False

    def settle(self, *, writing: bool) -> None:
        """Make the host wait for the work in flight that it must not overtake, and raise what failed of it.

        Failures matter to those who read; what they should have written may be written over.
        """
        if self.traffic.hazards is not None:
            hazards.settle(self.claim(writing=writing))

    def note(self, event: Event, *, writing: bool) -> None:
        """Remember work that was submitted elsewhere, after all that it must come after."""
        hazards.note(event, (self.claim(writing=writing),))

    def drop_handle(self) -> ExternalAllocation | None:
        """Count one handle less: a note for the heap."""
        self.handles -= 1
        return self.end_if_unused()

    def drop_keep_alive(self) -> ExternalAllocation | None:
        """Count one pin less: a note for the heap."""
        self.keep_alives -= 1
        return self.end_if_unused()

    def end_if_unused(self) -> ExternalAllocation | None:
        """Free the bytes if nobody uses them any more; the gate is held by the caller."""
        if self.handles:
            return None
        table = self.heap.table
        if self.keep_alives:
            table.keep(self)
            return None
        if table.kept:
            table.keep_no_more(self)
        block, external = self.held, self.external
        self.held = self.external = None
        if external is None and block is not None:
            self.heap.free(block)
        # Returned also where there is nothing to run: what it keeps alive must not die inside the gate.
        return external

    def refuse_ended(self) -> NoReturn:
        """Raise `ReleasedError`."""
        raise ReleasedError("this memory was released by another thread")


class ForeignOwner(Owner):
    """The owner of memory made elsewhere.

    Others may look at the same memory through owners of their own, so the work in flight on all such memory of a device
    is noted together, by addresses.

    Parameters
    ----------
    heap : Heap
        The memory of the device.
    external : ExternalAllocation
        The memory.
    counted : bool
        Whether it is managed all the same: the library itself let somebody else allocate it.
    """

    __slots__ = ()

    def __init__(self, heap: Heap, external: ExternalAllocation, *, counted: bool = False) -> None:
        self.heap = heap
        self.held = None
        self.external = external
        self.counted = counted
        self.readonly = external.readonly
        self.traffic = heap.foreign
        self.handles = 1
        self.keep_alives = 0
        if external.deleter is not None:
            self.life = object()
            heap.remember(self, external)
        if config.debugging():
            self.made = call_site()


class KeepAlive:
    """Keeps a block alive after its handles are released: a live export, or work in flight."""

    __slots__ = ("_owner",)
    _owner: Owner | None

    def __init__(self, owner: Owner) -> None:
        self._owner = None
        # No call between these: an interrupt finds both done, or neither.
        if owner.handles or owner.keep_alives:
            owner.keep_alives += 1
            self._owner = owner
        else:
            owner.refuse_ended()

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
            owner.heap.apply(self._end)

    def _end(self) -> ExternalAllocation | None:
        # Looked at again with the gate closed: two threads may release one pin.
        owner = self._owner
        if owner is None:
            return None
        # No call between these: an interrupt finds both done, or neither.
        self._owner = None
        owner.keep_alives -= 1
        return owner.end_if_unused()

    def __del__(self) -> None:
        try:
            # Forgotten first: a finaliser may run on an object that others still reach.
            owner, self._owner = self._owner, None
        except AttributeError:  # an interrupt came before the constructor
            return
        if owner is not None:
            owner.heap.defer(owner.drop_keep_alive)
