"""`Root`: what all views of a store share, the type, the shape and where the values are."""

import threading
from collections.abc import Iterable
from math import prod
from typing import NamedTuple, Protocol

from accel.device import Device
from accel.dtypes import DType
from accel.errors import ReadOnlyError, StoreError
from accel.layout import Layout
from accel.memory.any_storage import AnyStorage
from accel.memory.byte_copies import copy_elements
from accel.store.boxes import Box, box_of, everything
from accel.store.external import ExternalAllocation
from accel.store.index_maps import c_strides
from accel.store.regions import IDLE, Regions
from accel.store.scratch import elements_of
from accel.store.store_targets import Place, StoreTarget
from accel.support.locks import open_after_fork
from accel.views import LayoutTensor

__all__ = ["HOST", "Contents", "Root", "RootMemory"]

HOST = Place(StoreTarget.SYSMEM, Device.CPU)
"""Memory of the host."""

# Guards the first allocation of any root, and which contents it has. With it held nothing waits for a task. Reentrant:
# a finaliser may use another root.
_allocating = open_after_fork(threading.RLock())


class Contents(Protocol):
    """Values of a root that an engine holds, for example as tiles or in a cluster."""

    @property
    def nbytes(self) -> int:
        """Bytes that they take in this process."""
        ...

    def gather(self) -> AnyStorage:
        """Return all values in memory of the host, in C order; blocks until they are known."""
        ...


class RootMemory(NamedTuple):
    """The memory of a root at one moment.

    Attributes
    ----------
    storage : HostStorage or DeviceStorage
        The memory of all elements.
    place : Place
        Its kind.
    instance : int
        The `Root.instance`.
    """

    storage: AnyStorage
    place: Place
    instance: int


class Root:
    """The type, the shape and the values that all views of a store share.

    Memory is allocated at the first use. At any time the values are in one place: moving them makes a new `instance`.

    Attributes
    ----------
    dtype : numpy.dtype
        Type of the elements.
    shape : tuple of int or None
        Number of elements along each axis; None for an unbound store that no task has written yet.
    ndim : int
        Number of axes.
    strides : tuple of int
        Elements from one index to the next, in the memory.
    start : int
        The element of the memory at index 0.
    place : Place
        The kind of memory and its device.
    contents : HostStorage or DeviceStorage or Contents or None
        The values; None if nothing was written yet.
    instance : int
        Grows whenever the values move to other memory.
    regions : Regions
        The works in flight.
    readonly : bool
        Whether writing is forbidden.
    scalar : bool
        Whether this is a scalar store.
    home : HostStorage or DeviceStorage or None
        The attached memory of the user; None if there is none, or it was detached.
    external : ExternalAllocation or None
        The allocation of the user that the store was made of.
    """

    __slots__ = (
        "__weakref__",
        "_home_place",
        "contents",
        "detached",
        "dtype",
        "external",
        "home",
        "instance",
        "ndim",
        "place",
        "readonly",
        "regions",
        "scalar",
        "shape",
        "start",
        "strides",
    )

    def __init__(
        self, dtype: DType, shape: tuple[int, ...] | None, *, ndim: int = 1, scalar: bool = False, place: Place = HOST
    ) -> None:
        self.dtype: DType = dtype
        self.shape = shape
        self.ndim: int = ndim if shape is None else len(shape)
        self.strides = None if shape is None else c_strides(shape)
        self.start: int = 0
        self.place: Place = place
        self.contents: AnyStorage | Contents | None = None
        self.instance: int = 0
        self.regions: Regions = IDLE
        self.readonly: bool = False
        self.scalar: bool = scalar
        self.external: ExternalAllocation | None = None
        self.detached: bool = False
        self.home: AnyStorage | None = None
        self._home_place = place

    def attach(
        self,
        storage: AnyStorage,
        place: Place,
        *,
        strides: tuple[int, ...] | None = None,
        start: int = 0,
        external: ExternalAllocation | None = None,
    ) -> None:
        """Use memory of the user; ``strides`` and ``start`` are in elements, by default C order."""
        self.home = self.contents = storage
        self.place = self._home_place = place
        self.readonly = storage.readonly
        self.external = external
        if strides is not None:
            self.strides, self.start = strides, start

    @property
    def unbound(self) -> bool:
        """Whether a task has to choose the shape, and none is in flight that does."""
        # In this order: a task leaves the regions after it has set the shape.
        return not self.regions.pending(everything(self.ndim), writing=False) and self.shape is None

    def shares_memory(self, other: "Root") -> bool:
        """Tell whether another root is attached to memory of the user that this one is attached to as well."""
        one, two = self.home, other.home
        if one is None or two is None or other is self or one.device is not two.device:
            return False
        return one.pointer < two.pointer + two.nbytes and two.pointer < one.pointer + one.nbytes

    @property
    def box(self) -> Box:
        """The box of all elements; that of an unknown shape covers every box."""
        return everything(self.ndim) if self.shape is None else box_of(self.shape)

    def bound_shape(self) -> tuple[int, ...]:
        """Return the shape; waits for the task that chooses it.

        Raises
        ------
        StoreError
            If no task that writes it was submitted.
        """
        self.refuse_detached()
        if self.shape is None:
            self.regions.settle(everything(self.ndim), writing=False)
        if self.shape is None:
            raise StoreError(
                "Illegal to access an uninitialized unbound store: its shape is known when a task has written it; "
                "submit a task with this store as an output first"
            )
        return self.shape

    def storage(self) -> AnyStorage:
        """Return the memory of all elements, where they are now; the caller has waited for tasks.

        Memory that was never written is allocated, and values that an engine holds are gathered.

        Raises
        ------
        StoreError
            If the store is detached or unbound.
        OutOfMemoryError
            If there is not enough memory.
        """
        contents = self.contents
        while not isinstance(contents, AnyStorage):
            self.refuse_detached()
            contents = self._allocated() if contents is None else self._gathered(contents)
        return contents

    def adopt(self, contents: Contents) -> None:
        """Let an engine hold the values, if nothing was written yet."""
        with _allocating:
            if self.contents is None and not self.detached:
                self.contents = contents

    def memory(self) -> RootMemory:
        """Return the memory of all elements as `storage`, with its place and its instance."""
        while True:
            storage = self.storage()
            # No call between these: another thread moves the values before all of them, or after.
            contents, place, instance = self.contents, self.place, self.instance
            if contents is storage:
                return RootMemory(storage, place, instance)

    def _allocated(self) -> AnyStorage | Contents | None:
        """Allocate memory if there are no contents yet, and return the contents."""
        size = prod(self.bound_shape())
        with _allocating:
            # Once: tasks on different tiles may find at the same time that there is no memory yet.
            if self.contents is None and not self.detached:
                self.contents = elements_of(self.place, size, self.dtype)
            return self.contents

    def _gathered(self, contents: Contents) -> AnyStorage | Contents | None:
        """Take over the values that an engine holds, and return the contents."""
        gathered = contents.gather()
        # Without the lock, because it waits for the engine: of two threads, one takes them over.
        with _allocating:
            if self.contents is contents:
                self._set_memory(gathered, HOST)
        return self.contents

    def move_to(self, place: Place) -> None:
        """Move the values to another kind of memory; the caller has waited for tasks, and none begins meanwhile."""
        if self.contents is None:
            self.refuse_detached()
            with _allocating:
                if self.contents is None:
                    self.place = place
                    self.instance += 1
                    return
        source, here, _ = self.memory()
        if place == here:
            return
        if place.device is here.device and StoreTarget.ZCMEM not in (place.kind, here.kind):
            self.place = place
            return
        home = self.home
        if home is not None and place == self._home_place:
            self._write_home(home, source)
            self._set_memory(home, place)
            return
        target = elements_of(place, source.size, self.dtype)
        try:
            copy_elements(target, source)
        except BaseException:
            target.release()
            raise
        self._set_memory(target, place)

    def _write_home(self, home: AnyStorage, source: AnyStorage) -> None:
        """Bring the attached memory up to date; what lies between its elements is not ours."""
        if self.readonly or source is home:
            return
        shape = self.bound_shape()
        if self.strides == c_strides(shape):
            copy_elements(home, source)
        elif 0 not in shape:
            layout = Layout(shape, self.strides)
            LayoutTensor(home, layout, self.start).copy_from(LayoutTensor(source, layout, self.start))

    def bind(self, contents: "AnyStorage | Contents", shape: Iterable[int]) -> None:
        """Give an unbound root its shape and its values.

        Raises
        ------
        StoreError
            If it is bound already.
        """
        if self.shape is not None:
            raise StoreError(f"this store is bound already, with shape {self.shape}; a store is bound once")
        extents = tuple(shape)
        strides = c_strides(extents)
        device = contents.device if isinstance(contents, AnyStorage) else Device.CPU
        place = Place(StoreTarget.SYSMEM if device is Device.CPU else StoreTarget.FBMEM, device)
        # No call between these: another thread finds all of them, or none.
        self.contents = contents
        self.place = place
        self.strides = strides
        self.shape = extents

    def detach(self) -> None:
        """Bring the attached memory up to date and end its use; the caller has waited for tasks.

        Raises
        ------
        StoreError
            If no memory is attached.
        """
        self.refuse_detached()
        home = self.home
        if home is None:
            raise StoreError("Store has no attachment to detach; only a store made from memory of the user has one")
        self._write_home(home, self.storage())
        # No call between these: a thread that asks for the memory gets it, or finds the store detached.
        self.detached = True
        self.instance += 1
        self.contents = self.home = None
        home.release()  # an error of the user's deleter is raised here

    def refuse_detached(self) -> None:
        """Raise `StoreError` if the store was detached."""
        if self.detached:
            raise StoreError("this store was detached, and its memory belongs to the user again; make another store")

    def refuse_read_only(self) -> None:
        """Raise `ReadOnlyError` if writing is forbidden."""
        if self.readonly:
            raise ReadOnlyError(
                "this store is attached to read-only memory; attach with read_only=False, or write to another store"
            )

    def _set_memory(self, contents: AnyStorage | Contents, place: Place) -> None:
        # No call between these, as in `memory`.
        self.contents = contents
        self.place = place
        self.instance += 1
