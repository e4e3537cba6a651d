"""The cpu backend conforms to the protocol, and reuses small blocks."""

import gc
import os
import random
from pathlib import Path

import pytest

import accel
from accel import Device
from accel.errors import CapabilityError
from accel.memory import heap_of
from accel.memory.pool import rounded
from accel.testing import BackendConformance, KernelConformance
from accel.testing.blocks import give_back, lent


def resident():
    """Return the resident set size of the process in bytes."""
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")


class TestCpu(KernelConformance, BackendConformance):
    device = Device.CPU

    def test_a_small_block_is_given_again(self, heap):
        with lent(heap, 8000) as block:
            first = block
        with lent(heap, 7990) as block:
            assert block is first

    def test_large_blocks_are_not_kept(self, heap):
        with lent(heap, 1 << 20) as block:
            first = block
        with lent(heap, 1 << 20) as block:
            assert block is not first

    def test_pages_of_large_cleared_blocks_are_taken_at_their_first_use(self):
        before = resident()
        zeros = accel.zeros(1 << 27)
        assert resident() - before < 1 << 26
        assert zeros[1 << 26] == 0.0

    def test_the_pool_is_bounded(self, heap):
        blocks = [heap.allocate(65_536) for _ in range(400)]
        give_back(heap, *blocks)
        assert sum(block.nbytes for block in heap.backend._pool._free[65_536]) <= 1 << 19

    def test_few_sizes_serve_all(self):
        sizes = {rounded(nbytes) for nbytes in range(1, 65_537)}
        assert len(sizes) < 50
        assert all(nbytes <= rounded(nbytes) < 1.25 * nbytes + 64 for nbytes in range(1, 65_537))
        assert all(rounded(size) == size and size % 64 == 0 for size in sizes)

    def test_what_is_kept_holds_few_slabs(self, heap):
        """Whatever the order of frees, the blocks in use keep little more memory than their own."""
        heap.backend._pool.trim()
        before = resident()
        blocks = [heap.allocate(8000) for _ in range(20_000)]
        for block in blocks:
            block.native[:] = 1
        random.Random(0).shuffle(blocks)
        give_back(heap, *blocks)
        del blocks, block
        gc.collect()
        assert resident() - before < 64 << 20

    def test_a_stream_is_refused_and_says_what_to_write(self, heap):
        with pytest.raises(CapabilityError, match="stream=None"):
            heap.allocate(10, stream=object())

    def test_an_overaligned_block_is_recycled_like_any_other(self, heap):
        with lent(heap, 100, 4096) as block:
            assert block.nbytes % 64 == 0


@pytest.mark.usefixtures("toy")
class TestToy(BackendConformance):
    """The conformance suite accepts another backend too, so it does not describe only one."""

    device = Device.SIM

    @pytest.mark.parametrize("alignment", [1, 8, 64, 256, 4096])
    def test_the_toy_is_not_the_host(self, heap, alignment):
        assert heap.backend is not heap_of(Device.CPU).backend
