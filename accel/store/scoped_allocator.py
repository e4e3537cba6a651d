"""`ScopedAllocator`: raw memory by address, which goes when its scope ends (Legate's)."""

from operator import index
from typing import NoReturn, Self, SupportsIndex

from accel.device import DeviceLike
from accel.dtypes import DTypeLike, as_dtype
from accel.errors import ReleasedError
from accel.memory.sizes import as_alignment, as_size
from accel.memory.storages import AnyStorage
from accel.store.scratch import DEFAULT_ALIGNMENT, bytes_of
from accel.store.store_targets import Place, StoreTarget, place_of
from accel.store.task import TaskScope, current_task

__all__ = ["ScopedAllocator"]


class _Given:
    """What the copies of one allocator share: the memory it gave, by address."""

    __slots__ = ("__weakref__", "place", "storages", "task")

    def __init__(self, place: Place, task: TaskScope | None) -> None:
        self.place = place
        self.task = task
        self.storages: dict[int, AnyStorage] = {}

    def add(self, storage: AnyStorage) -> int:
        self.storages[storage.pointer] = storage
        if self.task is not None:
            self.task.hold(storage)
        return storage.pointer

    def take(self, pointer: int) -> AnyStorage | None:
        storage = self.storages.pop(pointer, None)
        if storage is not None and self.task is not None:
            self.task.let_go(storage)
        # What a task held and has ended is nobody's any more.
        return None if storage is None or storage.released else storage


class ScopedAllocator:
    """Gives memory by its address, and frees all it gave when its scope ends (Legate's ``ScopedAllocator``).

    The scope is a ``with`` block, or the life of the allocator. Copies share what they gave, and it is freed with the
    last of them. With ``scoped=False`` it is freed when the task ends in which the allocator was made: a
    `task_scope`, or else the program.

    Parameters
    ----------
    kind : StoreTarget or Device or str
        Which memory.
    scoped : bool
        Free what was given when the scope ends, and not the task.
    alignment : int
        Alignment in bytes of what `allocate` gives, a power of two.

    Raises
    ------
    ValueError
        If the alignment is no power of two.
    DeviceUnavailableError
        If there is no such memory.

    Examples
    --------
    >>> from accel import HostStorage
    >>> from accel.store import ScopedAllocator, StoreTarget
    >>> with ScopedAllocator(StoreTarget.SYSMEM) as allocator:
    ...     address = allocator.allocate_type("float32", 3)
    ...     looking = HostStorage(address, 3, dtype="float32")
    ...     looking.store(0, [1, 2, 3])
    ...     print(looking[2], address % 16, allocator.allocate(0))
    3.0 0 None
    """

    __slots__ = ("_given", "alignment")
    _given: _Given | None

    def __init__(
        self,
        kind: StoreTarget | DeviceLike,
        scoped: bool = True,
        alignment: SupportsIndex = DEFAULT_ALIGNMENT,
    ) -> None:
        self.alignment = as_alignment(alignment)
        self._given = _Given(place_of(kind), None if scoped else current_task())

    @property
    def kind(self) -> StoreTarget:
        """Which memory it gives."""
        return self._open().place.kind

    def allocate(self, nbytes: SupportsIndex) -> int | None:
        """Return the address of some bytes; None for none.

        Raises
        ------
        OutOfMemoryError
            If they cannot be had.
        """
        return self.allocate_aligned(nbytes, self.alignment)

    def allocate_aligned(self, nbytes: SupportsIndex, alignment: SupportsIndex) -> int | None:
        """Return the address of some bytes with an alignment of their own; None for none.

        Raises
        ------
        ValueError
            If the alignment is no power of two.
        OutOfMemoryError
            If they cannot be had.
        """
        given, multiple, size = self._open(), as_alignment(alignment), as_size(nbytes, 1)
        return given.add(bytes_of(given.place, size, multiple)) if size else None

    def allocate_type(self, dtype: DTypeLike, n: SupportsIndex) -> int | None:
        """Return the address of ``n`` uninitialised elements; None for none."""
        found = as_dtype(dtype)
        return self.allocate_aligned(as_size(n, found.itemsize) * found.itemsize, max(self.alignment, found.alignment))

    def deallocate(self, ptr: SupportsIndex | None) -> None:
        """Free what was given at an address, now; None is none.

        Raises
        ------
        ValueError
            If neither this allocator nor a copy of it gave that address, or it was freed.
        TypeError
            If it is no whole number.
        """
        if ptr is None:
            return
        address = index(ptr)
        storage = self._open().take(address)
        if storage is None:
            raise ValueError(
                f"{address:#x} was not given by this allocator, or was freed; write what allocate returned"
            )
        storage.release()

    def __copy__(self) -> Self:
        copied = object.__new__(type(self))
        copied.alignment, copied._given = self.alignment, self._open()
        return copied

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError("a ScopedAllocator answers for addresses, which nobody else can; share it with copy.copy(x)")

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(self, *exception: object) -> None:
        # The memory goes with the last who refers to it.
        self._given = None

    def _open(self) -> _Given:
        if self._given is None:
            raise ReleasedError("the scope of this ScopedAllocator is over; make another, or a copy before it ends")
        return self._given
