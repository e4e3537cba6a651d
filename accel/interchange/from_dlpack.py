"""Memory of other libraries received through DLPack."""

import math
from typing import Any, NamedTuple, cast

from accel.abc.block import Span
from accel.abc.external import ExternalAllocation
from accel.abc.operand import Operand
from accel.abc.optional import SupportsStreamNumbers
from accel.device import Device
from accel.errors import DTypeError, InterchangeError, LayoutError
from accel.interchange.capsule import MAX_VERSION, Contents, read_capsule, take_capsule
from accel.interchange.export import Interchange, Lender, only_by_copy
from accel.memory.device_storage import DeviceStorage
from accel.memory.heap import heap_of
from accel.memory.host_storage import HostStorage
from accel.memory.owner import ForeignOwner, Owner
from accel.memory.storages import AnyStorage

__all__ = ["Received", "receive"]

_CPU = Device.CPU
_KINDS = {1: "cpu", 2: "cuda", 3: "cpu", 8: "mps", 10: "rocm", 12: "sim"}  # 3 is memory of the host pinned for CUDA


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
        return self.storage.window(start, math.prod(operand.extents), operand.dtype, const=not operand.writable)


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
    capsule = _capsule_of(x, claimed, copy, to_host=to_host)
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


def _capsule_of(x: Any, claimed: tuple[int, int], copy: bool | None, *, to_host: bool) -> object:
    """Ask for a capsule, where DLPack has numbers for streams by that of the one that uses the memory first.

    None would mean the default stream, but some libraries then keep no order; and some look only at the device that is
    current.
    """
    device, wanted = _found(claimed) or _CPU, _CPU.dlpack if to_host else None
    backend = heap_of(device).backend
    if device is _CPU or not isinstance(backend, SupportsStreamNumbers):
        return _ask(x, None, copy, wanted)
    with backend.consuming(device) as number:
        return _ask(x, None if to_host else number, copy, wanted)


def _ask(x: Any, stream: int | None, copy: bool | None, dl_device: tuple[int, int] | None) -> object:
    """Return what an object gives for a capsule; one that knows no new keywords is asked without."""
    try:
        try:
            return x.__dlpack__(stream=stream, max_version=MAX_VERSION, copy=copy, dl_device=dl_device)
        except TypeError:
            return x.__dlpack__() if stream is None else x.__dlpack__(stream=stream)
    except Exception as error:  # another library's code
        raise InterchangeError(f"__dlpack__ failed: {error!r}") from error


def _device_of(codes: tuple[int, int]) -> Device:
    """Return the device of this machine that DLPack's numbers mean."""
    device = _found(codes)
    if device is None:
        here = ", ".join(f"{each} {each.dlpack}" for each in Device.available())
        raise InterchangeError(f"device {codes} is none of those here, {here}; write device='cpu' for a copy")
    return device


def _found(codes: tuple[int, int]) -> Device | None:
    kind = _KINDS.get(codes[0])
    if kind == _CPU.type:
        return _CPU
    devices = Device.available(kind) if kind else ()
    return next((device for device in devices if device.index == codes[1]), None)


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
    owner = ForeignOwner(heap_of(device), external)
    storage = kind._on(owner, contents.dtype, contents.nbytes // contents.dtype.itemsize)
    try:
        span = Span(owner.block, 0, contents.nbytes)
    except Exception as error:  # a driver's, or of a stranger's device with a number that is also ours
        storage.release()
        raise InterchangeError(f"{device} has no such memory: {error}") from error
    operand = Operand(
        span, contents.start, contents.dtype, contents.shape, contents.strides, writable=not contents.readonly
    )
    _order_after_giver(owner)
    return Received(storage, operand, contents.copied)


def _order_after_giver(owner: Owner) -> None:
    """Let all streams use memory after what its library had to do, which is before the stream that it was told."""
    told = owner.heap.latest()
    if told is not None:
        owner.note(told, writing=True)
