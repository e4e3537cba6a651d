"""What NVRTC of the fake driver calls: kernels are compiled for the processor, by `accel.backends.cuda_on_cpu`."""

import ctypes
import os
from functools import cache
from hashlib import sha256
from pathlib import Path

__all__ = ["compile", "headers_of"]

WARP = 32
# CuPy's special functions define what NVRTC has not in namespace std. They do so for each compiler of CUDA.
XSF = """\
#pragma push_macro("__CUDACC__")
#undef __CUDACC__
#include <cupy/xsf/config.h>
#pragma pop_macro("__CUDACC__")
#line 1
"""
TUPLE = "#include <tuple>\n#line 1\n"
"""What CuPy takes from libcu++ of NVRTC in its kernels in Python."""
"""By module, its segments and the table of variables that they point to: the driver reads them."""


def compile(source, options):
    """Return what the fake driver loads as a module, and a log that is empty if it was compiled."""
    if not source or os.environ.get("FAKE_NOEXEC"):
        return "not compiled", ""
    from accel.errors import AccelError

    refusal = _other_headers(Path(os.environ["ACCEL_FAKE_CUDA"]).parent.parent)
    if refusal:
        return "", refusal
    try:
        before = XSF if "<cupy/xsf/" in source else TUPLE if "-DCUPY_JIT_MODE" in options else ""
        return _text(_module(before + source, _accepted(options))), ""
    except AccelError as error:
        return "", str(error)


def headers_of(folder):
    """Return a digest of the headers that the driver and compiled kernels share, in a folder of ``cuda_on_cpu``."""
    paths = [*sorted(Path(folder, "machine").glob("*.h")), Path(folder, "include/accel_sim/abi.h")]
    return sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


@cache
def _other_headers(built):
    """Return why kernels cannot run on the driver in a folder; None if it was built of the headers of this tree."""
    from accel.backends import cuda_on_cpu

    folder = Path(cuda_on_cpu.__file__).parent
    if (built / "headers").read_text().strip() == headers_of(folder):
        return None
    return f"the fake driver in {built} was built of other headers than {folder} has: run tests/real_cupy/build {built}"


def _accepted(options):
    """Leave out what names headers of CUDA, which are not needed."""
    return tuple(option for option in options if not option.startswith("-I") or "/cupy/" in option)


def _module(source, options):
    from accel.backends.cuda_on_cpu.build.building import build, kernel_names
    from accel.backends.cuda_on_cpu.launch.module import Module

    names = kernel_names(source)
    # A text of several kernels for copies has a macro for each, and a module has the kernels whose macros are defined.
    kernels = tuple(name for name in names if f"-DACCEL_{name.upper()}=1" in options) or names
    built = build(source, options=(*options, f"-DACCEL_WARP={WARP}"), warp=WARP, checked=False, kernels=kernels)
    return Module.load(built, "fake CUDA"), kernels


def _text(compiled):
    """Return the addresses of a module, as ``modules.cpp`` reads them."""
    from accel.backends.cuda_on_cpu.launch.structures import segments_of

    module, names = compiled
    runtime, segments = module.runtime, ctypes.addressof(segments_of(module))
    image = segments, _address(runtime.accel_sim_launch), _address(runtime.accel_sim_release)
    kernels = [(name, entry.address, *entry.sizes) for name in names for entry in [module.entry(name)]]
    return "\n".join([" ".join(map(str, line)) for line in [("compiled for the processor:", *image), *kernels]])


def _address(function):
    return ctypes.cast(function, ctypes.c_void_p).value
