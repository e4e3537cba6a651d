"""`linked`: a kernel for a kind of block, compiled."""

import ctypes
import threading
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from .bands import bands_text
from .blocks import LINE, Block
from .host_code.machine_code import function_of
from .kernels import kernel_text
from .packing import packing_text
from .tiles import ROOM
from .variants import Variant

__all__ = ["CopyKernel", "linked"]

CopyKernel: TypeAlias = Callable[[int, int, int, int, int], None]
"""Takes the addresses of the target, the source and the tiling, and the numbers of the first tile and the last one."""

_PROTOTYPE = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 7)


class _Buffer(threading.local):
    """The address of a buffer for tiles, of the thread that passes it: some have stacks that are too small for it."""

    def __init__(self) -> None:
        self._memory = np.empty(ROOM + LINE, np.uint8)
        start: int = self._memory.__array_interface__["data"][0]
        self._as_parameter_ = start + -start % LINE  # ctypes passes this


_buffer = _Buffer()


def linked(block: Block, variant: Variant) -> CopyKernel:
    """Return the kernel for a block.

    Raises
    ------
    CapabilityError
        If LLVM is missing or broken.
    OutOfMemoryError
        If there is too little memory for it.
    """
    copy = _PROTOTYPE(function_of(kernel_text(variant), "copy", {}))
    text = bands_text if block.form == "bands" else packing_text
    pack = function_of(text(block, variant), "pack", {})
    return partial(copy, pack, _buffer)
