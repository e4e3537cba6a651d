"""`Interchange`: the protocols through which other libraries use the memory of containers and arrays."""

from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from accel.abc.operand import Operand
from accel.device import Device
from accel.errors import InterchangeError
from accel.memory.any_storage import AnyStorage
from accel.memory.consumer_streams import lend_to_any_stream, lend_to_stream
from accel.memory.host_storage import HostArray

__all__ = ["Interchange", "Lender", "only_by_copy", "with_cuda_interface"]

_CPU = Device.CPU

with_cuda_interface: set[str] = {"cuda"}
"""The types of the devices whose elements have CUDA's array interface; a simulated CUDA adds its own."""


class Lender(Protocol):
    """The methods that `Interchange` needs of its class; see `Storage.lend`."""

    @property
    def device(self) -> Device:
        """The device of the elements."""
        ...

    def _lent_storage(self) -> AnyStorage:
        """Return the storage of the elements."""
        ...

    def _lent_array(self, storage: AnyStorage) -> HostArray:
        """Return a NumPy array on the elements, on any device, that keeps the memory alive; see `Storage.lend`."""
        ...

    def _lent_copy(self, device: Device) -> "Lender":
        """Return a copy of the elements on a device, without negative strides."""
        ...

    def __accel_operand__(self) -> Operand:
        """Describe the elements to a backend."""
        ...


class Interchange:
    """Mixin with ``__dlpack__`` and ``__cuda_array_interface__``, for a class that is a `Lender`."""

    __slots__ = ()

    def __dlpack__(
        self: Lender,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a DLPack capsule on the elements, or on a copy of them.

        The memory is kept alive until the consumer of the capsule releases it, or the capsule is dropped. Elements with
        negative strides are copied, because some libraries end the process at them.

        Later work on the consumer's stream comes after the pending work on the memory; the host waits only where the
        stream cannot. Later work of accel is not ordered after the consumer's, because DLPack does not tell when that
        is done: synchronise the consumer's stream before you use the elements here again.

        Parameters
        ----------
        stream : int, optional
            The consumer's stream, by DLPack's numbers for CUDA and ROCm; None is the default stream there, and the host
            on other devices. -1 means no ordering. Ignored for a copy on the host, which is complete.
        max_version : tuple of int, optional
            The newest version that the consumer knows; by default one before 1, which cannot carry read-only memory.
        dl_device : tuple of int, optional
            The device of the elements, or the host ``(1, 0)``, to which they are copied if they are elsewhere.
        copy : bool, optional
            True: always copy. False: never copy.

        Raises
        ------
        InterchangeError
            If this is not possible; it is a BufferError.
        """
        storage = self._lent_storage()
        owner = storage.owner
        source = owner.heap.device
        target = source if dl_device is None else _target(source, dl_device)
        make_capsule, (major, _) = _capsules()
        versioned = max_version is not None and max_version[0] >= major
        if target is source and not copy:
            # Before the array is made: an error keeps this frame alive, and the collector cannot trace NumPy arrays.
            if source is not _CPU or stream is not None or owner.hazard_record.hazards is not None:
                lend_to_stream(storage, stream)
            array = self._lent_array(storage)
            if min(array.strides or (0,)) >= 0:
                return make_capsule(array, source, versioned)
        if copy is False:
            raise only_by_copy(source, target)
        copied = self._lent_copy(target)
        storage = copied._lent_storage()
        lend_to_stream(storage, stream if target is source else None)
        return make_capsule(copied._lent_array(storage), target, versioned, copied=True)

    def __dlpack_device__(self: Lender) -> tuple[int, int]:
        return self.device.dlpack

    @property
    def __cuda_array_interface__(self: Lender) -> dict[str, Any]:
        """The elements in CUDA memory, by version 3 of Numba's interface; an AttributeError on other devices.

        The host waits until any stream may use them. Later work of accel is not ordered after that of the consumer. The
        interface does not keep the memory alive: keep a reference to this object.
        """
        if self.device.type not in with_cuda_interface:
            raise AttributeError(f"__cuda_array_interface__ is for memory of CUDA, and this is on {self.device}")
        storage = self._lent_storage()
        lend_to_any_stream(storage)
        operand = self.__accel_operand__()
        if operand.dtype.isbuiltin != 1:
            raise AttributeError(f"__cuda_array_interface__ has no code for {operand.dtype.name}; write x.__dlpack__()")
        address = operand.address
        return {
            "shape": operand.extents,
            "typestr": operand.dtype.str,
            "data": (address, not operand.writable),
            "strides": operand.strides,
            "version": 3,
            "stream": None,
        }


@cache
def _capsules() -> tuple[Callable[..., object], tuple[int, int]]:
    """Return `make_capsule` and its newest version, imported at first use: the import takes long."""
    from accel.interchange.capsule import MAX_VERSION, make_capsule

    return make_capsule, MAX_VERSION


def only_by_copy(source: Device, target: Device) -> InterchangeError:
    """Return the error for ``copy=False`` where another device or negative strides need a copy."""
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
