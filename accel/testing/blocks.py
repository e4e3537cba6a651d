"""Helpers of the conformance tests: allocate blocks, and read and write their bytes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from accel.abc import Block, ExternalAllocation, Span
from accel.device import Device
from accel.memory import Heap, heap_of

__all__ = ["Bytes", "give_back", "host_span", "lent", "random_bytes", "read", "write"]

Bytes = np.ndarray[Any, np.dtype[np.uint8]]


@contextmanager
def lent(heap: Heap, nbytes: int, alignment: int = 1) -> Iterator[Block]:
    """Allocate a block, and free it after the ``with`` block."""
    block = heap.allocate(nbytes, alignment=alignment)
    try:
        yield block
    finally:
        give_back(heap, block)


def give_back(heap: Heap, *blocks: Block) -> None:
    """Free blocks, with the lock of the heap held."""
    for block in blocks:
        with heap.lock:
            heap.free(block)


def random_bytes(nbytes: int) -> Bytes:
    """Return random bytes that depend only on their number."""
    return np.random.default_rng(nbytes).integers(0, 256, nbytes, dtype=np.uint8)


def write(heap: Heap, block: Block, data: Bytes) -> None:
    """Copy bytes from the host to a block."""
    heap.backend.copy(Span(block, 0, data.nbytes), host_span(data), stream=None)
    heap.backend.synchronize(heap.device)


def read(heap: Heap, block: Block, nbytes: int) -> Bytes:
    """Copy the first bytes of a block to the host."""
    result = np.empty(nbytes, np.uint8)
    heap.backend.copy(host_span(result), Span(block, 0, nbytes), stream=None)
    heap.backend.synchronize(heap.device)
    return result


def host_span(array: Bytes) -> Span:
    """Return a span on the bytes of a NumPy array."""
    host = heap_of(Device.CPU).backend
    return Span(host.adopt(ExternalAllocation(array.nbytes, native=array)), 0, array.nbytes)
