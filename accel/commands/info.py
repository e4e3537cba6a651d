"""The report of ``accel info``: devices, backends and versions of this machine, and how to add what is missing.

Nothing here raises: the text of an error takes the place of a value that cannot be determined.
"""

import platform
import sys
from collections.abc import Callable, Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import Any, TypedDict

from accel import __version__
from accel.config import current
from accel.device import Device
from accel.memory import heap_of
from accel.registry import providers, remedy
from accel.support.device_names import DEVICE_TYPES
from accel.support.free_threading import NOT_SAFE
from accel.support.host_compiler import INSTALL

__all__ = ["Machine", "machine_report", "machine_text", "versions"]

_PACKAGES = (
    "numpy array-api-compat ml-dtypes llvmlite cupy-cuda12x cupy-cuda13x cupy-rocm-7-0 scikit-image scipy pillow rich"
)


class Available(TypedDict):
    """An available device: its name, backend, memory in bytes (0 if unknown), and the names of its dtypes."""

    device: str
    backend: str
    memory: int
    dtypes: list[str]


class Missing(TypedDict):
    """A device type that is unavailable, the reason, and how to add it."""

    device: str
    reason: str
    remedy: str


class Machine(TypedDict):
    """The report that `machine_report` returns."""

    accel: str
    python: str
    gil: bool
    platform: str
    best: str
    default: str
    devices: list[Available]
    missing: list[Missing]
    packages: dict[str, str | None]
    settings: dict[str, Any] | str


def machine_report() -> Machine:
    """Describe this machine, as plain data. Never raises."""
    devices = Device.available()
    return {
        "accel": __version__,
        "python": platform.python_version(),
        "gil": getattr(sys, "_is_gil_enabled", lambda: True)(),
        "platform": platform.platform(),
        "best": str(Device.best()),
        "default": _answer(lambda: str(Device.default())),
        "devices": [_available(device) for device in devices],
        "missing": [_missing(type) for type in DEVICE_TYPES if type not in {device.type for device in devices}],
        "packages": {name: _version(name) for name in _PACKAGES.split()},
        "settings": _answer(_settings),
    }


def versions() -> dict[str, str | None]:
    """Return the versions that a report of an error needs: of accel, Python and NumPy."""
    return {"accel": __version__, "python": platform.python_version(), "numpy": _version("numpy")}


def _answer(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _settings() -> dict[str, Any]:
    return current()._asdict()


def _available(device: Device) -> Available:
    limits = _answer(lambda: heap_of(device).backend.limits(device))
    memory = _answer(lambda: int(limits.memory))
    dtypes = _answer(lambda: sorted(dtype.name for dtype in limits.dtypes))
    return {
        "device": str(device),
        "backend": str(_answer(lambda: providers.get(device.type).name)),
        "memory": memory if isinstance(memory, int) else 0,
        "dtypes": dtypes if isinstance(dtypes, list) else [],
    }


def _missing(type: str) -> Missing:
    reason = Device[type.upper()].why_unavailable() or "unknown"
    return {"device": type, "reason": reason, "remedy": remedy(type)}


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
    except Exception as error:  # invalid metadata can raise any exception
        return f"{type(error).__name__}: {error}"


def machine_text(report: Machine) -> str:
    """Return a report as text to read."""
    return "\n".join(_lines(report))


def _lines(report: Machine) -> Iterable[str]:
    yield f"accel {report['accel']}, Python {report['python']}, {report['platform']}"
    if not report["gil"]:
        yield NOT_SAFE
    yield ""
    yield "Devices"
    for available in report["devices"]:
        name = available["device"]
        roles = {"best": report["best"], "default": report["default"]}
        marks = "".join(f", {role}" for role, device in roles.items() if device == name)
        memory = f"{available['memory'] / 2**30:.1f} GiB" if available["memory"] else "unknown"
        yield f"  {name:8} {memory:>10}  backend {available['backend']}{marks}"
    if report["default"] not in {available["device"] for available in report["devices"]}:
        yield f"  default: {report['default']}"
    yield ""
    yield "Unavailable devices"
    for missing in report["missing"]:
        yield f"  {missing['device']:8} {missing['reason']}"
        yield f"  {'':8} to add it: {missing['remedy']}"
    yield ""
    yield "Packages"
    for package, installed in report["packages"].items():
        advice = f"; compiles for the host: {INSTALL}" if package == "llvmlite" else ""
        yield f"  {package:18} {installed or f'not installed{advice}'}"
    if isinstance(report["settings"], str):
        yield ""
        yield f"Settings: {report['settings']}"
