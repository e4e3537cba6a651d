"""Every error the library raises, each of them also the builtin a stranger would catch.

::

    AccelError
    ├── LayoutError (ValueError)                 no layout satisfies the request
    ├── BoundsError (IndexError)                 an index or range outside what exists
    ├── DTypeError (TypeError)                   an element type that cannot be used here
    ├── DeviceUnavailableError (RuntimeError)    a known device that this machine does not offer
    ├── DeviceMismatchError (ValueError)         memory of another device than the operation needs
    ├── DeviceLostError (RuntimeError)           the driver gave up; host data can still be saved
    ├── CapabilityError (NotImplementedError)    an ability this backend does not have
    ├── OutOfMemoryError (MemoryError)           the allocation could not be made
    ├── ReleasedError (RuntimeError)             use of memory that was given back
    ├── ReadOnlyError (ValueError)               a write to memory that must not change
    ├── OverlapError (ValueError)                a destination that names a byte twice
    ├── InFlightError (RuntimeError)             memory that a transfer is still using
    │   └── RaceError                            two streams on the same bytes, in no order
    ├── KernelSyntaxError (SyntaxError)          Python that the kernel language does not have
    ├── KernelSignatureError (TypeError)         arguments that do not fit a kernel's parameters
    ├── KernelLaunchError (RuntimeError)         a launch that the device refused
    ├── InterchangeError (BufferError)           an exchange with another library that broke its rules
    └── FormatError (ValueError)                 a file or a pickle that is not what it says

A message says what was asked, what was found, and what to write instead.
"""

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "AccelError",
    "BoundsError",
    "CapabilityError",
    "DTypeError",
    "DeviceLostError",
    "DeviceMismatchError",
    "DeviceUnavailableError",
    "FormatError",
    "InFlightError",
    "InterchangeError",
    "KernelLaunchError",
    "KernelSignatureError",
    "KernelSyntaxError",
    "LayoutError",
    "OutOfMemoryError",
    "OverlapError",
    "RaceError",
    "ReadOnlyError",
    "ReleasedError",
]


class AccelError(Exception):
    """The root of the tree: catches whatever the library itself reports."""


class LayoutError(AccelError, ValueError):
    """No layout satisfies the request: composition, complement, divisibility, contiguity."""


class BoundsError(AccelError, IndexError):
    """An index or a range outside what exists; nothing was read or written."""


class DTypeError(AccelError, TypeError):
    """An element type that cannot be used here, or a value it cannot hold exactly."""


class DeviceUnavailableError(AccelError, RuntimeError):
    """A known device that this machine does not offer; names the reason and the remedy."""


class DeviceMismatchError(AccelError, ValueError):
    """Memory of another device than the operation needs; names the conversion to write."""


class DeviceLostError(AccelError, RuntimeError):
    """The driver gave up on the device; data on the host can still be saved."""


class CapabilityError(AccelError, NotImplementedError):
    """An ability that the backend of this device does not have."""


class OutOfMemoryError(AccelError, MemoryError):
    """The allocation could not be made; nothing was left half done."""


class ReleasedError(AccelError, RuntimeError):
    """Use of a handle after it gave its memory back."""


class ReadOnlyError(AccelError, ValueError):
    """A write to memory that must not change; nothing was written."""


class OverlapError(AccelError, ValueError):
    """A destination in which two elements share a byte; nothing was written."""


class InFlightError(AccelError, RuntimeError):
    """Memory that a transfer or a kernel is still using, touched in strict mode."""


class RaceError(InFlightError):
    """Two streams used the same bytes in no order, and one of them wrote; names both places in the code."""


class KernelSyntaxError(AccelError, SyntaxError):
    """Python that the kernel language does not have; names file, line and construct."""


class KernelSignatureError(AccelError, TypeError):
    """Arguments that do not fit a kernel's parameters; names the parameter."""


class KernelLaunchError(AccelError, RuntimeError):
    """A launch that the device refused."""


class InterchangeError(AccelError, BufferError):
    """An exchange with another library that broke its rules; names the producer."""


class FormatError(AccelError, ValueError):
    """A file or a pickle that is not what it says; nothing was allocated for it."""


@contextmanager
def reading_pickled(what: str) -> "Iterator[None]":
    """Raise `FormatError` where what came out of a pickle does not fit together."""
    try:
        yield
    except (TypeError, ValueError, IndexError, OverflowError, BufferError) as error:
        raise FormatError(f"this is no pickled {what}: {error!s:.500}") from None
