"""`Device`: the place where memory is allocated and work runs (NuMojo's ``Device``)."""

import enum
import warnings
from abc import abstractmethod
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, Self, SupportsIndex

from accel import config
from accel.errors import DeviceUnavailableError
from accel.registry import NoBackendError, Provider, memo_of_backends, providers, remedy
from accel.support import log
from accel.support.call_sites import stack_level
from accel.support.device_names import DEVICE_TYPES, GPU_TYPES, device_name, parse_device_name
from accel.support.lazy import listing

__all__ = [
    "KNOWN_DEVICES",
    "Device",
    "DeviceLike",
    "Fallback",
    "FallbackWarning",
    "OnDevice",
    "fallbacks",
    "required",
    "resolve",
]

__dir__ = listing(__name__, __all__)

# Codes of DLPack's DLDeviceType. 9 (kDLVPI) is its code for the buffers of a simulator. 12 (kDLExtDev) is not among the
# array standard's codes, and PyTorch takes it for memory of its own extensions.
_DLPACK_CODES = {"cpu": 1, "cuda": 2, "mps": 8, "rocm": 10, "sim": 9}


class _Devices(enum.EnumMeta):
    """The metaclass of `Device`: ``in`` and ``Device[name]`` also know the members that are created later."""

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

    ``Device.CUDA`` is the first CUDA device; ``Device.CUDA[1]`` and ``Device("cuda:1")`` are the second. Each device is
    one object for the whole process, so ``is`` compares devices, also after pickling. A `Device` may name hardware that
    this machine does not have: see `is_available`.

    Parameters
    ----------
    value : str
        ``cpu``, ``cuda``, ``cuda:1``, ``rocm``, ``mps``, ``sim``, or ``gpu`` for the first available accelerator.

    Raises
    ------
    ValueError
        If the text is not the name of a device.
    DeviceUnavailableError
        If ``value`` is ``gpu`` and no accelerator is available.

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
        # `config.leave` finds the scopes of this device by the identity of this object.
        self._settings = {"device": value}

    @property
    def type(self) -> str:
        """The kind of device: ``cpu``, ``cuda``, ``rocm``, ``mps`` or ``sim``."""
        return self._type

    @property
    def index(self) -> int:
        """The ordinal of the device among those of its type, from 0."""
        return self._index

    @property
    def is_cpu(self) -> bool:
        """Whether this is the host."""
        return self is _CPU

    @property
    def is_gpu(self) -> bool:
        """Whether this is an accelerator: CUDA, ROCm, MPS, or a simulated device."""
        return self is not _CPU

    @property
    def is_cuda(self) -> bool:
        """Whether this is a CUDA device."""
        return self._type == "cuda"

    @property
    def is_rocm(self) -> bool:
        """Whether this is a ROCm device."""
        return self._type == "rocm"

    @property
    def is_mps(self) -> bool:
        """Whether this is an Apple GPU (MPS)."""
        return self._type == "mps"

    @classmethod
    def _missing_(cls, value: object) -> "Device":
        if not isinstance(value, str):
            other = getattr(value, "__accel_device__", None)  # of a class that stands for CuPy's
            if isinstance(other, Device):
                return other
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
        existing: Device | None = members.get(name)
        # setdefault is atomic, so threads agree on one member. A lock could be held by another thread during a fork.
        return existing or members.setdefault(name, self._make(name, ordinal))

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

    if TYPE_CHECKING:

        def __hash__(self) -> int: ...

    else:
        __hash__ = object.__hash__

    def __reduce_ex__(self, protocol: object) -> tuple[object, ...]:
        return Device, (self.value,)

    @property
    def dlpack(self) -> tuple[int, int]:
        """The device as DLPack numbers it: (device type, ordinal)."""
        return _DLPACK_CODES[self.type], self.index

    def is_available(self) -> bool:
        """Tell whether this machine has the device and a backend for it. Never raises."""
        return self.why_unavailable() is None

    def why_unavailable(self) -> str | None:
        """Return why this device is unavailable, or None if it is available. Never raises."""
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

        Parameters
        ----------
        *types : str
            Names of types, such as ``"cuda"``.

        Returns
        -------
        tuple of 'Device'
            Devices, the host first.

        Raises
        ------
        ValueError
            If a type is unknown. A backend that fails to list its devices has none; see `why_unavailable`.
        """
        devices: list[Device] = []
        for type in types or DEVICE_TYPES:
            if type not in DEVICE_TYPES:
                raise ValueError(f"{type!r} is not a device type: write {', '.join(DEVICE_TYPES)}")
            with suppress(Exception):
                devices += _listed(providers.get(type), type)
        return tuple(devices)

    @staticmethod
    def best() -> "Device":
        """Return the first accelerator of this machine, or the CPU; never a simulated device.

        Returns
        -------
        Device
            The device.
        """
        return next(iter(Device.available(*GPU_TYPES)), Device.CPU)

    @staticmethod
    def default() -> "Device":
        """Return the device that is used when no ``device=`` is given.

        It is the CPU unless ``ACCEL_DEVICE``, `accel.configure`, `accel.using` or ``with device:`` says otherwise.

        Returns
        -------
        Device
            The device of the settings.

        Raises
        ------
        DeviceUnavailableError
            If the configured device is unavailable and ``fallback`` is ``raise``.
        """
        return resolve(None)

    def __enter__(self) -> Self:
        config.enter(self._settings)
        return self

    def __exit__(self, *error: object) -> None:
        config.leave(self._settings)


_CPU = Device.CPU
KNOWN_DEVICES: dict[object, Device] = memo_of_backends()
"""The available devices that were asked for, by the device or its name."""
DeviceLike = Device | str
"""The type of every ``device=`` argument: a `Device` or its name."""


class OnDevice:
    """Mixin for objects with a ``device``: adds ``is_cpu``, ``is_gpu`` and so on."""

    __slots__ = ()

    @property
    @abstractmethod
    def device(self) -> Device:
        """The device of the memory."""

    @property
    def is_cpu(self) -> bool:
        """Whether the memory is on the host."""
        return self.device.is_cpu

    @property
    def is_gpu(self) -> bool:
        """Whether the memory is on an accelerator: CUDA, ROCm, MPS, or a simulated device."""
        return self.device.is_gpu

    @property
    def is_cuda(self) -> bool:
        """Whether the memory is on a CUDA device."""
        return self.device.is_cuda

    @property
    def is_rocm(self) -> bool:
        """Whether the memory is on a ROCm device."""
        return self.device.is_rocm

    @property
    def is_mps(self) -> bool:
        """Whether the memory is on an Apple GPU (MPS)."""
        return self.device.is_mps


class FallbackWarning(RuntimeWarning):
    """A request for an unavailable device runs on the CPU, because of ``fallback="warn"``."""


class Fallback(NamedTuple):
    """A request that the CPU served instead: the unavailable device, the device used, and the reason."""

    request: str
    used: Device
    reason: str


_fallbacks: deque[Fallback] = deque(maxlen=1000)


def fallbacks() -> tuple[Fallback, ...]:
    """Return the last thousand requests that the CPU served instead of an unavailable device, oldest first.

    Returns
    -------
    tuple of Fallback
        A record of each request.
    """
    return tuple(_fallbacks)


def resolve(device: DeviceLike | None) -> Device:
    """Return the device for a ``device=`` argument, following the fallback policy.

    Parameters
    ----------
    device : Device, str or None
        None means the configured default.

    Returns
    -------
    Device
        The device, or the CPU if it is missing and the policy allows that.

    Raises
    ------
    ValueError, TypeError
        If this is not a device or the name of one.
    DeviceUnavailableError
        If the device is unavailable and ``fallback`` is ``raise``.
    """
    request = config.current().device if device is None else device
    if request is _CPU or request == "cpu":
        return _CPU
    try:
        return KNOWN_DEVICES.get(request) or required(request)
    except DeviceUnavailableError as error:
        return _fall_back(str(request), error)
    except TypeError:  # of an object without a hash
        return required(request)


def required(device: DeviceLike) -> Device:
    """Return the device for a ``device=`` argument, without a fallback to the CPU.

    Parameters
    ----------
    device : Device or str
        The device, or its name; None for the default one.

    Returns
    -------
    Device
        The device.

    Raises
    ------
    ValueError, TypeError
        If this is not a device or the name of one.
    DeviceUnavailableError
        If the device is unavailable.
    """
    member = device if isinstance(device, Device) else Device(device)
    reason = member.why_unavailable()
    if reason is not None:
        raise _unavailable(str(member), reason, member.type)
    return KNOWN_DEVICES.setdefault(device, member)


def _fall_back(request: str, error: DeviceUnavailableError) -> Device:
    policy = config.current().fallback
    if policy == "raise":
        raise DeviceUnavailableError(
            f"{error}\n  Or use the CPU: write device='cpu', or accel.using(fallback='warn')"
        ) from None
    why = str(error)
    _fallbacks.append(Fallback(request, Device.CPU, why))
    log.info("the CPU takes the place of %s: %s", request, why)
    if policy == "warn":
        warnings.warn(f"using the CPU: {error}", FallbackWarning, stacklevel=stack_level())
    return Device.CPU


def _listed(provider: Provider, type: str) -> tuple[Device, ...]:
    """Return the devices of a type that a backend lists; the backend may raise any exception."""
    return tuple(device for device in provider.devices() if isinstance(device, Device) and device.type == type)


def _unavailable(request: str, reason: str, type: str) -> DeviceUnavailableError:
    devices = Device.available()
    here = ", ".join(map(str, devices)) or "none"
    alike = [str(device) for device in devices if device.type == type]
    way = f"Write one of these, as in device={alike[-1]!r}" if alike else f"To add it: {remedy(type)}"
    if not alike and type in GPU_TYPES and Device.SIM in devices:
        way += "\n  Or simulate one: write device='sim'"
    return DeviceUnavailableError(
        f"device {request} was asked for; the devices here are: {here}.\n  Why: {reason}\n  {way}"
    )


def _first_gpu() -> Device:
    gpus: Sequence[Device] = Device.available(*GPU_TYPES)
    if gpus:
        return gpus[0]
    reasons = "; ".join(f"{type}: {Device[type.upper()].why_unavailable()}" for type in GPU_TYPES)
    raise _unavailable("gpu", reasons, "cuda")
