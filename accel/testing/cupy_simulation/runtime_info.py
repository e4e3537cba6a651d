"""`cupyx.get_runtime_info`: what CuPy says of its versions and devices, for simulated ones."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from accel.testing.cupy_simulation.streams import Device, runtime

__all__ = ["RuntimeInfo", "get_runtime_info", "show_config"]


class RuntimeInfo:
    """Versions of libraries; those that a simulated device has not are None.

    Attributes
    ----------
    cupy_version, numpy_version, scipy_version : str or None
        Of CuPy the version that is simulated.
    cuda_driver_version, cuda_runtime_version, cuda_local_runtime_version, cuda_build_version : int
        The version of CUDA that is simulated.
    """

    def __init__(self, full: bool = True) -> None:
        self.cupy_version = sys.modules["cupy"].__version__
        self.numpy_version, self.scipy_version = _version("numpy"), _version("scipy")
        self.cuda_build_version = self.cuda_local_runtime_version = runtime.runtimeGetVersion()
        self.cuda_driver_version, self.cuda_runtime_version = runtime.driverGetVersion(), runtime.runtimeGetVersion()

    def __getattr__(self, name: str) -> Any:
        if name.endswith(("_version", "_path", "_dirs")) and not name.startswith("_"):
            return None
        raise AttributeError(name)

    def __str__(self) -> str:
        rows = {
            "OS": platform.platform(),
            "Python Version": platform.python_version(),
            "CuPy Version": f"{self.cupy_version} (simulated)",
            "NumPy Version": self.numpy_version,
            "SciPy Version": self.scipy_version,
            "CUDA Runtime Version": f"{self.cuda_runtime_version} (simulated)",
        }
        count = runtime.getDeviceCount() if sys.modules["cupy"].is_available() else 0
        for device in map(Device, range(count)):
            rows[f"Device {device.id} Name"] = runtime.getDeviceProperties(device.id)["name"].decode()
            rows[f"Device {device.id} Compute Capability"] = device.compute_capability
            rows[f"Device {device.id} PCI Bus ID"] = device.pci_bus_id
        width = max(map(len, rows)) + 2
        return "".join(f"{name:<{width}}: {value}\n" for name, value in rows.items())


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def get_runtime_info(*, full: bool = True) -> RuntimeInfo:
    """Return the versions and devices; printed, they are a table."""
    return RuntimeInfo(full)


def show_config(*, _full: bool = False) -> None:
    """Print the versions and devices."""
    sys.stdout.write(f"{get_runtime_info(full=_full)}\n")
