"""All errors of the library; each is also a subclass of the built-in exception that fits it.

::

    AccelError
    ├── LayoutError (ValueError)                 no layout meets the request
    ├── BoundsError (IndexError)                 an index or range outside what exists
    │   └── KernelBoundsError                    an access of a kernel outside of a view, in debug mode
    ├── DTypeError (TypeError)                   an element type that cannot be used here
    ├── ConversionError (TypeError, ValueError)  an array that is no single number, where Python needs one
    ├── DeviceUnavailableError (RuntimeError)    a known device that this machine does not offer
    ├── DeviceMismatchError (ValueError)         memory of another device than the operation needs
    ├── DeviceLostError (RuntimeError)           the device failed; host data can still be saved
    ├── CapabilityError (NotImplementedError)    an operation this backend does not have
    ├── OutOfMemoryError (MemoryError)           the allocation could not be made
    ├── ReleasedError (RuntimeError)             use of memory that was released
    ├── ReadOnlyError (ValueError)               a write to memory that must not change
    ├── OverlapError (ValueError)                a destination whose elements share bytes
    ├── InFlightError (RuntimeError)             memory that a transfer is still using
    │   └── RaceError                            two streams use the same bytes unordered
    ├── FuseError (TypeError)                    a function that cannot be fused
    ├── NanError (FloatingPointError)            a NaN that was made of operands without one, in debug mode
    ├── KernelSyntaxError (SyntaxError)          Python that kernels do not support
    ├── KernelSignatureError (TypeError)         arguments that do not fit a kernel's parameters
    ├── KernelLaunchError (RuntimeError)         a launch that the device refused
    │   └── KernelCompileTimeoutError (TimeoutError)   a compiler that took too long
    ├── KernelCheckError (RuntimeError)          what a checked kernel did wrong, with reports
    │   ├── KernelMemoryError (KernelBoundsError)      an access out of bounds, after release or misaligned
    │   ├── KernelRaceError (RaceError)                threads use the same bytes unordered
    │   ├── KernelInitError (ValueError)               a read of memory that was never written
    │   ├── KernelSyncError                            a divergent barrier, a wrong mask, a deadlock
    │   ├── KernelBanksError                           conflicts of banks of shared memory
    │   ├── KernelOrderError                           results that depend on the order of the threads
    │   ├── KernelFaultError                           a stack overflow, a trap, a division by zero
    │   ├── KernelAssertError (AssertionError)         an assertion in a kernel
    │   └── KernelTimeoutError (TimeoutError)          a kernel that did not end in time
    ├── StoreError (RuntimeError)                a store that cannot be used so: unbound, bound twice, detached
    │   ├── StoreValueError (ValueError)         an argument that does not fit a store
    │   │   └── StoreSizeError (OverflowError)   a negative size
    │   ├── StoreTypeError (TypeError)           an argument of a task that does not fit its parameter
    │   ├── StoreIndexError (BoundsError, ValueError)  an index outside a store, a partition or an array
    │   └── NonInvertibleTransformation          a slice of an inner part of a dimension that was split
    ├── InterchangeError (BufferError)           an exchange with another library that broke its protocol
    └── FormatError (ValueError)                 a file or a pickle with invalid content

A message says what was asked, what was found, and what to write instead. `HostCopyWarning` is a RuntimeWarning.
"""

from contextlib import contextmanager
from typing import TYPE_CHECKING

from accel.support.lazy import listing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from accel.support.kernel_reports import KernelReport

__all__ = [
    "AccelError",
    "BoundsError",
    "CapabilityError",
    "ConversionError",
    "DTypeError",
    "DeviceLostError",
    "DeviceMismatchError",
    "DeviceUnavailableError",
    "FormatError",
    "FuseError",
    "HostCopyWarning",
    "InFlightError",
    "InterchangeError",
    "KernelAssertError",
    "KernelBanksError",
    "KernelBoundsError",
    "KernelCheckError",
    "KernelCompileTimeoutError",
    "KernelFaultError",
    "KernelInitError",
    "KernelLaunchError",
    "KernelMemoryError",
    "KernelOrderError",
    "KernelRaceError",
    "KernelSignatureError",
    "KernelSyncError",
    "KernelSyntaxError",
    "KernelTimeoutError",
    "LayoutError",
    "NanError",
    "NonInvertibleTransformation",
    "OutOfMemoryError",
    "OverlapError",
    "RaceError",
    "ReadOnlyError",
    "ReleasedError",
    "StoreError",
    "StoreIndexError",
    "StoreSizeError",
    "StoreTypeError",
    "StoreValueError",
]

__dir__ = listing(__name__, __all__)


class AccelError(Exception):
    """The base class of all errors of the library."""

    def __reduce__(self) -> str | tuple[object, ...]:
        # Defined here, so that tblib, which pickles errors for Dask, calls the class, not `__new__` of MemoryError.
        return super().__reduce__()


class LayoutError(AccelError, ValueError):
    """No layout meets the request: composition, complement, divisibility, contiguity."""


class BoundsError(AccelError, IndexError):
    """An index or a range outside what exists; nothing was read or written."""


class KernelBoundsError(BoundsError):
    """An access of a kernel outside of a view, found in debug mode; nothing outside of the view was written."""


class DTypeError(AccelError, TypeError):
    """An element type that cannot be used here, or a value it cannot hold exactly."""


class ConversionError(AccelError, TypeError, ValueError):
    """An array that is no single number, where Python needs one; the message has what to write."""


class DeviceUnavailableError(AccelError, RuntimeError):
    """A known device that this machine does not have; the message has the reason and how to add it."""


class DeviceMismatchError(AccelError, ValueError):
    """Memory on another device than the operation needs; the message has the conversion to write."""


class DeviceLostError(AccelError, RuntimeError):
    """The device failed and cannot be used any more in this process; data on the host can still be saved."""


class CapabilityError(AccelError, NotImplementedError):
    """An operation that the backend of this device does not support."""


class OutOfMemoryError(AccelError, MemoryError):
    """The allocation could not be made; nothing was changed."""


class ReleasedError(AccelError, RuntimeError):
    """Use of a handle after its memory was released."""


class ReadOnlyError(AccelError, ValueError):
    """A write to memory that must not change; nothing was written."""


class OverlapError(AccelError, ValueError):
    """A destination in which two elements share a byte; nothing was written."""


class InFlightError(AccelError, RuntimeError):
    """Access in strict mode to memory that a transfer or a kernel is still using."""


class RaceError(InFlightError):
    """Two streams, threads or iterations used the same bytes unordered, and one wrote; the message has both places."""


class FuseError(AccelError, TypeError):
    """A function that cannot be fused, as it needs elements while it is traced; nothing has run."""


class NanError(AccelError, FloatingPointError):
    """A NaN that was made of operands without one, found in debug mode; the message has the line."""


class KernelSyntaxError(AccelError, SyntaxError):
    """Python that kernels do not support; the message has file, line and construct."""


class KernelSignatureError(AccelError, TypeError):
    """Arguments that do not fit a kernel's parameters; the message has the parameter."""


class KernelLaunchError(AccelError, RuntimeError):
    """A launch that the device refused."""


class KernelCompileTimeoutError(KernelLaunchError, TimeoutError):
    """A compiler of CUDA or HIP that took longer than the setting ``compile_limit`` allows."""


class KernelCheckError(AccelError, RuntimeError):
    """What a kernel in CUDA or HIP did wrong on a simulated device; ``reports`` has the findings."""

    def __init__(self, message: str, reports: "tuple[KernelReport, ...]" = ()) -> None:
        super().__init__(message, reports)
        self.reports: tuple[KernelReport, ...] = reports

    def __str__(self) -> str:
        return str(self.args[0])


class KernelMemoryError(KernelCheckError, KernelBoundsError):
    """An access of a kernel out of bounds, after release, misaligned or to constant memory; it was not made."""


class KernelRaceError(KernelCheckError, RaceError):
    """Threads of a kernel used the same bytes unordered, and one wrote; the reports have both places."""


class KernelInitError(KernelCheckError, ValueError):
    """A read of memory that was never written, by a kernel."""


class KernelSyncError(KernelCheckError):
    """Threads of a kernel at different barriers, a warp operation with a wrong mask, or a deadlock."""


class KernelBanksError(KernelCheckError):
    """Accesses of a kernel to shared memory that take more passes than they need; the results are right."""


class KernelOrderError(KernelCheckError):
    """Results of a kernel that differ between orders of its threads, though nothing races, as sums of floats do."""


class KernelFaultError(KernelCheckError):
    """A kernel that was stopped: by a stack overflow, a trap, an integer division by zero or an invalid address."""


class KernelAssertError(KernelCheckError, AssertionError):
    """An assertion in a kernel that did not hold."""


class KernelTimeoutError(KernelCheckError, TimeoutError):
    """A kernel that did not end within the limit of time; the reports have where each thread was."""


class StoreError(AccelError, RuntimeError):
    """A store that cannot be used in this way: it is unbound, bound already, detached, or its task failed."""


class StoreValueError(StoreError, ValueError):
    """An argument that does not fit a store; the message has what would."""


class StoreSizeError(StoreValueError, OverflowError):
    """A negative size of a dimension, a tile or a color space."""


class StoreTypeError(StoreError, TypeError):
    """An argument of a task that does not fit its parameter, or a body that returns something."""


class StoreIndexError(StoreError, BoundsError, ValueError):
    """An index outside a dimension, a partition or the children of an array."""


class NonInvertibleTransformation(StoreError):  # noqa: N818 - Legate's name
    """A slice or a projection of an inner part of a dimension that `delinearize` split."""


class InterchangeError(AccelError, BufferError):
    """An exchange with another library that broke its protocol; the message names the producer."""


class FormatError(AccelError, ValueError):
    """A file or a pickle with invalid content; nothing was allocated for it."""


class HostCopyWarning(RuntimeWarning):
    """An array on a device was copied to the host for a function that cannot read it there (``host_copies="warn"``)."""


@contextmanager
def reading_pickled(what: str) -> "Iterator[None]":
    """Raise `FormatError` for any error that invalid pickled data causes in a ``with`` block."""
    try:
        yield
    except (TypeError, ValueError, IndexError, OverflowError, BufferError) as error:
        raise FormatError(f"this is no pickled {what}: {error!s:.500}") from None
