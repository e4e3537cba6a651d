"""`Backend`: what an object must implement to serve a type of device.

`accel.abc.optional` has the protocols that a backend may implement besides. `accel.testing.BackendConformance` tests
the promises of this page.
"""

import sys
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from accel.abc.block import Block, Span
from accel.abc.external import ExternalAllocation
from accel.abc.operand import Operand
from accel.abc.plan import Plan
from accel.abc.stream import Stream
from accel.device import Device
from accel.dtypes import DType

__all__ = ["Backend", "Limits"]


class Limits(NamedTuple):
    """Amounts in which devices differ.

    Attributes
    ----------
    memory : int
        Memory of the device in bytes; 0 if the backend does not know.
    alignment : int
        Alignment in bytes of every block whose caller asks for no more; a power of two.
    warp : int
        Number of threads that run in step; 1 on a CPU.
    dtypes : collection of numpy.dtype
        Element types that the device computes with.
    grid : tuple of three ints
        Most blocks of threads in one launch, along each axis; one if the device runs no kernels with a grid.
    threads : int
        Most threads in one launch along each axis, over all blocks, if that is fewer than the grid allows.
    parameters : int
        Most bytes of the parameters of a kernel.
    concurrency : int
        Iterations of a loop that keep the device busy, if each is a thread; 1 where threads compute neighbours
        together, by vectors.
    """

    memory: int
    alignment: int
    warp: int
    dtypes: Collection[DType]
    grid: tuple[int, int, int] = (1, 1, 1)
    threads: int = sys.maxsize
    parameters: int = sys.maxsize
    concurrency: int = 1


@runtime_checkable
class Backend(Protocol):
    """The required members of a backend.

    Accel calls `allocate` and `free` of one device one at a time. It may call the other members from several threads
    at once. A backend raises errors of `accel.errors` in place of those of the library that it uses.

    ``stream`` is None or a stream that the backend made; None means the stream that is current, or else the default
    one. A backend without streams (see `SupportsStreams`) always gets None, and finishes its work before it returns.
    """

    @property
    def name(self) -> str:
        """A short name, as in ``cpu``; an identifier."""
        ...

    def devices(self) -> Sequence[Device]:
        """Return the devices of this machine that the backend can use now."""
        ...

    def why_unavailable(self) -> Mapping[str, str]:
        """Return why devices are missing, and the remedy, by device (``cuda:1``) or by type of device (``cuda``)."""
        ...

    def limits(self, device: Device) -> Limits:
        """Return the limits of a device.

        Parameters
        ----------
        device : Device
            The device.
        """
        ...

    def allocate(self, device: Device, nbytes: int, *, alignment: int, stream: Stream | None) -> Block:
        """Return a new block of at least ``nbytes`` uninitialised bytes; 0 is a valid size.

        Its address is a multiple of ``alignment`` and of `Limits.alignment`. Each call returns a new object, also for
        0 bytes.

        Parameters
        ----------
        device : Device
            The device.
        nbytes : int
            The size in bytes.
        alignment : int
            What the address is a multiple of.
        stream : Stream, optional
            The stream that uses the block first; None for the host.

        Raises
        ------
        OutOfMemoryError
            If there is not enough memory; nothing has changed then.
        ValueError
            If ``alignment`` is not a power of two.
        """
        ...

    def free(self, block: Block, *, stream: Stream | None) -> None:
        """Take back a block of `allocate`.

        Parameters
        ----------
        block : Block
            The block.
        stream : Stream, optional
            The stream that used it last; None for the host.
        """
        ...

    def adopt(self, external: ExternalAllocation) -> Block:
        """Return a block on memory that was allocated elsewhere; it is never given to `free`.

        Parameters
        ----------
        external : ExternalAllocation
            The memory.
        """
        ...

    def copy(self, target: Span, source: Span, *, stream: Stream | None) -> None:
        """Copy bytes between two spans of equal size, which may overlap.

        Each span is in memory of this backend or of the host. The copy is ordered by the stream and may return early.

        Parameters
        ----------
        target : Span
            The bytes that are written.
        source : Span
            The bytes that are read.
        stream : Stream, optional
            The stream of the work; None for the default one.
        """
        ...

    def copy_strided(self, target: Operand, source: Operand, plan: Plan, *, stream: Stream | None) -> None:
        """Copy elements of equal dtype as the plan says.

        At least one operand is in memory of this backend; the other may be in memory of the host. The copy is ordered
        by the stream and may return early.

        Parameters
        ----------
        target : Operand
            The elements that are written.
        source : Operand
            The elements that are read.
        plan : Plan
            How to copy.
        stream : Stream, optional
            The stream of the work; None for the default one.
        """
        ...

    def fill(self, target: Operand, value: Any, *, stream: Stream | None) -> None:
        """Set every element of the target to a scalar of its dtype; ordered by the stream, and may return early.

        Parameters
        ----------
        target : Operand
            The elements that are written.
        value : Any
            The scalar.
        stream : Stream, optional
            The stream of the work; None for the default one.
        """
        ...

    def synchronize(self, device: Device) -> None:
        """Wait until all work on the device is done.

        Parameters
        ----------
        device : Device
            The device.
        """
        ...
