"""A GPU simulated by one host thread: CUDA and HIP kernels are compiled by g++ and run.

    module = host_gpu.compile(text, ("-DACCEL_ITEM=4",), warp=64)
    module.launch("copy_items", 8, 256, (np.uint64(target.ctypes.data), ...), seed=3)

`compile` takes the source text that NVRTC or hiprtc gets; the kernels are its `extern "C" __global__` functions.
Options are ``-D...`` and ``-std=...``; ``ACCEL_WARP`` is defined. Compiled modules are cached, in this process and on
disk. `Module.launch` returns when the kernel is done. It raises `KernelError` for errors that are undefined behaviour
on a GPU: threads that miss a barrier or wait at different ones, and accesses that are not aligned. Arguments are those
that CuPy passes by value: NumPy scalars, arrays of one item (structures), and Python numbers; addresses are ``uint64``.
The seed determines the order of blocks and threads. Launches are serialized, also those of several threads.
"""

import ctypes
import functools
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from .tools import need

__all__ = ["KernelError", "Module", "compile"]

HEADER = Path(__file__).with_name("host_gpu.h")
FLAGS = ("-std=c++17", "-O1", "-fPIC", "-fno-strict-aliasing", "-U_FORTIFY_SOURCE", "-w")
# Modules define the same symbol names, and must not share them.
FLAGS = (*FLAGS, "-fvisibility=hidden", "-fno-gnu-unique")
KERNEL = re.compile(r'extern "C" __attribute__\(\(used\)\)\s+void\s+(\w+)\s*\(')
DYNAMIC = re.compile(r"extern\s+__shared__\s+([^;]*?)(\w+)\s*\[\s*\]\s*;")
CACHE = Path(tempfile.gettempdir()) / f"accel-host-gpu-{os.getuid()}"


class KernelError(RuntimeError):
    """A kernel fails: it does not compile, its arguments do not fit, or it misuses a barrier or alignment."""


class Module:
    """Kernels that can be launched."""

    def __init__(self, path):
        # PyDLL keeps the GIL during a launch: there is one simulated GPU.
        self._library = ctypes.PyDLL(str(path))
        self._kernels = {}

    def launch(self, name, grid, block, arguments, shared_bytes=0, seed=0):
        """Run a kernel with a grid and a block of up to three extents each."""
        call, sizes = self._kernels.get(name) or self._find(name)
        values = [np.asarray(argument) for argument in arguments]
        found = [value.nbytes for value in values]
        if found != sizes:
            raise KernelError(f"{name} takes arguments of {sizes} bytes; found {found}")
        pointers = (ctypes.c_void_p * len(values))(*[value.__array_interface__["data"][0] for value in values])
        error = call(_three(grid), _three(block), shared_bytes, ctypes.c_uint64(seed), pointers)
        if error:
            raise KernelError(f"{name}: {error.decode()}")

    def sizes(self, name):
        """Return the bytes of each argument of a kernel."""
        _, sizes = self._kernels.get(name) or self._find(name)
        return sizes

    def _find(self, name):
        try:
            call = self._library[f"launch_{name}"]
        except AttributeError:
            raise KernelError(f"there is no kernel {name}") from None
        call.restype = ctypes.c_char_p
        sizes = self._library[f"sizes_of_{name}"]
        sizes.restype = ctypes.POINTER(ctypes.c_uint)
        found = self._kernels[name] = call, _until_zero(sizes())
        return found


def _until_zero(numbers):
    found = []
    while numbers[len(found)]:
        found.append(numbers[len(found)])
    return found


def _three(sizes):
    sizes = (sizes,) if isinstance(sizes, int) else tuple(sizes)
    return (ctypes.c_uint * 3)(*sizes, *[1] * (3 - len(sizes)))


@functools.cache
def compile(source, options=(), warp=32):
    """Compile a source text into a module of kernels; see the docstring of this file."""
    need(shutil.which("g++"), "g++", "install the compiler of your system")
    given = [option for option in options if not option.startswith(("-std=", "--fmad="))]  # g++ contracts nothing here
    options = (*FLAGS, *given, f"-DACCEL_WARP={warp}")
    key = hashlib.sha256(repr((source, options, HEADER.read_text(), _version())).encode()).hexdigest()
    path = CACHE / f"{key[:32]}.so"
    if not path.exists():
        _build(source, options, path)
    return Module(path)


@functools.cache
def _version():
    return subprocess.run(["g++", "--version"], check=True, capture_output=True, text=True).stdout


def _build(source, options, path):
    # An anonymous namespace: otherwise __shared__ variables of templates could not be placed in the common section.
    source = DYNAMIC.sub(r"\1* const \2 = reinterpret_cast<\1*>(host_gpu::gpu.dynamic.data());", source)
    text = f'#include "{HEADER}"\nnamespace {{\n#line 1 "kernel"\n{source}\n}}\n'
    names = KERNEL.findall(_run(["g++", "-E", "-P", "-x", "c++", *options, "-"], text))
    text += "\n".join([f"HOST_GPU_KERNEL({name})" for name in names])
    CACHE.mkdir(mode=0o700, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        made = f"{folder}/made.o"
        _run(["g++", *options, "-fsanitize=alignment", "-c", "-x", "c++", "-o", made, "-"], text)
        # The header defines the handlers that g++ calls for misaligned accesses.
        _run(["g++", "-shared", "-o", f"{folder}/made.so", made])
        Path(f"{folder}/made.so").replace(path)


def _run(command, text=""):
    done = subprocess.run(command, input=text, check=False, capture_output=True, text=True)
    if done.returncode:
        raise KernelError(done.stderr)
    return done.stdout
