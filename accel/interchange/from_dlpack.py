"""Import of other libraries' memory through DLPack."""

import math
from typing import Any, NamedTuple, cast

from accel.abc.block import Span
from accel.abc.external import ExternalAllocation
from accel.abc.operand import Operand
from accel.abc.optional import SupportsStreamNumbers
from accel.device import Device
from accel.errors import DTypeError, InterchangeError, LayoutError
from accel.interchange.capsule import MAX_VERSION, CapsuleContents, read_capsule, take_capsule
from accel.interchange.export import Interchange, Lender, only_by_copy
from accel.memory.any_storage import AnyStorage
from accel.memory.device_storage import DeviceStorage
from accel.memory.heap import heap_of
from accel.memory.host_storage import HostStorage
from accel.memory.owner import ForeignOwner, Owner

__all__ = ["Received", "receive"]

_CPU = Device.CPU
_KINDS = {1: "cpu", 2: "cuda", 3: "cpu", 8: "mps", 9: "sim", 10: "rocm"}  # 3 is pinned memory of the host, for CUDA


class Received(NamedTuple):
    """Elements received.

    Attributes
    ----------
    storage : HostStorage or DeviceStorage
        A handle on their memory, for the caller to release.
    operand : Operand
        Their place in it.
    copied : bool
        Whether they were copied for this exchange.
    """

    storage: AnyStorage
    operand: Operand
    copied: bool

    def flat(self) -> AnyStorage:
        """Return a handle on exactly these elements, counted if the memory is managed.

        Raises
        ------
        LayoutError
            If they are not contiguous in C order.
        """
        operand = self.operand
        if not operand.contiguous:
            raise LayoutError(
                f"elements of shape {operand.extents} with strides {operand.strides} in bytes are not contiguous in C "
                f"order, and a container is flat; write xp.from_dlpack(x, copy=True)"
            )
        start = operand.span.start + operand.start - self.storage._start
        return self.storage.window(start, math.prod(operand.extents), operand.dtype, const=not operand.writable)


def receive(x: Any, *, device: Device | None = None, copy: bool | None = None) -> Received:
    """Import the elements of an object with ``__dlpack__``, without a copy unless its library makes one.

    Parameters
    ----------
    x : object with ``__dlpack__``
        An array of any library. For objects of accel no capsule is made.
    device : Device, optional
        The wanted device. For the CPU, the other library is asked for a copy there; else the elements stay on their
        device.
    copy : bool, optional
        Passed to the other library; `Received.copied` tells whether it copied.

    Raises
    ------
    TypeError
        If the object has no ``__dlpack__``.
    InterchangeError
        If the other library refuses, or breaks the rules of DLPack.
    DTypeError
        If the elements are of a type that cannot be exchanged.
    """
    if isinstance(x, Interchange):
        return _from_lender(cast("Lender", x), device, copy)
    name = f"{type(x).__module__}.{type(x).__qualname__}"
    if not (hasattr(x, "__dlpack__") and hasattr(x, "__dlpack_device__")):
        raise TypeError(f"an object with __dlpack__ and __dlpack_device__ is needed; found {name}: write xp.asarray(x)")
    try:
        return _receive(x, device, copy)
    except (InterchangeError, DTypeError) as error:
        raise type(error)(f"DLPack from {name}: {error}") from error.__cause__


def _from_lender(x: Lender, device: Device | None, copy: bool | None) -> Received:
    target = device or x.device
    moves = target is not x.device
    if moves and copy is False:
        raise only_by_copy(x.device, target)
    lender = x._lent_copy(target) if moves else x
    return Received(lender._lent_storage().__copy__(), lender.__accel_operand__(), moves)


def _receive(x: Any, device: Device | None, copy: bool | None) -> Received:
    claimed = _claimed_device(x)
    to_host = device is _CPU and _KINDS.get(claimed[0]) != _CPU.type
    capsule = _capsule_of(x, claimed, copy, to_host=to_host)
    contents = read_capsule(capsule)
    if contents.device != claimed and not (to_host and contents.device == _CPU.dlpack):
        raise InterchangeError(f"__dlpack_device__ returned {claimed}, and the capsule has memory of {contents.device}")
    if contents.copied and copy is False:
        raise InterchangeError("it made a copy, and copy=False was asked for")
    return _take_over(capsule, contents, _device_of(contents.device), x)


def _claimed_device(x: Any) -> tuple[int, int]:
    try:
        kind, index = x.__dlpack_device__()
        return int(kind), int(index)
    except Exception as error:  # another library's code
        raise InterchangeError(f"__dlpack_device__ failed: {error!r}") from error


def _capsule_of(x: Any, claimed: tuple[int, int], copy: bool | None, *, to_host: bool) -> object:
    """Ask for a capsule; on devices with DLPack stream numbers, for the stream that uses the memory first.

    A stream None should mean the default stream, but some libraries then keep no order. Some also use the current
    device, not that of the memory.
    """
    device, requested = _device_here(claimed) or _CPU, _CPU.dlpack if to_host else None
    backend = heap_of(device).backend
    if device is _CPU or not isinstance(backend, SupportsStreamNumbers):
        return _ask(x, None, copy, requested)
    with backend.consuming(device) as number:
        return _ask(x, None if to_host else number, copy, requested)


def _ask(x: Any, stream: int | None, copy: bool | None, dl_device: tuple[int, int] | None) -> object:
    """Return the capsule of an object; without the newer keywords if it does not take them."""
    try:
        try:
            return x.__dlpack__(stream=stream, max_version=MAX_VERSION, copy=copy, dl_device=dl_device)
        except TypeError:
            return x.__dlpack__() if stream is None else x.__dlpack__(stream=stream)
    except Exception as error:  # another library's code
        raise InterchangeError(f"__dlpack__ failed: {error!r}") from error


def _device_of(codes: tuple[int, int]) -> Device:
    """Return the device of this machine with DLPack's numbers; `InterchangeError` if there is none."""
    device = _device_here(codes)
    if device is None:
        here = ", ".join(f"{each} {each.dlpack}" for each in Device.available())
        raise InterchangeError(f"device {codes} is none of those here, {here}; write device='cpu' for a copy")
    return device


def _device_here(codes: tuple[int, int]) -> Device | None:
    kind = _KINDS.get(codes[0])
    if kind == _CPU.type:
        return _CPU
    devices = Device.available(kind) if kind else ()
    return next((device for device in devices if device.index == codes[1]), None)


def _take_over(capsule: object, contents: CapsuleContents, device: Device, x: object) -> Received:
    """Take a capsule over; its deleter runs after the last use of its memory, also if the backend cannot adopt that."""
    deleter = take_capsule(capsule)
    external = ExternalAllocation(
        contents.nbytes,
        pointer=contents.address,
        owner=None if deleter else x,  # without a deleter, the object keeps the memory alive
        deleter=deleter,
        readonly=contents.readonly,
    )
    kind = HostStorage if device is _CPU else DeviceStorage
    owner = ForeignOwner(heap_of(device), external)
    storage = kind._on(owner, contents.dtype, contents.nbytes // contents.dtype.itemsize)
    try:
        span = Span(owner.block, 0, contents.nbytes)
    except Exception as error:  # of a driver, or because the library means another device by the same number
        storage.release()
        raise InterchangeError(f"{device} has no such memory: {error}") from error
    operand = Operand(
        span, contents.start, contents.dtype, contents.shape, contents.strides, writable=not contents.readonly
    )
    _order_after_producer(owner)
    return Received(storage, operand, contents.copied)


def _order_after_producer(owner: Owner) -> None:
    """Order all use of the memory after the stream that the producer got, which waits for the producer's work."""
    event = owner.heap.latest()
    if event is not None:
        owner.note(event, writing=True)
