"""`ScopedAllocator`: raw memory by address, freed when its scope ends (Legate's)."""

from operator import index
from typing import NoReturn, Self, SupportsIndex

from accel.device import DeviceLike
from accel.dtypes import DTypeLike, as_dtype
from accel.errors import ReleasedError
from accel.memory.any_storage import AnyStorage
from accel.memory.sizes import as_alignment, as_size
from accel.store.scratch import DEFAULT_ALIGNMENT, bytes_of
from accel.store.store_targets import Place, StoreTarget, place_of
from accel.store.task import TaskScope, current_task

__all__ = ["ScopedAllocator"]


class _Allocations:
    """The allocations of one allocator and its copies, by address."""

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
            self.task.drop(storage)
        # A task that has ended has released its storages.
        return None if storage is None or storage.released else storage


class ScopedAllocator:
    """Allocates memory by address, and frees all of it when its scope ends (Legate's ``ScopedAllocator``).

    The scope is a ``with`` block, or the lifetime of the allocator. Copies share their allocations; these are freed
    with the last copy. With ``scoped=False`` they are freed when the task ends in which the allocator was made: a
    `task_scope`, or else the program.

    Parameters
    ----------
    kind : StoreTarget or Device or str
        The kind of memory.
    scoped : bool
        Free the memory when the scope ends, not when the task ends.
    alignment : int
        Alignment in bytes of the results of `allocate`, a power of two.

    Raises
    ------
    ValueError
        If the alignment is not a power of two.
    DeviceUnavailableError
        If there is no such memory.

    Examples
    --------
    >>> from accel import HostStorage
    >>> from accel.store import ScopedAllocator, StoreTarget
    >>> with ScopedAllocator(StoreTarget.SYSMEM) as allocator:
    ...     address = allocator.allocate_type("float32", 3)
    ...     storage = HostStorage(address, 3, dtype="float32")
    ...     storage.store(0, [1, 2, 3])
    ...     print(storage[2], address % 16, allocator.allocate(0))
    3.0 0 None
    """

    __slots__ = ("_allocations", "alignment")
    _allocations: _Allocations | None

    def __init__(
        self,
        kind: StoreTarget | DeviceLike,
        scoped: bool = True,
        alignment: SupportsIndex = DEFAULT_ALIGNMENT,
    ) -> None:
        self.alignment: int = as_alignment(alignment)
        self._allocations = _Allocations(place_of(kind), None if scoped else current_task())

    @property
    def kind(self) -> StoreTarget:
        """The kind of memory."""
        return self._open().place.kind

    def allocate(self, nbytes: SupportsIndex) -> int | None:
        """Allocate bytes and return their address; None for 0 bytes.

        Parameters
        ----------
        nbytes : int
            How many bytes.

        Raises
        ------
        OutOfMemoryError
            If there is not enough memory.
        """
        return self.allocate_aligned(nbytes, self.alignment)

    def allocate_aligned(self, nbytes: SupportsIndex, alignment: SupportsIndex) -> int | None:
        """Allocate bytes with an alignment and return their address; None for 0 bytes.

        Parameters
        ----------
        nbytes : int
            How many bytes.
        alignment : int
            What the address is a multiple of.

        Raises
        ------
        ValueError
            If the alignment is not a power of two.
        OutOfMemoryError
            If there is not enough memory.
        """
        allocations, multiple, size = self._open(), as_alignment(alignment), as_size(nbytes, 1)
        return allocations.add(bytes_of(allocations.place, size, multiple)) if size else None

    def allocate_type(self, dtype: DTypeLike, n: SupportsIndex) -> int | None:
        """Allocate ``n`` uninitialised elements and return their address; None for 0 elements.

        Parameters
        ----------
        dtype : dtype_like
            The dtype of the elements.
        n : int
            How many elements.
        """
        element_type = as_dtype(dtype)
        nbytes = as_size(n, element_type.itemsize) * element_type.itemsize
        return self.allocate_aligned(nbytes, max(self.alignment, element_type.alignment))

    def deallocate(self, ptr: SupportsIndex | None) -> None:
        """Free the memory at an address now; None does nothing.

        Parameters
        ----------
        ptr : int, optional
            The address.

        Raises
        ------
        ValueError
            If neither this allocator nor a copy of it allocated that address, or it was freed.
        TypeError
            If it is not an integer.
        """
        if ptr is None:
            return
        address = index(ptr)
        storage = self._open().take(address)
        if storage is None:
            raise ValueError(
                f"{address:#x} was not allocated here, or was freed before; pass an address that allocate returned"
            )
        storage.release()

    def __copy__(self) -> Self:
        allocator = object.__new__(type(self))
        allocator.alignment, allocator._allocations = self.alignment, self._open()
        return allocator

    def __reduce_ex__(self, protocol: SupportsIndex) -> NoReturn:
        raise TypeError(
            "a ScopedAllocator cannot be pickled: its addresses are of this process; share it with copy.copy(x)"
        )

    def __enter__(self) -> Self:
        self._open()
        return self

    def __exit__(self, *exception: object) -> None:
        # The memory is freed with the last reference to the allocations.
        self._allocations = None

    def __repr__(self) -> str:
        allocations = self._allocations
        if allocations is None:
            return "<ScopedAllocator, over>"
        return f"<ScopedAllocator of {allocations.place.kind.name}, {len(allocations.storages)} allocations>"

    def _open(self) -> _Allocations:
        if self._allocations is None:
            raise ReleasedError("the scope of this ScopedAllocator is over; make another, or a copy before it ends")
        return self._allocations
