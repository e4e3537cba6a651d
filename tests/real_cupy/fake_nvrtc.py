"""What NVRTC of the fake driver calls: kernels are compiled by g++, for the host, as in tests/gpu_code."""

import importlib
import os
import sys
from hashlib import sha256
from pathlib import Path
from types import ModuleType

__all__ = ["compile"]

HERE = Path(__file__).resolve().parent
GPU_CODE = HERE.parent / "gpu_code"
CUPY_KERNELS = HERE / "cupy_kernels.h"
WARP = 32


def compile(source, options):
    """Return what the fake driver loads as a module, and a log that is empty if it was compiled."""
    if not source or os.environ.get("FAKE_NOEXEC"):
        return "not compiled", ""
    host_gpu = _host_gpu()
    try:
        made = host_gpu.compile(source, _options_of_gcc(source, options), WARP)
    except host_gpu.KernelError as error:
        return "", str(error)
    return f"compiled for the host: {made._library._name}", ""


def _options_of_gcc(source, options):
    given = tuple(option for option in options if option.startswith(("-D", "-U")))
    if "#include <cupy/" not in source:
        return given
    # Compiled kernels are cached by their options, so these must tell what the header is.
    version = sha256(CUPY_KERNELS.read_bytes()).hexdigest()[:16]
    folders = tuple(option for option in options if option.startswith("-I") and "/cupy/" in option)
    return (*given, f"-DCUPY_KERNELS={version}", *folders, "-include", str(CUPY_KERNELS))


def _host_gpu():
    """Import the compiler under a name of its own: several projects have a package called tests."""
    name = "accel_gpu_code"
    if name not in sys.modules:
        package = ModuleType(name)
        package.__path__ = [str(GPU_CODE)]
        sys.modules[name] = package
    return importlib.import_module(f"{name}.host_gpu")
