"""`Interchange`: what containers and arrays offer other libraries."""

from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from accel.device import Device
from accel.errors import InterchangeError
from accel.memory.copying import AnyStorage
from accel.memory.host_storage import HostArray
from accel.memory.operand import Operand

__all__ = ["Interchange", "Lender", "only_by_copy"]

_CPU = Device.CPU
_NO_WAIT = -1
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
    """Offers memory to other libraries; to be mixed into what is a `Lender`."""

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
        make_capsule, (major, _) = _capsules()
        versioned = max_version is not None and max_version[0] >= major
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
    """Return what makes capsules, and of which version; loading it takes longer than all that a container needs."""
    from accel.memory.dlpack import MAX_VERSION, make_capsule

    return make_capsule, MAX_VERSION


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
