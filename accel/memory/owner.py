"""`Owner`: one block and its reference counts; `KeepAlive`: a use of the block that outlives its handles."""

from typing import NoReturn, Self

from accel import config
from accel.abc.block import Block
from accel.abc.external import ExternalAllocation
from accel.abc.stream import Event
from accel.errors import ReleasedError
from accel.memory import hazards
from accel.memory.hazards import IDLE, Claim, HazardRecord, Hazards
from accel.memory.heap import Heap
from accel.memory.holder import Holder
from accel.support.call_sites import call_site

__all__ = ["ArrayOwner", "ForeignOwner", "KeepAlive", "Owner"]


class Owner(Holder):
    """One block, its reference counts and its hazards; shared by all handles on the block.

    The block is freed with the last handle, or with the last keep-alive of an export or pending work if that is later.
    If an interrupt keeps a finaliser from counting, the block is freed when nothing refers to the owner any more.

    Attributes
    ----------
    readonly : bool
        Whether writing is forbidden.
    hazard_record : HazardRecord
        The record of the hazards: pending work on the bytes, and failed writes.
    """

    __slots__ = ("__weakref__", "hazard_record", "readonly")
    heap: Heap

    def __init__(self, heap: Heap) -> None:
        self.heap = heap
        self.allocation = None
        self.external: ExternalAllocation | None = None
        self.counted = True
        self.readonly: bool = False
        self.handles: int = 1
        self.keep_alives: int = 0
        self.hazard_record: HazardRecord = IDLE
        if config.debugging():
            self.call_site: str = call_site()

    @property
    def block(self) -> Block:
        """The bytes; external memory is adopted at first use."""
        if self.allocation is None:
            if self.unused:
                self.refuse_freed()
            assert self.external is not None, "an owner has a block, or external memory to adopt"
            self.allocation = self.heap.backend.adopt(self.external)
        return self.allocation

    @property
    def hazards(self) -> Hazards | None:
        """The hazards of the bytes; see `accel.memory.hazards`."""
        return self.hazard_record.hazards

    def own_hazard_record(self) -> HazardRecord:
        """Return the record of the hazards, of this owner alone."""
        if self.hazard_record is IDLE:
            record = HazardRecord()
            # No call between these: another thread may have been first.
            if self.hazard_record is IDLE:
                self.hazard_record = record
        return self.hazard_record

    @property
    def unused(self) -> bool:
        """Whether there are neither handles nor keep-alives."""
        return not self.handles and not self.keep_alives

    def add_handle(self) -> None:
        """Count one more handle."""
        # No call between these, as above.
        if self.handles:
            self.handles += 1
        else:
            self.refuse_freed()

    def add_keep_alive(self) -> None:
        """Count one more keep-alive; pass `drop_keep_alive` to the heap to count it off."""
        # No call between these: another thread cannot free the bytes meanwhile.
        if self.handles or self.keep_alives:
            self.keep_alives += 1
        else:
            self.refuse_freed()

    def keep_alive(self) -> "KeepAlive":
        """Keep the bytes alive until the result is released."""
        return KeepAlive(self)

    def claim(self, *, writing: bool) -> Claim:
        """Return a use of all bytes, for `accel.memory.hazards`."""
        block = self.block
        return self.own_hazard_record(), block.pointer, block.pointer + block.nbytes, writing, False

    def settle(self, *, writing: bool) -> None:
        """Make the host wait for pending work before it reads or writes the bytes.

        Raises the error of failed work to readers only: a write replaces what the work should have written.
        """
        if self.hazard_record.hazards is not None:
            hazards.settle(self.claim(writing=writing))

    def note(self, event: Event, *, writing: bool) -> None:
        """Record work that another library submitted, after all that it must come after."""
        hazards.note(event, (self.claim(writing=writing),))

    def drop_keep_alive(self) -> ExternalAllocation | None:
        """Count one keep-alive less: a change for `Heap.apply` or `Heap.defer`."""
        self.keep_alives -= 1
        return self.free_if_unused()

    def free_if_unused(self) -> ExternalAllocation | None:
        """Free the bytes if nothing uses them any more; the caller holds the lock of the heap."""
        if self.handles:
            return None
        table = self.heap.table
        if self.keep_alives:
            table.add_kept(self)
            return None
        if table.kept:
            table.remove_kept(self)
        block, external = self.allocation, self.external
        self.allocation = self.external = None
        if external is None and block is not None:
            self._free(block)
        # Returned also where there is no deleter: what it keeps alive must not be finalised with the lock held.
        return external

    def _free(self, block: Block) -> None:
        self.heap.free(block)

    def refuse_freed(self) -> NoReturn:
        """Raise `ReleasedError`."""
        raise ReleasedError("this memory was released by another thread")


class ForeignOwner(Owner):
    """The owner of external memory.

    Several owners may refer to the same external memory. So all external memory of a device shares one record of
    hazards, by address.

    Parameters
    ----------
    heap : Heap
        The memory of the device.
    external : ExternalAllocation
        The memory.
    counted : bool
        Whether its handles are counted as for managed memory: accel took over the memory of another library.
    """

    __slots__ = ()

    def __init__(self, heap: Heap, external: ExternalAllocation, *, counted: bool = False) -> None:
        self.heap = heap
        self.allocation: Block | None = None
        self.external: ExternalAllocation | None = external
        self.counted = counted
        self.readonly: bool = external.readonly
        self.hazard_record: HazardRecord = heap.foreign
        self.handles = 1
        self.keep_alives = 0
        if external.deleter is not None:
            self.sentinel: object = object()
            heap.add_external(self, external)
        if config.debugging():
            self.call_site: str = call_site()

    def free_if_unused(self) -> ExternalAllocation | None:
        """Free the bytes, as `Owner` does; the other library may use the address of its memory again then."""
        block = self.allocation
        external = super().free_if_unused()
        # The record is looked at first: at the end of the interpreter, the module of hazards may be gone already.
        if self.hazards is not None and self.counted and block is not None and self.allocation is None:
            hazards.forget_failures(self.hazard_record, block.pointer, block.pointer + block.nbytes)
        return external


class ArrayOwner(Owner):
    """The owner of memory that a library of arrays allocated, and reuses in stream order.

    Work on it is ordered as on memory that was allocated here.

    Parameters
    ----------
    heap : Heap
        The memory of the device.
    block : Block
        The memory; see `accel.abc.OrdersArrays`.
    array : object
        The array of the library that owns it.
    readonly : bool
        Whether writing is forbidden.
    """

    __slots__ = ("array",)
    of_library = True

    def __init__(self, heap: Heap, block: Block, array: object, *, readonly: bool) -> None:
        super().__init__(heap)
        self.allocation: Block | None = block
        # Until the owner is gone: its finalisers must not run with the lock of the heap held.
        self.array: object = array
        self.readonly = readonly

    def _free(self, block: Block) -> None:
        self.heap.give_back(block)  # the table of the heap does not have it


class KeepAlive:
    """Keeps a block alive for an export or for pending work, also after its handles are released.

    Parameters
    ----------
    owner : Owner
        The owner of the block.
    """

    __slots__ = ("_owner",)
    _owner: Owner | None

    def __init__(self, owner: Owner) -> None:
        self._owner = None
        # No call between these: an interrupt finds both done, or neither.
        if owner.handles or owner.keep_alives:
            owner.keep_alives += 1
            self._owner = owner
        else:
            owner.refuse_freed()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    @property
    def owner(self) -> Owner | None:
        """The owner of the memory; None after the release."""
        return self._owner

    def release(self) -> None:
        """End the use of the memory; doing so again is harmless."""
        owner = self._owner
        if owner is not None:
            owner.heap.apply(self._end)

    def _end(self) -> ExternalAllocation | None:
        # Read again with the lock held: two threads may release one keep-alive.
        owner = self._owner
        if owner is None:
            return None
        # No call between these: an interrupt finds both done, or neither.
        self._owner = None
        owner.keep_alives -= 1
        return owner.free_if_unused()

    def __del__(self) -> None:
        try:
            # Cleared first: after a collection, other finalisers may still reach this object.
            owner, self._owner = self._owner, None
        except AttributeError:  # an interrupt came before the constructor
            return
        if owner is not None:
            owner.heap.defer(owner.drop_keep_alive)
