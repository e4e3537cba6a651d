"""Finds CuPy: which package is installed, whether it can be imported, and whether it finds a driver and devices."""

from importlib import import_module
from importlib.metadata import distributions
from importlib.util import find_spec
from types import ModuleType
from typing import NamedTuple

from .platforms import CUDA, ROCM, Platform

__all__ = ["Installation", "find_cupy"]


class Installation(NamedTuple):
    """The result of looking for CuPy.

    Attributes
    ----------
    module : module or None
        CuPy, if it can be imported.
    device_count : int
        How many devices it finds.
    reasons : dict of str
        For each type of device that cannot be used: the reason, and the remedy.
    """

    module: ModuleType | None
    device_count: int
    reasons: dict[str, str]

    @property
    def platform(self) -> Platform:
        """The platform that CuPy is built for."""
        assert self.module is not None, "only with CuPy there is a platform"
        return _platform_of(self.module)


def find_cupy() -> Installation:
    """Look for CuPy. Never raises."""
    wheels = _wheels()
    if len(wheels) > 1:
        both = " and ".join(wheels)
        return _none(
            f"{both} are both installed and share the module name cupy, so each has overwritten parts of the other; "
            f"write pip uninstall {' '.join(wheels)}, and then install one of them"
        )
    if not wheels and find_spec("cupy") is None:
        return _none("accel needs CuPy for CUDA and ROCm, and it is not installed")
    try:
        module = import_module("cupy")
    except Exception as error:  # missing libraries can cause any error
        return _none(
            f"{_name(wheels)} is installed and cannot be loaded, as if it was built for another platform: "
            f"{type(error).__name__}: {error}"
        )
    return _with_devices(module, _name(wheels))


def _with_devices(module: ModuleType, wheel: str) -> Installation:
    platform = _platform_of(module)
    other = ROCM if platform is CUDA else CUDA
    reasons = {
        other.type: f"{wheel} is built for {platform.name}, and only one CuPy can be installed; "
        f"for {other.name}: pip uninstall {wheel}, and then install one built for {other.name}"
    }
    try:
        count = module.cuda.runtime.getDeviceCount()
    except Exception as error:  # a driver can fail in any way
        count, reasons[platform.type] = 0, _why_none(module, platform, wheel, error)
    else:
        if not count:
            reasons[platform.type] = f"the driver of {platform.name} finds no device"
    return Installation(module, count, reasons)


def _why_none(module: ModuleType, platform: Platform, wheel: str, error: Exception) -> str:
    """Explain the error that CuPy raised when it looked for devices."""
    if "NoDevice" in str(error):
        return f"the driver of {platform.name} finds no device ({error})"
    if "InsufficientDriver" not in str(error):
        return f"the driver of {platform.name} failed: {error}"
    driver, runtime = module.cuda.runtime.driverGetVersion(), module.cuda.runtime.runtimeGetVersion()
    if not driver:
        return f"there is no driver for {platform.name} on this machine ({error})"
    return (
        f"the driver serves {platform.name} {platform.version(driver)}, and {wheel} needs {platform.version(runtime)}; "
        f"update the driver, or install a CuPy built for {platform.name} {platform.version(driver)}"
    )


def _platform_of(module: ModuleType) -> Platform:
    return ROCM if module.cuda.runtime.is_hip else CUDA


def _wheels() -> list[str]:
    """Return the installed packages that contain a module named cupy."""
    names = {str(package.metadata["Name"]).lower().replace("_", "-") for package in distributions()}
    return sorted(name for name in names if name == "cupy" or name.startswith(("cupy-cuda", "cupy-rocm")))


def _name(wheels: list[str]) -> str:
    return wheels[0] if wheels else "cupy"


def _none(reason: str) -> Installation:
    return Installation(None, 0, {CUDA.type: reason, ROCM.type: reason})
