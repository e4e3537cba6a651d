"""What ``accel doctor`` says of the system, settings, the cache, devices and drivers, and of what nearly all use."""

import shutil
import sys
import time
import warnings
from collections.abc import Iterator
from ctypes.util import find_library
from pathlib import Path
from tempfile import TemporaryFile, gettempdir

from accel.commands.findings import Finding
from accel.config import current
from accel.containers.creation import zeros
from accel.device import Device
from accel.registry import remedy
from accel.support.host_compiler import SUPPORTED, explained, missing
from accel.support.system import ELSEWHERE, LINUX, available_memory, machine, physical_memory, platform_name

__all__ = ["cache", "devices", "settings", "system", "trial"]

_LEAST_FREE = 100 << 20
_OLD = 90  # days
_DRIVERS = {"cuda": ("cuda", "nvidia-smi"), "rocm": ("amdhip64", "rocm-smi")}


def system() -> Iterator[Finding]:
    """Find what the operating system and the processor lack."""
    needs = {
        "CUDA and HIP kernels on the simulated device": LINUX and machine() in {"aarch64", "x86_64"},
        "accel grade": LINUX,
        "compiled kernels, fused functions and copies": SUPPORTED,
        "the size of the host's memory": physical_memory() > 0,
        "the size of its free memory": available_memory() is not None,
    }
    lacking = [what for what, is_there in needs.items() if not is_there]
    if lacking:
        yield Finding(False, f"not available on {platform_name()}: {'; '.join(lacking)}", ELSEWHERE)


def settings() -> Iterator[Finding]:
    """Find environment variables that are no settings, or have no valid value."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            current()
        except ValueError as error:
            name = str(error).partition(":")[0]
            yield Finding(True, str(error), f"unset {name}")
    for warning in heard:
        yield Finding(False, str(warning.message), "unset that variable, or rename it")


def cache() -> Iterator[Finding]:
    """Find a folder of compiled code that cannot be used, is full, or has what was not used for long."""
    elsewhere = f"export ACCEL_CACHE_DIR={gettempdir()}/accel"
    folder = Path(current().cache_dir)
    try:
        folder = folder.expanduser()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except (OSError, RuntimeError) as error:  # RuntimeError: the user has no home directory
        yield Finding(True, f"compiled code cannot be kept in {folder}: {error}; each process compiles anew", elsewhere)
        return
    free = shutil.disk_usage(folder).free
    if free < _LEAST_FREE:
        yield Finding(True, f"{folder}, where compiled code is kept, has {free >> 20} MB of room", elsewhere)
    old = [status for file in folder.rglob("*") if (status := _old(file)) is not None]
    if sum(old) > _LEAST_FREE:
        what = f"{len(old)} compiled files in {folder} were not used for {_OLD} days; they take {sum(old) >> 20} MB"
        yield Finding(False, what, f"find {folder} -type f -mtime +{_OLD} -atime +{_OLD} -delete")


def _old(file: Path) -> int | None:
    """Return the size of a file that nobody used for long."""
    try:
        status = file.stat()
    except OSError:  # another process removed it
        return None
    is_old = time.time() - max(status.st_mtime, status.st_atime) > _OLD * 86400
    return status.st_size if is_old and file.is_file() else None


def devices() -> Iterator[Finding]:
    """Find backends that do not load, and drivers whose devices are not found."""
    for type in ("cpu", "sim"):
        reason = Device[type.upper()].why_unavailable()
        if reason is not None:
            yield Finding(True, f"there is no device {type}: {reason}", remedy(type))
    for type, (library, command) in _DRIVERS.items():
        reason = Device[type.upper()].why_unavailable()
        if reason is None or not (find_library(library) or shutil.which(command)):
            continue
        yield Finding(True, f"a driver for {type} is here, and no device of it is found: {reason}", remedy(type))
    try:
        Device.default()
    except Exception as error:
        reason, *_ = str(error).splitlines()
        yield Finding(True, f"the default device: {reason}", "unset ACCEL_DEVICE")


def trial() -> Iterator[Finding]:
    """Find what fails although all is there: memory on each device, and a kernel that is compiled for the host."""
    for device in Device.available():
        try:
            zeros(3, "float32", device=device).to_numpy()
        except Exception as error:
            what = f"three elements on {device} fail: {type(error).__name__}: {error}"
            yield Finding(True, what, remedy(device.type))
    if not missing():
        try:
            _compile_something()
        except Exception as error:
            line = f"{sys.executable} -m pip install --force-reinstall llvmlite"
            yield Finding(True, f"kernels for the host need llvmlite, {explained(error)}", line)


def _compile_something() -> None:
    import llvmlite.binding as llvm  # type: ignore[import-untyped]

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    machine.emit_object(llvm.parse_assembly("define i32 @one() { ret i32 1 }"))
