"""`Launcher`: launches of one kernel on one device whose order is certain without events; see `memory.stream_order`."""

from collections.abc import Callable
from typing import Any

from accel.abc import CurrentStream, Event, PreparesLaunches, Stream
from accel.kernels.grids import Dim3
from accel.kernels.raw.launcher_code import launch_function, packing
from accel.kernels.raw.parameters import Parameter
from accel.memory.heap import Heap
from accel.memory.storage_work import Use
from accel.memory.stream_order import record_again

__all__ = ["Launcher", "launcher"]

_MOST_KNOWN = 256


class Launcher:
    """Launches a kernel on the current stream of its device, if it need not wait for other work.

    Attributes
    ----------
    heap : Heap
        The memory of the device.

    Parameters
    ----------
    start : callable
        The generated code.
    uses : callable
        Returns the uses of memory of some arguments.
    """

    __slots__ = ("_geometries", "_start", "_uses", "heap")

    def __init__(self, heap: Heap, start: Callable[..., bool], uses: Callable[[Any], list[Use]]) -> None:
        self.heap = heap
        self._start = start
        self._uses = uses
        self._geometries: dict[Any, tuple[Dim3, Dim3, int]] = {}

    def remember(self, extents: Any, grid: Dim3, block: Dim3, shared: int) -> None:
        """Remember what the arguments ``grid``, ``block``, ``over`` and ``shared`` of a launch mean."""
        if 0 not in grid and _is_plain(extents):
            if len(self._geometries) >= _MOST_KNOWN:
                self._geometries.clear()
            self._geometries[extents] = grid, block, shared

    def __call__(self, arguments: tuple[Any, ...], extents: Any, stream: Stream | None) -> Event | None:
        """Launch the kernel on a stream, by default the current one, and return an event after it.

        None if nothing was done.
        """
        try:
            geometry = self._geometries[extents]
        except (KeyError, TypeError):  # or a list, which has no hash
            return None
        heap = self.heap
        queue = heap.stream if stream is None else stream
        if stream is not None and not (isinstance(stream, CurrentStream) and stream.device is heap.device):
            return None
        if not queue.direct or not heap.plain:  # type: ignore[union-attr]
            return None
        # As `try_in_order`, written out: a call for each check would cost a launch a tenth of its time.
        gate = heap.gate
        with gate.lock:
            if heap.changing:
                return None
            heap.changing = True
            try:
                opened, closings = heap.opened(queue), gate.closings  # type: ignore[arg-type]
                if not self._start(arguments, *geometry, queue, opened):
                    return None
                if gate.closings != closings:
                    opened = record_again(heap, queue, self._uses(arguments))  # type: ignore[arg-type]
                event = opened if stream is None else stream.record()
            finally:
                heap.changing = False
        if heap.deferred:
            heap.run_deferred()
        return event


def _is_plain(extents: Any) -> bool:
    """Return whether there are only integers, and tuples of them: others may have no hash, or change."""
    return all(
        all(type(part) is int for part in each) if type(each) is tuple else each is None or type(each) is int
        for each in extents
    )


def launcher(
    heap: Heap, executable: object, parameters: tuple[Parameter, ...], uses: Callable[[Any], list[Use]]
) -> Launcher | None:
    """Return a launcher for a compiled kernel; None if its backend or an argument's dtype needs the general way."""
    if all(parameter.rank is None for parameter in parameters):  # its arguments do not say which device it is for
        return None
    packed = packing(parameters)
    if packed is None or not isinstance(executable, PreparesLaunches) or heap.in_order is None:
        return None
    layout, offsets = packed
    prepared = executable.prepare(offsets, layout.size)
    names = {"pack": layout.pack_into, "memory": prepared.memory, "start": prepared.start}
    return Launcher(heap, launch_function(parameters, names), uses)
