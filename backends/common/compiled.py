"""The compiled kernels. A kernel is compiled once NumPy has spent as much time as that would take.

Where a kernel is missing, for whatever reason, NumPy does the copy: no copy fails because of LLVM. Several threads may
compile the same kernel at once, as then the second one finds it made. The first kernels are of the usual variant; if
another one is found to be faster on this processor, in the background, kernels of that one take their places.
"""

import warnings
from contextlib import suppress
from typing import TYPE_CHECKING

from accel.errors import CapabilityError, OutOfMemoryError
from accel.support import host_compiler
from accel.support.background import BACKGROUND

from . import thresholds
from .blocks import Block
from .variants import USUAL, Variant

if TYPE_CHECKING:
    from .linked import CopyKernel

__all__ = ["add_numpy_time", "kernel"]

_kernels: "dict[Block, CopyKernel | None]" = {}
_numpy_seconds: dict[Block, float] = {}
_variant: Variant | None = None
"""The fastest one on this processor; None as long as that is not known."""
_warned = False


def kernel(block: Block, nbytes: int) -> "CopyKernel | None":
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


def _compiled(block: Block) -> "CopyKernel | None":
    from .host_code import machine_code
    from .linked import linked

    if not machine_code.is_free(thresholds.COMPILING):
        return None
    made: CopyKernel | None = None
    if not host_compiler.missing():
        try:
            made = linked(block, _chosen())
        except CapabilityError as error:
            _warn_once(error)
    made = _kernels.setdefault(block, made)
    if made and _variant is None:
        BACKGROUND.submit("copies", _measure)
    return made


def _chosen() -> Variant:
    global _variant
    if _variant is None:
        from .fastest import remembered

        _variant = remembered()
    return _variant or USUAL


def _measure() -> None:
    """Replace the kernels if those of another variant are faster."""
    global _variant
    from .fastest import measured
    from .linked import linked

    _variant = measured()
    if _variant != USUAL:
        made = [block for block, kernel in tuple(_kernels.items()) if kernel is not None]
        _kernels.update({block: linked(block, _variant) for block in made})


def _warn_once(error: CapabilityError) -> None:
    """Warn once if llvmlite is there and fails; never raises, so that copies are done where warnings are errors."""
    global _warned
    if not _warned:
        _warned = True
        cause = error.__cause__ or error
        with suppress(Exception):
            warnings.warn(f"copies are done by NumPy, as LLVM fails: {cause!r}", RuntimeWarning, stacklevel=2)
