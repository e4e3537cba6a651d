"""The standard's inspection interface: devices, dtypes and capabilities."""

from collections.abc import Mapping
from typing import Any

from accel.device import Device, DeviceLike, resolve
from accel.dtypes import DType, as_dtype
from accel.memory import heap_of
from accel.xp.data_types import isdtype

__all__ = ["Info", "namespace_info"]


class Info:
    """The standard's inspection interface."""

    def capabilities(self) -> Mapping[str, Any]:
        """Return the optional features of the standard that this namespace has."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Device:
        """Return the device of arrays that are made without ``device=``."""
        return Device.default()

    def devices(self) -> tuple[Device, ...]:
        """Return the devices of this machine."""
        return Device.available()

    def default_dtypes(self, *, device: DeviceLike | None = None) -> Mapping[str, DType]:
        """Return the default dtypes of a device.

        Parameters
        ----------
        device : Device or str, optional
            The device; by default the current one.
        """
        resolve(device)
        return {kind: as_dtype(name) for kind, name in _DEFAULTS.items()}

    def dtypes(
        self, *, device: DeviceLike | None = None, kind: str | tuple[str, ...] | None = None
    ) -> Mapping[str, DType]:
        """Return the dtypes of the standard that a device supports: all of them, or those of a kind.

        Parameters
        ----------
        device : Device or str, optional
            The device; by default the current one.
        kind : str or tuple of str, optional
            A kind or several, as `isdtype` takes them; all without.
        """
        resolved = resolve(device)
        supported = heap_of(resolved).backend.limits(resolved).dtypes
        dtypes = {name: as_dtype(name) for name in _STANDARD.split()}
        return {
            name: dtype
            for name, dtype in dtypes.items()
            if dtype in supported and (kind is None or isdtype(dtype, kind))
        }


_DEFAULTS = {
    "real floating": "float64",
    "complex floating": "complex128",
    "integral": "int64",
    "indexing": "int64",
}
_STANDARD = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"


def namespace_info() -> Info:
    """Return the standard's inspection interface.

    Returns
    -------
    Info
        An object with the methods ``capabilities``, ``default_device``, ``default_dtypes``, ``devices`` and ``dtypes``.

    Examples
    --------
    >>> import accel.xp as xp
    >>> xp.__array_namespace_info__().default_dtypes()["integral"]
    dtype('int64')
    """
    return Info()
