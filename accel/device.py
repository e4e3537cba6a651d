"""`Device`: where memory lives and work runs (NuMojo's ``Device``)."""

import enum
import warnings
from abc import abstractmethod
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple, Self, SupportsIndex

from accel import config
from accel.call_sites import stack_level
from accel.device_names import DEVICE_TYPES, GPU_TYPES, device_name, parse_device_name
from accel.errors import DeviceUnavailableError
from accel.registry import NoBackendError, Provider, providers, remedy

__all__ = ["Device", "DeviceLike", "Fallback", "FallbackWarning", "OnDevice", "fallbacks", "required", "resolve"]

# Codes of DLPack's DLDeviceType; 12 is its code for extensions.
_DLPACK_CODES = {"cpu": 1, "cuda": 2, "mps": 8, "rocm": 10, "sim": 12}


class _Devices(enum.EnumMeta):
    """What the class `Device` itself is asked: the same for the members made later as for the first five."""

    def __contains__(cls, value: object) -> bool:
        return isinstance(value, cls)

    def __getitem__(cls, name: str) -> "Device":  # type: ignore[override]
        kind, _, ordinal = str(name).partition("_")
        device: Device = super().__getitem__(kind)
        with suppress(ValueError):
            device = device[int(ordinal)]
        if device.name != name:
            raise KeyError(name)
        return device


class Device(enum.Enum, metaclass=_Devices):
    """A place with memory of its own: the host, or one accelerator.

    ``Device.CUDA`` is its first ordinal; ``Device.CUDA[1]`` and ``Device("cuda:1")`` are the second. Each device is
    one object for the whole process, so ``is`` compares them, also after pickling. That a device can be named does
    not mean that this machine has it: see `is_available`.

    Parameters
    ----------
    value : str
        ``cpu``, ``cuda``, ``cuda:1``, ``rocm``, ``mps``, ``sim``, or ``gpu`` for the first accelerator at hand.

    Raises
    ------
    ValueError
        If the text names no device.
    DeviceUnavailableError
        If ``gpu`` is asked for and there is none.

    Examples
    --------
    >>> from accel import Device
    >>> Device("cuda:1") is Device.CUDA[1]
    True
    >>> str(Device.CUDA), Device.CUDA[1].name, Device.CPU.type
    ('cuda:0', 'CUDA_1', 'cpu')
    """

    CPU = "cpu"
    CUDA = "cuda:0"
    ROCM = "rocm:0"
    MPS = "mps:0"
    SIM = "sim"

    def __init__(self, value: str) -> None:
        self._type, self._index = parse_device_name(value)
        # One object, by which `config.leave` knows the blocks on this device.
        self._settings = {"device": value}

    @property
    def type(self) -> str:
        """The kind of device: ``cpu``, ``cuda``, ``rocm``, ``mps`` or ``sim``."""
        return self._type

    @property
    def index(self) -> int:
        """Which of its kind, from 0."""
        return self._index

    @property
    def is_cpu(self) -> bool:
        """Whether this is the host."""
        return self is _CPU

    @property
    def is_gpu(self) -> bool:
        """Whether this is an accelerator: CUDA, ROCm, MPS, or the simulated device, which stands for one."""
        return self is not _CPU

    @property
    def is_cuda(self) -> bool:
        """Whether this is a GPU that CUDA serves."""
        return self._type == "cuda"

    @property
    def is_rocm(self) -> bool:
        """Whether this is a GPU that ROCm serves."""
        return self._type == "rocm"

    @property
    def is_mps(self) -> bool:
        """Whether this is a GPU of Apple's."""
        return self._type == "mps"

    @classmethod
    def _missing_(cls, value: object) -> "Device":
        if not isinstance(value, str):
            raise TypeError(f"a device is written as text, as in 'cuda:1', or as Device.CUDA[1]; found {value!r}")
        if value == "gpu":
            return _first_gpu()
        kind, ordinal = parse_device_name(value)
        device: Device = cls[kind.upper()]
        return device[ordinal]

    def __getitem__(self, index: SupportsIndex) -> "Device":
        """Return the device of the same type with another ordinal."""
        if isinstance(index, bool) or not isinstance(index, SupportsIndex):
            raise TypeError(f"an ordinal is a whole number; found {index!r}")
        ordinal = index.__index__()
        name = device_name(*parse_device_name(f"{self.type}:{ordinal}"))
        members: dict[Any, Any] = Device._value2member_map_
        found: Device | None = members.get(name)
        # One of the threads that get here together wins; a lock could be held by one that a fork leaves behind.
        return found or members.setdefault(name, self._make(name, ordinal))

    def _make(self, name: str, index: int) -> "Device":
        member = object.__new__(Device)
        member._value_ = name
        member._name_ = f"{self.type.upper()}_{index}"
        member.__init__(name)  # type: ignore[misc]
        return member

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)

    __hash__ = object.__hash__

    def __reduce_ex__(self, protocol: object) -> tuple[object, ...]:
        return Device, (self.value,)

    @property
    def dlpack(self) -> tuple[int, int]:
        """The device in DLPack's numbers: (device type, ordinal)."""
        return _DLPACK_CODES[self.type], self.index

    def is_available(self) -> bool:
        """Tell whether memory can be had on this device here and now. Never raises."""
        return self.why_unavailable() is None

    def why_unavailable(self) -> str | None:
        """Return why this device cannot be used here, or None if it can. Never raises."""
        try:
            provider = providers.get(self.type)
            devices = _listed(provider, self.type)
            if self in devices:
                return None
            reasons = provider.why_unavailable()
            reason = reasons.get(str(self)) or reasons.get(self.type)
        except NoBackendError as error:
            return str(error)
        except Exception as error:  # a driver can fail in any way
            return f"its backend failed to list its devices: {error.__class__.__name__}: {error}"
        return str(reason or f"the {self.type} devices here are: {', '.join(map(str, devices)) or 'none'}")

    @staticmethod
    def available(*types: str) -> tuple["Device", ...]:
        """Return the devices of this machine, of the given types or of all.

        Raises
        ------
        ValueError
            If there is no such type. A backend that fails has no devices, and `why_unavailable` tells how it failed.
        """
        found: list[Device] = []
        for type in types or DEVICE_TYPES:
            if type not in DEVICE_TYPES:
                raise ValueError(f"{type!r} is no type of device: write {', '.join(DEVICE_TYPES)}")
            with suppress(Exception):
                found += _listed(providers.get(type), type)
        return tuple(found)

    @staticmethod
    def best() -> "Device":
        """Return the first accelerator of this machine, or the CPU; never a simulated device."""
        return next(iter(Device.available(*GPU_TYPES)), Device.CPU)

    @staticmethod
    def default() -> "Device":
        """Return the device on which things are made when no ``device=`` is given.

        It is the CPU unless ``ACCEL_DEVICE``, `accel.configure`, `accel.using` or ``with device:`` says otherwise.

        Raises
        ------
        DeviceUnavailableError
            If the configured device is not here and ``fallback`` is ``raise``.
        """
        return resolve(None)

    def __enter__(self) -> Self:
        config.enter(self._settings)
        return self

    def __exit__(self, *error: object) -> None:
        config.leave(self._settings)


_CPU = Device.CPU
DeviceLike = Device | str
"""What every ``device=`` takes: a `Device` or its name."""


class OnDevice:
    """What says of itself where it is; to be mixed into what has a device."""

    __slots__ = ()

    @property
    @abstractmethod
    def device(self) -> Device:
        """The device that has it."""

    @property
    def is_cpu(self) -> bool:
        """Whether the memory is the host's."""
        return self.device.is_cpu

    @property
    def is_gpu(self) -> bool:
        """Whether the memory is an accelerator's: of CUDA, ROCm, MPS, or simulated."""
        return self.device.is_gpu

    @property
    def is_cuda(self) -> bool:
        """Whether the memory is that of a GPU that CUDA serves."""
        return self.device.is_cuda

    @property
    def is_rocm(self) -> bool:
        """Whether the memory is that of a GPU that ROCm serves."""
        return self.device.is_rocm

    @property
    def is_mps(self) -> bool:
        """Whether the memory is that of a GPU of Apple's."""
        return self.device.is_mps


class FallbackWarning(RuntimeWarning):
    """Work asked for on a missing device runs on the CPU, as the ``fallback="warn"`` policy says."""


class Fallback(NamedTuple):
    """One request that the CPU served in another device's place."""

    asked: str
    used: Device
    reason: str


_fallbacks: deque[Fallback] = deque(maxlen=1000)


def fallbacks() -> tuple[Fallback, ...]:
    """Return the last thousand requests that the CPU served in another device's place, oldest first."""
    return tuple(_fallbacks)


def resolve(device: DeviceLike | None) -> Device:
    """Return the device that a ``device=`` argument means here, as the fallback policy says.

    Parameters
    ----------
    device : Device, str or None
        None means the configured default.

    Raises
    ------
    ValueError, TypeError
        If this names no device.
    DeviceUnavailableError
        If the device is not here and ``fallback`` is ``raise``.
    """
    asked = config.current().device if device is None else device
    if asked is _CPU or asked == "cpu":
        return _CPU
    try:
        return required(asked)
    except DeviceUnavailableError as error:
        return _fall_back(str(asked), error)


def required(device: DeviceLike) -> Device:
    """Return the device that is meant, which must be here: no other one will do.

    Raises
    ------
    ValueError, TypeError
        If this names no device.
    DeviceUnavailableError
        If the device is not here.
    """
    found = device if isinstance(device, Device) else Device(device)
    reason = found.why_unavailable()
    if reason is not None:
        raise _unavailable(str(found), reason, remedy(found.type))
    return found


def _fall_back(asked: str, error: DeviceUnavailableError) -> Device:
    policy = config.current().fallback
    if policy == "raise":
        raise DeviceUnavailableError(
            f"{error}\n  Or use the CPU: write device='cpu', or accel.using(fallback='warn')"
        ) from None
    _fallbacks.append(Fallback(asked, Device.CPU, str(error)))
    if policy == "warn":
        warnings.warn(f"using the CPU: {error}", FallbackWarning, stacklevel=stack_level())
    return Device.CPU


def _listed(provider: Provider, type: str) -> tuple[Device, ...]:
    """Return the devices of a type that a backend lists; it may fail in any way."""
    return tuple(device for device in provider.devices() if isinstance(device, Device) and device.type == type)


def _unavailable(asked: str, reason: str, remedy: str) -> DeviceUnavailableError:
    here = ", ".join(map(str, Device.available())) or "none"
    return DeviceUnavailableError(
        f"device {asked} was asked for; the devices here are: {here}.\n  Why: {reason}\n  What would add it: {remedy}"
    )


def _first_gpu() -> Device:
    found: Sequence[Device] = Device.available(*GPU_TYPES)
    if found:
        return found[0]
    reasons = "; ".join(f"{type}: {Device[type.upper()].why_unavailable()}" for type in GPU_TYPES)
    raise _unavailable("gpu", reasons, remedy("cuda"))
