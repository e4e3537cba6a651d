"""The cpu backend is a backend, and recycles small blocks."""

import pytest

from accel import Device
from accel.errors import CapabilityError
from accel.memory import heap_of
from accel.testing import BackendConformance
from accel.testing.conformance import lent


class TestCpu(BackendConformance):
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

    def test_the_pool_is_bounded(self, heap):
        blocks = [heap.allocate(65_536) for _ in range(400)]
        for block in blocks:
            with heap.gate:
                heap.free(block)
        assert heap.backend._pool._kept <= 1 << 24

    def test_a_stream_is_refused_and_says_what_to_write(self, heap):
        with pytest.raises(CapabilityError, match="stream=None"):
            heap.allocate(10, stream=object())

    def test_an_overaligned_block_is_recycled_like_any_other(self, heap):
        with lent(heap, 100, 4096) as block:
            assert block.nbytes % 64 == 0


@pytest.mark.usefixtures("toy")
class TestToy(BackendConformance):
    """The suite accepts another backend, so it is not a portrait of one."""

    device = Device.SIM

    @pytest.mark.parametrize("alignment", [1, 8, 64, 256, 4096])
    def test_the_toy_is_not_the_host(self, heap, alignment):
        assert heap.backend is not heap_of(Device.CPU).backend
