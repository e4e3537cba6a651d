"""The lines that start a kernel with the gate of a device held, if its order is certain without events.

They do what `accel.memory.stream_order.try_in_order` does, written out: a call for each memory would cost a launch more
than the driver does. The usual uses of memory are recognised in the lines; `covered` decides about all others.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from accel.abc.stream import current_streams
from accel.kernels.launch_code import MISSED, Code, indented
from accel.memory.heap import Heap
from accel.memory.stream_order import covered, record_again
from accel.memory.submission import Submission

__all__ = ["Gated", "write_gate"]

_IDLE: tuple[tuple[Any, ...], ...] = ((), (), ())
_NOBODY = ((0, 0, Submission()),)
"""An access that covers nothing: its work is on no stream."""


class Gated(NamedTuple):
    """Memory that a kernel uses: the lines name its storage ``s{i}``, and get its address as ``p{i}``.

    Attributes
    ----------
    i : int
        The number of the argument.
    writes : bool
        Whether the kernel may write it.
    nbytes : str
        The expression of the bytes of the storage.
    distance : str
        The expression of the distance in bytes of the first element from the start of the storage.
    alignment : int
        Bytes of which the address must be a multiple.
    """

    i: int
    writes: bool
    nbytes: str
    distance: str
    alignment: int = 1


def write_gate(heap: Heap, memory: Sequence[Gated], before: Sequence[str], start: str, code: Code) -> None:
    """Append the lines of a launch on ``stream``, by default the current one, and return an event after it.

    Parameters
    ----------
    heap : Heap
        The memory of the device.
    memory : sequence of Gated
        The memory that the kernel uses; there is some.
    before : sequence of str
        Lines before the start, which know the addresses.
    start : str
        The expression that starts the kernel on ``queue``, and tells whether it did.
    code : Code
        Gets the lines, and the objects that they name.
    """
    code.scope.update(
        covered=covered,
        default=heap.default_stream(),
        device=heap.device,
        gate=heap.gate,
        heap=heap,
        idle=_IDLE,
        lock=heap.gate.lock,
        nobody=_NOBODY,
        opened_on=heap.opened,
        record_again=record_again,
        streams=current_streams.get,
        MISSED=MISSED,
    )
    uses = ", ".join(f"(s{each.i}, {each.writes})" for each in memory)
    held = [
        "opened, closings = heap.last_opened, gate.closings",
        "if opened.queue is not queue: opened = opened_on(queue)",
        *[line for each in memory for line in _address(each)],
        *before,
        f"if not {start}: return MISSED",
        f"if gate.closings != closings: opened = record_again(heap, queue, ({uses},))",
    ]
    code.lines.extend(
        [
            "if stream is None:",
            "    inner = streams()",
            "    queue = default if not inner else inner[-1] if inner[-1].device is device else heap.stream",
            'elif getattr(stream, "device", None) is device: queue = stream',
            "else: return MISSED",
            "if not heap.plain: return MISSED",
            "with lock:",
            "    if heap.changing: return MISSED",
            "    heap.changing = True",
            "    try:",
            *indented(indented(held)),
            "    finally: heap.changing = False",
            "if heap.deferred: heap.run_deferred()",
            "return opened",
        ]
    )


def _address(memory: Gated) -> list[str]:
    """Return the lines that check memory, and find its address."""
    i, writes, nbytes, distance, alignment = memory
    # The last write is open and alone, or there was none and the first read is open.
    usual = [
        "w == u",
        "len(w) < 2",
        "k.queue is queue",
        "k.sound",
        f"low <= p{i}",
        f"p{i} + {nbytes} <= high",
    ]
    usual += ["w", "not r"] if writes else []
    # Or the last write is done or closed, and the first read since then is open.
    read = [
        "r",
        "w == u",
        "len(w) == 1",
        "r[0][2].queue is queue",
        "k.sound",
        f"low <= r[0][0] <= p{i}",
        f"p{i} + {nbytes} <= r[0][1] <= high",
    ]
    otherwise = "" if writes else f"not ({' and '.join(read)}) and "
    return [
        f"o = s{i}._owner",
        "if o is None or o.external is not None: return MISSED",
        "b = o.allocation",
        f"if b is None{f' or s{i}._const or o.readonly' if writes else ''}: return MISSED",
        f"p{i} = b.pointer + s{i}._start",
        "w, r, u = o.hazard_record.hazards or idle",
        "low, high, k = (w or r or nobody)[0]",
        f"if not ({' and '.join(usual)}) and {otherwise}covered(s{i}, {writes}, queue, opened) < 0: return MISSED",
        *([] if distance == "0" else [f"p{i} += {distance}"]),
        *([] if alignment == 1 else [f"if p{i} % {alignment}: return MISSED"]),
    ]
