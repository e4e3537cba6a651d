"""`linked`: a kernel for a kind of block, compiled."""

import ctypes
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

from .blocks import Block
from .host_code.machine_code import function_of
from .kernels import kernel_text
from .packing import packing_text
from .variants import Variant

__all__ = ["CopyKernel", "linked"]

CopyKernel: TypeAlias = Callable[[int, int, int, int, int], None]
"""Takes the addresses of the target, the source and the tiling, and the numbers of the first tile and the last one."""

_PROTOTYPE = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 6)


def linked(block: Block, variant: Variant) -> CopyKernel:
    """Return the kernel for a block.

    Raises
    ------
    CapabilityError
        If LLVM is missing or broken.
    OutOfMemoryError
        If there is too little memory for it.
    """
    copy = function_of(kernel_text(variant), "copy", {})
    return partial(_PROTOTYPE(copy), function_of(packing_text(block, variant), "pack", {}))
