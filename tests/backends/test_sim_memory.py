"""The memory of simulated devices: separate from the host's, poisoned, limited, and refused after it was freed."""

import gc

import numpy as np
import pytest
from accel.backends.sim import device_memory

import accel
from accel import Device, xp
from accel.abc import Block, ExternalAllocation, Span
from accel.errors import BoundsError, OutOfMemoryError, ReleasedError
from accel.memory import heap_of
from accel.testing.blocks import give_back, host_span, lent, random_bytes, read, write

KIB = 1 << 10
pytestmark = pytest.mark.usefixtures("sim")


class TestAnotherAddressSpace:
    @pytest.mark.parametrize("look", [memoryview, bytes, np.frombuffer, len, iter, lambda native: native[0]])
    def test_the_host_cannot_look_into_it(self, heap, look):
        with lent(heap, 100) as block, pytest.raises(TypeError):
            look(block.native)

    def test_nor_does_numpy(self, heap):
        with lent(heap, 100) as block:
            assert np.asarray(block.native).dtype == object
            assert not [name for name in dir(block.native) if name.startswith(("__array", "__dlpack", "__buffer"))]

    def test_addresses_are_no_addresses_of_the_host_and_differ_by_device(self):
        heaps = [heap_of(device) for device in Device.available("sim")]
        blocks = [heap.allocate(100) for heap in heaps]
        for heap, block in zip(heaps, blocks, strict=True):
            give_back(heap, block)
        pointers = {block.pointer for block in blocks}
        assert len(pointers) == len(heaps) == 4
        assert all(pointer >= 1 << 48 and pointer % 64 == 0 for pointer in pointers)

    def test_memory_is_found_by_an_address_inside(self, sim, heap):
        with lent(heap, 1000) as block:
            adopted = sim.adopt(ExternalAllocation(100, pointer=block.pointer + 900))
            write(heap, adopted, random_bytes(100))
            assert np.array_equal(read(heap, block, 1000)[900:], random_bytes(100))
            for start, nbytes in ((901, 100), (-1, 10)):
                with pytest.raises(ValueError, match=f"no simulated device has {nbytes} bytes at"):
                    sim.adopt(ExternalAllocation(nbytes, pointer=block.pointer + start))

    def test_objects_of_the_host_are_not_adopted(self, sim):
        with pytest.raises(TypeError, match=r"ndarray is not memory of a simulated device.*get_buffer"):
            sim.adopt(ExternalAllocation(10, native=np.zeros(10)))

    @pytest.mark.parametrize(("start", "nbytes"), [(0, 101), (1, 100), (-1, 10), (100, 1)])
    def test_nothing_outside_a_block_is_copied(self, sim, heap, start, nbytes):
        with lent(heap, 100) as block:
            for target, source in ((0, 1), (1, 0)):
                spans = (Span(block, start, nbytes), host_span(np.zeros(nbytes, np.uint8)))
                with pytest.raises(BoundsError, match="of a block of 100"):
                    sim.copy(spans[target], spans[source], stream=None)

    def test_spans_of_two_sizes_are_refused(self, sim, heap):
        with lent(heap, 100) as block, pytest.raises(ValueError, match="50 bytes cannot be copied to 40"):
            sim.copy(Span(block, 0, 40), Span(block, 50, 50), stream=None)

    def test_devices_reach_one_another(self):
        a = accel.container(np.arange(100), device="sim")
        assert a.to("sim:1").to("sim:3").to_numpy().tolist() == list(range(100))


class TestPoison:
    def test_fresh_bytes(self, heap):
        with lent(heap, 100) as block:
            assert set(read(heap, block, 100).tolist()) == {0xFF}

    def test_bytes_that_were_freed_and_had_again(self, heap):
        with lent(heap, 100) as block:
            write(heap, block, random_bytes(100))
            first = block.pointer
        with lent(heap, 100) as block:
            assert block.pointer == first
            assert set(read(heap, block, 100).tolist()) == {0xFF}

    def test_shows_in_what_is_computed(self):
        assert xp.isnan(xp.sum(xp.empty(10, device="sim")))
        assert xp.all(xp.empty(10, dtype="int32", device="sim") == -1)
        assert xp.all(xp.isnan(xp.asarray(accel.empty(10, "float32", "sim"))))


class TestLimits:
    def test_memory_is_what_is_configured(self, sim):
        with accel.using(sim_memory=12345):
            assert sim.limits(Device.SIM).memory == 12345

    def test_out_of_memory_says_what_was_asked_what_is_free_and_the_largest_hole(self, heap):
        with accel.using(sim_memory=64 * KIB):
            blocks = [heap.allocate(16 * KIB) for _ in range(4)]
            give_back(heap, blocks[0], blocks[2])
            with pytest.raises(OutOfMemoryError, match=r"^20000 .* on sim: 32768 of its 65536 .* hole has 16384;"):
                heap.allocate(20_000)
            give_back(heap, blocks[1], blocks[3])

    def test_holes_become_one_in_whatever_order(self, heap):
        with accel.using(sim_memory=64 * KIB):
            for order in ((0, 1, 2, 3), (3, 2, 1, 0), (1, 3, 0, 2), (2, 0, 3, 1)):
                blocks = [heap.allocate(16 * KIB) for _ in range(4)]
                give_back(heap, *(blocks[place] for place in order))
                with lent(heap, 64 * KIB) as block:
                    assert block.nbytes == 64 * KIB

    @pytest.mark.gil
    def test_results_count(self, sim):
        x = xp.zeros(KIB, device="sim")
        before = sim.used(Device.SIM)
        y = x + 1
        assert sim.used(Device.SIM) - before == 8 * KIB
        with accel.using(sim_memory=before + 8 * KIB), pytest.raises(OutOfMemoryError, match=r"^8192 bytes"):
            x + 1
        del y
        assert sim.used(Device.SIM) == before
        assert float(xp.sum(x)) == 0

    def test_a_result_that_no_machine_could_hold(self):
        with pytest.raises(OutOfMemoryError, match="on sim"):
            xp.ones((1 << 22, 1 << 22), device="sim")

    def test_each_device_has_its_own(self):
        with accel.using(sim_memory=64 * KIB):
            kept = [accel.empty(60 * KIB, "uint8", device) for device in ("sim", "sim:1")]
            assert [each.nbytes for each in kept] == [60 * KIB] * 2


class TestFreed:
    def test_late_work_says_where_it_was_submitted_and_where_the_memory_was_freed(self, sim, heap):
        stream = sim.new_stream(Device.SIM)
        for free_source in (True, False):
            first, second = heap.allocate(100), heap.allocate(100)
            sim.copy(Span(first, 0, 100), Span(second, 0, 100), stream=stream)
            give_back(heap, second if free_source else first)
            with pytest.raises(
                ReleasedError, match=r"<100 bytes of sim at 0x.*were freed at .*test_sim_memory\.py"
            ) as caught:
                stream.synchronize()
            assert "test_sim_memory.py" in caught.value.__notes__[0]
            give_back(heap, first if free_source else second)

    def test_memory_freed_in_order_is_there_until_then(self, sim, heap):
        stream, result = sim.new_stream(Device.SIM), np.zeros(100, np.uint8)
        block = sim.allocate(Device.SIM, 100, alignment=1, stream=stream)
        sim.copy(host_span(result), Span(block, 0, 100), stream=stream)
        sim.free(block, stream=stream)
        assert sim.adopt(ExternalAllocation(100, pointer=block.pointer)).native is block.native
        stream.synchronize()
        assert set(result) == {0xFF}
        sim.copy(host_span(result), Span(block, 0, 100), stream=stream)
        with pytest.raises(ReleasedError, match=r"test_sim_memory\.py"):
            stream.synchronize()

    def test_freeing_twice(self, heap, sim):
        block = heap.allocate(10)
        give_back(heap, block)
        for stream in (None, sim.new_stream(Device.SIM)):
            with pytest.raises(ReleasedError, match=r"were freed at .*test_sim_memory\.py"):
                sim.free(block, stream=stream)

    def test_arrays_on_it_are_refused(self, sim, heap):
        block = heap.allocate(80)
        operand = accel.abc.Operand(Span(block, 0, 80), 0, np.dtype("float64"), (10,), (8,))
        array = sim.array(operand, None)
        give_back(heap, block)
        with pytest.raises(ReleasedError, match="were freed at"):
            array + 1


class TestUseAfterFree:
    def test_setting_elements_of_freed_memory_is_refused(self, sim):
        x = xp.zeros(3, device="sim")
        native = x._native
        sim.free(Block(native.memory.pointer, native.memory.nbytes, native.memory), stream=None)
        with pytest.raises(ReleasedError, match="were freed at"):
            x[0] = 1

    def test_freeing_twice_late_is_an_error_of_the_second(self, sim, heap):
        stream = sim.new_stream(Device.SIM)
        block = sim.allocate(Device.SIM, 64, alignment=1, stream=None)
        sim.free(block, stream=stream)
        sim.free(block, stream=stream)
        with pytest.raises(ReleasedError):
            stream.synchronize()

    def test_a_freed_address_is_not_adopted(self, sim):
        block = sim.allocate(Device.SIM, 64, alignment=1, stream=None)
        sim.free(block, stream=None)
        with pytest.raises(ValueError, match="no simulated device has 64 bytes"):
            sim.adopt(ExternalAllocation(64, pointer=block.pointer))

    @pytest.mark.gil
    def test_a_finaliser_of_a_cycle_frees_its_own_memory_and_not_the_next_at_that_address(self, sim):
        # The collector clears weak references before it runs the finalisers of the same garbage.
        def block():
            return sim.allocate(Device.SIM, 64, alignment=1, stream=None)

        class Cycle:
            def __init__(self):
                self.itself, self.block = self, block()

            def __del__(self):
                later.append(block())
                sim.free(self.block, stream=None)

        later = []
        before = sim.used(Device.SIM)
        Cycle()
        gc.collect()
        (next_there,) = later
        assert sim.used(Device.SIM) == before + 64
        assert block().pointer != next_there.pointer

    @pytest.mark.parametrize("change", ["comes", "goes"])
    def test_memory_is_found_where_more_comes_or_goes_as_it_is_looked_for(self, sim, monkeypatch, change):
        """As by a signal handler or a finaliser."""
        first, last = (sim.allocate(Device.SIM, 64, alignment=1, stream=None) for _ in range(2))
        between = []

        def changing(starts):
            result = sorted(starts)
            monkeypatch.undo()
            if change == "comes":
                between.append(sim.allocate(Device.SIM, 64, alignment=1, stream=None))
            else:
                sim.free(last, stream=None)
                sim.used(Device.SIM)
            return result

        def adopted(block):
            inside = ExternalAllocation(56, pointer=block.pointer + 8)
            return sim.adopt(inside).native is block.native

        monkeypatch.setattr(device_memory, "sorted", changing, raising=False)
        if change == "goes":
            with pytest.raises(ValueError, match="no simulated device has 56 bytes"):
                adopted(last)
        else:
            assert adopted(last)
        assert all(adopted(block) for block in (first, *between))


def test_a_host_without_memory_for_the_simulation_is_told_and_nothing_stays_taken(sim):
    with accel.using(sim_memory=1 << 47):
        with pytest.raises(OutOfMemoryError, match="the host has no memory to simulate them with"):
            accel.empty(1 << 46, "uint8", "sim")
        with pytest.raises(OutOfMemoryError):
            xp.zeros(1 << 46, dtype=xp.uint8, device="sim")


def test_arrays_without_elements_stay_on_their_device(sim):
    x = xp.asarray(xp.zeros(0, device="sim:1").container())
    assert (x + xp.ones(0, device="sim:1")).device is Device.SIM[1]


def test_blocks_of_one_alignment_leave_no_holes_between_them(sim):
    before = sim.free_memory(Device.SIM)
    blocks = [sim.allocate(Device.SIM, 100, alignment=256, stream=None) for _ in range(20)]
    assert all(block.pointer % 256 == 0 for block in blocks)
    room = sim.free_memory(Device.SIM)
    assert before.free - room.free == before.largest - room.largest
    for block in blocks:
        sim.free(block, stream=None)
    assert sim.free_memory(Device.SIM) == before
