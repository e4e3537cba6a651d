"""The compiled kernels. A kernel is compiled once NumPy has spent as much time as that would take.

Where a kernel is missing, for whatever reason, NumPy does the copy: no copy fails because of LLVM. Several threads may
compile the same kernel at once, as then the second one finds it made.
"""

import ctypes
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from accel.errors import CapabilityError, OutOfMemoryError
from accel.support import host_compiler

from . import thresholds
from .blocks import Block

__all__ = ["add_numpy_time", "kernel"]

_Kernel = Callable[[int, int, int, int, int], None]
"""Takes the addresses of the target, the source and the tiling, and the numbers of the first tile and the last one."""

_PROTOTYPE = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 6)

_kernels: dict[Block, _Kernel | None] = {}
_numpy_seconds: dict[Block, float] = {}
_warned = False


def kernel(block: Block, nbytes: int) -> _Kernel | None:
    """Return the kernel for a block, for a copy of ``nbytes``; None if NumPy should do the copy."""
    try:
        return _kernels[block]
    except KeyError:
        if nbytes < thresholds.AT_ONCE and _numpy_seconds.get(block, 0.0) < thresholds.COMPILING:
            return None
    with suppress(OutOfMemoryError):  # there may be more later
        return _compiled(block)
    return None


def add_numpy_time(block: Block, seconds: float) -> None:
    """Add to the time that NumPy has spent on copies that a kernel could do."""
    _numpy_seconds[block] = _numpy_seconds.get(block, 0.0) + seconds


def _compiled(block: Block) -> _Kernel | None:
    from .host_code import machine_code
    from .kernels import kernel_text
    from .packing import packing_text

    if not machine_code.is_free(thresholds.COMPILING):
        return None
    made: _Kernel | None = None
    if host_compiler.is_installed() and sys.byteorder == "little" and sys.maxsize > 1 << 32:
        try:
            copying = machine_code.function_of(kernel_text(), "copy", {})
            packing = machine_code.function_of(packing_text(block), "pack", {})
            made = partial(_PROTOTYPE(copying), packing)
        except CapabilityError as error:
            _warn_once(error)
    return _kernels.setdefault(block, made)


def _warn_once(error: CapabilityError) -> None:
    """Warn once if llvmlite is there and fails; never raises, so that copies are done where warnings are errors."""
    global _warned
    if not _warned:
        _warned = True
        cause = error.__cause__ or error
        with suppress(Exception):
            warnings.warn(f"copies are done by NumPy, as LLVM fails: {cause!r}", RuntimeWarning, stacklevel=2)
