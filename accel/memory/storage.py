"""`Storage`: counted, typed handles on a block; the base of `HostStorage` and `DeviceStorage` (NuMojo's storages)."""

from functools import partial
from operator import index
from typing import Any, ClassVar, NoReturn, Self, SupportsIndex

from accel import config
from accel.abc.block import Span
from accel.abc.operand import OffsetTable, Operand, Swizzling
from accel.abc.optional import AllocatesCleared
from accel.abc.stream import Stream
from accel.device import Device, OnDevice
from accel.dtypes import DType
from accel.errors import BoundsError, ReadOnlyError, ReleasedError
from accel.memory import hazards
from accel.memory.heap import Heap
from accel.memory.host_arrays import export
from accel.memory.owner import KeepAlive, Owner
from accel.memory.releases import release
from accel.memory.storage_work import Use, carry_out
from accel.memory.writer import Writer, write_text
from accel.support.call_sites import call_site
from accel.support.enums import PlainEnum

__all__ = ["Ownership", "Storage"]

_new = object.__new__


class Ownership(PlainEnum):
    """How memory is freed.

    ``MANAGED`` memory is reference-counted, and freed with its last handle. ``EXTERNAL`` memory belongs to another
    library or to the user, who frees it.
    """

    MANAGED = "managed"
    EXTERNAL = "external"


class Storage(OnDevice):
    """A counted, typed handle on one block; abstract: see `HostStorage` and `DeviceStorage`.

    Attributes
    ----------
    size : int
        Number of elements.
    dtype : numpy.dtype
        Type of the elements.
    """

    __slots__ = ("_array", "_const", "_lent", "_owner", "_released_at", "_start", "dtype", "size")
    _name: ClassVar[str]
    # The cached array of a HostStorage, or what a DeviceStorage lends; here, so that one short function makes handles.
    _array: Any
    _lent: Any
    _owner: Owner | None
    _const: bool
    _released_at: str
    _start: int
    dtype: DType
    size: int

    @classmethod
    def _on(cls, owner: Owner, dtype: DType, size: int, start: int = 0, const: bool = False) -> Self:
        """Return a handle that the owner has already counted; ``start`` is in bytes, and ``const`` forbids writing."""
        handle = _new(cls)
        handle._const = const
        handle._array = handle._lent = None
        handle._owner = owner
        handle._start = start
        handle.dtype = dtype
        handle.size = size
        return handle

    @classmethod
    def over(cls, owner: Owner, dtype: DType, *, const: bool = False) -> Self:
        """Return a handle, already counted, on all bytes of an owner; ``const`` forbids writing through it.

        Parameters
        ----------
        owner : Owner
            The owner of the bytes.
        dtype : numpy.dtype
            The dtype of the elements.
        const : bool, default False
            Whether writing is forbidden.
        """
        return cls._on(owner, dtype, owner.block.nbytes // dtype.itemsize, const=const)

    def _move_from(self, handle: Self) -> None:
        """Take the place of a handle that one of the class methods made."""
        if getattr(self, "_owner", None) is not None:  # __init__ was called again
            self.release()
        self._owner, handle._owner = handle._owner, None
        self._array = handle._array
        self._const = handle._const
        self._lent = None
        self._start = handle._start
        self.dtype = handle.dtype
        self.size = handle.size

    @classmethod
    def allocated(
        cls,
        heap: Heap,
        size: int,
        dtype: DType,
        stream: Stream | None = None,
        clearing: AllocatesCleared | None = None,
    ) -> Self:
        """Allocate managed memory of a heap: uninitialised, or cleared by the backend ``clearing``.

        Parameters
        ----------
        heap : Heap
            The memory of the device.
        size : int
            The number of elements.
        dtype : numpy.dtype
            The dtype of the elements.
        stream : Stream, optional
            The stream that uses it first.
        clearing : AllocatesCleared, optional
            The backend that sets all bytes to 0, if they are to be.
        """
        owner: Owner = _new(Owner)  # as its constructor, without the call; so for the handle
        owner.heap = heap
        owner.allocation = owner.external = None
        owner.counted = True
        owner.readonly = False
        owner.handles = 1
        owner.keep_alives = 0
        owner.hazard_record = hazards.IDLE
        if config.debugging():
            owner.call_site = call_site()
        # The handle is made first: an interrupt right after the allocation cannot lose the memory.
        handle = _new(cls)
        handle._const = False
        handle._array = handle._lent = None
        handle._owner = owner
        handle._start = 0
        handle.dtype = dtype
        handle.size = size
        heap.allocate(size * dtype.itemsize, 1, stream, owner, clearing)
        return handle

    @property
    def owner(self) -> Owner:
        """The owner that all handles on the same bytes share; `ReleasedError` if this handle was released."""
        owner = self._owner
        return owner if owner is not None else self.refuse_released()

    def settle(self, *, writing: bool, of_tasks: bool = True) -> None:
        """Make the host wait for pending work before it reads or writes the elements.

        Without ``of_tasks`` failures of tasks are not raised; stores know which elements these concern.

        Parameters
        ----------
        writing : bool
            Whether the host writes.
        of_tasks : bool, default True
            Whether it waits for tasks too.

        Raises
        ------
        InFlightError
            In strict mode, instead of waiting.
        """
        owner = self._owner or self.refuse_released()
        if owner.hazard_record.hazards is not None:
            hazards.settle(self.claim(writing=writing), of_tasks=of_tasks)

    def claim(self, *, writing: bool, whole: bool = False) -> hazards.Claim:
        """Return a use of all bytes of this handle, for `accel.memory.hazards`; ``whole`` if each byte is written.

        Parameters
        ----------
        writing : bool
            Whether bytes are written.
        whole : bool, default False
            Whether each byte is.
        """
        owner = self._owner or self.refuse_released()
        block, record = owner.allocation or owner.block, owner.hazard_record
        low = block.pointer + self._start
        own = owner.own_hazard_record() if record is hazards.IDLE else record
        return own, low, low + self.size * self.dtype.itemsize, writing, whole

    def refuse_released(self) -> NoReturn:
        """Raise `ReleasedError`.

        Raises
        ------
        ReleasedError
            Always; the message says where the handle was released.
        """
        where = getattr(self, "_released_at", "") or "; ACCEL_DEBUG=1 tells where"
        raise ReleasedError(
            f"this {self._name} ({self.dtype.name}, size={self.size}) was released{where}. "
            f"Release it after its last use, or keep a handle of its own with share()"
        )

    @property
    def released(self) -> bool:
        """Whether this handle was released."""
        return self._owner is None

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self.size * self.dtype.itemsize

    @property
    def device(self) -> Device:
        """The device of the memory."""
        owner = self._owner or self.refuse_released()
        return owner.heap.device

    @property
    def ownership(self) -> Ownership:
        """Whether the memory is managed or external."""
        return Ownership.MANAGED if self.owner.counted else Ownership.EXTERNAL

    @property
    def readonly(self) -> bool:
        """Whether writing is forbidden."""
        owner = self._owner or self.refuse_released()
        return owner.readonly or self._const

    @property
    def pointer(self) -> int:
        """Address of the first element on its device; 0 if there are no bytes."""
        return self.owner.block.pointer + self._start

    @property
    def is_refcounted(self) -> bool:
        """Whether handles are counted: True for managed memory."""
        return self.owner.counted

    @property
    def ref_count(self) -> int:
        """Number of handles on the memory; 0 for external memory, which is not counted."""
        owner = self.owner
        return owner.handles if owner.counted else 0

    def __len__(self) -> int:
        return self.size

    def __str__(self) -> str:
        if self.released:
            return f"{self._name}(released, size={self.size})"
        if not self.is_refcounted:
            return f"{self._name}(external, size={self.size})"
        return f"{self._name}(managed, size={self.size}, refcount={self.ref_count})"

    def __repr__(self) -> str:
        return f"<{self} of {self.dtype.name}>"

    def write_to(self, file: Writer) -> None:
        """Write ``str(self)`` to a file or any other writer.

        Parameters
        ----------
        file : writer
            Anything with a method ``write``.
        """
        write_text(file, str(self))

    def offset(self, n: SupportsIndex) -> int:
        """Return the address of element ``n``; ``n`` may be the size, for the address past the end.

        Parameters
        ----------
        n : int
            The element.

        Raises
        ------
        BoundsError
            If there is no such element.
        """
        steps = self._checked(n, 0)  # first: __index__ of a user's class may release this storage
        return self.pointer + steps * self.dtype.itemsize

    def _checked(self, start: SupportsIndex, width: int) -> int:
        start = index(start)
        if not 0 <= start <= self.size - width:
            raise BoundsError(
                f"{width} elements from {start} leave the {self._name} of {self.size} elements: they must be in its "
                f"range [0, {self.size}), from start to end"
                if width
                else f"offset {start} is out of range: it must be in [0, {self.size}]"
            )
        return start

    def share(self) -> Self:
        """Return another handle on the same bytes, and count it.

        Raises
        ------
        RuntimeError
            If the memory is external; ``copy.copy`` gives another handle on that.
        """
        if not self.owner.counted:
            raise RuntimeError("Cannot share externally managed data; write copy.copy(x), or x.deep_copy()")
        return self.__copy__()

    def __copy__(self) -> Self:
        owner = self.owner
        owner.add_handle()
        return self._on(owner, self.dtype, self.size, self._start, self._const)

    def __deepcopy__(self, memo: dict[int, object]) -> Self:
        return self.deep_copy()

    def window(self, start: int, size: int, dtype: DType, *, const: bool = False) -> Self:
        """Return another handle, counted, on ``size`` elements of a dtype from byte ``start`` on.

        It is read-only if this one is, or with ``const``.

        Parameters
        ----------
        start : int
            The first byte.
        size : int
            The number of elements.
        dtype : numpy.dtype
            The dtype of the elements.
        const : bool, default False
            Whether writing is forbidden.

        Raises
        ------
        BoundsError
            If the bytes are not all inside this storage.
        """
        required, available = start + size * dtype.itemsize, self.nbytes
        if start < 0 or required > available:
            raise BoundsError(f"bytes {start} to {required} are asked for; this {self._name} has {available}")
        owner = self.owner
        owner.add_handle()
        return self._on(owner, dtype, size, self._start + start, const or self._const)

    def deep_copy(self) -> Self:
        """Return a copy of the elements in new managed memory, with one handle."""
        heap = self.owner.heap
        clone = self.allocated(heap, self.size, self.dtype)
        try:
            copy = partial(heap.backend.copy, clone.span, self.span, stream=None)
            carry_out(heap, (Use(clone, True, whole=True), Use(self, False)), copy)
        except BaseException:
            clone.release()
            raise
        return clone

    def copy(self) -> Self:
        """Return a copy of the elements in new managed memory: a `deep_copy`, as ``copy`` of NumPy arrays is.

        For another handle on the same bytes write ``copy.copy(x)``, or ``x.share()``.
        """
        return self.deep_copy()

    def keep_alive(self) -> KeepAlive:
        """Keep the bytes alive until the result is released, also after all handles are."""
        return KeepAlive(self.owner)

    def lend(self) -> Any:
        """Return a NumPy array on the elements that keeps the bytes alive; exports are made from it.

        NumPy cannot read the memory of an accelerator: such an array only carries address, shape and strides. There is
        one array for each handle; callers must not change it.
        """
        lent = self._lent
        if lent is None:
            lent = export(self.__accel_operand__(), self.keep_alive())
            # No call between the two: a handle that another thread released meanwhile caches nothing.
            if self._owner is not None:
                self._lent = lent
        return lent

    @property
    def span(self) -> Span:
        """The bytes, as backends take them."""
        owner = self._owner or self.refuse_released()
        return Span(owner.allocation or owner.block, self._start, self.size * self.dtype.itemsize)

    def operand(
        self,
        start: int,
        dtype: DType,
        extents: tuple[int, ...],
        strides: tuple[int, ...],
        swizzle: Swizzling | None = None,
        table: OffsetTable | None = None,
    ) -> Operand:
        """Describe some elements to a backend; the arguments are fields of `Operand`.

        Parameters
        ----------
        start : int
            The first byte.
        dtype : numpy.dtype
            The dtype of the elements.
        extents : tuple of int
            The extents.
        strides : tuple of int
            The strides.
        swizzle : Swizzling, optional
            The swizzle of the offsets, if they have one.
        table : OffsetTable, optional
            The offsets, if no strides describe them.
        """
        owner = self._owner or self.refuse_released()
        span = Span(owner.allocation or owner.block, self._start, self.size * self.dtype.itemsize)
        return Operand(span, start, dtype, extents, strides, not (owner.readonly or self._const), swizzle, table)

    def __accel_operand__(self) -> Operand:
        """Describe the elements to a backend."""
        return self.operand(0, self.dtype, (self.size,), (self.dtype.itemsize,))

    def refuse_read_only(self) -> None:
        """Raise `ReadOnlyError` if writing is forbidden.

        Raises
        ------
        ReadOnlyError
            If it is.
        """
        if self.readonly:
            raise ReadOnlyError(f"{self} is read-only; write to a copy of it: x.deep_copy()")

    release = release

    def _drop_owner(self) -> Owner | None:
        """Count this handle off, once: two threads may release it. Return its owner if it was counted."""
        owner = self._owner
        # No call between these: an interrupt finds both done, or neither.
        if owner is not None:
            self._owner = None
            owner.handles -= 1
            self._array = self._lent = None
        return owner

    def __del__(self) -> None:
        try:
            owner = self._owner
        except AttributeError:  # the constructor refused its arguments
            return
        if owner is not None:
            # Cleared first: after a collection, other finalisers may still reach this object. No call between these.
            self._owner = self._array = self._lent = None
            owner.handles -= 1
            owner.heap.defer(owner.free_if_unused)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()
