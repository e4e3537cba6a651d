"""`CupyGraph`: work that the driver has recorded on a stream, and the memory that it uses besides its users' own."""

from collections.abc import Sequence
from functools import partial
from typing import Any, Protocol

__all__ = ["CupyGraph"]


class UsedBlock(Protocol):
    """A block of memory, as far as this module needs it."""

    def use(self, stream: Any) -> None:
        """Let a stream use the block from now on."""
        ...


class CupyGraph:
    """A graph of the driver.

    Parameters
    ----------
    native : cupy.cuda.Graph
        CuPy's graph.
    blocks : sequence of DeviceBlock
        Memory that was allocated for the work while it was recorded, as for the partial totals of a kernel. It stays
        allocated as long as the graph, and returns to CuPy's pool after the work of all streams that launched it.
    """

    __slots__ = ("_blocks", "_native")

    def __init__(self, native: Any, blocks: Sequence[UsedBlock]) -> None:
        self._native = native
        self._blocks = blocks

    def launch(self, stream: Any) -> None:
        """Submit the work to a `CupyStream`; see `accel.abc.DeviceGraph`."""
        if self._blocks:
            for block in self._blocks:
                block.use(stream)
        if stream.direct:
            stream.at_once(self._submit)
        else:
            stream.submit(partial(self._submit, stream))

    def _submit(self, stream: Any) -> None:
        self._native.launch(stream.native)
