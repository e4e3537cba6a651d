"""Aliases: handles on the bytes of a storage, with a record of hazards of their own."""

from accel.abc.external import ExternalAllocation
from accel.memory.any_storage import AnyStorage
from accel.memory.hazards import HazardRecord
from accel.memory.heap import Heap
from accel.memory.owner import Owner

__all__ = ["alias"]


class _Alias(Owner):
    """The owner of an alias: it keeps the bytes of another owner alive, and never frees them."""

    __slots__ = ()

    def __init__(self, heap: Heap, of: Owner) -> None:
        super().__init__(heap)
        self.allocation = block = of.block
        self.external = ExternalAllocation(block.nbytes, pointer=block.pointer, owner=of.keep_alive())
        self.readonly = of.readonly
        self.hazard_record = HazardRecord()


def alias(storage: AnyStorage) -> AnyStorage:
    """Return another handle on the bytes of a storage, for work that is in order with all other work already.

    Work on the alias waits for other work on the alias only, and other work does not wait for it. Before other work may
    go on, call ``owner.settle`` of the alias.
    """
    owner = _Alias(storage.owner.heap, storage.owner)
    return type(storage)._on(owner, storage.dtype, storage.size, storage._start, storage.readonly)
