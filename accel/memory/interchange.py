"""Interchange: memory lent to other libraries, and memory of theirs received, through DLPack."""

import math
from typing import Any, NamedTuple, Protocol, cast

from accel.device import Device
from accel.errors import DTypeError, InterchangeError, LayoutError
from accel.memory.block import Span
from accel.memory.copying import AnyStorage
from accel.memory.device_storage import DeviceStorage
from accel.memory.dlpack import MAX_VERSION, Contents, make_capsule, read_capsule, take_capsule
from accel.memory.external import ExternalAllocation
from accel.memory.heap import heap_of
from accel.memory.host_storage import HostArray, HostStorage
from accel.memory.operand import Operand
from accel.memory.owner import Owner

__all__ = ["Interchange", "Received", "only_by_copy", "receive"]

_CPU = Device.CPU
_NO_WAIT = -1
_KINDS = {1: "cpu", 2: "cuda", 3: "cpu", 8: "mps", 10: "rocm", 12: "sim"}  # 3 is memory of the host pinned for CUDA
_FORBIDDEN_STREAMS = {"cuda": (0,), "rocm": (1, 2)}


class Lender(Protocol):
    """What `Interchange` needs of the class that it is mixed into; see `Storage.lend`."""

    @property
    def device(self) -> Device:
        """The device that has the elements."""
        ...

    def _lent_storage(self) -> AnyStorage:
        """Return the storage that has the elements."""
        ...

    def _lent_array(self, storage: AnyStorage) -> HostArray:
        """Return the elements as NumPy sees them, or would see them if it could; it keeps the memory alive."""
        ...

    def _lent_copy(self, device: Device) -> "Lender":
        """Return a copy of the elements on a device, none of its strides negative."""
        ...

    def __accel_operand__(self) -> Operand:
        """Describe the elements to a backend."""
        ...


class Interchange:
    """What containers and arrays offer other libraries."""

    __slots__ = ()

    def __dlpack__(
        self: Lender,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """Return a DLPack capsule on the elements, or on a copy of them.

        The memory is kept until whoever takes the capsule lets go of it, or the capsule is dropped. Work in flight is
        waited for. Elements in reverse order are copied, because some libraries end the process at them.

        Parameters
        ----------
        stream : int, optional
            By DLPack's numbers; None for the host. -1 is for those who order the work themselves.
        max_version : tuple of int, optional
            The version that the other library knows; by default one before 1, which cannot carry read-only memory.
        dl_device : tuple of int, optional
            The device of the elements, or the host's ``(1, 0)``, for which they are copied if they are elsewhere.
        copy : bool, optional
            True: always memory of its own. False: never copy.

        Raises
        ------
        InterchangeError
            If this cannot be had; it is a BufferError.
        """
        storage = self._lent_storage()
        owner = storage.owner
        source = owner.heap.device
        target = source if dl_device is None else _target(source, dl_device)
        if stream is not None:
            _refuse_stream(source, stream)
        if owner.hazards is not None and stream != _NO_WAIT:
            owner.settle(writing=not (copy or owner.readonly))
        versioned = max_version is not None and max_version[0] >= MAX_VERSION[0]
        if target is source and not copy:
            array = self._lent_array(storage)
            if min(array.strides or (0,)) >= 0:
                return make_capsule(array, source, versioned)
        if copy is False:
            raise only_by_copy(source, target)
        copied = self._lent_copy(target)
        return make_capsule(copied._lent_array(copied._lent_storage()), target, versioned, copied=True)

    def __dlpack_device__(self: Lender) -> tuple[int, int]:
        return self.device.dlpack

    @property
    def __cuda_array_interface__(self: Lender) -> dict[str, Any]:
        """The elements in CUDA's memory as version 3 of Numba's interface describes them; an AttributeError elsewhere.

        They are ready to be used on any stream. The interface keeps nothing alive: hold on to this object.
        """
        if self.device.type != "cuda":
            raise AttributeError(f"__cuda_array_interface__ is for memory of CUDA, and this is on {self.device}")
        storage = self._lent_storage()
        storage.settle(writing=not storage.readonly)
        operand = self.__accel_operand__()
        if operand.dtype.isbuiltin != 1:
            raise AttributeError(f"__cuda_array_interface__ has no code for {operand.dtype.name}; write x.__dlpack__()")
        address = operand.span.block.pointer + operand.span.start + operand.start
        return {
            "shape": operand.extents,
            "typestr": operand.dtype.str,
            "data": (address, not operand.writable),
            "strides": operand.strides,
            "version": 3,
            "stream": None,
        }


def only_by_copy(source: Device, target: Device) -> InterchangeError:
    """Return the error for ``copy=False`` where elements must move, or where they are in reverse order."""
    why = "in reverse order" if target is source else f"going from {source} to {target}"
    return InterchangeError(f"elements {why} are exchanged by a copy only; write copy=None")


def _target(source: Device, dl_device: tuple[int, int]) -> Device:
    if tuple(dl_device) == source.dlpack:
        return source
    if tuple(dl_device) == _CPU.dlpack:
        return _CPU
    raise InterchangeError(
        f"elements on {source} {source.dlpack} can be exported there or to the host {_CPU.dlpack}; "
        f"found dl_device={dl_device}"
    )


def _refuse_stream(device: Device, stream: object) -> None:
    forbidden = _FORBIDDEN_STREAMS.get(device.type)
    known = stream == _NO_WAIT if forbidden is None else isinstance(stream, int) and stream >= _NO_WAIT
    if device is _CPU or not known or stream in (forbidden or ()):
        raise InterchangeError(f"{stream!r} is no stream that DLPack has for {device}; write stream=None")


class Received(NamedTuple):
    """Elements received.

    Attributes
    ----------
    storage : HostStorage or DeviceStorage
        A handle on their memory, of whoever received them.
    operand : Operand
        Where they lie in it.
    copied : bool
        Whether they were copied for this exchange.
    """

    storage: AnyStorage
    operand: Operand
    copied: bool

    def flat(self) -> AnyStorage:
        """Return a handle on exactly these elements, counted if their memory is.

        Raises
        ------
        LayoutError
            If they do not lie one after another in C order.
        """
        operand = self.operand
        if not operand.contiguous:
            raise LayoutError(
                f"elements of shape {operand.extents} with strides {operand.strides} in bytes are not contiguous in C "
                f"order, and a container is flat; write xp.from_dlpack(x, copy=True)"
            )
        start = operand.span.start + operand.start - self.storage._start
        return self.storage.window(start, math.prod(operand.extents), operand.dtype)


def receive(x: Any, *, device: Device | None = None, copy: bool | None = None) -> Received:
    """Receive the elements of an object with ``__dlpack__``, without a copy unless its library makes one.

    Parameters
    ----------
    x : object with ``__dlpack__``
        An array of any library, or one of ours, for which no capsule is made.
    device : Device, optional
        Where they are wanted. Another library is asked for a copy on the host; otherwise they stay where they are.
    copy : bool, optional
        What the other library is told; whether it did so is in `Received.copied`.

    Raises
    ------
    TypeError
        If the object has no ``__dlpack__``.
    InterchangeError
        If the other library refuses, or gives what DLPack does not allow.
    DTypeError
        If the elements are of a type that cannot be exchanged.
    """
    if isinstance(x, Interchange):
        return _shared(cast("Lender", x), device, copy)
    name = f"{type(x).__module__}.{type(x).__qualname__}"
    if not (hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")):
        raise TypeError(f"an object with __dlpack__ and __dlpack_device__ is needed; found {name}: write xp.asarray(x)")
    try:
        return _receive(x, device, copy)
    except (InterchangeError, DTypeError) as error:
        raise type(error)(f"DLPack from {name}: {error}") from error.__cause__


def _shared(x: Lender, device: Device | None, copy: bool | None) -> Received:
    target = device or x.device
    moves = target is not x.device
    if moves and copy is False:
        raise only_by_copy(x.device, target)
    lender = x._lent_copy(target) if moves else x
    return Received(lender._lent_storage().__copy__(), lender.__accel_operand__(), moves)


def _receive(x: Any, device: Device | None, copy: bool | None) -> Received:
    claimed = _claimed_device(x)
    to_host = device is _CPU and _KINDS.get(claimed[0]) != _CPU.type
    capsule = _ask(x, copy, _CPU.dlpack if to_host else None)
    contents = read_capsule(capsule)
    if contents.device != claimed and not (to_host and contents.device == _CPU.dlpack):
        raise InterchangeError(f"it says that it is on device {claimed}, and gave memory of {contents.device}")
    if contents.copied and copy is False:
        raise InterchangeError("it made a copy, and copy=False was asked for")
    return _taken(capsule, contents, _device_of(contents.device), x)


def _claimed_device(x: Any) -> tuple[int, int]:
    try:
        kind, index = x.__dlpack_device__()
        return int(kind), int(index)
    except Exception as error:  # another library's code
        raise InterchangeError(f"__dlpack_device__ failed: {error!r}") from error


def _ask(x: Any, copy: bool | None, dl_device: tuple[int, int] | None) -> object:
    """Return what an object gives for a capsule; one that knows no keywords is asked without."""
    try:
        try:
            return x.__dlpack__(max_version=MAX_VERSION, copy=copy, dl_device=dl_device)
        except TypeError:
            return x.__dlpack__()
    except Exception as error:  # another library's code
        raise InterchangeError(f"__dlpack__ failed: {error!r}") from error


def _device_of(codes: tuple[int, int]) -> Device:
    """Return the device of this machine that DLPack's numbers mean."""
    kind = _KINDS.get(codes[0])
    if kind == _CPU.type:
        return _CPU
    found = [device for device in Device.available(kind) if device.index == codes[1]] if kind else []
    if not found:
        here = ", ".join(f"{device} {device.dlpack}" for device in Device.available())
        raise InterchangeError(f"device {codes} is none of those here, {here}; write device='cpu' for a copy")
    return found[0]


def _taken(capsule: object, contents: Contents, device: Device, x: object) -> Received:
    """Take a capsule over; its deleter runs after the last use of its memory, also if that cannot be looked at."""
    deleter = take_capsule(capsule)
    external = ExternalAllocation(
        contents.nbytes,
        pointer=contents.address,
        owner=None if deleter else x,  # without a deleter nobody says how long the memory lives
        deleter=deleter,
        readonly=contents.readonly,
    )
    kind = HostStorage if device is _CPU else DeviceStorage
    owner = Owner(heap_of(device), None, external, False)
    storage = kind._on(owner, contents.dtype, contents.nbytes // contents.dtype.itemsize)
    try:
        span = Span(owner.block, 0, contents.nbytes)
    except Exception as error:  # a driver's, or of a stranger's device with a number that is also ours
        storage.release()
        raise InterchangeError(f"{device} has no such memory: {error}") from error
    operand = Operand(
        span, contents.start, contents.dtype, contents.shape, contents.strides, writable=not contents.readonly
    )
    return Received(storage, operand, contents.copied)
